"""Mixed reality: one robot behind a serial line, the others and the puck simulated, in one match."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from harness import wait_for
from pty_robot import RobotOnPty
from system_match import end, match

from robohockey_core.formation import face_off_formation
from robohockey_core.joints import JointSample, world_of
from robohockey_core.kinematics import arc_step
from robohockey_core.league import load_league
from robohockey_core.names import PUCK, RobotId, body_joints
from robohockey_core.ros import conversions, topics

LEAGUE = load_league("micro_hockey")
REAL = RobotId("blue", 1)
ADDRESS = 5
CAMERA_PERIOD_S = 0.02


class RobotUnderACamera:
    """A robot that drives as its wheels turn, seen by a camera that publishes detections."""

    def __init__(self, ros_probe) -> None:
        self.device = RobotOnPty(ADDRESS, 2)
        self.pose = face_off_formation(LEAGUE)[REAL]
        self._probe = ros_probe
        self._drive = LEAGUE.robot.make_drive()
        self._detections = topics.publisher(ros_probe.node, topics.DETECTIONS)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()

    def _live(self) -> None:
        angles = np.zeros(2)
        while not self._ending.wait(CAMERA_PERIOD_S):
            self.device.robot.advance(time.monotonic())
            turned, angles = np.array(self.device.robot.angles_rad) - angles, np.array(self.device.robot.angles_rad)
            self.pose = arc_step(*self.pose, *self._drive.body_twist(turned), 1.0)
            sample = JointSample(conversions.now_s(self._probe.node), body_joints(str(REAL)), np.array(self.pose))
            self._detections.publish(conversions.joint_message(sample, topics.RINK_FRAME))

    def close(self) -> None:
        self._ending.set()
        self._thread.join()
        self.device.unplug()


@pytest.fixture
def real_robot(ros_probe):
    robot = RobotUnderACamera(ros_probe)
    yield robot
    robot.close()


def test_a_real_and_five_simulated_robots_play_one_match(domain, ros_probe, real_robot, tmp_path):
    path = tmp_path / "mixed.yaml"
    path.write_text(
        f"mode: mixed\nview: false\nrobots:\n  {REAL}: {{backend: real, link: {real_robot.device.path}, address: {ADDRESS}}}\n"
    )
    truth = ros_probe.hear(topics.GROUND_TRUTH)
    worlds = ros_probe.hear(topics.WORLD_STATE)
    start = real_robot.pose

    def newest():
        return world_of(conversions.joint_sample(worlds[-1]))

    def pucks():
        return [m.position[list(m.name).index(f"{PUCK}/x")] for m in truth[-100:]]

    with match(domain, "--config", str(path)) as process:
        wait_for(lambda: worlds and len(newest().robots) == 6, "a world with all six robots")
        wait_for(lambda: any(any(speeds) for speeds in real_robot.device.speeds_heard()), "wheel commands on the wire")
        wait_for(lambda: np.hypot(*np.subtract(real_robot.pose[:2], start[:2])) > 0.05, "the real robot on its way")
        wait_for(lambda: truth and any(abs(x) > 0.01 for x in pucks()), "the simulated puck, touched")
        output = end(process)
    assert "Traceback" not in output
    wait_for(lambda: not any(real_robot.device.robot.drive.wheel_speeds_rad_s), "the real robot at rest")
