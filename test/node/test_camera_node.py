"""The camera node: frames of a folder, a camera that is not there, and one that comes later."""

from __future__ import annotations

import numpy as np
from harness import running, wait_for

from robohockey_core.ros.conversions import pixels, seconds, status_values
from robohockey_core.ros.topics import DIAGNOSTICS, OVERHEAD_IMAGE
from robohockey_vision.images import write_image


def failures(diagnostics):
    mine = [status for message in diagnostics for status in message.status if status.name == "/camera"]
    return int(status_values(mine[-1])["failures"]) if mine else 0


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
