"""Markers and frames for RViz.

| topic | type | frame, unit | |
|---|---|---|---|
| `world_state` | sensor_msgs/JointState | `rink`, m and rad | listens: where robots and puck are |
| `<team>/targets` | sensor_msgs/JointState | `rink`, m and rad | listens: where robots are going |
| `goal_pose`, `clicked_point` | PoseStamped, PointStamped | `rink`, m | listens: RViz's tools |
| `markers` | visualization_msgs/MarkerArray | `rink`, m | says: robots, puck and ways, and once a second the rink |
| `<robot>/goal_pose` | geometry_msgs/PoseStamped | `rink`, m | says: RViz's goal, for the selected robot |
| `/tf` | tf2_msgs/TFMessage | `rink` to `blue/0/base_link` ..., `puck` | says, where tf2_msgs is installed |

The rink is said again every second, so that an RViz that starts late gets it too.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter

from robohockey_core.actions import Target
from robohockey_core.checked import InputError, limited
from robohockey_core.joints import complaint, targets_of, world_of
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.names import TEAMS, RobotId, parse_robot
from robohockey_core.ros import topics
from robohockey_core.ros.conversions import joint_sample, marker_array, marker_message, transform_message
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_core.state import WorldState
from robohockey_viz.markers import nearest_robot, path_markers, placed_bodies, rink_markers, world_markers

try:
    from tf2_msgs.msg import TFMessage
except ImportError:
    TFMessage = None

RINK_PERIOD_S = 1.0


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    frame_rate_hz: float = limited(20.0, "how often robots and puck are drawn", above=0.0, high=120.0)
    selected: str = limited("blue/0", "the robot that RViz's goal is for")


class MarkersNode(Node):
    """Draws the match for RViz."""

    def __init__(self, **options: Any) -> None:
        super().__init__("markers", **options)
        parameters = declare(self, Parameters, settable={"selected": self._select})
        self._league = load_league(parameters.league)
        self._world: WorldState | None = None
        self._last_world: WorldState | None = None
        self._targets: dict[RobotId, Target] = {}
        self._select(parameters.selected)
        self._rink = marker_array(marker_message(topics.RINK_FRAME, 0.0, **vars(m)) for m in rink_markers(self._league))
        self._markers = topics.publisher(self, topics.MARKERS)
        self._transforms = self._transform_publisher()
        robots = self._league.robots()
        self._goals = {robot: topics.publisher(self, topics.GOAL_POSE.of(robot=robot)) for robot in robots}
        topics.subscription(self, topics.WORLD_STATE, self._on_world_state)
        for team in TEAMS:
            topics.subscription(self, topics.TARGETS.of(team=team), self._on_targets)
        topics.subscription(self, topics.SELECTED_GOAL, self._on_goal)
        topics.subscription(self, topics.CLICKED_POINT, self._on_click)
        # Not on simulated time: RViz may start while the match is paused.
        clock = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(RINK_PERIOD_S, self._say_rink, clock=clock)
        self.create_timer(1.0 / parameters.frame_rate_hz, self._say_world, clock=clock)
        self._say_rink()

    def _transform_publisher(self) -> Any:
        if TFMessage is None:
            self.get_logger().info("tf2_msgs is not installed: markers are published, transforms are not")
            return None
        return self.create_publisher(TFMessage, "/tf", topics.EVENT)

    def _on_world_state(self, message: Any) -> None:
        sample = joint_sample(message)
        wrong = complaint(sample)
        if wrong:
            self.get_logger().warning(f"world_state ignored: {wrong}", throttle_duration_sec=5.0)
        else:
            self._world = world_of(sample)

    def _on_targets(self, message: Any) -> None:
        with contextlib.suppress(ValueError):  # the motion node says what is wrong with them
            self._targets.update(targets_of(joint_sample(message)))

    def _select(self, name: str) -> None:
        robot = parse_robot(name)
        if robot not in self._league.robots():
            raise InputError(f"selected = {name}: no robot of {self._league.name}")
        assert robot is not None
        self._selected = robot

    def _on_goal(self, message: Any) -> None:
        self._goals[self._selected].publish(message)

    def _on_click(self, message: Any) -> None:
        world = self._last_world
        robot = nearest_robot(world, message.point.x, message.point.y) if world is not None else None
        if robot is not None:
            self.set_parameters([Parameter("selected", value=str(robot))])
            self.get_logger().info(f"{robot} is selected")

    def _say_rink(self) -> None:
        self._markers.publish(self._rink)

    def _say_world(self) -> None:
        world, self._world = self._world, None
        if world is None:
            return
        self._last_world = world
        shapes = (*world_markers(self._league, world), *path_markers(self._league, world, self._targets))
        self._markers.publish(marker_array(marker_message(topics.RINK_FRAME, world.stamp_s, **vars(m)) for m in shapes))
        if self._transforms is not None:
            frames = placed_bodies(world).items()
            transforms = [transform_message(topics.RINK_FRAME, name, pose, world.stamp_s) for name, pose in frames]
            self._transforms.publish(TFMessage(transforms=transforms))


def main() -> None:
    run_node(MarkersNode)


if __name__ == "__main__":
    main()
