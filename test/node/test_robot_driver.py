"""The driver in a process of its own, with an emulated robot at the other end of a pseudo terminal."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from harness import PATIENCE_S, environment, running, wait_for
from pty_robot import RobotOnPty

from robohockey_core.commands import WheelCommand, commands_sample
from robohockey_core.launch_plan import NodeSpec
from robohockey_core.names import RobotId
from robohockey_core.ros import topics
from robohockey_core.ros.conversions import joint_message, status_values
from robohockey_hw.protocol import Stop

WHEELS = ("left_wheel", "right_wheel")
BLUE_0 = RobotId("blue", 0)
ADDRESS = 3
COMMANDS = topics.WHEEL_COMMANDS.of(team="blue")


@pytest.fixture
def robot():
    device = RobotOnPty(ADDRESS, len(WHEELS))
    yield device
    device.unplug()


def driving(domain: int, link: str):
    return running("robot_driver", domain, link=link, owns=["blue/0"], addresses=[ADDRESS])


def command(left_rad_s: float, right_rad_s: float, robot: RobotId = BLUE_0):
    return joint_message(commands_sample(0.0, WHEELS, {robot: WheelCommand((left_rad_s, right_rad_s))}))


def newest(diagnostics: list) -> dict[str, str]:
    return status_values(diagnostics[-1].status[0]) if diagnostics else {}


def test_commands_go_to_the_wire_and_telemetry_comes_back(domain, ros_probe, robot):
    joints = ros_probe.hear(topics.JOINT_STATES)
    with driving(domain, robot.path):
        speaker = ros_probe.speaker(COMMANDS)
        wait_for(robot.speeds_heard, "a first Drive")
        assert set(robot.speeds_heard()) == {(0.0, 0.0)}

        speaker.publish(command(12.34, -5.5))
        wait_for(lambda: (12.34, -5.5) in robot.speeds_heard(), "the commanded speeds on the wire")
        wait_for(lambda: robot.speeds_heard()[-1] == (0.0, 0.0), "still wheels after silence")

        first = robot.speeds_heard().index((12.34, -5.5))
        assert set(robot.speeds_heard()[first:]) == {(12.34, -5.5), (0.0, 0.0)}
        assert all(message.address == ADDRESS for message in robot.heard)
        assert robot.angles_rad[0] > 0.5
        assert robot.angles_rad[1] < -0.2
        # An encoder's step, and the thousandths of a radian that the wire carries.
        resolution_rad = math.tau / robot.firmware.settings.counts_per_turn + 0.001
        told = wait_for(
            lambda: [m for m in joints if list(m.position) == pytest.approx(robot.angles_rad, abs=resolution_rad)],
            "the wheels' angles in joint_states",
        )
        assert list(told[-1].name) == ["blue/0/left_wheel", "blue/0/right_wheel"]
        assert not any(isinstance(message, Stop) for message in robot.heard)
    wait_for(lambda: isinstance(robot.heard[-1], Stop), "a Stop as the last word")


def test_bad_commands_are_refused_and_told(domain, ros_probe, robot):
    diagnostics = ros_probe.hear(topics.DIAGNOSTICS)
    with driving(domain, robot.path):
        speaker = ros_probe.speaker(COMMANDS)
        wait_for(robot.speeds_heard, "a first Drive")
        speaker.publish(command(float("nan"), 1.0))
        wait_for(lambda: "not finite" in newest(diagnostics).get("last_refusal", ""), "the refusal of NaN")
        speaker.publish(command(1.0, 1.0, RobotId("blue", 77)))
        wait_for(lambda: "blue/77" in newest(diagnostics).get("last_refusal", ""), "the refusal of an unknown robot")
        assert int(newest(diagnostics)["refused_commands"]) >= 2
        assert set(robot.speeds_heard()) == {(0.0, 0.0)}

        speaker.publish(command(2.0, 3.0))
        wait_for(lambda: (2.0, 3.0) in robot.speeds_heard(), "a good command after bad ones")


def test_a_robot_that_is_unplugged_and_plugged_in_again_goes_on(domain, ros_probe, robot, tmp_path):
    port = tmp_path / "robot"
    diagnostics = ros_probe.hear(topics.DIAGNOSTICS)
    with driving(domain, str(port)):
        wait_for(lambda: newest(diagnostics).get("link up") == "False", "the missing device in /diagnostics")
        port.symlink_to(robot.path)
        wait_for(robot.speeds_heard, "a Drive to the robot that was plugged in late")
        wait_for(lambda: newest(diagnostics).get("link up") == "True", "the device in /diagnostics")
        robot.unplug()
        port.unlink()
        wait_for(lambda: newest(diagnostics).get("link up") == "False", "the lost device in /diagnostics")

        second = RobotOnPty(ADDRESS, len(WHEELS))
        try:
            port.symlink_to(second.path)
            speaker = ros_probe.speaker(COMMANDS)
            wait_for(second.speeds_heard, "a Drive after the return")
            speaker.publish(command(4.0, 5.0))
            wait_for(lambda: (4.0, 5.0) in second.speeds_heard(), "commands to the robot that came back")
            wait_for(lambda: newest(diagnostics).get("reopened") == "1", "the return in /diagnostics")
            assert newest(diagnostics)["link up"] == "True"
        finally:
            second.unplug()


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"link": "carrier-pigeon://coop"}, "carrier-pigeon"),
        ({"link": "/dev/null", "owns": ["blue/99"], "addresses": [0]}, "blue/99"),
        ({"link": "/dev/null", "owns": ["blue/0", "blue/1"], "addresses": [0]}, "addresses"),
        ({"link": "/dev/null", "addresses": [255]}, "addresses"),
    ],
)
def test_bad_parameters_end_it_with_one_line(domain, parameters, named):
    spec = NodeSpec("robot_driver", "robot_driver", "", parameters, ())
    ended = subprocess.run(
        [sys.executable, "-m", "robohockey_hw.nodes.robot_driver", *spec.ros_arguments()],
        env=environment(domain),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith("robohockey: ")
    assert named in line
