"""The unwarp node in a process of its own: right strips, and frames that are none."""

from __future__ import annotations

import array
import subprocess
import sys

import numpy as np
import pytest
from harness import environment, running, wait_for
from rcl_interfaces.msg import Log
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import Image
from std_msgs.msg import Header

from robohockey_core.mirrors import Mirror, Ring, save_mirror
from robohockey_core.ros.conversions import image_message, pixels, stamp, status_values, strip_ring
from robohockey_core.ros.topics import DIAGNOSTICS, Topic
from robohockey_vision.encodings import as_bgr
from robohockey_vision.nodes.omni_unwarp import ROUND_IMAGE, STRIP, STRIP_INFO
from robohockey_vision.omni import Unwarper, UnwarpSettings

ROSOUT = Topic("/rosout", Log, QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL))


def round_image(encoding: str, width_px: int = 640, height_px: int = 480) -> np.ndarray:
    shape = (height_px, width_px) if encoding == "mono8" else (height_px, width_px, 3)
    return np.random.default_rng(5).integers(0, 256, shape, dtype=np.uint8)


def frame(encoding: str, time_s: float, width_px: int = 640, height_px: int = 480) -> Image:
    header = Header(stamp=stamp(time_s), frame_id="blue/0/omni")
    return image_message(round_image(encoding, width_px, height_px), encoding, header)


def unwrapped(camera, strips, message: Image) -> Image:
    """Send a frame until its strip comes: sensor data may get lost."""

    def answer():
        camera.publish(message)
        return next((strip for strip in strips if strip.header.stamp == message.header.stamp), None)

    return wait_for(answer, f"a strip of a {message.encoding} frame")


def counts(diagnostics) -> dict[str, int]:
    """The newest word of the unwarp node."""
    statuses = [status for message in diagnostics for status in message.status if status.name == "/omni_unwarp"]
    return {key: int(value) for key, value in status_values(statuses[-1]).items()} if statuses else {}


def test_strips_of_all_encodings_and_sizes(domain, ros_probe):
    strips = ros_probe.hear(STRIP)
    with running("omni_unwarp", domain):
        camera = ros_probe.speaker(ROUND_IMAGE)
        sizes = [("bgr8", 640, 480), ("rgb8", 640, 480), ("mono8", 640, 480), ("bgr8", 320, 240)]
        for number, (encoding, width_px, height_px) in enumerate(sizes):
            strip = unwrapped(camera, strips, frame(encoding, 100.0 + number, width_px, height_px))
            assert (strip.width, strip.height, strip.encoding) == (630, 96, encoding)
            assert strip.header.frame_id == "blue/0/omni"
            expected = Unwarper(UnwarpSettings(), width_px, height_px).unwarp(round_image(encoding, width_px, height_px))
            np.testing.assert_array_equal(pixels(strip), expected)


def test_bayer_frames_and_the_strips_scale(domain, ros_probe):
    strips, infos = ros_probe.hear(STRIP), ros_probe.hear(STRIP_INFO)
    raw = round_image("mono8")
    with running("omni_unwarp", domain, center_x_px=300.0):
        camera = ros_probe.speaker(ROUND_IMAGE)
        message = image_message(raw, "bayer_rggb8", Header(stamp=stamp(50.0), frame_id="blue/0/omni"))
        strip = unwrapped(camera, strips, message)
        wait_for(lambda: infos, "the strip's scale")
    assert (strip.width, strip.height, strip.encoding) == (630, 96, "bgr8")
    settings = UnwarpSettings(center_x_px=300.0)
    np.testing.assert_array_equal(pixels(strip), Unwarper(settings, 640, 480).unwarp(as_bgr(raw, "bayer_rggb8")))
    assert strip_ring(infos[0]) == (9.0, 105.0, 300.0, 239.5)
    assert (infos[0].width, infos[0].height, infos[0].k[0]) == (630, 96, pytest.approx(630 / (2 * np.pi)))


def test_bad_frames_are_counted_and_said_once_a_kind(domain, ros_probe):
    strips, diagnostics, log = ros_probe.hear(STRIP), ros_probe.hear(DIAGNOSTICS), ros_probe.hear(ROSOUT)
    short = frame("bgr8", 1.0)
    short.data = array.array("B", bytes(100))
    bad_frames = [Image(), Image(encoding="bgr8"), frame("mono8", 2.0, 64, 48), frame("mono8", 2.0, 62, 46), short]
    with running("omni_unwarp", domain):
        camera = ros_probe.speaker(ROUND_IMAGE)
        unwrapped(camera, strips, frame("mono8", 3.0))

        def refused_several_times() -> bool:
            for bad in bad_frames:
                camera.publish(bad)
            return counts(diagnostics).get("refused", 0) > 3 * len(bad_frames)

        def warnings() -> list[str]:
            return [line.msg for line in log if line.name == "omni_unwarp" and "refused" in line.msg]

        wait_for(refused_several_times, "refused frames in /diagnostics")
        wait_for(lambda: refused_several_times() and len(warnings()) >= 4, "a warning of each kind")
        unwrapped(camera, strips, frame("mono8", 4.0))
    assert len(warnings()) == 4
    said = "\n".join(warnings())
    for words in ("encoding ''", "empty", "does not fit in an image of", "100 bytes do not hold 640 x 480 bgr8"):
        assert words in said


def test_frames_are_left_alone_while_nobody_listens(domain, ros_probe):
    diagnostics = ros_probe.hear(DIAGNOSTICS)
    with running("omni_unwarp", domain):
        camera = ros_probe.speaker(ROUND_IMAGE)

        def some_frames_came():
            camera.publish(frame("mono8", 1.0))
            return counts(diagnostics).get("frames", 0) > 3

        wait_for(some_frames_came, "frames in /diagnostics")
        assert counts(diagnostics)["unwrapped"] == 0
        unwrapped(camera, ros_probe.hear(STRIP), frame("mono8", 2.0))
        wait_for(lambda: counts(diagnostics)["unwrapped"] > 0, "unwrapped frames in /diagnostics")


@pytest.mark.parametrize(
    ("parameter", "complaint"),
    [
        ("inner_radius_px:=200", "outer_radius_px = 105: must be above inner_radius_px = 200"),
        ("width_px:=0", "width_px"),
    ],
)
def test_wrong_parameters_end_the_node_with_one_line(domain, parameter, complaint):
    command = [sys.executable, "-m", "robohockey_vision.nodes.omni_unwarp", "--ros-args", "-p", parameter]
    ended = subprocess.run(command, env=environment(domain), capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2, ended.stderr
    assert complaint in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_calibration_gives_centre_rim_and_turn(domain, ros_probe, tmp_path):
    ring = Ring(center_x_px=330.25, center_y_px=231.5, outer_radius_px=98, turn_rad=0.3)
    save_mirror(Mirror(), tmp_path / "mirror.yaml", ring)
    strips, infos = ros_probe.hear(STRIP), ros_probe.hear(STRIP_INFO)
    with running("omni_unwarp", domain, calibration=str(tmp_path / "mirror.yaml")):
        camera = ros_probe.speaker(ROUND_IMAGE)
        strip = unwrapped(camera, strips, frame("bgr8", 1.0))
        unwrapped(camera, strips, frame("bgr8", 2.0))
        wait_for(lambda: infos, "the scale")
    expected = Unwarper(UnwarpSettings(**vars(ring)), 640, 480).unwarp(round_image("bgr8"))
    np.testing.assert_array_equal(pixels(strip), expected)
    assert strip_ring(infos[0]) == (9.0, 98.0, 330.25, 231.5)
