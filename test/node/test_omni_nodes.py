"""The omni chain in processes of its own: truth to round image, to strip, to the robot's pose and the puck's place."""

from __future__ import annotations

import math

import numpy as np
from harness import running, wait_for

from robohockey_core.joints import JointSample, bodies_of, bodies_sample
from robohockey_core.ros.conversions import joint_message, joint_sample
from robohockey_core.ros.topics import DETECTIONS, GROUND_TRUTH, JOINT_STATES
from robohockey_core.state import BodyState, Pose2D

LEAGUE = "msl_omni"
TRUTH = {
    "blue/0": BodyState(Pose2D(1.0, -1.5, 0.2)),
    "red/1": BodyState(Pose2D(-1.0, 0.5, 2.0)),
    "puck": BodyState(Pose2D(2.2, -0.6)),
}


def test_from_truth_to_pose_and_puck(domain, ros_probe):
    detections = ros_probe.hear(DETECTIONS)
    with (
        running("omni_camera", domain, league=LEAGUE, robot="blue/0"),
        running("omni_unwarp", domain, namespace="blue/robot_0/omni"),
        running("omni_detector", domain, league=LEAGUE, robot="blue/0"),
    ):
        physics, wheels = ros_probe.speaker(GROUND_TRUTH), ros_probe.speaker(JOINT_STATES)
        names = tuple(f"blue/0/wheel_{i}" for i in range(3))
        time_s = 5.0

        def seen():
            nonlocal time_s
            time_s += 0.02
            wheels.publish(joint_message(JointSample(time_s, names, np.zeros(3), np.zeros(3))))
            physics.publish(joint_message(bodies_sample(time_s, TRUTH)))
            return len(detections) > 2

        wait_for(seen, "detections")
    found = bodies_of(joint_sample(detections[-1]))
    assert found.keys() == {"blue/0", "red/?0", "puck"}
    assert math.dist(found["blue/0"].pose[:2], TRUTH["blue/0"].pose[:2]) < 0.05
    assert abs(found["blue/0"].pose.yaw_rad - 0.2) < math.radians(2.0)
    assert math.dist(found["puck"].pose[:2], TRUTH["puck"].pose[:2]) < 0.08
    assert math.dist(found["red/?0"].pose[:2], TRUTH["red/1"].pose[:2]) < 0.5
