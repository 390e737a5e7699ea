"""Keyboard and gamepad nodes on real devices of the kernel's: terminals that carry keys and evdev events."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
import tty

import pytest
from harness import environment, running, wait_for

from robohockey_core.league import load_league
from robohockey_core.names import RobotId
from robohockey_core.ros import topics
from robohockey_hw.gamepad import AXIS, EVENT, KEY, LEFT_SHOULDER, LEFT_Y, SOUTH

ROBOT = RobotId("red", 1)
TOP_M_S = load_league("micro_hockey").robot.max_speed_m_s


@pytest.fixture
def terminal():
    master, slave = pty.openpty()
    tty.setraw(slave)
    yield master, os.ttyname(slave)
    for end in (master, slave):
        with contextlib.suppress(OSError):
            os.close(end)


def event(kind, code, value):
    return EVENT.pack(0, 0, kind, code, value)


def test_a_gamepad_drives_only_while_its_shoulder_is_held(domain, ros_probe, terminal):
    master, device = terminal
    twists, kicks = (ros_probe.hear(topic.of(robot=ROBOT)) for topic in (topics.CMD_VEL, topics.KICK))
    with running("gamepad", domain, robot=str(ROBOT), device=device, speed_share=0.5) as process:
        assert "drives red/1" in process.stdout.readline()
        wait_for(lambda: ros_probe.node.count_publishers("red/robot_1/cmd_vel"), "the node's publisher")
        os.write(master, event(AXIS, LEFT_Y, -32768))
        os.write(master, event(KEY, LEFT_SHOULDER, 1))
        wait_for(lambda: twists and twists[-1].twist.linear.x == pytest.approx(0.5 * TOP_M_S, rel=1e-3), "half the top speed")
        assert twists[-1].header.frame_id == "red/1/base_link"

        def kicked():
            # A press lasts a moment, and the topic may be found a moment later: press until it is heard.
            os.write(master, event(KEY, SOUTH, 0) + event(KEY, SOUTH, 1))
            return any(kick.effort[0] == 1.0 for kick in kicks)

        wait_for(kicked, "a kick")
        os.write(master, event(KEY, LEFT_SHOULDER, 0))
        wait_for(lambda: twists[-1].twist.linear.x == 0.0, "a stop after the shoulder was let go")


def test_a_gamepad_that_is_unplugged_stops_its_robot(domain, ros_probe, terminal):
    master, device = terminal
    twists = ros_probe.hear(topics.CMD_VEL.of(robot=ROBOT))
    with running("gamepad", domain, robot=str(ROBOT), device=device) as process:
        assert "drives red/1" in process.stdout.readline()
        wait_for(lambda: ros_probe.node.count_publishers("red/robot_1/cmd_vel"), "the node's publisher")
        os.write(master, event(KEY, LEFT_SHOULDER, 1) + event(AXIS, LEFT_Y, -32768))
        wait_for(lambda: twists and twists[-1].twist.linear.x > 0.0, "a drive")
        os.close(master)
        assert "the gamepad is gone" in process.stdout.readline()
        wait_for(lambda: twists[-1].twist.linear.x == 0.0, "a stop")


def test_keys_of_a_terminal_drive_a_robot_and_it_stops_by_itself(domain, ros_probe, terminal):
    master, device = terminal
    twists = ros_probe.hear(topics.CMD_VEL.of(robot=ROBOT))
    with running("keyboard", domain, robot=str(ROBOT), device=device, turn_rad_s=3.0) as process:
        assert "keys drive red/1" in process.stdout.readline()
        wait_for(lambda: ros_probe.node.count_publishers("red/robot_1/cmd_vel"), "the node's publisher")
        os.write(master, b"a")
        wait_for(lambda: twists and twists[-1].twist.angular.z == pytest.approx(3.0), "a turn")
        wait_for(lambda: twists[-1].twist.angular.z == 0.0, "a stop")


@pytest.mark.parametrize(
    ("node", "parameters", "says"),
    [
        ("keyboard", ("device:=/dev/null",), "is no terminal to read keys from"),
        ("gamepad", ("robot:=green/0",), "robot = green/0: no robot of micro_hockey; allowed: blue/0"),
    ],
)
def test_a_mistake_is_one_line(domain, node, parameters, says):
    arguments = [part for parameter in parameters for part in ("-p", parameter)]
    command = [sys.executable, "-m", f"robohockey_hw.nodes.{node}", "--ros-args", *arguments]
    ended = subprocess.run(command, env=environment(domain), capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2 and says in ended.stderr and "Traceback" not in ended.stderr
