"""A simulated omni camera on one robot: renders what is true into round images, through the mirror.

| topic                              | type                   | way | what                                                |
|------------------------------------|------------------------|-----|-----------------------------------------------------|
| `sim/ground_truth`                 | sensor_msgs/JointState | in  | where everything is, in m and rad, frame `rink`     |
| `<team>/robot_<n>/omni/image_raw`  | sensor_msgs/Image      | out | round image, bgr8, stamped with what it shows       |

Nothing is rendered while nobody listens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rclpy.node import Node
from std_msgs.msg import Header

from robohockey_core.checked import limited
from robohockey_core.joints import bodies_of
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.mirrors import load_mirror
from robohockey_core.names import robot_of
from robohockey_core.ros.conversions import image_message, joint_sample, seconds
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_core.ros.topics import GROUND_TRUTH, OMNI_IMAGE, publisher, subscription
from robohockey_sim.camera_light import LightSettings
from robohockey_sim.omni_camera import OmniCamera
from robohockey_sim.pacing import FrameClock


@dataclass(frozen=True)
class Parameters(LightSettings):
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    robot: str = limited("blue/0", "the robot that carries the camera")
    mirror: str = limited(
        "", "file of the mirror (see docs/vision.md); empty: the mixed mirror, as large as the league's robot"
    )
    frame_rate_hz: float = limited(50.0, "frames a second, in the time of the match", above=0.0, high=1000.0)
    width_px: int = limited(320, "image width; the mirror's rim is at 105 px", low=216, high=4096)
    height_px: int = limited(240, "image height", low=216, high=4096)
    seed: int = limited(1, "seed of the sensor's noise", low=0)


class OmniCameraNode(Node):
    """Renders a frame whenever one is due."""

    def __init__(self, **options: Any) -> None:
        super().__init__("omni_camera", **options)
        parameters = declare(self, Parameters)
        league = load_league(parameters.league)
        robot = robot_of(parameters.robot, league.robots())
        self._name = str(robot)
        mirror = load_mirror(parameters.mirror, league)
        size = (parameters.width_px, parameters.height_px)
        self._camera = OmniCamera(league, mirror, parameters, parameters.seed, *size)
        self._due = FrameClock(1.0 / parameters.frame_rate_hz)
        self._topic = OMNI_IMAGE.of(robot=robot)
        self._images = publisher(self, self._topic)
        subscription(self, GROUND_TRUTH, self._on_truth)

    def _on_truth(self, message: Any) -> None:
        if not self._due.is_due(seconds(message.header.stamp)) or not self._images.get_subscription_count():
            return
        bodies = bodies_of(joint_sample(message))
        if self._name in bodies:
            image = self._camera.render(bodies[self._name].pose, bodies, self._name)
            header = Header(stamp=message.header.stamp, frame_id=self._topic.frame)
            self._images.publish(image_message(image, "bgr8", header))


def main() -> None:
    """Run the node until it is told to end."""
    run_node(OmniCameraNode)


if __name__ == "__main__":
    main()
