"""The physics node, alone in its process, through its topics."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from harness import environment, running, wait_for

from robohockey_core.commands import WheelCommand, commands_sample
from robohockey_core.joints import JointSample, bodies_of, bodies_sample
from robohockey_core.names import RobotId
from robohockey_core.ros import conversions, topics
from robohockey_core.state import BodyState, Pose2D

WHEELS = ("left_wheel", "right_wheel")
ROBOT = RobotId("blue", 1)


@pytest.fixture
def physics(domain, ros_probe):
    """A running physics node that has shown its first truth."""
    truth = ros_probe.hear(topics.GROUND_TRUTH)
    with running("physics", domain):
        wait_for(lambda: truth, "ground truth")
        yield truth


def body(truth, name):
    return bodies_of(conversions.joint_sample(truth[-1]))[name]


def command(*speeds):
    return conversions.joint_message(commands_sample(0.0, WHEELS, {ROBOT: WheelCommand(speeds)}))


def diagnostic(messages, key):
    return conversions.status_values(messages[-1].status[0])[key] if messages else ""


def test_wheel_commands_drive_a_robot_and_silence_stops_it(physics, ros_probe):
    speaker = ros_probe.speaker(topics.WHEEL_COMMANDS.of(team="blue"))
    start_x_m = body(physics, "blue/1").pose.x_m

    def moved():
        speaker.publish(command(-20.0, -20.0))
        return body(physics, "blue/1").pose.x_m < start_x_m - 0.03

    wait_for(moved, "a robot that drives back")
    wait_for(lambda: body(physics, "blue/1").twist.speed_m_s == 0.0, "a robot that stands still after silence")


def test_bad_commands_are_refused_and_counted(physics, ros_probe):
    speaker = ros_probe.speaker(topics.WHEEL_COMMANDS.of(team="blue"))
    diagnostics = ros_probe.hear(topics.DIAGNOSTICS)
    before = body(physics, "blue/1").pose
    unknown = conversions.joint_message(commands_sample(0.0, WHEELS, {RobotId("blue", 9): WheelCommand((1.0, 1.0))}))
    for message, reason in (
        (command(math.nan, 1.0), "not finite"),
        (command(1e6, 1.0), "beyond the limit"),
        (unknown, "no such robot"),
    ):

        def refused(message=message, reason=reason):
            speaker.publish(message)
            return reason in diagnostic(diagnostics, "last_refusal")

        wait_for(refused, reason)
    assert int(diagnostic(diagnostics, "refused_commands")) >= 3
    assert body(physics, "blue/1").pose == before


def test_detections_show_places_only_and_the_clock_runs(physics, ros_probe):
    detections, clock = ros_probe.hear(topics.DETECTIONS), ros_probe.hear(topics.CLOCK)
    wait_for(lambda: len(detections) > 3 and len(clock) > 3, "detections and clock")
    seen = detections[-1]
    assert len(seen.position) == len(seen.name) == 3 * 7
    assert len(seen.velocity) == 0
    assert seen.header.frame_id == "rink"
    assert conversions.seconds(clock[-1].clock) > conversions.seconds(clock[0].clock)


def test_set_state_moves_what_it_names_or_nothing(physics, ros_probe):
    speaker, diagnostics = ros_probe.speaker(topics.SET_STATE), ros_probe.hear(topics.DIAGNOSTICS)
    wait_for(lambda: diagnostics, "the physics' health")
    good = bodies_sample(0.0, {"puck": BodyState(Pose2D(0.3, 0.4))})
    outside = bodies_sample(0.0, {"puck": BodyState(Pose2D(0.0, 0.1)), "blue/0": BodyState(Pose2D(9.0, 0.0))})
    speaker.publish(conversions.joint_message(outside))
    speaker.publish(conversions.joint_message(JointSample(0.0, ("puck/x", "puck/y"))))
    speaker.publish(conversions.joint_message(good))
    wait_for(lambda: body(physics, "puck").pose[:2] == (0.3, 0.4), "the puck at its new place")
    assert all(body([message], "puck").pose.y_m in (0.0, 0.4) for message in physics)
    refusals = [diagnostic([message], "last_refused_place") for message in diagnostics]
    assert any("blue/0" in text for text in refusals), "who asked is told what was wrong"
    wait_for(lambda: diagnostic(diagnostics, "refused_places") == "2", "both refusals counted")


def test_reset_brings_everything_back(physics, ros_probe):
    ros_probe.speaker(topics.SET_STATE).publish(
        conversions.joint_message(bodies_sample(0.0, {"puck": BodyState(Pose2D(0.3, 0.4))}))
    )
    wait_for(lambda: body(physics, "puck").pose.x_m == 0.3, "the puck away from centre")
    assert ros_probe.call(topics.SIM_RESET).success
    wait_for(lambda: body(physics, "puck").pose.x_m == 0.0, "the puck back at centre")
    assert ros_probe.call(topics.SIM_STEP).message.startswith("time")


@pytest.mark.parametrize(
    ("parameter", "says"),
    [
        ("league:=nowhere", "unknown league nowhere"),
        ("real_time_factor:=0.01", "real_time_factor"),
        ("owns:=['blue/7']", "blue/7: no such body"),
        ("publish_clock:=3", "publish_clock"),
    ],
)
def test_a_wrong_parameter_is_one_line_and_exit_code_2(domain, parameter, says):
    command_line = [sys.executable, "-m", "robohockey_sim.nodes.physics", "--ros-args", "-p", parameter]
    ended = subprocess.run(command_line, env=environment(domain), capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 2
    assert says in ended.stderr
    assert "Traceback" not in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
