"""Finds the puck, other robots and its own place in the unwrapped images of a robot's omni camera.

| topic                              | type                   | way | what                                                |
|------------------------------------|------------------------|-----|-----------------------------------------------------|
| `<robot>/omni/image_unwrapped`     | sensor_msgs/Image      | in  | strip of omni_unwarp, bgr8 or rgb8                  |
| `<robot>/.../camera_info_unwrapped`| sensor_msgs/CameraInfo | in  | its scale                                           |
| `joint_states`                     | sensor_msgs/JointState | in  | the robot's wheel speeds                            |
| `detections`                       | sensor_msgs/JointState | out | own pose, puck, and other robots by team (`red/?0`) |
| `/diagnostics`                     | diagnostic_msgs/Dia... | out | once a second: frames that came, used and refused   |

`<robot>` is the robot's namespace, such as `blue/robot_0`.
Nothing is said while the robot does not know where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rclpy.node import Node

from robohockey_core.checked import limited
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.mirrors import load_mirror
from robohockey_core.names import check_bodies, robot_of
from robohockey_core.odometry import Odometry
from robohockey_core.ros.conversions import joint_message, joint_sample, pixels, seconds, strip_ring
from robohockey_core.ros.frames import FrameCount
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_core.ros.topics import DETECTIONS, JOINT_STATES, OMNI_INFO, OMNI_UNWRAPPED, publisher, subscription
from robohockey_vision.colors import OMNI_CLASSES, colors_for
from robohockey_vision.encodings import as_bgr
from robohockey_vision.localisation import Localiser
from robohockey_vision.omni import StripScale, UnwarpSettings
from robohockey_vision.omni_detector import OmniDetector
from robohockey_vision.omni_report import report

_SOONER_STRIPS = 25


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    robot: str = limited("blue/0", "the robot that carries the camera")
    mirror: str = limited("", "file that calibrate-omni wrote; empty: the mirror of the simulated camera")
    colors: str = limited("", "file that calibrate-colors wrote; empty: the colours that simulated cameras paint")
    bodies: tuple[str, ...] = limited((), "bodies that can be seen, such as red/0 and puck; empty for all")


class OmniDetectorNode(Node):
    """One robot's eyes."""

    def __init__(self, **options: Any) -> None:
        super().__init__("omni_detector", **options)
        parameters = declare(self, Parameters)
        self._league = load_league(parameters.league)
        self._robot = robot_of(parameters.robot, self._league.robots())
        self._mirror = load_mirror(parameters.mirror, self._league)
        self._colors = colors_for(self._league, OMNI_CLASSES, parameters.colors)
        self._bodies = check_bodies(parameters.bodies, self._league.robots())
        self._odometry = Odometry(self._league)
        self._localiser = Localiser(self._league)
        self._detector: OmniDetector | None = None
        self._ring: tuple[Any, ...] = ()
        self._frames = FrameCount(self, "used")
        self._detections = publisher(self, DETECTIONS)
        subscription(self, OMNI_INFO.of(robot=self._robot), self._on_info)
        subscription(self, OMNI_UNWRAPPED.of(robot=self._robot), self._on_strip)
        subscription(self, JOINT_STATES, self._on_wheels)

    def _on_info(self, message: Any) -> None:
        try:
            inner_px, outer_px, _, _ = strip_ring(message)
        except ValueError as error:
            self._frames.refuse(str(error))
            return
        ring = (message.width, message.height, round(inner_px), round(outer_px))
        if ring != self._ring:
            self._ring = ring
            scale = StripScale(UnwarpSettings(*ring))
            self._detector = OmniDetector(self._league, self._mirror, scale, self._colors)

    def _on_wheels(self, message: Any) -> None:
        sample = joint_sample(message)
        twist = self._odometry.twists(sample).get(self._robot)
        if twist is not None:
            self._localiser.drive(twist, sample.stamp_s)

    def _on_strip(self, message: Any) -> None:
        self._frames.came += 1
        if self._detector is None:
            # Strips and their scale come on two topics: the first strips may be the sooner.
            if self._frames.came > _SOONER_STRIPS:
                self._frames.refuse("no camera_info_unwrapped has come, which tells the strip's scale")
            return
        stamp_s = seconds(message.header.stamp)
        try:
            sight = self._detector.look(as_bgr(pixels(message), message.encoding))
        except ValueError as error:
            self._frames.refuse(str(error))
            return
        self._frames.done += 1
        located = self._localiser.see(sight, stamp_s)
        if located is not None:
            seen = report(self._league, self._robot, located, sight, stamp_s, self._bodies)
            self._detections.publish(joint_message(seen, DETECTIONS.frame))


def main() -> None:
    """Run the node until it is told to end."""
    run_node(OmniDetectorNode)


if __name__ == "__main__":
    main()
