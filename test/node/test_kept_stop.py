"""An emergency stop outlives the driver that was told of it."""

from __future__ import annotations

import contextlib
import signal
import threading

import pytest
from harness import running, wait_for
from pty_robot import RobotOnPty
from std_msgs.msg import Bool
from std_srvs.srv import SetBool

from robohockey_core.commands import WheelCommand, commands_sample
from robohockey_core.names import RobotId
from robohockey_core.ros import topics
from robohockey_core.ros.conversions import joint_message, status_values
from robohockey_hw.protocol import Drive

WHEELS = ("left_wheel", "right_wheel")
FIRST, OTHER = RobotId("blue", 0), RobotId("blue", 1)
SPEEDS = WheelCommand((5.0, 5.0))


@pytest.fixture
def robots():
    robots = {FIRST: RobotOnPty(0), OTHER: RobotOnPty(1)}
    yield robots
    for robot in robots.values():
        robot.unplug()


@contextlib.contextmanager
def commanded(probe):
    """A strategy that goes on and on."""
    speaker = topics.publisher(probe.node, topics.WHEEL_COMMANDS.of(team="blue"))
    ending = threading.Event()

    def speak() -> None:
        while not ending.wait(0.02):
            speaker.publish(joint_message(commands_sample(0.0, WHEELS, {FIRST: SPEEDS, OTHER: SPEEDS})))

    thread = threading.Thread(target=speak, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()


def driver(domain, robots, robot, exit_code=0):
    name, link = f"driver_{robot.number}", robots[robot].path
    return running("robot_driver", domain, name, exit_code=exit_code, link=link, owns=[str(robot)], addresses=[robot.number])


def moves(robot: RobotOnPty) -> int:
    """How many orders to move the robot has heard."""
    return sum(isinstance(m, Drive) and any(m.wheel_speeds_rad_s) for m in list(robot.heard))


@pytest.mark.parametrize("by_driver", [True, False], ids=["kept by another driver", "kept by the referee"])
def test_a_driver_that_was_killed_and_started_again_still_stops(domain, ros_probe, robots, by_driver):
    states, diagnostics = ros_probe.hear(topics.EMERGENCY_STATE), ros_probe.hear(topics.DIAGNOSTICS)
    keeper = "driver_1" if by_driver else "referee"

    def told(name):
        return [status_values(s).get("emergency stop") for m in list(diagnostics) for s in m.status if s.name == name]

    with contextlib.ExitStack() as stack:
        stack.enter_context(driver(domain, robots, OTHER) if by_driver else running("referee", domain))
        stack.enter_context(commanded(ros_probe))
        first = stack.enter_context(driver(domain, robots, FIRST, exit_code=-signal.SIGKILL))
        wait_for(lambda: moves(robots[FIRST]), "a robot that drives")

        name = "driver_0/emergency_stop"
        ros_probe.call(topics.Service(name, SetBool), SetBool.Request(data=True))
        wait_for(lambda: robots[FIRST].wheel_speeds_rad_s == [0.0, 0.0], "still wheels")
        wait_for(lambda: any(m.name == keeper and "emergency" in m.message for m in list(states)), "somebody who keeps it")
        first.kill()
        first.wait()
        before, diagnostics_before = moves(robots[FIRST]), len(told("driver_0"))
        with driver(domain, robots, FIRST):
            wait_for(lambda: "True" in told("driver_0")[diagnostics_before:], "a new driver that knows")
            heard = len(robots[FIRST].heard)
            wait_for(lambda: len(robots[FIRST].heard) > heard + 50, "a second of its bytes")
            assert moves(robots[FIRST]) == before

            # An order on the topic, as anybody may say it, ends it for all.
            ros_probe.speaker(topics.EMERGENCY_STOP).publish(Bool(data=False))
            wait_for(lambda: moves(robots[FIRST]) > before, "a robot that drives again")
