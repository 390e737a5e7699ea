"""The web view: a match in the browser, for as many visitors as like to watch.

| topic | type | frame, unit | |
|---|---|---|---|
| `world_state` | sensor_msgs/JointState | `rink`, m and rad | listens: where robots and puck are |
| `joint_states` | sensor_msgs/JointState | rad | listens: how far wheels have turned |
| `match/state` | diagnostic_msgs/DiagnosticStatus | key-values | listens: what the scoreboard shows |

The page is served on loopback unless `host` says otherwise. A busy port is left alone: the next free
one is taken, and the log says which.
"""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from typing import Any

import viser
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from robohockey_core.checked import limited
from robohockey_core.joints import complaint, world_of
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.ros import topics
from robohockey_core.ros.conversions import joint_sample, status_values
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_core.state import WorldState
from robohockey_viz.ports import free_port
from robohockey_viz.scene import RinkScene


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    host: str = limited("127.0.0.1", "address to listen on; 0.0.0.0 lets other machines watch")
    port: int = limited(8080, "first port to try", low=1, high=65535)
    frame_rate_hz: float = limited(30.0, "pictures per second", above=0.0, high=120.0)


class WebViewNode(Node):
    """Serves the page and moves what is on it."""

    def __init__(self, **options: Any) -> None:
        super().__init__("web_view", **options)
        parameters = declare(self, Parameters)
        league = load_league(parameters.league)
        port = free_port(parameters.host, parameters.port)
        with _quiet():
            self._server = viser.ViserServer(host=parameters.host, port=port, label="RoboHockey", verbose=False)
        self._scene = RinkScene(self._server, league)
        self._world: WorldState | None = None
        self._wheel_angles: dict[str, float] = {}
        self._state: dict[str, str] = {}
        topics.subscription(self, topics.WORLD_STATE, self._on_world_state)
        topics.subscription(self, topics.JOINT_STATES, self._on_joint_states)
        topics.subscription(self, topics.MATCH_STATE, self._on_match_state)
        # Not on simulated time: visitors look around in a paused match as well.
        self.create_timer(1.0 / parameters.frame_rate_hz, self._draw, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._announce(parameters)

    def close(self) -> None:
        """Close the page's connections."""
        with _quiet():
            self._server.stop()

    def _announce(self, parameters: Parameters) -> None:
        port = self._server.get_port()
        if port != parameters.port:
            self.get_logger().info(f"port {parameters.port} is in use: taking {port}")
        self.get_logger().info(f"web view: http://{parameters.host}:{port}")

    def _on_world_state(self, message: Any) -> None:
        sample = joint_sample(message)
        wrong = complaint(sample)
        if wrong:
            self.get_logger().warning(f"world_state ignored: {wrong}", throttle_duration_sec=5.0)
        else:
            self._world = world_of(sample)

    def _on_joint_states(self, message: Any) -> None:
        # Several speak here, the physics and each driver: every one says its own joints.
        self._wheel_angles.update(zip(message.name, message.position, strict=False))

    def _on_match_state(self, message: Any) -> None:
        self._state = status_values(message)

    def _draw(self) -> None:
        self._scene.show_state(self._state)
        if self._world is not None:
            self._scene.update(self._world, self._wheel_angles)


def _quiet() -> contextlib.AbstractContextManager[Any]:
    """Viser prints a banner when it starts and a line when it stops; this node's log says it already."""
    return contextlib.redirect_stdout(io.StringIO())


def main() -> None:
    run_node(WebViewNode)


if __name__ == "__main__":
    main()
