"""The referee node: goals, restarts, the clock, and why play stopped.

| topic or service | type | what |
|---|---|---|
| `world_state` (in) | JointState, rink | all that the referee sees |
| `<team>/placement` (in) | JointState, rink | where a team wants its robots for the coming restart |
| `match/orders` (in) | KeyValue | `send_off` or `send_on`, and which robot |
| `match/state` (latched) | DiagnosticStatus | phase, score, clock, the last call and its numbers as key-values |
| `match/events` | DiagnosticStatus | each call once |
| `sim/set_state` | JointState, rink | where bodies go for a restart, when a simulator can put them there |
| `match/start`, `match/pause`, `match/reset` | Trigger | go on, hold, new match |
| `match/confirm`, `match/overrule` | Trigger | a human's word on a call: it stands, or it does not |
| `emergency_stop`, `emergency_stop/state` | Bool, DiagnosticStatus | kept for robot drivers, which may end and start again |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import KeyValue
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from robohockey_core.checked import InputError, limited
from robohockey_core.joints import bodies_of, bodies_sample, world_of
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.match_state import SEND_OFF, SEND_ON
from robohockey_core.names import TEAMS
from robohockey_core.ros import conversions, topics
from robohockey_core.ros.emergency_stop import EmergencyStopKeeper
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_referee.calls import Event
from robohockey_referee.judge import Judge, JudgeSettings
from robohockey_referee.memory import MemoryFile
from robohockey_referee.placement import EVERYTHING, placement_groups, proposal_of
from robohockey_referee.profile import load_profile

STATE_PERIOD_S = 0.2
"""The clock in `match/state` is renewed this often; a call is published at once."""


@dataclass(frozen=True)
class Parameters(JudgeSettings):
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    rules: str = limited("", "rule profile, by name or path; empty: the league's")
    placed: tuple[str, ...] = limited((EVERYTHING,), "bodies that a simulator puts where the referee wants them; * for all")
    memory_file: str = limited("", "where the match is kept, to go on from after a restart; empty: nowhere")


class RefereeNode(Node):
    """Shows the judge every world state and publishes its calls."""

    def __init__(self, **options: Any) -> None:
        super().__init__("referee", **options)
        parameters = declare(self, Parameters)
        league = load_league(parameters.league)
        self._placed = parameters.placed
        self._judge = Judge(league, load_profile(parameters.rules or league.match.rules), parameters)
        self._file = MemoryFile(Path(parameters.memory_file)) if parameters.memory_file else None
        self._file_trouble = ""
        self._state = topics.publisher(self, topics.MATCH_STATE)
        self._events = topics.publisher(self, topics.MATCH_EVENTS)
        self._set_state = topics.publisher(self, topics.SET_STATE)
        topics.subscription(self, topics.WORLD_STATE, self._watch)
        for team in TEAMS:
            topics.subscription(self, topics.PLACEMENT.of(team=team), partial(self._take_proposal, team))
        topics.subscription(self, topics.MATCH_ORDERS, self._obey)
        for service, act in (
            (topics.MATCH_START, self._judge.start),
            (topics.MATCH_PAUSE, self._judge.pause),
            (topics.MATCH_RESET, self._judge.reset),
            (topics.MATCH_CONFIRM, self._judge.confirm),
            (topics.MATCH_OVERRULE, self._judge.overrule),
        ):
            topics.service(self, service, self._answer(act))
        self._emergency = EmergencyStopKeeper(self)
        self._emergency.tell()
        self.create_timer(STATE_PERIOD_S, self._publish_state)
        self._go_on()
        self._publish_state()

    def _go_on(self) -> None:
        """Raises InputError for a file that cannot be used: better now than in the middle of a match."""
        if self._file is None:
            return
        memory = self._file.read()
        if memory is not None:
            self._judge.recall(memory, str(self._file.path))
            self.get_logger().info(f"going on after a restart: {self._judge.state.explanation}")
        self._file.write(self._judge.memory())

    def _answer(self, act: Callable[[], bool | None]) -> Callable[[Trigger.Request, Trigger.Response], Trigger.Response]:
        def handle(_request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            done = act() is not False
            self._publish_state()
            response.success, response.message = done, self._judge.state.phase if done else "there is no call to decide on"
            return response

        return handle

    def _obey(self, order: KeyValue) -> None:
        known = order.key in (SEND_OFF, SEND_ON)
        if not known or not self._judge.send(order.value, off=order.key == SEND_OFF):
            allowed = f"{SEND_OFF} of a robot that is on, {SEND_ON} of one that is off"
            self.get_logger().warning(f"match/orders: {order.key} {order.value}: not done; allowed: {allowed}")
        self._publish_state()

    def _take_proposal(self, team: str, message: JointState) -> None:
        self._judge.propose(team, proposal_of(team, bodies_of(conversions.joint_sample(message))))

    def _watch(self, message: JointState) -> None:
        events = self._judge.watch(world_of(conversions.joint_sample(message)))
        if events:
            # Written before it is told: one that is killed in between does not tell it twice.
            self._remember()
        for event in events:
            self._tell(event)
        self._place(conversions.seconds(message.header.stamp))

    def _tell(self, event: Event) -> None:
        self.get_logger().info(event.explanation)
        values = {**self._judge.state.to_values(), **event.to_values()}
        self._events.publish(conversions.status_message(event.rule, event.explanation, values))
        self._publish_state()

    def _place(self, now_s: float) -> None:
        for group in placement_groups(self._judge.placements or {}, self._placed):
            self._set_state.publish(conversions.joint_message(bodies_sample(now_s, group), topics.RINK_FRAME))
        self._judge.placements = None

    def _publish_state(self) -> None:
        self._remember()
        state = self._judge.state
        self._state.publish(conversions.status_message("match", state.explanation, state.to_values()))

    def _remember(self) -> None:
        """A disk that fails does not end the match: it is told once and tried again."""
        if self._file is None:
            return
        try:
            self._file.write(self._judge.memory())
        except InputError as error:
            if not self._file_trouble:
                self.get_logger().warning(f"{error}; the match goes on, and would begin anew after a restart")
            self._file_trouble = str(error)
        else:
            if self._file_trouble:
                self.get_logger().info("the match is kept on disk again")
            self._file_trouble = ""


def main() -> None:
    run_node(RefereeNode)


if __name__ == "__main__":
    main()
