"""Keeping simulated time in step with the wall. Time comes in as an argument."""

from __future__ import annotations

import math

from robohockey_core.checked import InputError
from robohockey_sim.noise import ROUNDING_S

SLOWEST_FACTOR = 0.1

_MOST_TICKS_AT_ONCE = 5
"""After a stall the simulation catches up by this much at a time, and lets go of the rest."""


class Pacer:
    """Tells how many ticks are due, and how well the pace was held. Factor 0 means as fast as possible."""

    def __init__(self, tick_s: float, real_time_factor: float) -> None:
        """Raise InputError for a factor that is neither 0 nor at least `SLOWEST_FACTOR`."""
        self._tick_s = tick_s
        self._ticks = 0
        self._last_tick_s = 0.0
        self._measured_from: tuple[float, int] | None = None
        self._latest_s = 0.0
        self.set_factor(real_time_factor)

    def set_factor(self, real_time_factor: float) -> None:
        """Change the pace from now on; raises InputError as above."""
        if real_time_factor != 0.0 and real_time_factor < SLOWEST_FACTOR:
            raise InputError(
                f"real_time_factor = {real_time_factor:g}: must be 0 (as fast as possible) or at least {SLOWEST_FACTOR}"
            )
        self._factor = real_time_factor
        self._due_from_s: float | None = None

    def ticks_due(self, wall_s: float) -> int:
        """Whole ticks that simulated time lags behind the wall; they count as done."""
        if self._factor == 0.0:
            self._ticks, self._last_tick_s = self._ticks + 1, wall_s
            return 1
        if self._due_from_s is None:
            self._due_from_s = self._last_tick_s = wall_s
            self._measured_from = (wall_s, self._ticks)
        lag = (wall_s - self._due_from_s) * self._factor / self._tick_s
        # Half a tick early is on time: a timer that fires a little before must not skip a beat.
        due = max(0, int(lag + 0.5))
        if due > _MOST_TICKS_AT_ONCE:
            due = _MOST_TICKS_AT_ONCE
            self._due_from_s = wall_s
        else:
            self._due_from_s += due * self._tick_s / self._factor
        if due:
            self._ticks, self._last_tick_s = self._ticks + due, wall_s
            self._latest_s = max(self._latest_s, (lag - 1.0) * self._tick_s / self._factor)
        return due

    def rest(self) -> None:
        """While nothing is to happen: time that passes now is not caught up with later."""
        self._due_from_s = self._measured_from = None

    def real_time_factor_held(self) -> float:
        """Simulated time per wall time since the last question, from tick to tick: so that it does not depend on whether the
        next tick falls just before the question or just after it.
        """
        since_s, ticks_then = self._measured_from or (self._last_tick_s, self._ticks)
        self._measured_from = (self._last_tick_s, self._ticks)
        elapsed_s = self._last_tick_s - since_s
        return (self._ticks - ticks_then) * self._tick_s / elapsed_s if elapsed_s > 0.0 else 0.0

    def latest_s(self) -> float:
        """How late the latest tick since the last question was."""
        latest_s, self._latest_s = self._latest_s, 0.0
        return latest_s


class FrameClock:
    """Tells when a camera's next frame is due, on a time that comes in steps; a time that jumps starts it anew."""

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._next_s = -math.inf

    def is_due(self, now_s: float) -> bool:
        if not -self._period_s < self._next_s - now_s <= self._period_s:
            self._next_s = now_s
        if now_s < self._next_s - ROUNDING_S:
            return False
        self._next_s += self._period_s
        return True
