"""Camera frames in a node: how many came, which were refused and why, said once a kind and counted in `/diagnostics`."""

from __future__ import annotations

import re
from typing import Any

from rclpy.node import Node

from robohockey_core.ros.conversions import diagnostics_message, status_message
from robohockey_core.ros.topics import DIAGNOSTICS, publisher

_DIAGNOSTICS_PERIOD_S = 1.0


class FrameCount:
    """Counts the frames of one node and reports them once a second."""

    def __init__(self, node: Node, done: str) -> None:
        self._node, self._done = node, done
        self.came = self.done = self.refused = 0
        self._complaints: set[str] = set()
        self._diagnostics: Any = publisher(node, DIAGNOSTICS)
        node.create_timer(_DIAGNOSTICS_PERIOD_S, self._report)

    def refuse(self, complaint: str) -> None:
        """Count a frame; warn of the first one of its kind (the same words but for numbers and quoted names)."""
        self.refused += 1
        kind = re.sub(r"\d+|'.*'", "", complaint)
        if kind not in self._complaints:
            self._complaints.add(kind)
            self._node.get_logger().warning(f"frame refused: {complaint} (said once; /diagnostics counts)")

    def _report(self) -> None:
        counts = {"frames": self.came, self._done: self.done, "refused": self.refused}
        summary = f"{self.refused} of {self.came} frames refused" if self.refused else "all frames are good"
        name = self._node.get_fully_qualified_name()
        status = status_message(name, summary, counts, healthy=not self.refused)
        self._diagnostics.publish(diagnostics_message(self._node, status))
