"""The strategy node: one team's decisions.

| topic | type | what |
|---|---|---|
| `world_state` (in) | JointState, rink | poses in m and rad, velocities in m/s and rad/s |
| `match/state` (in) | DiagnosticStatus | phase, score and clock; play goes on where there is no referee |
| `<team>/targets` | JointState, rink | per robot: pose to reach, speed to arrive with, kick and dribbler 0..1 |
| `<team>/placement` | JointState, rink | where a strategy with `place` wants its robots for the coming restart |
| `<team>/field` | OccupancyGrid, rink | the potential field of the robot `field_robot`, of strategies that have one |
| `/diagnostics` | DiagnosticArray | decisions, errors and late decisions of the strategy with their traceback, reloads |

The strategy thinks in a thread of its own: one that hangs is told of, its robots stop by the watchdog, and nobody else
notices. A strategy in a file is loaded anew when the file is saved, and takes over also from one that hangs.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from sensor_msgs.msg import JointState

from robohockey_core.checked import limited
from robohockey_core.joints import bodies_sample, targets_sample, world_of
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.match_state import MatchState
from robohockey_core.names import BLUE, TEAMS
from robohockey_core.ros import conversions, topics
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_core.state import BodyState
from robohockey_strategy.team import strategy_names
from robohockey_strategy.thinker import Thinker, Thought


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    team: str = limited(BLUE, "the team that this node leads", choices=TEAMS)
    strategy: str = limited("chaser", "name of a strategy, or path/to/file.py:Class")
    field_robot: int = limited(-1, "the robot whose potential field is published; -1: none", low=-1, high=99)
    seed: int = limited(1, "seed of the strategy's own chance", low=0)


class StrategyNode(Node):
    """Shows its strategy the world, and publishes what it says."""

    def __init__(self, **options: Any) -> None:
        super().__init__("strategy", **options)
        settable: dict[str, Callable[[Any], None]] = {"strategy": self._choose, "field_robot": self._show_field}
        self._settings = parameters = declare(self, Parameters, settable)
        self._field = topics.publisher(self, topics.FIELD.of(team=parameters.team))
        self._targets = topics.publisher(self, topics.TARGETS.of(team=parameters.team))
        self._placement = topics.publisher(self, topics.PLACEMENT.of(team=parameters.team))
        self._diagnostics = topics.publisher(self, topics.DIAGNOSTICS)
        league = load_league(parameters.league)
        self._thinker = Thinker(league, parameters.team, parameters.strategy, parameters.seed, self._say, self._complain)
        self._thinker.field_robot = parameters.field_robot
        topics.subscription(self, topics.WORLD_STATE, self._take_world)
        topics.subscription(self, topics.MATCH_STATE, self._take_match_state)
        self.create_timer(1.0, self._report)

    def _choose(self, strategy: str) -> None:
        self._thinker.choose(strategy)

    def _show_field(self, robot: int) -> None:
        self._thinker.field_robot = robot

    def _take_match_state(self, message: DiagnosticStatus) -> None:
        self._thinker.hear(MatchState.from_values(conversions.status_values(message)))

    def _take_world(self, message: JointState) -> None:
        self._thinker.see(world_of(conversions.joint_sample(message)), time.monotonic())

    def _complain(self, line: str) -> None:
        self.get_logger().error(line, throttle_duration_sec=5.0)

    def _say(self, thought: Thought) -> None:
        """Publish what the strategy came to; called in its thread."""
        if thought.targets:
            sample = targets_sample(thought.stamp_s, dict(thought.targets))
            self._targets.publish(conversions.joint_message(sample, topics.RINK_FRAME))
        if thought.picture is not None:
            self._field.publish(conversions.grid_message(topics.RINK_FRAME, *thought.picture, thought.stamp_s))
        if thought.places:
            bodies = {str(robot): BodyState(pose) for robot, pose in thought.places.items()}
            self._placement.publish(conversions.joint_message(bodies_sample(thought.stamp_s, bodies), topics.RINK_FRAME))

    def _report(self) -> None:
        account = self._thinker.account
        values = {
            **asdict(account),
            "team": self._settings.team,
            "strategy": self._thinker.chosen,
            "strategies": " ".join(strategy_names()),
        }
        troubled = account.troubled
        told = f"the strategy raised {account.errors} times and was late {account.late} times"
        summary = told if troubled else "playing"
        name = self.get_fully_qualified_name()
        status = conversions.status_message(name, summary, values, healthy=not troubled)
        self._diagnostics.publish(conversions.diagnostics_message(self, status))


def main() -> None:
    run_node(StrategyNode)


if __name__ == "__main__":
    main()
