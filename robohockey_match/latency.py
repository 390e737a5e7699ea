"""How old a command is when it turns a wheel, and how old the picture that it was made from. Time is an argument."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping

import numpy as np

from robohockey_core.names import RobotId

_KEPT = 64
_COUNTED = 20_000
"""So many of the newest measurements: of a whole match of six robots."""
_SAME_SPEED_RAD_S = 0.0051
"""A wheel speed on the wire is rounded to 1/100 rad/s."""


class LatencyMeter:
    """Matches the Drives that robots hear with the commands they came from, and those with the newest picture then.

    Commands, pictures and Drives come from threads of their own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pictures: deque[tuple[float, float]] = deque(maxlen=_KEPT)
        self._commands: dict[RobotId, deque[tuple[float, tuple[float, ...]]]] = {}
        self._turned: dict[RobotId, tuple[float, ...]] = {}
        self.command_to_wheel_s: deque[float] = deque(maxlen=_COUNTED)
        self.glass_to_wheel_s: deque[float] = deque(maxlen=_COUNTED)

    def detected(self, taken_s: float, now_s: float) -> None:
        """A detection of a picture taken then is known from now on."""
        with self._lock:
            self._pictures.append((now_s, taken_s))

    def commanded(self, robot: RobotId, speeds_rad_s: tuple[float, ...], stamp_s: float) -> None:
        """A command was made of the world as it was known then."""
        with self._lock:
            self._commands.setdefault(robot, deque(maxlen=_KEPT)).append((stamp_s, speeds_rad_s))

    def turned(self, robot: RobotId, speeds_rad_s: tuple[float, ...], now_s: float) -> None:
        """A robot heard these speeds; the oldest command that it can be is the one.

        Standing still tells nothing, and neither does a Drive like the one before: it may be that one again.
        """
        with self._lock:
            before, self._turned[robot] = self._turned.get(robot), speeds_rad_s
            if before is None or not _same(before, speeds_rad_s):
                self._match(robot, speeds_rad_s, now_s)

    def _match(self, robot: RobotId, speeds_rad_s: tuple[float, ...], now_s: float) -> None:
        waiting = self._commands.get(robot)
        if not waiting or not any(speeds_rad_s):
            return
        for place, (stamp_s, speeds) in enumerate(waiting):
            if _same(speeds, speeds_rad_s):
                for _ in range(place + 1):
                    waiting.popleft()
                self.command_to_wheel_s.append(now_s - stamp_s)
                taken = [taken_s for known_s, taken_s in self._pictures if known_s <= stamp_s]
                if taken:
                    self.glass_to_wheel_s.append(now_s - max(taken))
                return

    def report(self) -> Mapping[str, float]:
        """Median and 99th percentile of both, in seconds."""
        with self._lock:
            measured = (("command to wheel", [*self.command_to_wheel_s]), ("glass to wheel", [*self.glass_to_wheel_s]))
        values = {}
        for name, times_s in measured:
            for share in (0.5, 0.99):
                values[f"{name} p{share * 100:.0f} s"] = float(np.quantile(times_s, share)) if times_s else float("nan")
        return values


def _same(speeds: tuple[float, ...], others: tuple[float, ...]) -> bool:
    return all(abs(a - b) <= _SAME_SPEED_RAD_S for a, b in zip(speeds, others, strict=True))
