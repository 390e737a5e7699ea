"""One robot's orders by hand, for the keyboard and the gamepad node: said while a hand is there, then silence.

| topic | type | frame, unit | |
|---|---|---|---|
| `<robot>/cmd_vel` | geometry_msgs/TwistStamped | `<robot>/base_link`, m/s and rad/s | says, while a hand is there |
| `<robot>/kick` | sensor_msgs/JointState | kicker and dribbler, 0..1 in effort | says, with it |

After half a second of silence the motion node hands the robot back to its team.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import JointState

from robohockey_core.checked import InputError, limited
from robohockey_core.hand_drive import HandDrive, HandSettings
from robohockey_core.league import DEFAULT_LEAGUE, League, load_league
from robohockey_core.names import DRIBBLER, KICKER, RobotId, parse_robot
from robohockey_core.ros import conversions, topics

RATE_HZ = 25.0


@dataclass(frozen=True)
class HandParameters(HandSettings):
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    robot: str = limited("blue/0", "the robot to drive")


def robot_of(league: League, name: str) -> RobotId:
    """Read the robot's name. Raises InputError."""
    robot = parse_robot(name)
    if robot not in league.robots():
        raise InputError(f"robot = {name}: no robot of {league.name}; allowed: {', '.join(map(str, league.robots()))}")
    assert robot is not None
    return robot


class HandSpeaker:
    """Publishes what a hand asks of its robot."""

    def __init__(self, node: Node, parameters: HandParameters) -> None:
        league = load_league(parameters.league)
        self.robot = robot_of(league, parameters.robot)
        self.hand = HandDrive(league, parameters)
        self._node = node
        self._twists = topics.publisher(node, topics.CMD_VEL.of(robot=self.robot))
        self._kicks = topics.publisher(node, topics.KICK.of(robot=self.robot))
        self._silent_after_s = 0.0

    def say(self, held: bool) -> None:
        """Say the hand's wish; once it has let go, say "stand" for as long as the deadman takes, then nothing."""
        now_s = time.monotonic()
        if held:
            self._silent_after_s = now_s + 0.2
        if now_s > self._silent_after_s:
            return
        robot, hand = self.robot, self.hand
        twist: Any = hand.twist(now_s) if held else (0.0, 0.0, 0.0)
        self._twists.publish(conversions.twist_message(robot, twist, conversions.now_s(self._node)))
        effort = [hand.kick_power(now_s), hand.dribble_strength(now_s)]
        self._kicks.publish(JointState(name=[robot.joint(KICKER), robot.joint(DRIBBLER)], effort=effort))
