"""Spreads the round images of an omni camera out to strips (Minho section 6).

Usable alone in any ROS system: remap the two topics and give the mirror's circle as parameters, or as a calibration. The
strip has the robot's front in the middle, its left on the left, and far things on top.

| topic                   | type                   | way | what                                                             |
|-------------------------|------------------------|-----|------------------------------------------------------------------|
| `image_raw`             | sensor_msgs/Image      | in  | round image: bgr8, rgb8, mono8 or bayer                          |
| `image_unwrapped`       | sensor_msgs/Image      | out | strip, with the stamp and frame of its round image, and its      |
|                         |                        |     | encoding: bgr8 for bayer                                         |
| `camera_info_unwrapped` | sensor_msgs/CameraInfo | out | the strip's scale: see `strip_info_message`                      |
| `/diagnostics`          | diagnostic_msgs/Dia... | out | once a second: frames that came, were unwrapped and were refused |

In a match the node lives in a robot's namespace, such as `blue/robot_0/omni`. Frames are left alone while
nobody listens to `image_unwrapped`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rclpy.node import Node

from robohockey_core.checked import limited
from robohockey_core.league import DEFAULT_LEAGUE
from robohockey_core.mirrors import load_ring
from robohockey_core.ros.conversions import image_message, pixels, strip_info_message
from robohockey_core.ros.frames import FrameCount
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_core.ros.topics import OMNI_IMAGE, OMNI_INFO, OMNI_UNWRAPPED, publisher, subscription
from robohockey_vision.omni import FrameUnwarper, UnwarpSettings

ROUND_IMAGE = replace(OMNI_IMAGE, name="image_raw")
STRIP = replace(OMNI_UNWRAPPED, name="image_unwrapped")
STRIP_INFO = replace(OMNI_INFO, name="camera_info_unwrapped")


@dataclass(frozen=True)
class Parameters(UnwarpSettings):
    league: str = limited(DEFAULT_LEAGUE, "taken as every node does; the unwarp does not depend on it")
    calibration: str = limited("", "file that calibrate-omni wrote: centre, outer radius and turn are taken from it")


class OmniUnwarpNode(Node):
    """One camera's unwarp."""

    def __init__(self, **options: Any) -> None:
        super().__init__("omni_unwarp", **options)
        settings = declare(self, Parameters)
        if settings.calibration:
            settings = replace(settings, **vars(load_ring(settings.calibration)))
        self._unwarper = FrameUnwarper(settings)
        self._frames = FrameCount(self, "unwrapped")
        self._strips = publisher(self, STRIP)
        self._infos = publisher(self, STRIP_INFO)
        subscription(self, ROUND_IMAGE, self._on_image)

    def _on_image(self, message: Any) -> None:
        self._frames.came += 1
        if self._strips.get_subscription_count() == 0:
            return
        try:
            strip, encoding = self._unwarper.unwarp(pixels(message), message.encoding)
        except ValueError as error:
            self._frames.refuse(str(error))
            return
        self._strips.publish(image_message(strip, encoding, message.header))
        self._frames.done += 1
        if self._infos.get_subscription_count():
            height_px, width_px = strip.shape[:2]
            self._infos.publish(strip_info_message(message.header, width_px, height_px, self._unwarper.ring_px))


def main() -> None:
    """Run the node until it is told to end."""
    run_node(OmniUnwarpNode)


if __name__ == "__main__":
    main()
