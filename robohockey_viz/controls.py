"""What a visitor with the right to control can ask of a match: the page calls it, a node carries it out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from robohockey_core.joints import FloatArray
from robohockey_core.names import RobotId
from robohockey_core.state import BodyState

START, PAUSE, RESET, CONFIRM, OVERRULE = "start", "pause", "reset", "confirm", "overrule"


class MatchControls(Protocol):
    """Every call returns at once and may come from any thread; what could not be done is told on the page."""

    def referee(self, order: str) -> None:
        """Start, pause, reset, confirm or overrule."""

    def send_off(self, robot: RobotId, *, off: bool) -> None:
        """Take a robot off the rink, or let it on again."""

    def set_pace(self, real_time_factor: float) -> None:
        """Run simulated time by this factor."""

    def set_strategy(self, team: str, strategy: str) -> None:
        """Let a team play by another strategy."""

    def show_field(self, team: str, number: int | None) -> None:
        """Ask a team for the potential field of one of its robots; None: of none."""

    def place(self, bodies: Mapping[str, BodyState]) -> None:
        """Put simulated bodies somewhere."""

    def drive(self, robot: RobotId, twist: FloatArray, kick_power: float) -> None:
        """Drive one robot by hand: forward m/s, left m/s, turn rad/s."""
