"""Whoever owns a robot's wheels holds to the same contract: the physics node, and the driver of a robot on a wire."""

from __future__ import annotations

import contextlib

import pytest
from harness import running, wait_for
from pty_robot import RobotOnPty

from robohockey_core.commands import WheelCommand, commands_sample
from robohockey_core.league import League
from robohockey_core.names import RobotId
from robohockey_core.ros import topics
from robohockey_core.ros.conversions import joint_message, joint_sample, status_values
from robohockey_hw.robot_settings import WATCHDOG_S

WHEELS = ("left_wheel", "right_wheel")
BLUE_0, RED_0 = RobotId("blue", 0), RobotId("red", 0)
TOP_RAD_S = League().robot.max_wheel_speed_rad_s


class Simulated:
    """A robot that the physics node owns."""

    @contextlib.contextmanager
    def node(self, domain):
        with running("physics", domain, owns=["blue/0", "puck"]):
            yield

    def at_rest(self) -> bool:
        return True  # the robot went with its node; whether it comes back at rest is looked at below


class OnAWire:
    """A robot with firmware behind a pseudo-terminal."""

    def __init__(self) -> None:
        self.robot = RobotOnPty(3)

    @contextlib.contextmanager
    def node(self, domain):
        with running("robot_driver", domain, link=self.robot.path, owns=["blue/0"], addresses=[3]):
            yield

    def at_rest(self) -> bool:
        return not any(self.robot.wheel_speeds_rad_s)


@pytest.fixture(params=[Simulated, OnAWire])
def owner(request):
    owner = request.param()
    yield owner
    if isinstance(owner, OnAWire):
        owner.robot.unplug()


# A wheel that stands may still be read one encoder count to and fro.
STILL_RAD_S = 0.1


class Contract:
    def __init__(self, probe) -> None:
        self.joints, self.diagnostics = probe.hear(topics.JOINT_STATES), probe.hear(topics.DIAGNOSTICS)
        self.speaker = probe.speaker(topics.WHEEL_COMMANDS.of(team="blue"))

    def say(self, left_rad_s: float, right_rad_s: float, robot: RobotId = BLUE_0) -> None:
        command = WheelCommand((left_rad_s, right_rad_s))
        self.speaker.publish(joint_message(commands_sample(0.0, WHEELS, {robot: command})))

    def speeds(self) -> tuple[float, float] | None:
        for message in reversed(self.joints):
            sample = joint_sample(message)
            if "blue/0/left_wheel" in sample.names:
                by_name = dict(zip(sample.names, sample.velocity.tolist(), strict=True))
                return by_name["blue/0/left_wheel"], by_name["blue/0/right_wheel"]
        return None

    def turns_at(self, left_rad_s: float, right_rad_s: float):
        """Say it until the wheels turn so: a node refuses nothing that is good."""

        def turning() -> bool:
            self.say(left_rad_s, right_rad_s)
            return self.speeds() == pytest.approx((left_rad_s, right_rad_s), abs=0.6)

        return wait_for(turning, f"wheels at {left_rad_s}, {right_rad_s} rad/s")

    def driven_s(self, left_rad_s: float, right_rad_s: float) -> float:
        """Say it once; for how long the wheels turn before they slow down, by the stamps of what is told of them."""
        self.joints.clear()
        self.say(left_rad_s, right_rad_s)
        wait_for(lambda: self.speeds() == pytest.approx((left_rad_s, right_rad_s), abs=0.6), "wheels that turn")
        wait_for(lambda: self.speeds() == pytest.approx((0.0, 0.0), abs=STILL_RAD_S), "still wheels after silence")
        told = [
            (message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec, speed)
            for message in self.joints
            for name, speed in zip(message.name, message.velocity, strict=True)
            if name == "blue/0/left_wheel"
        ]
        moving_s = [stamp_s for stamp_s, speed in told if speed > 0.1 * left_rad_s]
        fast_s = [stamp_s for stamp_s, speed in told if speed > 0.9 * left_rad_s]
        return fast_s[-1] - moving_s[0]

    def refusals(self) -> tuple[int, str]:
        for message in reversed(self.diagnostics):
            for status in message.status:
                values = status_values(status)
                if "refused_commands" in values:
                    return int(values["refused_commands"]), values["last_refusal"]
        return 0, ""


def test_the_contract_of_a_robots_wheels(domain, ros_probe, owner):
    with owner.node(domain):
        contract = Contract(ros_probe)
        contract.turns_at(10.0, -6.0)
        # The watchdog: silence stops the wheels,
        wait_for(lambda: contract.speeds() == pytest.approx((0.0, 0.0), abs=STILL_RAD_S), "still wheels after silence")
        # no later than a quarter of a second after the last command, two control periods and the way of the answer.
        assert contract.driven_s(10.0, -6.0) <= WATCHDOG_S + 0.06
        # What must not reach a motor is refused, counted and told why, and moves nothing.
        for count, (left, right, robot, why) in enumerate(
            (
                (float("nan"), 1.0, BLUE_0, "not finite"),
                (1.0, float("inf"), BLUE_0, "not finite"),
                (1.01 * TOP_RAD_S, 0.0, BLUE_0, "beyond the limit"),
                (1.0, 1.0, RobotId("blue", 77), "blue/77"),
                (1.0, 1.0, RED_0, "not a robot of blue"),
            ),
            start=1,
        ):
            contract.say(left, right, robot)
            wait_for(lambda why=why, count=count: contract.refusals()[0] == count and why in contract.refusals()[1], why)
            assert contract.speeds() == pytest.approx((0.0, 0.0), abs=STILL_RAD_S)
        # A good command after bad ones, at the limit itself.
        contract.turns_at(TOP_RAD_S, TOP_RAD_S)
    # The node has ended with 0, in the middle of that: nothing turns.
    wait_for(owner.at_rest, "wheels at rest after the node")
    contract.joints.clear()
    with owner.node(domain):
        wait_for(lambda: len([m for m in contract.joints if "blue/0/left_wheel" in m.name]) > 10, "the wheels once more")
        assert all(abs(speed) < STILL_RAD_S for message in list(contract.joints) for speed in message.velocity)
