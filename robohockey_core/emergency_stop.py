"""The emergency stop as several nodes keep it: none of them may end and take it along. No clock, no ROS."""

from __future__ import annotations

from collections.abc import Mapping

_ON, _COUNT = "emergency_stop", "orders"


class EmergencyStop:
    """What one node knows of it. Every keeper tells the others what it holds; who comes late, or again, takes that over.

    The newest order holds. Orders are counted instead of timed, so that clocks need not agree: whoever has seen more of
    them knows better, and between equals the one that stops is right.
    """

    def __init__(self) -> None:
        self.on = False
        self._count = 0

    def order(self, on: bool) -> None:
        """Somebody said it just now."""
        self.on, self._count = on, self._count + 1

    def hear(self, values: Mapping[str, str]) -> bool:
        """Another keeper tells what it holds; return whether that is news here. What is no such message is none."""
        count = values.get(_COUNT, "")
        if not count.isdecimal():
            return False
        told, held = (int(count), values.get(_ON) == str(True)), (self._count, self.on)
        if told <= held:
            return False
        self._count, self.on = told
        return True

    def values(self) -> dict[str, str]:
        """What to tell the others."""
        return {_ON: str(self.on), _COUNT: str(self._count)}
