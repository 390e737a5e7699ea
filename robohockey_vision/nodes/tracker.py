"""Turns detections into poses and velocities, predicted to now: the same in every mode.

| topic          | type                            | way | what                                                           |
|----------------|---------------------------------|-----|----------------------------------------------------------------|
| `detections`   | sensor_msgs/JointState          | in  | body joints seen: `position` in m and rad, frame `rink`        |
| `joint_states` | sensor_msgs/JointState          | in  | measured wheel speeds in rad/s: what robots did since          |
| `world_state`  | sensor_msgs/JointState          | out | `position`, `velocity` and, as `effort`, standard deviation    |
| `/diagnostics` | diagnostic_msgs/DiagnosticArray | out | once a second: bodies tracked and missing, detections ignored  |

`world_state` comes every control period of the league, on the node's clock, while at least one body is
in sight; a body out of sight is left out. A clock that jumps back (a simulation that was reset) makes
the tracker forget what it saw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rclpy.node import Node

from robohockey_core.checked import limited
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.names import PUCK, split_joint
from robohockey_core.odometry import Odometry
from robohockey_core.ros.conversions import diagnostics_message, joint_message, joint_sample, now_s, status_message
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_core.ros.topics import DETECTIONS, DIAGNOSTICS, JOINT_STATES, WORLD_STATE, publisher, subscription
from robohockey_core.tracker import Tracker, TrackerSettings, settings_for

_DIAGNOSTICS_PERIOD_S = 1.0


@dataclass(frozen=True)
class Parameters(TrackerSettings):
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    odometry: bool = limited(True, "whether measured wheel speeds are used")


class TrackerNode(Node):
    """All robots of the league and the puck."""

    def __init__(self, **options: Any) -> None:
        super().__init__("tracker", **options)
        parameters = declare(self, Parameters)
        league = load_league(parameters.league)
        self._bodies = (*map(str, league.robots()), PUCK)
        self._tracker = Tracker(self._bodies, settings_for(league, parameters))
        self._odometry = Odometry(league)
        self._last_now_s = now_s(self)
        self._world_state = publisher(self, WORLD_STATE)
        self._diagnostics = publisher(self, DIAGNOSTICS)
        subscription(self, DETECTIONS, self._on_detections)
        if parameters.odometry:
            subscription(self, JOINT_STATES, self._on_wheels)
        self.create_timer(league.timing.control_dt_s, self._on_tick)
        self.create_timer(_DIAGNOSTICS_PERIOD_S, self._on_diagnostics)

    def _on_detections(self, message: Any) -> None:
        time_s = self._now_s()
        self._tracker.see(joint_sample(message), time_s)

    def _on_wheels(self, message: Any) -> None:
        sample = joint_sample(message)
        for robot, twist in self._odometry.twists(sample).items():
            self._tracker.roll(str(robot), twist, sample.stamp_s)

    def _on_tick(self) -> None:
        sample = self._tracker.estimate(self._now_s())
        if sample.names:
            self._world_state.publish(joint_message(sample, WORLD_STATE.frame))

    def _on_diagnostics(self) -> None:
        tracked = {split_joint(name)[0] for name in self._tracker.estimate(self._now_s()).names}
        values = {
            "tracked": len(tracked),
            "missing": " ".join(body for body in self._bodies if body not in tracked),
            "ignored": self._tracker.ignored_count,
        }
        summary = f"{len(tracked)} of {len(self._bodies)} bodies in sight"
        status = status_message(self.get_fully_qualified_name(), summary, values, healthy=bool(tracked))
        self._diagnostics.publish(diagnostics_message(self, status))

    def _now_s(self) -> float:
        """The node's time; when it jumped back, what was seen belongs to another time and is forgotten."""
        time_s = now_s(self)
        if time_s < self._last_now_s:
            self._tracker.reset()
        self._last_now_s = time_s
        return time_s


def main() -> None:
    """Run the node until it is told to end."""
    run_node(TrackerNode)


if __name__ == "__main__":
    main()
