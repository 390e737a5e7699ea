"""The motion node: one team's targets, or a hand on the stick, to wheel commands.

| topic | type | what |
|---|---|---|
| `world_state` (in) | JointState, rink | poses in m and rad; each one makes a round of commands |
| `<team>/targets` (in) | JointState, rink | what the strategy wants |
| `<team>/<n>/cmd_vel` (in) | TwistStamped, base_link | manual drive in m/s and rad/s, outranks the strategy |
| `<team>/<n>/kick` (in) | JointState | manual kick power and dribbler 0..1 in effort |
| `<team>/<n>/goal_pose` (in) | PoseStamped, rink | manual waypoint, same rank |
| `<team>/wheel_commands` | JointState | wheel speeds in rad/s; kick power and dribbler 0..1 in effort |
| `/diagnostics` | DiagnosticArray | manual goals and targets that were refused, and why the last one was |
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.node import Node
from sensor_msgs.msg import JointState

from robohockey_core.checked import limited
from robohockey_core.commands import commands_sample
from robohockey_core.joints import targets_of, world_of
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.names import BLUE, DRIBBLER, KICKER, TEAMS, RobotId
from robohockey_core.ros import conversions, topics
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_strategy.manual import make_pilot
from robohockey_strategy.motion import MotionSettings


@dataclass(frozen=True)
class Parameters(MotionSettings):
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    team: str = limited(BLUE, "the team that this node drives", choices=TEAMS)


class MotionNode(Node):
    """Makes a round of wheel commands of every world state."""

    def __init__(self, **options: Any) -> None:
        super().__init__("motion", **options)
        parameters = declare(self, Parameters)
        league = load_league(parameters.league)
        self._pilot = make_pilot(league, parameters.team, parameters)
        self._wheel_names = league.robot.make_drive().wheel_names
        self._now_s = 0.0
        self._refused_targets, self._last_refusal = 0, ""

        self._commands = topics.publisher(self, topics.WHEEL_COMMANDS.of(team=parameters.team))
        self._diagnostics = topics.publisher(self, topics.DIAGNOSTICS)
        topics.subscription(self, topics.TARGETS.of(team=parameters.team), self._take_targets)
        topics.subscription(self, topics.WORLD_STATE, self._drive)
        for robot in (robot for robot in league.robots() if robot.team == parameters.team):
            topics.subscription(self, topics.CMD_VEL.of(robot=robot), partial(self._take_twist, robot))
            topics.subscription(self, topics.KICK.of(robot=robot), partial(self._take_kick, robot))
            topics.subscription(self, topics.GOAL_POSE.of(robot=robot), partial(self._take_goal, robot))
        self.create_timer(1.0, self._report)

    def _take_targets(self, message: JointState) -> None:
        try:
            self._pilot.set_targets(targets_of(conversions.joint_sample(message)), self._now_s)
        except ValueError as error:
            self._refused_targets, self._last_refusal = self._refused_targets + 1, f"targets: {error}"
            self.get_logger().warning(f"targets refused: {error}", throttle_duration_sec=5.0)

    def _take_twist(self, robot: RobotId, message: TwistStamped) -> None:
        self._pilot.drive(robot, conversions.body_twist(message), self._now_s)

    def _take_kick(self, robot: RobotId, message: JointState) -> None:
        effort = dict(zip(message.name, message.effort, strict=False))
        power, dribble = (effort.get(robot.joint(part), 0.0) for part in (KICKER, DRIBBLER))
        self._pilot.kick(robot, power, dribble, self._now_s)

    def _take_goal(self, robot: RobotId, message: PoseStamped) -> None:
        if not self._pilot.send_to(robot, conversions.pose_of(message), self._now_s):
            self._last_refusal = f"goal_pose: {self._pilot.last_refusal}"

    def _drive(self, message: JointState) -> None:
        world = world_of(conversions.joint_sample(message))
        self._now_s = world.stamp_s
        commands = self._pilot.commands(world)
        if commands:
            sample = commands_sample(world.stamp_s, self._wheel_names, commands)
            self._commands.publish(conversions.joint_message(sample))

    def _report(self) -> None:
        goals, targets = self._pilot.refused_goals, self._refused_targets
        values = {"refused_goals": goals, "refused_targets": targets, "last_refusal": self._last_refusal}
        summary = f"refused {goals} manual goals and {targets} rounds of targets" if goals + targets else "driving"
        status = conversions.status_message(self.get_fully_qualified_name(), summary, values, healthy=not goals + targets)
        self._diagnostics.publish(conversions.diagnostics_message(self, status))


def main() -> None:
    run_node(MotionNode)


if __name__ == "__main__":
    main()
