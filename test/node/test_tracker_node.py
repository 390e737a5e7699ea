"""The tracker node in a process of its own, on a clock that the test turns."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import environment, running, wait_for
from rosgraph_msgs.msg import Clock

from robohockey_core.joints import JointSample, bodies_of, bodies_sample
from robohockey_core.ros.conversions import joint_message, joint_sample, stamp, status_values
from robohockey_core.ros.topics import CLOCK, DETECTIONS, DIAGNOSTICS, WORLD_STATE
from robohockey_core.state import BodyState, Pose2D

DELAY_S = 0.04
STEP_S = 0.02


class Scene:
    """Turns the clock, shows bodies where a function of time says, and reads what the tracker makes of it."""

    def __init__(self, ros_probe, start_s: float) -> None:
        self.now_s = start_s
        self.world_states = ros_probe.hear(WORLD_STATE)
        self.diagnostics = ros_probe.hear(DIAGNOSTICS)
        self._clock = ros_probe.speaker(CLOCK)
        self._detections = ros_probe.speaker(DETECTIONS)

    def step(self, poses: Callable[[float], dict[str, Pose2D]] | None = None) -> None:
        self.now_s += STEP_S
        if poses is not None:
            seen_s = self.now_s - DELAY_S
            self.say(bodies_sample(seen_s, {body: BodyState(pose) for body, pose in poses(seen_s).items()}))
        self._clock.publish(Clock(clock=stamp(self.now_s)))

    def say(self, sample: JointSample) -> None:
        self._detections.publish(joint_message(sample, DETECTIONS.frame))

    def status(self) -> dict[str, str]:
        statuses = [status for message in self.diagnostics for status in message.status if status.name == "/tracker"]
        return status_values(statuses[-1]) if statuses else {}

    def newest(self) -> JointSample:
        return joint_sample(self.world_states[-1])


@pytest.fixture
def scene(domain, ros_probe):
    with running("tracker", domain, use_sim_time=True, league="micro_hockey"):
        yield Scene(ros_probe, start_s=100.0)


def test_world_state_is_where_bodies_are_now(scene):
    def poses(time_s: float) -> dict[str, Pose2D]:
        yaw_rad = math.remainder(2.0 * time_s, 2 * math.pi)
        return {"blue/0": Pose2D(0.5 * (time_s - 100.0), 0.2, yaw_rad), "puck": Pose2D(0.0, -1.0 * (time_s - 100.0))}

    def tracked() -> Any:
        scene.step(poses)
        if not scene.world_states:
            return None
        sample = scene.newest()
        bodies, truth = bodies_of(sample), poses(sample.stamp_s)
        if bodies.keys() != truth.keys():
            return None
        off_m = max(math.dist(bodies[body].pose[:2], truth[body][:2]) for body in truth)
        off_rad = math.remainder(bodies["blue/0"].pose.yaw_rad - truth["blue/0"].yaw_rad, 2 * math.pi)
        return bodies if off_m < 0.002 and abs(off_rad) < 0.01 else None

    bodies = wait_for(tracked, "a world state without the camera's delay")
    assert bodies["blue/0"].twist == pytest.approx((0.5, 0.0, 2.0), abs=0.1)
    assert bodies["puck"].twist == pytest.approx((0.0, -1.0, 0.0), abs=0.1)
    assert scene.world_states[-1].header.frame_id == "rink"
    assert 0.0 < bodies["puck"].sigma_m < 0.1


def test_clock_that_jumps_back_makes_it_forget(scene):
    def shown(x_m: float, after_s: float, before_s: float) -> Callable[[], bool]:
        def condition() -> bool:
            scene.step(lambda _: {"puck": Pose2D(x_m, 0.0)})
            if not scene.world_states:
                return False
            sample = scene.newest()
            return after_s < sample.stamp_s < before_s and abs(sample.position[0] - x_m) < 1e-3

        return condition

    wait_for(shown(0.5, 100.0, 200.0), "the puck before the jump")
    scene.now_s = 1.0
    wait_for(shown(-0.5, 1.0, 90.0), "the puck after the jump")
    assert scene.newest().velocity == pytest.approx(np.zeros(3), abs=0.01)


def test_says_nothing_when_nothing_is_in_sight(scene):
    def seen() -> bool:
        scene.step(lambda _: {"red/1": Pose2D(0.1, 0.2)})
        return scene.status().get("tracked") == "1"

    wait_for(seen, "one tracked body in /diagnostics")
    assert scene.status()["missing"] == "blue/0 blue/1 blue/2 red/0 red/2 puck"

    def forgotten() -> bool:
        scene.step()
        return scene.status()["tracked"] == "0"

    wait_for(forgotten, "no tracked body in /diagnostics")
    world_states, diagnostics = len(scene.world_states), len(scene.diagnostics)

    def later() -> bool:
        scene.step()
        return len(scene.diagnostics) > diagnostics

    wait_for(later, "another second of the clock")
    assert len(scene.world_states) == world_states


def test_bad_detections_are_counted_and_do_no_harm(scene):
    def counted() -> bool:
        scene.step(lambda _: {"puck": Pose2D(0.25, 0.0)})
        scene.say(JointSample(scene.now_s, ("blue/0/x", "blue/9/x"), np.array([math.nan, 1.0])))
        scene.say(JointSample(scene.now_s, ("puck/x", "puck/y"), np.array([9.0])))
        scene.say(JointSample(scene.now_s + 1e6, ("puck/x",), np.array([9.0])))
        return int(scene.status().get("ignored", "0")) >= 10

    wait_for(counted, "ignored detections in /diagnostics")
    bodies = bodies_of(scene.newest())
    assert bodies.keys() == {"puck"}
    assert bodies["puck"].pose.x_m == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("parameter", "complaint"), [("league:=no_such", "unknown league no_such"), ("forget_s:=-1.0", "forget_s")]
)
def test_wrong_parameters_end_the_node_with_one_line(domain, parameter, complaint):
    command = [sys.executable, "-m", "robohockey_vision.nodes.tracker", "--ros-args", "-p", parameter]
    ended = subprocess.run(command, env=environment(domain), capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2, ended.stderr
    assert complaint in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
