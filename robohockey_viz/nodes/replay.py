"""The replay node: says again what was recorded, in its own time, for RViz, the web view or any other node.

It publishes every recorded topic of the contract under the node's own namespace, and `/clock` where the
recording has it. Messages go out byte for byte as they came in. `robohockey replay` shows a recording
without this node.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from robohockey_core.checked import InputError, limited
from robohockey_core.ros import topics
from robohockey_core.ros.definitions import type_name
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_viz.bag_reader import bag_file, read_about, read_messages
from robohockey_viz.nodes.recorder import recorded_topics
from robohockey_viz.recording import recorded_league

_TICK_S = 0.005


@dataclass(frozen=True)
class Parameters:
    folder: str = limited("", "the recording's folder")
    speed: float = limited(1.0, "how fast it plays", above=0.0, high=100.0)
    loop: bool = limited(False, "whether to begin again at the end")


class ReplayNode(Node):
    """Publishes the messages of a recording when they are due."""

    def __init__(self, **options: Any) -> None:
        super().__init__("replay", **options)
        self._settings = declare(self, Parameters)
        path = bag_file(Path(self._settings.folder))
        about = read_about(path)
        prefix = f"/{about.get('namespace', '')}".rstrip("/") + "/"
        known = {topic.name.removeprefix("/"): topic for topic in recorded_topics(recorded_league(about, path), images=True)}
        self._messages = []
        self._speakers: dict[str, Any] = {}
        for message in read_messages(path):
            name = message.topic.removeprefix(prefix).removeprefix("/")
            topic = known.get(name)
            if topic is None or message.type_name != type_name(topic.type):
                continue
            if name not in self._speakers:
                self._speakers[name] = topics.publisher(self, topic)
            self._messages.append((message.received_ns, name, message.data))
        if not self._messages:
            raise InputError(f"{self._settings.folder}: holds no message of a match")
        self._next = 0
        self._clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._started_ns = self._clock.now().nanoseconds
        self.create_timer(_TICK_S, self._say, clock=self._clock)
        length_s = (self._messages[-1][0] - self._messages[0][0]) * 1e-9
        self.get_logger().info(f"replay: {len(self._messages)} messages, {length_s:.1f} s")

    def _say(self) -> None:
        """Publish what is due."""
        played_ns = (self._clock.now().nanoseconds - self._started_ns) * self._settings.speed
        first_ns = self._messages[0][0]
        while self._next < len(self._messages) and self._messages[self._next][0] - first_ns <= played_ns:
            _, name, data = self._messages[self._next]
            self._speakers[name].publish(data)
            self._next += 1
        if self._next == len(self._messages) and self._settings.loop:
            self._next, self._started_ns = 0, self._clock.now().nanoseconds


def main() -> None:
    run_node(ReplayNode)


if __name__ == "__main__":
    main()
