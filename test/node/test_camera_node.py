"""The camera node: frames of a folder, a camera that is not there, and one that comes later."""

from __future__ import annotations

import threading

import cv2
import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from harness import running, wait_for
from rclpy.parameter import Parameter

from robohockey_core.names import RobotId
from robohockey_core.ros.conversions import pixels, seconds, status_values
from robohockey_core.ros.topics import DIAGNOSTICS, OMNI_IMAGE, OVERHEAD_IMAGE
from robohockey_vision.images import write_image
from robohockey_vision.nodes.camera import CameraNode


def said(diagnostics):
    """The camera's newest word about itself."""
    mine = [status for message in diagnostics for status in message.status if status.name == "/camera"]
    return mine[-1] if mine else None


def failures(diagnostics):
    newest = said(diagnostics)
    return int(status_values(newest)["failures"]) if newest else 0


def test_a_folder_is_published_again_and_again(domain, ros_probe, tmp_path):
    for value in (40, 80):
        write_image(tmp_path / f"{value}.png", np.full((48, 64, 3), value, np.uint8))
    images = ros_probe.hear(OVERHEAD_IMAGE)
    with running("camera", domain, source=str(tmp_path), loop=True, frame_rate_hz=50.0):
        wait_for(lambda: len(images) >= 4, "four frames")
    assert {int(pixels(image)[0, 0, 0]) for image in images[:4]} == {40, 80}
    stamps = [seconds(image.header.stamp) for image in images]
    assert stamps == sorted(set(stamps)), "no frame is passed on twice"


def test_a_camera_that_is_not_there_is_tried_until_it_is(domain, ros_probe, tmp_path):
    folder = tmp_path / "later"
    images, diagnostics = ros_probe.hear(OVERHEAD_IMAGE), ros_probe.hear(DIAGNOSTICS)
    with running("camera", domain, source=str(folder), retry_s=0.1, frame_rate_hz=50.0) as process:
        wait_for(lambda: failures(diagnostics) > 3, "failures in /diagnostics")
        assert not images
        ready = tmp_path / "ready"
        ready.mkdir()
        write_image(ready / "a.png", np.full((48, 64, 3), 60, np.uint8))
        ready.rename(folder)
        wait_for(lambda: images, "a frame")
        process.send_signal(2)
        output, _ = process.communicate(timeout=60)
    assert output.count("there is no such device") == 1
    assert output.count("frames come again") == 1


def test_a_robots_omni_camera_publishes_on_the_robots_topic(domain, ros_probe, tmp_path):
    write_image(tmp_path / "a.png", np.full((48, 64, 3), 40, np.uint8))
    images = ros_probe.hear(OMNI_IMAGE.of(robot=RobotId("red", 1)))
    with running("camera", domain, source=str(tmp_path), robot="red/1", loop=True):
        wait_for(lambda: images, "a frame")
    assert images[0].header.frame_id == "red/1/omni"


class Device:
    """A V4L2 device as OpenCV shows it, that can hang as a real one does when it is unplugged."""

    def __init__(self):
        self.plugged = threading.Event()
        self.plugged.set()
        self.taken_out = False

    def isOpened(self):  # noqa: N802 (as OpenCV calls it)
        return True

    def set(self, *_setting):
        return True

    def grab(self):
        threading.Event().wait(0.01)
        self.plugged.wait()
        return not self.taken_out

    def retrieve(self):
        return True, np.full((48, 64, 3), 70, np.uint8)

    def release(self):
        self.taken_out = False


def test_a_device_that_hangs_is_told_of_while_it_hangs(ros_probe, monkeypatch):
    device = Device()
    monkeypatch.setattr(cv2, "VideoCapture", lambda *_: device)
    images, diagnostics = ros_probe.hear(OVERHEAD_IMAGE), ros_probe.hear(DIAGNOSTICS)
    settings = {"source": "/dev/video0", "frame_rate_hz": 50.0, "retry_s": 0.1}
    overrides = [Parameter(name, value=value) for name, value in settings.items()]
    camera = CameraNode(context=ros_probe.context, parameter_overrides=overrides)
    with ros_probe.spinning(camera):
        wait_for(lambda: said(diagnostics) and said(diagnostics).level == DiagnosticStatus.OK, "a healthy camera")
        device.plugged.clear()
        wait_for(lambda: said(diagnostics).message.startswith("no frames for"), "a word about the silence")
        assert said(diagnostics).level == DiagnosticStatus.WARN
        before = len(images)
        # The driver gives up waiting; then somebody plugs the camera in again.
        device.taken_out = True
        device.plugged.set()
        wait_for(lambda: failures(diagnostics) == 1, "a failure")
        wait_for(lambda: len(images) > before + 3, "frames again")
        wait_for(lambda: said(diagnostics).level == DiagnosticStatus.OK, "a healthy camera again")
        stamps = [seconds(image.header.stamp) for image in images]
        assert stamps == sorted(set(stamps))
