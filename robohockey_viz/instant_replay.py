"""The last seconds of a live match, to be seen again while it goes on."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from robohockey_core.state import WorldState

LENGTH_S = 20.0


class Moment(NamedTuple):
    """What the page shows of one moment."""

    time_s: float
    world: WorldState
    wheels: Mapping[str, float]


class InstantReplay:
    """Keeps what was shown, and shows it again on request, slower if wanted. Times are the wall's."""

    def __init__(self) -> None:
        self._kept: deque[Moment] = deque()
        self._again: deque[Moment] = deque()
        self._started_s = self._first_s = 0.0
        self.speed = 1.0

    @property
    def running(self) -> bool:
        return bool(self._again)

    def keep(self, moment: Moment) -> None:
        """Remember a live moment and let go of what is too old."""
        self._kept.append(moment)
        while self._kept[0].time_s < moment.time_s - LENGTH_S:
            self._kept.popleft()

    def start(self, wall_s: float, speed: float = 1.0) -> None:
        """Begin with the oldest moment that is kept."""
        self._again = deque(self._kept)
        self.speed = speed
        self._started_s = wall_s
        self._first_s = self._again[0].time_s if self._again else wall_s

    def stop(self) -> None:
        self._again.clear()

    def due(self, wall_s: float) -> Moment | None:
        """The moment to show now; None when there is nothing left, and the match is live again."""
        shown = None
        reached_s = self._first_s + (wall_s - self._started_s) * self.speed
        while self._again and self._again[0].time_s <= reached_s:
            shown = self._again.popleft()
        return shown if shown is not None else (self._again[0] if self._again else None)
