"""The omni chain in processes of its own: truth to round image, to strip, to the robot's pose and the puck's place."""

from __future__ import annotations

import math

import numpy as np
import pytest
from harness import encoded, running, wait_for
from std_msgs.msg import Header

from robohockey_core.joints import JointSample, bodies_of, bodies_sample
from robohockey_core.league import load_league
from robohockey_core.mirrors import mirror_on
from robohockey_core.names import RobotId
from robohockey_core.ros.conversions import image_message, joint_message, joint_sample, stamp, status_values
from robohockey_core.ros.topics import DETECTIONS, DIAGNOSTICS, GROUND_TRUTH, JOINT_STATES, OMNI_IMAGE, OMNI_UNWRAPPED
from robohockey_core.state import BodyState, Pose2D
from robohockey_sim.omni_camera import OmniCamera

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


@pytest.mark.parametrize("encoding", ["rgb8", "bayer_rggb8"])
def test_images_of_other_encodings_are_read_as_well(domain, ros_probe, encoding):
    detections = ros_probe.hear(DETECTIONS)
    league = load_league(LEAGUE)
    image = encoded(OmniCamera(league, mirror_on(league)).render(TRUTH["blue/0"].pose, TRUTH, "blue/0"), encoding)
    with (
        running("omni_unwarp", domain, namespace="blue/robot_0/omni"),
        running("omni_detector", domain, league=LEAGUE, robot="blue/0"),
    ):
        camera = ros_probe.speaker(OMNI_IMAGE.of(robot=RobotId("blue", 0)))
        time_s = 5.0

        def seen():
            nonlocal time_s
            time_s += 0.02
            camera.publish(image_message(image, encoding, Header(stamp=stamp(time_s))))
            return detections

        wait_for(seen, "detections")
    found = bodies_of(joint_sample(detections[0]))
    assert math.dist(found["blue/0"].pose[:2], TRUTH["blue/0"].pose[:2]) < 0.05
    assert math.dist(found["puck"].pose[:2], TRUTH["puck"].pose[:2]) < 0.1


def test_strips_without_a_scale_are_told_of(domain, ros_probe):
    diagnostics = ros_probe.hear(DIAGNOSTICS)
    with running("omni_detector", domain, league=LEAGUE, robot="blue/0") as process:
        strips = ros_probe.speaker(OMNI_UNWRAPPED.of(robot=RobotId("blue", 0)))
        strip = image_message(np.zeros((96, 630, 3), np.uint8), "bgr8", Header(stamp=stamp(1.0)))

        def refused():
            strips.publish(strip)
            mine = [status for message in diagnostics for status in message.status if status.name == "/omni_detector"]
            return mine and int(status_values(mine[-1])["refused"]) > 0

        wait_for(refused, "refused frames in /diagnostics")
        process.send_signal(2)
        output, _ = process.communicate(timeout=60)
    assert output.count("no camera_info_unwrapped has come") == 1
