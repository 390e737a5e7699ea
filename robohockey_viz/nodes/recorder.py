"""The recorder: everything that a match says, in a rosbag2 folder that `ros2 bag` and Foxglove open.

It listens to every topic of the contract except pictures for people (`markers`) and, unless `images` says
so, camera images. Messages are kept as they came. The match, the league's numbers and the seed stand in
the bag's metadata. `robohockey replay` and `robohockey report` read it, also when it was cut off.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Image

from robohockey_core.checked import limited, to_plain
from robohockey_core.league import DEFAULT_LEAGUE, League, load_league
from robohockey_core.names import TEAMS
from robohockey_core.ros import topics
from robohockey_core.ros.definitions import definition, type_name
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_viz.bag_writer import BagWriter, RecordedTopic
from robohockey_viz.recording import described_match

FLUSH_PERIOD_S = 0.5
QUEUE_DEPTH = 500

_IMAGES = tuple(topic for topic in topics.ALL_TOPICS if topic.type is Image)


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    folder: str = limited("recordings", "where the recording's own folder, named by date and time, is made")
    match: str = limited("{}", "the match as JSON, to be kept inside")
    images: bool = limited(False, "whether to record camera images too")


class RecorderNode(Node):
    """Writes what it hears."""

    def __init__(self, **options: Any) -> None:
        super().__init__("recorder", **options)
        parameters = declare(self, Parameters)
        league = load_league(parameters.league)
        about = {
            "match": parameters.match,
            "seed": str(described_match(parameters.match, "match").get("seed", "")),
            "league": json.dumps(to_plain(league)),
            "namespace": self.get_namespace().strip("/"),
        }
        folder = Path(parameters.folder) / datetime.now().astimezone().strftime("%Y-%m-%d_%H-%M-%S")
        self._bag = BagWriter(folder, about)
        for topic in recorded_topics(league, images=parameters.images):
            self._record(topic)
        self.create_timer(FLUSH_PERIOD_S, self._bag.flush, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self.get_logger().info(f"recording: {folder}")

    def close(self) -> None:
        """Finish the file."""
        self._bag.close()

    def _record(self, topic: topics.Topic) -> None:
        name = self.resolve_topic_name(topic.name)
        qos = topic.qos
        recorded = RecordedTopic(
            name,
            type_name(topic.type),
            definition(topic.type),
            reliable=qos.reliability == ReliabilityPolicy.RELIABLE,
            latched=qos.durability == DurabilityPolicy.TRANSIENT_LOCAL,
            depth=qos.depth,
        )
        self._bag.add_topic(recorded)
        # Deeper than a listener who wants the newest only: everything is kept.
        patient = QoSProfile(depth=QUEUE_DEPTH, reliability=qos.reliability, durability=qos.durability)
        self.create_subscription(topic.type, topic.name, partial(self._write, name), patient, raw=True)

    def _write(self, name: str, data: bytes) -> None:
        self._bag.write(name, time.time_ns(), data)


def recorded_topics(league: League, *, images: bool) -> Iterator[topics.Topic]:
    """Every topic that a match of this league may speak on, and that is worth keeping."""
    for topic in topics.ALL_TOPICS:
        if topic is topics.MARKERS or (topic in _IMAGES and not images):
            continue
        if "{robot}" in topic.name:
            yield from (topic.of(robot=robot) for robot in league.robots())
        elif "{team}" in topic.name:
            yield from (topic.of(team=team) for team in TEAMS)
        else:
            yield topic


def main() -> None:
    run_node(RecorderNode)


if __name__ == "__main__":
    main()
