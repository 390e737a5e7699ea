"""A strategy in a file that is loaded anew when the file is saved, in the middle of a match."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from robohockey_core.actions import Orders
from robohockey_core.checked import InputError
from robohockey_core.state import Pose2D
from robohockey_strategy.fields import FieldPicture
from robohockey_strategy.team import Team, load_strategy, strategy_file
from robohockey_strategy.view import TeamView


class ReloadedStrategy:
    """Plays the strategy as the file has it now. A file that does not load leaves the old one in play, and says why."""

    def __init__(self, name: str) -> None:
        """Raise InputError when the strategy does not load at the start."""
        self._name = name
        path = strategy_file(name)
        self._path: Path | None = path
        self._strategy = load_strategy(name)
        self._saved_ns = self._stamp_ns()
        self.reloads = 0
        self.problem = ""

    @property
    def strategy(self) -> Team:
        """The strategy that plays now."""
        return self._strategy

    def decide(self, view: TeamView) -> Orders:
        """What the strategy in play decides; before that, a look at the file."""
        saved_ns = self._stamp_ns()
        if saved_ns != self._saved_ns:
            self._saved_ns = saved_ns
            self._reload()
        return self._strategy.decide(view)

    def place(self, view: TeamView) -> Mapping[int, Pose2D]:
        """Where the strategy in play wants its robots for a restart, where it has a wish."""
        place = getattr(self._strategy, "place", None)
        return place(view) if place is not None else {}

    def field(self, number: int) -> FieldPicture | None:
        """A robot's potential field, where the strategy plans by one."""
        field = getattr(self._strategy, "field", None)
        return field(number) if field is not None else None

    def _reload(self) -> None:
        try:
            self._strategy = load_strategy(self._name)
        except InputError as error:
            self.problem = str(error)
        else:
            self.problem = ""
            self.reloads += 1

    def _stamp_ns(self) -> int:
        """When the file was saved; a file that is being replaced has no time for a moment."""
        try:
            return self._path.stat().st_mtime_ns if self._path is not None else 0
        except OSError:
            return self._saved_ns
