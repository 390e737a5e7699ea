"""Whole matches as a user starts them: real processes, real topics, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from harness import environment, wait_for
from system_match import ROBOHOCKEY, end, match, processes_in

from robohockey_core.formation import face_off_formation
from robohockey_core.joints import world_of
from robohockey_core.league import load_league
from robohockey_core.ros import conversions, topics


def wait_for_play(ros_probe, league_name):
    """Wait until a robot has left its place and the puck was touched."""
    start = face_off_formation(load_league(league_name))
    heard = ros_probe.hear(topics.WORLD_STATE)

    def worlds():
        return [world_of(conversions.joint_sample(message)) for message in heard[-200:]]

    def robot_moved():
        return any(
            abs(state.pose.x_m - start[robot].x_m) + abs(state.pose.y_m - start[robot].y_m) > 0.02
            for world in worlds()
            for robot, state in world.robots.items()
        )

    def puck_moved():
        return any(world.puck is not None and world.puck.twist.speed_m_s > 0.02 for world in worlds())

    wait_for(robot_moved, "a robot that moved")
    wait_for(puck_moved, "a puck that was touched")


@pytest.mark.parametrize("how", [(), ("--composition",)], ids=["processes", "composed"])
def test_a_match_plays_and_ends_cleanly(domain, ros_probe, how):
    with match(domain, "--no-view", *how) as process:
        wait_for_play(ros_probe, "micro_hockey")
        assert len(processes_in(domain)) == (2 if how else 8)
        output = end(process)
    assert "Traceback" not in output
    assert not processes_in(domain)


@pytest.mark.parametrize("league", ["mirosot_11v11", "msl_omni", "mixed_reality"])
def test_other_leagues_play_too(domain, ros_probe, league):
    with match(domain, "--no-view", "--league", league, "--composition") as process:
        wait_for_play(ros_probe, league)
        end(process)


def test_a_dead_node_is_started_again(domain, ros_probe):
    with match(domain, "--no-view") as process:
        wait_for_play(ros_probe, "micro_hockey")
        tracker = next(pid for pid, line in processes_in(domain).items() if "nodes.tracker" in line)
        os.kill(tracker, signal.SIGKILL)
        worlds = ros_probe.hear(topics.WORLD_STATE)
        wait_for(lambda: worlds, "world states from the new tracker")
        assert "tracker ended with -9; starting it again" in end(process)


def test_nothing_outlives_a_match_that_is_killed(domain, ros_probe):
    with match(domain, "--no-view") as process:
        wait_for_play(ros_probe, "micro_hockey")
        process.kill()
        wait_for(lambda: not processes_in(domain), "the end of all nodes")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--league", "nowhere"), "unknown league nowhere; allowed: micro_hockey"),
        (("--blue", "nobody"), "unknown strategy nobody; allowed: chaser, idle"),
        (("--blue", "missing.py:Team"), "there is no file missing.py"),
        (("--mode", "real"), "no link for blue/0"),
        (("--config", "missing.yaml"), "missing.yaml: cannot be read"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(domain, arguments, says):
    ended = subprocess.run(
        [*ROBOHOCKEY, "match", *arguments], env=environment(domain), capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert says in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1
    assert not processes_in(domain)
