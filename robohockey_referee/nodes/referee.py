"""The referee node: goals, face-offs, the clock, and why play stopped.

| topic or service | type | what |
|---|---|---|
| `world_state` (in) | JointState, rink | all that the referee sees |
| `match/state` (latched) | DiagnosticStatus | phase, score, clock and explanation as key-values |
| `match/events` | DiagnosticStatus | each call once |
| `sim/set_state` | JointState, rink | where bodies go for a face-off, when a simulator can put them there |
| `match/start`, `match/pause`, `match/reset` | Trigger | go on, hold, new match |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from robohockey_core.checked import limited
from robohockey_core.joints import bodies_sample, world_of
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.names import PUCK
from robohockey_core.ros import conversions, topics
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_referee.judge import Event, Judge, JudgeSettings
from robohockey_referee.placement import EVERYTHING, placement_groups

STATE_PERIOD_S = 0.2
"""The clock in `match/state` is renewed this often; a call is published at once."""


@dataclass(frozen=True)
class Parameters(JudgeSettings):
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    placed: tuple[str, ...] = limited((EVERYTHING,), "bodies that a simulator puts where the referee wants them; * for all")


class RefereeNode(Node):
    """Shows the judge every world state and publishes its calls."""

    def __init__(self, **options: Any) -> None:
        super().__init__("referee", **options)
        parameters = declare(self, Parameters)
        self._placed = parameters.placed
        can_place = EVERYTHING in self._placed or PUCK in self._placed
        self._judge = Judge(load_league(parameters.league), parameters, can_place=can_place)
        self._state = topics.publisher(self, topics.MATCH_STATE)
        self._events = topics.publisher(self, topics.MATCH_EVENTS)
        self._set_state = topics.publisher(self, topics.SET_STATE)
        topics.subscription(self, topics.WORLD_STATE, self._watch)
        topics.service(self, topics.MATCH_START, self._answer(self._judge.start))
        topics.service(self, topics.MATCH_PAUSE, self._answer(self._judge.pause))
        topics.service(self, topics.MATCH_RESET, self._answer(self._judge.reset))
        self.create_timer(STATE_PERIOD_S, self._publish_state)
        self._publish_state()

    def _answer(self, act: Callable[[], None]) -> Callable[[Trigger.Request, Trigger.Response], Trigger.Response]:
        def handle(_request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            act()
            self._publish_state()
            response.success, response.message = True, self._judge.state.phase
            return response

        return handle

    def _watch(self, message: JointState) -> None:
        for event in self._judge.watch(world_of(conversions.joint_sample(message))):
            self._tell(event)
        self._place(conversions.seconds(message.header.stamp))

    def _tell(self, event: Event) -> None:
        self.get_logger().info(event.explanation)
        values = {"time_s": event.time_s, "rule": event.rule, **self._judge.state.to_values()}
        self._events.publish(conversions.status_message(event.rule, event.explanation, values))
        self._publish_state()

    def _place(self, now_s: float) -> None:
        for group in placement_groups(self._judge.placements or {}, self._placed):
            self._set_state.publish(conversions.joint_message(bodies_sample(now_s, group), topics.RINK_FRAME))
        self._judge.placements = None

    def _publish_state(self) -> None:
        state = self._judge.state
        self._state.publish(conversions.status_message("match", state.explanation, state.to_values()))


def main() -> None:
    run_node(RefereeNode)


if __name__ == "__main__":
    main()
