"""What every rule is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from robohockey_core.geometry import Point, distance
from robohockey_referee.calls import Call
from robohockey_referee.scene import Scene


@dataclass
class Rule:
    """One rule. Its fields are its thresholds; what it remembers of the game lives beside them and is forgotten
    whenever play begins anew.
    """

    name: ClassVar[str] = ""

    def __post_init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Play begins anew."""

    def watch(self, scene: Scene) -> Call | None:
        """Look at one moment of play; return a call, or None."""
        raise NotImplementedError


class Held:
    """How long something has been so without a break."""

    def __init__(self) -> None:
        self._since_s: float | None = None

    def seconds(self, so: bool, time_s: float) -> float:
        if not so:
            self._since_s = None
            return 0.0
        if self._since_s is None:
            self._since_s = time_s
        return time_s - self._since_s


class Stay:
    """How long a point has stayed within a circle around where it was when its stay began."""

    def __init__(self) -> None:
        self._at: tuple[Point, float] | None = None

    def seconds(self, point: Point, radius_m: float, time_s: float) -> float:
        if self._at is None or distance(self._at[0], point) > radius_m:
            self._at = (point, time_s)
        return time_s - self._at[1]
