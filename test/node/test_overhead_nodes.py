"""The overhead camera's nodes in processes of their own: truth to image, image to detections, and frames that are none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from harness import encoded, running, wait_for
from sensor_msgs.msg import Image
from std_msgs.msg import Header

from robohockey_core.angles import difference
from robohockey_core.formation import face_off_formation
from robohockey_core.joints import bodies_of, bodies_sample
from robohockey_core.league import load_league
from robohockey_core.overhead_view import view_above
from robohockey_core.ros.conversions import image_message, joint_message, joint_sample, pixels, seconds, stamp, status_values
from robohockey_core.ros.topics import DETECTIONS, DIAGNOSTICS, GROUND_TRUTH, OVERHEAD_IMAGE
from robohockey_core.state import BodyState, Pose2D
from robohockey_sim.overhead_camera import OverheadCamera

LEAGUE = load_league("micro_hockey")


def truth() -> dict[str, BodyState]:
    bodies = {str(robot): BodyState(pose) for robot, pose in face_off_formation(LEAGUE).items()}
    return {**bodies, "puck": BodyState(Pose2D(0.05, 0.2))}


def test_from_truth_to_image_to_detections(domain, ros_probe):
    images, detections = ros_probe.hear(OVERHEAD_IMAGE), ros_probe.hear(DETECTIONS)
    with running("overhead_camera", domain), running("overhead_detector", domain):
        physics = ros_probe.speaker(GROUND_TRUTH)
        time_s = 10.0

        def seen():
            nonlocal time_s
            time_s += 0.04
            physics.publish(joint_message(bodies_sample(time_s, truth())))
            return detections

        wait_for(seen, "detections")
        assert pixels(images[0]).shape == (480, 640, 3)
        found = bodies_of(joint_sample(detections[0]))
        assert found.keys() == truth().keys()
        for name, state in truth().items():
            assert math.dist(found[name].pose[:2], state.pose[:2]) < 0.004, name
            if name != "puck":
                assert abs(difference(found[name].pose.yaw_rad, state.pose.yaw_rad)) < math.radians(3.0), name
            assert 0.0 < found[name].sigma_m < 0.01
        assert 10.0 < seconds(detections[0].header.stamp) <= time_s


@pytest.mark.parametrize("encoding", ["rgb8", "bayer_rggb8"])
def test_images_of_other_encodings_are_read_as_well(domain, ros_probe, encoding):
    detections = ros_probe.hear(DETECTIONS)
    image = encoded(OverheadCamera(LEAGUE, view_above(LEAGUE)).render(truth()), encoding)
    with running("overhead_detector", domain):
        camera = ros_probe.speaker(OVERHEAD_IMAGE)

        def seen():
            camera.publish(image_message(image, encoding, Header(stamp=stamp(3.0))))
            return detections

        wait_for(seen, "detections")
    found = bodies_of(joint_sample(detections[0]))
    assert found.keys() == truth().keys()
    for name, state in truth().items():
        assert math.dist(found[name].pose[:2], state.pose[:2]) < 0.006, name


def test_an_image_without_colours_is_refused_and_not_searched_in_vain(domain, ros_probe):
    detections, diagnostics = ros_probe.hear(DETECTIONS), ros_probe.hear(DIAGNOSTICS)
    with running("overhead_detector", domain) as process:
        camera = ros_probe.speaker(OVERHEAD_IMAGE)
        grey = image_message(np.zeros((480, 640), np.uint8), "mono8", Header(stamp=stamp(1.0)))

        def refused():
            camera.publish(grey)
            mine = [s for m in diagnostics for s in m.status if s.name == "/overhead_detector"]
            return mine and int(status_values(mine[-1])["refused"]) > 0

        wait_for(refused, "refused frames in /diagnostics")
        assert not detections
        process.send_signal(2)
        output, _ = process.communicate(timeout=60)
    assert output.count("has no colours") == 1


@pytest.mark.parametrize(
    "bad",
    [
        Image(),
        Image(encoding="bgr8", width=640, height=480, step=1920),
        image_message(np.zeros((240, 320, 3), np.uint8), "bgr8", Header(stamp=stamp(1.0))),
    ],
    ids=["no image", "no bytes", "another size"],
)
def test_bad_frames_are_counted_and_bring_no_detections(domain, ros_probe, bad):
    detections, diagnostics = ros_probe.hear(DETECTIONS), ros_probe.hear(DIAGNOSTICS)
    with running("overhead_detector", domain):
        camera = ros_probe.speaker(OVERHEAD_IMAGE)

        def refused():
            camera.publish(bad)
            mine = [s for m in diagnostics for s in m.status if s.name == "/overhead_detector"]
            return mine and int(status_values(mine[-1])["refused"]) > 3

        wait_for(refused, "refused frames in /diagnostics")
        assert not detections


def test_an_empty_rink_is_no_detection_of_anything(domain, ros_probe):
    detections = ros_probe.hear(DETECTIONS)
    with running("overhead_detector", domain):
        camera = ros_probe.speaker(OVERHEAD_IMAGE)
        black = image_message(np.zeros((480, 640, 3), np.uint8), "bgr8", Header(stamp=stamp(1.0)))

        def answered():
            camera.publish(black)
            return detections

        wait_for(answered, "an answer to a black image")
        assert list(detections[0].name) == []
