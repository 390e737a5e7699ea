"""Finds robots and puck in the images of an overhead camera.

| topic                | type                  | way | what                                                              |
|----------------------|-----------------------|-----|-------------------------------------------------------------------|
| `overhead/image_raw` | sensor_msgs/Image     | in  | bgr8, rgb8 or bayer, of the size that was calibrated for          |
| `detections`         | sensor_msgs/JointS... | out | bodies seen: `position` in m and rad, `effort` their deviation    |
| `/diagnostics`       | diagnostic_msgs/Di... | out | once a second: frames that came, were used and were refused       |

Detections carry the stamp of their image. Usable alone: remap the image topic, and give league, calibration and colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rclpy.node import Node

from robohockey_core.appearance import PATCHES, TAGS
from robohockey_core.checked import limited
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.names import check_bodies
from robohockey_core.overhead_view import load_view
from robohockey_core.ros.conversions import joint_message, pixels, seconds
from robohockey_core.ros.frames import FrameCount
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_core.ros.topics import DETECTIONS, OVERHEAD_IMAGE, publisher, subscription
from robohockey_vision.colors import OVERHEAD_CLASSES, colors_for
from robohockey_vision.encodings import as_bgr
from robohockey_vision.overhead import OverheadDetector


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    camera: str = limited("", "file that calibrate-overhead wrote; empty: the simulated camera over the league's rink")
    colors: str = limited("", "file that calibrate-colors wrote; empty: the colours that simulated cameras paint")
    marks: str = limited(PATCHES, "what robots wear on top: colour patches or ArUco tags", choices=(PATCHES, TAGS))
    width_px: int = limited(0, "image width where no file tells it; 0: 640", low=0, high=8192)
    height_px: int = limited(0, "image height where no file tells it; 0: 480", low=0, high=8192)
    bodies: tuple[str, ...] = limited((), "bodies to look for, such as blue/0 and puck; empty for all")


class OverheadDetectorNode(Node):
    """One camera's detections."""

    def __init__(self, **options: Any) -> None:
        super().__init__("overhead_detector", **options)
        parameters = declare(self, Parameters)
        league = load_league(parameters.league)
        colors = colors_for(league, OVERHEAD_CLASSES, parameters.colors)
        bodies = check_bodies(parameters.bodies, league.robots())
        view = load_view(parameters.camera, league, parameters.width_px, parameters.height_px)
        self._detector = OverheadDetector(league, view, colors, parameters.marks, bodies)
        self._detector.warm_up()
        self._frames = FrameCount(self, "used")
        self._detections = publisher(self, DETECTIONS)
        subscription(self, OVERHEAD_IMAGE, self._on_image)

    def _on_image(self, message: Any) -> None:
        self._frames.came += 1
        try:
            image = as_bgr(pixels(message), message.encoding)
            seen = self._detector.detect(image, seconds(message.header.stamp))
        except ValueError as error:
            self._frames.refuse(str(error))
            return
        self._frames.done += 1
        self._detections.publish(joint_message(seen, DETECTIONS.frame))


def main() -> None:
    """Run the node until it is told to end."""
    run_node(OverheadDetectorNode)


if __name__ == "__main__":
    main()
