"""The page's wishes as topics, services and parameters of the running match."""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping
from typing import Any

from diagnostic_msgs.msg import KeyValue
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

from robohockey_core.joints import FloatArray, bodies_sample
from robohockey_core.match_state import SEND_OFF, SEND_ON
from robohockey_core.names import KICKER, RobotId
from robohockey_core.ros import conversions, topics
from robohockey_core.state import BodyState
from robohockey_viz import controls

NO_ROBOT = -1
"""As a strategy's parameter `field_robot` says that nobody wants to see a field."""

_SERVICES = {
    controls.START: topics.MATCH_START,
    controls.PAUSE: topics.MATCH_PAUSE,
    controls.RESET: topics.MATCH_RESET,
    controls.CONFIRM: topics.MATCH_CONFIRM,
    controls.OVERRULE: topics.MATCH_OVERRULE,
}


class RosRemote:
    """Carries out `MatchControls`. Wishes come from the page's threads and are done in the node's, by `work`."""

    def __init__(self, node: Node, tell: Callable[[str], None]) -> None:
        """`tell` is called with a line for people when a wish could not be fulfilled."""
        self._node, self._tell = node, tell
        self._wishes: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._services = {order: node.create_client(s.type, s.name) for order, s in _SERVICES.items()}
        self._setters: dict[str, Any] = {}
        self._set_state = topics.publisher(node, topics.SET_STATE)
        self._orders = topics.publisher(node, topics.MATCH_ORDERS)
        self._speakers: dict[tuple[str, RobotId], Any] = {}

    def work(self) -> None:
        """Do what has been asked for since the last time."""
        while not self._wishes.empty():
            self._wishes.get_nowait()()

    def referee(self, order: str) -> None:
        self._wishes.put(lambda: self._call(self._services[order], _SERVICES[order].type.Request(), order))

    def send_off(self, robot: RobotId, *, off: bool) -> None:
        message = KeyValue(key=SEND_OFF if off else SEND_ON, value=str(robot))
        self._wishes.put(lambda: self._orders.publish(message))

    def set_pace(self, real_time_factor: float) -> None:
        self._wishes.put(lambda: self._set_parameter("physics", "real_time_factor", real_time_factor))

    def set_strategy(self, team: str, strategy: str) -> None:
        self._wishes.put(lambda: self._set_parameter(f"{team}_strategy", "strategy", strategy))

    def show_field(self, team: str, number: int | None) -> None:
        wanted = number if number is not None else NO_ROBOT
        self._wishes.put(lambda: self._set_parameter(f"{team}_strategy", "field_robot", wanted))

    def place(self, bodies: Mapping[str, BodyState]) -> None:
        def publish() -> None:
            if not self._set_state.get_subscription_count():
                self._tell(f"{', '.join(bodies)}: not moved, for no physics is here")
                return
            sample = bodies_sample(conversions.now_s(self._node), bodies)
            self._set_state.publish(conversions.joint_message(sample, topics.RINK_FRAME))

        self._wishes.put(publish)

    def drive(self, robot: RobotId, twist: FloatArray, kick_power: float) -> None:
        """Publish at once: only the node's own thread asks for this."""
        self._speaker(topics.CMD_VEL, robot).publish(conversions.twist_message(robot, twist, conversions.now_s(self._node)))
        if kick_power > 0.0:
            self._speaker(topics.KICK, robot).publish(JointState(name=[robot.joint(KICKER)], effort=[kick_power]))

    def _speaker(self, topic: topics.Topic, robot: RobotId) -> Any:
        key = (topic.name, robot)
        if key not in self._speakers:
            self._speakers[key] = topics.publisher(self._node, topic.of(robot=robot))
        return self._speakers[key]

    def _set_parameter(self, node: str, name: str, value: Any) -> None:
        if node not in self._setters:
            self._setters[node] = self._node.create_client(SetParameters, f"{node}/set_parameters")
        request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
        self._call(self._setters[node], request, f"{name} of {node}")

    def _call(self, client: Any, request: Any, what: str) -> None:
        if not client.service_is_ready():
            self._tell(f"{what}: nobody answers {client.srv_name}")
            return
        client.call_async(request).add_done_callback(lambda future: self._answered(future, what))

    def _answered(self, future: Any, what: str) -> None:
        answer = future.result()
        results = answer.results if hasattr(answer, "results") else [answer]
        for result in results:
            good = result.successful if hasattr(result, "successful") else result.success
            if not good:
                self._tell(f"{what}: {result.reason if hasattr(result, 'reason') else result.message}")
