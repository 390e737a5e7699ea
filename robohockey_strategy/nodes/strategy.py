"""The strategy node: one team's decisions.

| topic | type | what |
|---|---|---|
| `world_state` (in) | JointState, rink | poses in m and rad, velocities in m/s and rad/s |
| `match/state` (in) | DiagnosticStatus | phase, score and clock; play goes on where there is no referee |
| `<team>/targets` | JointState, rink | per robot: pose to reach, speed to arrive with, kick and dribbler 0..1 |
| `/diagnostics` | DiagnosticArray | decisions made, errors of the strategy with their traceback |
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from sensor_msgs.msg import JointState

from robohockey_core.checked import limited
from robohockey_core.joints import targets_sample, world_of
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.match_state import MatchState
from robohockey_core.names import BLUE, TEAMS
from robohockey_core.ros import conversions, topics
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_strategy.team import Coach, load_strategy, strategy_names


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    team: str = limited(BLUE, "the team that this node leads", choices=TEAMS)
    strategy: str = limited("chaser", "name of a strategy, or path/to/file.py:Class")


class StrategyNode(Node):
    """Asks its strategy for orders whenever the strategy's period has passed."""

    def __init__(self, **options: Any) -> None:
        super().__init__("strategy", **options)
        parameters = declare(self, Parameters, settable={"strategy": self._choose})
        self._league = league = load_league(parameters.league)
        self._team = parameters.team
        self._choose(parameters.strategy)
        self._period_s = league.timing.strategy_period_s
        self._decided_s = -self._period_s
        self._match = MatchState()
        self._decisions, self._errors, self._last_error = 0, 0, ""

        self._targets = topics.publisher(self, topics.TARGETS.of(team=parameters.team))
        self._diagnostics = topics.publisher(self, topics.DIAGNOSTICS)
        topics.subscription(self, topics.WORLD_STATE, self._decide)
        topics.subscription(self, topics.MATCH_STATE, self._take_match_state)
        self.create_timer(1.0, self._report)

    def _choose(self, strategy: str) -> None:
        """Play by this strategy from now on."""
        self._coach = Coach(self._league, self._team, load_strategy(strategy))
        self._strategy = strategy

    def _take_match_state(self, message: DiagnosticStatus) -> None:
        match = MatchState.from_values(conversions.status_values(message))
        if match.phase != self._match.phase:
            self._decided_s = -self._period_s  # a whistle is not kept waiting
        self._match = match

    def _decide(self, message: JointState) -> None:
        stamp_s = conversions.seconds(message.header.stamp)
        if 0.0 <= stamp_s - self._decided_s < self._period_s:
            return
        self._decided_s = stamp_s
        world = world_of(conversions.joint_sample(message))
        try:
            targets = self._coach.targets(world, self._match)
        except Exception as error:  # a strategy is foreign code: whatever it raises costs only its own orders
            self._errors += 1
            self._last_error = traceback.format_exc()
            self.get_logger().error(f"the strategy raised {type(error).__name__}: {error}", throttle_duration_sec=5.0)
            return
        self._decisions += 1
        self._targets.publish(conversions.joint_message(targets_sample(stamp_s, targets), topics.RINK_FRAME))

    def _report(self) -> None:
        values = {
            "decisions": self._decisions,
            "errors": self._errors,
            "last_error": self._last_error,
            "team": self._team,
            "strategy": self._strategy,
            "strategies": " ".join(strategy_names()),
        }
        summary = "playing" if not self._errors else f"the strategy raised {self._errors} times"
        name = self.get_fully_qualified_name()
        status = conversions.status_message(name, summary, values, healthy=not self._errors)
        self._diagnostics.publish(conversions.diagnostics_message(self, status))


def main() -> None:
    run_node(StrategyNode)


if __name__ == "__main__":
    main()
