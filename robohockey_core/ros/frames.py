"""Camera frames in a node: how many came, which were refused and why, said once a kind and counted in `/diagnostics`."""

from __future__ import annotations

import re
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from robohockey_core.frame_health import FrameHealth
from robohockey_core.ros.conversions import diagnostics_message, status_message
from robohockey_core.ros.topics import DIAGNOSTICS, publisher

_DIAGNOSTICS_PERIOD_S = 1.0
_NANOSECONDS = 1e-9


class FrameCount:
    """Counts the frames of one node and reports them once a second."""

    def __init__(self, node: Node, done: str) -> None:
        self._node, self._done = node, done
        self.came = self.done = self.refused = 0
        self._complaints: set[str] = set()
        self._diagnostics: Any = publisher(node, DIAGNOSTICS)
        # By the wall: a simulation that stands sends no frames, and that is to be told.
        self._wall = Clock(clock_type=ClockType.STEADY_TIME)
        self._health = FrameHealth(self._now_s())
        node.create_timer(_DIAGNOSTICS_PERIOD_S, self._report, clock=self._wall)

    def refuse(self, complaint: str) -> None:
        """Count a frame; warn of the first one of its kind (the same words but for numbers and quoted names)."""
        self.refused += 1
        kind = re.sub(r"\d+|'.*'", "", complaint)
        if kind not in self._complaints:
            self._complaints.add(kind)
            self._node.get_logger().warning(f"frame refused: {complaint} (said once; /diagnostics counts)")

    def _report(self) -> None:
        counts = {"frames": self.came, self._done: self.done, "refused": self.refused}
        summary, healthy = self._health.look(self.came, self.refused, self._now_s())
        status = status_message(self._node.get_fully_qualified_name(), summary, counts, healthy=healthy)
        self._diagnostics.publish(diagnostics_message(self._node, status))

    def _now_s(self) -> float:
        return float(self._wall.now().nanoseconds) * _NANOSECONDS
