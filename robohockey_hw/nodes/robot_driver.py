"""Drives the real robots on one link: wheel commands to the wire, measured wheels back.

| topic | type | direction | unit |
|---|---|---|---|
| `<team>/wheel_commands` | sensor_msgs/JointState | in, of the teams with robots here | wheels rad/s, kick and dribble 0..1 |
| `joint_states` | sensor_msgs/JointState | out, when robots answer | wheel angles rad, speeds rad/s |
| `/diagnostics` | diagnostic_msgs/DiagnosticArray | out, once a second | |

Robots live in real time: the node ticks on the steady clock, whatever `use_sim_time` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from robohockey_core.checked import limited
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.ros import conversions, topics
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_hw.driver import Driver, robots_with_addresses
from robohockey_hw.link import DEFAULT_BAUD_RATE, open_link

_DIAGNOSTICS_PERIOD_S = 1.0


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    link: str = limited("", "pyserial URL, such as /dev/ttyUSB0 or socket://host:port")
    baud_rate: int = limited(DEFAULT_BAUD_RATE, "speed of a serial port, in baud", low=1200, high=4_000_000)
    owns: tuple[str, ...] = limited(("blue/0",), "robots on the link, such as blue/0")
    addresses: tuple[int, ...] = limited((0,), "address of each robot in owns", low=0, high=254)


class RobotDriverNode(Node):
    """One link and the robots on it."""

    def __init__(self, **options: Any) -> None:
        super().__init__("robot_driver", **options)
        parameters = declare(self, Parameters)
        league = load_league(parameters.league)
        self._driver = Driver(league, robots_with_addresses(league, parameters.owns, parameters.addresses))
        self._link = open_link(parameters.link, parameters.baud_rate)
        self._was_up: bool | None = None
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        for team in self._driver.teams:
            topics.subscription(self, topics.WHEEL_COMMANDS.of(team=team), partial(self._on_commands, team))
        self._joint_states = topics.publisher(self, topics.JOINT_STATES)
        self._diagnostics = topics.publisher(self, topics.DIAGNOSTICS)
        self.create_timer(league.timing.control_dt_s, self._tick, clock=self._steady)
        self.create_timer(_DIAGNOSTICS_PERIOD_S, self._report, clock=self._steady)

    def close(self) -> None:
        """Leave no robot driving."""
        self._link.write(self._driver.stop_frames(), self._steady_s())
        self._link.close()

    def _steady_s(self) -> float:
        return float(self._steady.now().nanoseconds) * 1e-9

    def _on_commands(self, team: str, message: Any) -> None:
        self._driver.offer(team, conversions.joint_sample(message), self._steady_s())

    def _tick(self) -> None:
        steady_s = self._steady_s()
        # Answers first: those to the last period have come, those to this one may come at once or later.
        measured = self._driver.telemetry(self._link.read(steady_s), conversions.now_s(self))
        self._link.write(self._driver.frames(steady_s), steady_s)
        if measured is not None:
            self._joint_states.publish(conversions.joint_message(measured))

    def _report(self) -> None:
        link, driver = self._link, self._driver
        if link.up != self._was_up:
            self._was_up = link.up
            if link.up:
                self.get_logger().info(f"{link.url} is open")
            else:
                self.get_logger().warning(f"{link.url} is down, trying again: {link.last_error}")
        values: dict[str, object] = {
            "link": link.url,
            "link up": link.up,
            "reopened": link.reopen_count,
            "link errors": link.error_count,
            "last link error": link.last_error,
            "bad frames": driver.bad_frame_count,
            "unexpected frames": driver.unexpected_count,
            "refused commands": driver.refused_count,
            "last refusal": driver.last_refusal,
            **{f"{robot}": said for robot, said in driver.robots_said(conversions.now_s(self)).items()},
        }
        summary = "link up" if link.up else f"link down: {link.last_error}"
        status = conversions.status_message(self.get_name(), summary, values, healthy=link.up)
        self._diagnostics.publish(conversions.diagnostics_message(self, status))


def main() -> None:
    run_node(RobotDriverNode)


if __name__ == "__main__":
    main()
