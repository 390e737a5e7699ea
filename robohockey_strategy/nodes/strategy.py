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
notices. A strategy in a file is loaded anew when the file is saved.
"""

from __future__ import annotations

import queue
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from sensor_msgs.msg import JointState

from robohockey_core.checked import limited
from robohockey_core.joints import bodies_sample, targets_sample, world_of
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.match_state import PLAY, MatchState
from robohockey_core.names import BLUE, TEAMS
from robohockey_core.ros import conversions, topics
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_core.state import BodyState, WorldState
from robohockey_strategy.reloading import ReloadedStrategy
from robohockey_strategy.team import Coach, strategy_names

FIRST_DECISION_S = 2.0
"""The first decision may take this long: compiled code is loaded for it."""


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    team: str = limited(BLUE, "the team that this node leads", choices=TEAMS)
    strategy: str = limited("chaser", "name of a strategy, or path/to/file.py:Class")
    field_robot: int = limited(-1, "the robot whose potential field is published; -1: none", low=-1, high=99)
    seed: int = limited(1, "seed of the strategy's own chance", low=0)


class StrategyNode(Node):
    """Asks its strategy for orders whenever the strategy's period has passed."""

    def __init__(self, **options: Any) -> None:
        super().__init__("strategy", **options)
        settable = {"strategy": self._choose, "field_robot": lambda number: setattr(self, "_field_robot", number)}
        self._settings = parameters = declare(self, Parameters, settable)
        self._league = league = load_league(parameters.league)
        self._field_robot = parameters.field_robot
        self._choose(parameters.strategy)
        self._period_s = league.timing.strategy_period_s
        self._decided_s = -self._period_s
        self._match = MatchState()
        self._decisions, self._errors, self._late, self._last_error = 0, 0, 0, ""
        self._thinks_since_s: float | None = None
        self._told_late = False
        self._moments: queue.SimpleQueue[tuple[WorldState, MatchState]] = queue.SimpleQueue()
        # A thread that hangs must not keep the process from ending.
        self._thinker = threading.Thread(target=self._think, name="strategy", daemon=True)
        self._thinker.start()

        self._field = topics.publisher(self, topics.FIELD.of(team=parameters.team))
        self._targets = topics.publisher(self, topics.TARGETS.of(team=parameters.team))
        self._placement = topics.publisher(self, topics.PLACEMENT.of(team=parameters.team))
        self._diagnostics = topics.publisher(self, topics.DIAGNOSTICS)
        topics.subscription(self, topics.WORLD_STATE, self._take_world)
        topics.subscription(self, topics.MATCH_STATE, self._take_match_state)
        self.create_timer(1.0, self._report)

    def _choose(self, strategy: str) -> None:
        """Play by this strategy from now on."""
        self._strategy = ReloadedStrategy(strategy)
        self._coach = Coach(self._league, self._settings.team, self._strategy, self._settings.seed)
        self._chosen = strategy

    def _take_match_state(self, message: DiagnosticStatus) -> None:
        match = MatchState.from_values(conversions.status_values(message))
        if (match.phase, match.turn) != (self._match.phase, self._match.turn):
            self._decided_s = -self._period_s  # a whistle is not kept waiting
        self._match = match

    def _take_world(self, message: JointState) -> None:
        stamp_s = conversions.seconds(message.header.stamp)
        self._watch_thinker()
        if 0.0 <= stamp_s - self._decided_s < self._period_s or self._thinks_since_s is not None:
            return
        self._decided_s = stamp_s
        self._thinks_since_s, self._told_late = time.monotonic(), False
        self._moments.put((world_of(conversions.joint_sample(message)), self._match))

    def _watch_thinker(self) -> None:
        """A decision that takes longer than the strategy's period is told of once, with where it is."""
        since_s = self._thinks_since_s
        limit_s = self._period_s if self._decisions else max(self._period_s, FIRST_DECISION_S)
        if since_s is None or self._told_late or time.monotonic() - since_s < limit_s:
            return
        self._late, self._told_late = self._late + 1, True
        frame = sys._current_frames().get(self._thinker.ident or 0)
        where = "".join(traceback.format_stack(frame)[-5:]) if frame is not None else ""
        self._last_error = f"a decision takes longer than {limit_s:g} s; it is here:\n{where}"
        self.get_logger().error("the strategy takes longer than its period", throttle_duration_sec=5.0)

    def _think(self) -> None:
        while True:
            world, match = self._moments.get()
            try:
                self._decide(world, match)
            except Exception as error:  # a strategy is foreign code: whatever it raises costs only its own orders
                self._errors += 1
                self._last_error = traceback.format_exc()
                self.get_logger().error(f"the strategy raised {type(error).__name__}: {error}", throttle_duration_sec=5.0)
            self._thinks_since_s = None

    def _decide(self, world: WorldState, match: MatchState) -> None:
        targets = self._coach.targets(world, match)
        self._decisions += 1
        self._targets.publish(conversions.joint_message(targets_sample(world.stamp_s, targets), topics.RINK_FRAME))
        picture = self._strategy.field(self._field_robot) if self._field_robot >= 0 else None
        if picture is not None:
            turned = picture if self._settings.team == BLUE else picture.mirrored()
            self._field.publish(conversions.grid_message(topics.RINK_FRAME, *turned, world.stamp_s))
        places = self._coach.placement(world, match) if match.phase != PLAY else {}
        if places:
            bodies = {str(robot): BodyState(pose) for robot, pose in places.items()}
            self._placement.publish(conversions.joint_message(bodies_sample(world.stamp_s, bodies), topics.RINK_FRAME))

    def _report(self) -> None:
        values = {
            "decisions": self._decisions,
            "errors": self._errors,
            "late": self._late,
            "reloads": self._strategy.reloads,
            "reload_problem": self._strategy.problem,
            "last_error": self._last_error,
            "team": self._settings.team,
            "strategy": self._chosen,
            "strategies": " ".join(strategy_names()),
        }
        troubled = self._errors + self._late > 0 or bool(self._strategy.problem)
        summary = f"the strategy raised {self._errors} times and was late {self._late} times" if troubled else "playing"
        name = self.get_fully_qualified_name()
        status = conversions.status_message(name, summary, values, healthy=not troubled)
        self._diagnostics.publish(conversions.diagnostics_message(self, status))


def main() -> None:
    run_node(StrategyNode)


if __name__ == "__main__":
    main()
