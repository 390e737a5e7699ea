"""The web view: a match in the browser, for as many visitors as like to watch, with controls for those who may.

| topic | type | frame, unit | |
|---|---|---|---|
| `world_state` | sensor_msgs/JointState | `rink`, m and rad | listens: where robots and puck are |
| `joint_states` | sensor_msgs/JointState | rad | listens: how far wheels and kickers have turned |
| `match/state` | diagnostic_msgs/DiagnosticStatus | key-values | listens: what the scoreboard shows |
| `detections`, `sim/ground_truth` | sensor_msgs/JointState | `rink` | listens: for overlays and graphs |
| `<team>/targets`, `wheel_commands`, `field` | | `rink` | listens: for overlays and graphs |
| `<robot>/omni/image_raw`, `image_unwrapped` | sensor_msgs/Image | | listens, when somebody wants to see them |
| `/diagnostics` | diagnostic_msgs/DiagnosticArray | | listens: pace, strategies |
| `sim/set_state`, `match/orders`, `<robot>/cmd_vel`, `kick` | | | says, for visitors who control |

The page is served on loopback unless `host` says otherwise; who comes from another machine watches, and
controls with the token that the log tells. A busy port is left alone: the next free one is taken.
"""

from __future__ import annotations

import contextlib
import io
import time
from dataclasses import dataclass
from functools import partial
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from robohockey_core import cdr
from robohockey_core.checked import limited
from robohockey_core.joints import bodies_of, complaint, targets_of, world_of
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.names import EVERYTHING, TEAMS, RobotId
from robohockey_core.priority import step_back
from robohockey_core.ros import topics
from robohockey_core.ros.conversions import grid_values, joint_sample, rgb_pixels, status_values
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_viz import background
from robohockey_viz.access import Access
from robohockey_viz.heard import own_node
from robohockey_viz.latency import TRACKER, LatencyMeter
from robohockey_viz.live_page import LivePage
from robohockey_viz.nodes.remote import RosRemote
from robohockey_viz.page import quiet_server
from robohockey_viz.ports import free_port, links
from robohockey_viz.show import Grid


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    host: str = limited("127.0.0.1", "address to listen on; 0.0.0.0 lets other machines watch")
    port: int = limited(8080, "first port to try", low=1, high=65535)
    token: str = limited("", "what visitors of other machines must know to control; empty: made up at the start")
    placed: tuple[str, ...] = limited((EVERYTHING,), "bodies that a simulator puts where visitors want them; * for all")
    frame_rate_hz: float = limited(33.0, "pictures per second", above=0.0, high=120.0)


