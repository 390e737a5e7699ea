"""Drives the real robots on one link: wheel commands to the wire, measured wheels back. A lifecycle node.

| topic or service | type | direction | what |
|---|---|---|---|
| `<team>/wheel_commands` | JointState | in, of the teams with robots here | wheels rad/s, kick and dribble 0..1 |
| `joint_states` | JointState | out, when robots answer | wheel angles rad, speeds rad/s |
| `<team>/robot_<n>/odom` | Odometry, `<robot>/odom` | out, when robots answer | pose by wheels since the first answer |
| `emergency_stop` | Bool | in and out | an order. true: every robot of every driver stands until it is false |
| `emergency_stop/state` | DiagnosticStatus, latched | in and out | what holds: a driver that starts again takes it over |
| `/diagnostics` | DiagnosticArray | out, once a second | the link, and each robot's battery, faults, loss and round trip |
| `~/emergency_stop` | SetBool | service | says `emergency_stop` to all drivers |

Unconfigured: no port. Inactive: the port is open and robots are asked who they are; none moves. Active: they drive.
Robots live in real time: the node ticks on the steady clock, whatever `use_sim_time` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn

from robohockey_core.checked import limited
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.priority import step_ahead
from robohockey_core.ros import conversions, topics
from robohockey_core.ros.emergency_stop import EmergencyStopKeeper
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_hw import health
from robohockey_hw.driver import GROUP, SINGLE, Driver, robots_with_addresses
from robohockey_hw.link import DEFAULT_BAUD_RATE, open_link

_DIAGNOSTICS_PERIOD_S = 1.0
_LISTENING_S = 5.0
"""A driver that starts stands until somebody has told it whether an emergency stop holds, this long at most. Nodes that
have missed each other's first words announce themselves every 3 s."""
_LOOKS_PER_PERIOD = 4
"""Answers are read this often in a control period: so round trips are measured to a fraction of it."""


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    link: str = limited("", "pyserial URL, such as /dev/ttyUSB0 or socket://host:port")
    baud_rate: int = limited(DEFAULT_BAUD_RATE, "speed of a serial port, in baud", low=1200, high=4_000_000)
    owns: tuple[str, ...] = limited(("blue/0",), "robots on the link, such as blue/0")
    addresses: tuple[int, ...] = limited((0,), "address of each robot in owns", low=0, high=254)
    frames: str = limited(SINGLE, "a frame for each robot, or one for all on a shared radio", choices=(SINGLE, GROUP))
    autostart: bool = limited(True, "configure and activate at once; else wait for lifecycle transitions")


class RobotDriverNode(LifecycleNode):
    """One link and the robots on it."""

    def __init__(self, **options: Any) -> None:
        super().__init__("robot_driver", **options)
        parameters = declare(self, Parameters)
        league = load_league(parameters.league)
        robots = robots_with_addresses(league, parameters.owns, parameters.addresses)
        self._driver = Driver(league, robots, parameters.frames, parameters.baud_rate)
        self._link = open_link(parameters.link, parameters.baud_rate)
        self._period_s = league.timing.control_dt_s
        self._was_up: bool | None = None
        self._active = False
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._listens_until_s = self._steady_s() + _LISTENING_S
        self._timers: list[Any] = []
        for team in self._driver.teams:
            topics.subscription(self, topics.WHEEL_COMMANDS.of(team=team), partial(self._on_commands, team))
        self._emergency = EmergencyStopKeeper(self, self._on_emergency)
        self._joint_states = topics.publisher(self, topics.JOINT_STATES)
        self._odometry = {robot: topics.publisher(self, topics.ODOM.of(robot=robot)) for robot in robots}
        self._diagnostics = topics.publisher(self, topics.DIAGNOSTICS)
        topics.service(self, topics.DRIVER_STOP, self._answer_stop)
        if parameters.autostart:
            self.trigger_configure()
            self.trigger_activate()

    def on_configure(self, _state: Any) -> TransitionCallbackReturn:
        """Open the port and ask who is there."""
        for period_s, work in (
            (self._period_s / _LOOKS_PER_PERIOD, self._look),
            (_DIAGNOSTICS_PERIOD_S, self._report),
        ):
            self._timers.append(self.create_timer(period_s, work, clock=self._steady))
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, _state: Any) -> TransitionCallbackReturn:
        self._driver.hold()  # what was said before is not for now
        self._active = True
        return TransitionCallbackReturn.SUCCESS

    def on_deactivate(self, _state: Any) -> TransitionCallbackReturn:
        self._rest()
        return TransitionCallbackReturn.SUCCESS

    def on_cleanup(self, _state: Any) -> TransitionCallbackReturn:
        self.close()
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, _state: Any) -> TransitionCallbackReturn:
        self.close()
        return TransitionCallbackReturn.SUCCESS

    def on_error(self, _state: Any) -> TransitionCallbackReturn:
        self.close()
        return TransitionCallbackReturn.SUCCESS

    def close(self) -> None:
        """Leave no robot driving, and the port to others."""
        self._rest()
        for timer in self._timers:
            self.destroy_timer(timer)
        self._timers.clear()
        self._link.close()

    def _rest(self) -> None:
        self._active = False
        if self._link.up:
            self._link.write(self._driver.stop_frames(), self._steady_s())

    def _steady_s(self) -> float:
        return float(self._steady.now().nanoseconds) * 1e-9

    def _on_commands(self, team: str, message: Any) -> None:
        self._driver.offer(team, conversions.joint_sample(message), self._steady_s())
        self._drive()

    def _on_emergency(self, on: bool) -> None:
        self._driver.emergency = on
        self._driver.hold()
        self._drive()
        self.get_logger().warning("emergency stop" if on else "emergency stop is over")

    def _answer_stop(self, request: Any, response: Any) -> Any:
        self._emergency.order(request.data)
        response.success, response.message = True, "every robot stops" if request.data else "robots may drive"
        return response

    def _drive(self) -> None:
        now_s = self._steady_s()
        drives = self._active and (self._emergency.informed or now_s >= self._listens_until_s)
        data = self._driver.frames(now_s) if drives else self._driver.ask_frames(now_s)
        if data:
            self._link.write(data, now_s)

    def _look(self) -> None:
        self._read()
        self._drive()

    def _read(self) -> None:
        steady_s, stamp_s = self._steady_s(), conversions.now_s(self)
        measured = self._driver.telemetry(self._link.read(steady_s), steady_s, stamp_s)
        if measured is None:
            return
        self._joint_states.publish(conversions.joint_message(measured))
        for robot, publisher in self._odometry.items():
            if robot.joint(self._driver.wheel_names[0]) in measured.names:
                odometry = self._driver.odometry(robot)
                publisher.publish(conversions.odometry_message(robot, odometry.pose, odometry.twist, stamp_s))

    def _report(self) -> None:
        link, driver, steady_s = self._link, self._driver, self._steady_s()
        if link.up != self._was_up:
            self._was_up = link.up
            if link.up:
                self.get_logger().info(f"{link.url} is open")
            else:
                self.get_logger().warning(f"{link.url} is down, trying again: {link.last_error}")
        statuses = [
            conversions.status_message(name, text, values, healthy=healthy)
            for name, text, values, healthy in health.report(self.get_name(), link, driver, steady_s)
        ]
        self._diagnostics.publish(conversions.diagnostics_message(self, *statuses))


def main() -> None:
    step_ahead()
    run_node(RobotDriverNode)


if __name__ == "__main__":
    main()
