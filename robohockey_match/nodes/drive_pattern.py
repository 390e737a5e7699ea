"""Drives one robot through the pattern for identification, then stops it and ends.

| topic | type | way | what |
|---|---|---|---|
| `<team>/wheel_commands` | sensor_msgs/JointState | out | the pattern, in rad/s |
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node

from robohockey_core.checked import InputError, limited
from robohockey_core.commands import WheelCommand, commands_sample
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.names import parse_robot
from robohockey_core.ros import conversions, topics
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_match.driving_pattern import DURATION_S, pattern


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    robot: str = limited("blue/0", "robot to drive")


class DrivePatternNode(Node):
    """Says the pattern's speeds once a control period."""

    def __init__(self, **options: Any) -> None:
        super().__init__("drive_pattern", **options)
        parameters = declare(self, Parameters)
        league, robot = load_league(parameters.league), parse_robot(parameters.robot)
        if robot is None or robot not in league.robots():
            raise InputError(f"robot = {parameters.robot!r}: no robot of {league.name}; such as blue/0")
        self._robot, self._top_rad_s = robot, league.robot.max_wheel_speed_rad_s
        self._wheels = league.robot.make_drive().wheel_names
        self._commands = topics.publisher(self, topics.WHEEL_COMMANDS.of(team=robot.team))
        self._started_s: float | None = None
        self.create_timer(league.timing.control_dt_s, self._tick)
        self.get_logger().info(f"{robot} drives for {DURATION_S:.0f} s; record wheel_commands, joint_states and detections")

    def _tick(self) -> None:
        now_s = conversions.now_s(self)
        if self._started_s is None and self._commands.get_subscription_count():
            self._started_s = now_s
        elapsed_s = now_s - self._started_s if self._started_s is not None else 0.0
        done = elapsed_s >= DURATION_S
        speeds = (0.0,) * len(self._wheels) if done else pattern(elapsed_s, self._top_rad_s)
        sample = commands_sample(now_s, self._wheels, {self._robot: WheelCommand(speeds)})
        self._commands.publish(conversions.joint_message(sample))
        if done:
            os.kill(os.getpid(), signal.SIGINT)


def main() -> None:
    run_node(DrivePatternNode)


if __name__ == "__main__":
    main()