class WebViewNode(Node):
    """Serves the page, tells it what it hears, and lets it draw."""

    def __init__(self, **options: Any) -> None:
        super().__init__("web_view", **options)
        parameters = declare(self, Parameters)
        league = load_league(parameters.league)
        self._server = quiet_server(parameters.host, free_port(parameters.host, parameters.port), "RoboHockey")
        self._remote = RosRemote(self, self._tell)
        self._access = Access(parameters.token or None)
        self._page = LivePage(self._server, league, self._remote, self._access, self._movable(parameters))
        self._latency = LatencyMeter()
        self._images: dict[str, Any] = {}
        self._camera: tuple[RobotId, list[Any]] | None = None
        self._listen()
        # Not on simulated time: visitors look around in a paused match as well.
        self.create_timer(1.0 / parameters.frame_rate_hz, self._draw, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._announce(parameters)

    @staticmethod
    def _movable(parameters: Parameters) -> tuple[str, ...] | None:
        return None if EVERYTHING in parameters.placed else parameters.placed

    def close(self) -> None:
        """Close the page's connections."""
        with contextlib.redirect_stdout(io.StringIO()):
            self._server.stop()

    def _listen(self) -> None:
        topics.subscription(self, topics.WORLD_STATE, self._on_world_state)
        topics.subscription(self, topics.JOINT_STATES, self._on_joint_states)
        topics.subscription(self, topics.MATCH_STATE, lambda m: self._page.note_state(status_values(m)))
        topics.subscription(self, topics.DIAGNOSTICS, self._on_diagnostics)
        # These come often and are seldom shown: they are read only when somebody wants to see them.
        for topic, callback, qos in (
            (topics.DETECTIONS, self._on_detections, topics.NEWEST),
            (topics.GROUND_TRUTH, self._on_truth, topics.GROUND_TRUTH.qos),
            *((topics.WHEEL_COMMANDS.of(team=team), partial(self._on_commands, team), topics.NEWEST) for team in TEAMS),
            *((topics.TARGETS.of(team=team), partial(self._on_targets, team), topics.NEWEST) for team in TEAMS),
        ):
            self.create_subscription(topic.type, topic.name, callback, qos, raw=True)
        for team in TEAMS:
            topics.subscription(self, topics.FIELD.of(team=team), partial(self._on_field, team))

    def _announce(self, parameters: Parameters) -> None:
        port = self._server.get_port()
        if port != parameters.port:
            self.get_logger().info(f"port {parameters.port} is in use: taking {port}")
        here, elsewhere = links(parameters.host, port)
        self.get_logger().info(f"web view: {here}")
        if elsewhere:
            token = self._access.token
            self.get_logger().info(
                f"from another machine: {elsewhere}; to control the match from there, give the token: {token}"
            )

    def _tell(self, text: str) -> None:
        self.get_logger().warning(text)
        self._page.tell(text)

    def _on_world_state(self, message: Any) -> None:
        sample = joint_sample(message)
        wrong = complaint(sample)
        if wrong:
            self.get_logger().warning(f"world_state ignored: {wrong}", throttle_duration_sec=5.0)
            return
        self._page.note_world(world_of(sample))
        self._page.note_latency(TRACKER, self._latency.track(sample.stamp_s, time.monotonic()))

    def _on_joint_states(self, message: Any) -> None:
        self._page.note_wheels(dict(zip(message.name, message.position, strict=False)))

    def _on_detections(self, data: bytes) -> None:
        self._latency.see(time.monotonic())
        if self._page.wanted.detections:
            self._page.note_detections(bodies_of(joint_sample(deserialize_message(data, JointState))))

    def _on_truth(self, data: bytes) -> None:
        self._page.note_truth(cdr.stamp_s(data), lambda: world_of(joint_sample(deserialize_message(data, JointState))))

    def _on_commands(self, team: str, data: bytes) -> None:
        self._answered(f"{team}_motion", data)

    def _on_targets(self, team: str, data: bytes) -> None:
        self._answered(f"{team}_strategy", data)
        if self._page.wanted.targets:
            with contextlib.suppress(ValueError):  # the motion node says what is wrong with them
                self._page.note_targets(targets_of(joint_sample(deserialize_message(data, JointState))))

    def _answered(self, node: str, data: bytes) -> None:
        self._page.note_latency(node, self._latency.answer(node, cdr.stamp_s(data), time.monotonic()))

    def _on_field(self, team: str, message: Any) -> None:
        robot = self._page.wanted.robot
        if robot is not None and robot.team == team:
            self._page.note_field(Grid(*grid_values(message)))

    def _on_diagnostics(self, message: Any) -> None:
        for status in message.status:
            node = own_node(status.name, self.get_namespace())
            if node is not None:
                self._page.note_status(node, status_values(status))

    def _on_image(self, which: str, message: Any) -> None:
        with contextlib.suppress(ValueError):  # an image that cannot be read is not shown
            self._images[which] = rgb_pixels(message)
        self._page.note_pictures(self._images.get("raw"), self._images.get("strip"))

    def _watch_camera(self) -> None:
        """Listen to the images of the robot that visitors chose, and of no other."""
        wanted = self._page.wanted
        robot = wanted.robot if wanted.omni else None
        if robot == (self._camera[0] if self._camera else None):
            return
        for subscription in self._camera[1] if self._camera else ():
            self.destroy_subscription(subscription)
        self._images.clear()
        self._camera = None
        self._page.note_pictures(None, None)
        if robot is not None:
            pairs = ((topics.OMNI_IMAGE, "raw"), (topics.OMNI_UNWRAPPED, "strip"))
            heard = [topics.subscription(self, topic.of(robot=robot), partial(self._on_image, which)) for topic, which in pairs]
            self._camera = (robot, heard)

    def _draw(self) -> None:
        self._remote.work()
        self._watch_camera()
        self._page.draw(time.monotonic())


def main() -> None:
    step_back()
    background.return_memory()
    run_node(WebViewNode)


if __name__ == "__main__":
    main()
