"""The last seconds of a live match, to be seen again while it goes on.

What is kept is counted in the match's time, whatever its speed, and a pause counts for nothing. What is shown again passes by
the wall's clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from robohockey_core.state import WorldState

LENGTH_S = 20.0

_STEP_S = 0.015
"""Moments closer together than this look the same: a match may run much faster than pictures come."""

_JUMP_S = 0.5
"""A longer step of the match's time, or one back, is no time that passed."""


class Moment(NamedTuple):
    """What the page shows of one moment; `time_s` is time in which the match was not held."""

    time_s: float
    world: WorldState
    wheels: Mapping[str, float]


class InstantReplay:
    """Keeps what was heard, and shows it again on request, slower if wanted."""

    def __init__(self) -> None:
        self._kept: deque[Moment] = deque()
        self._again: deque[Moment] = deque()
        self._started_s = self._first_s = 0.0
        self._time_s = 0.0
        self._stamp_s: float | None = None
        self.speed = 1.0

    @property
    def running(self) -> bool:
        return bool(self._again)

    def keep(self, world: WorldState, wheels: Mapping[str, float], *, held: bool = False) -> None:
        """Remember a live moment and let go of what is too old; nothing while the match is held."""
        step_s = world.stamp_s - self._stamp_s if self._stamp_s is not None else _JUMP_S
        if 0.0 <= step_s < _STEP_S:
            return
        self._stamp_s = world.stamp_s
        if held:
            return
        self._time_s += step_s if 0.0 < step_s < _JUMP_S else _STEP_S
        self._kept.append(Moment(self._time_s, world, dict(wheels)))
        while self._kept[0].time_s < self._time_s - LENGTH_S:
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
