"""A simulated overhead camera: renders what is true into images, as a camera above the rink would give them.

| topic                | type                            | way | what                                                  |
|----------------------|---------------------------------|-----|-------------------------------------------------------|
| `sim/ground_truth`   | sensor_msgs/JointState          | in  | where everything is, in m and rad, frame `rink`       |
| `overhead/image_raw` | sensor_msgs/Image               | out | bgr8, stamped with the moment that it shows           |

Nothing is rendered while nobody listens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rclpy.node import Node
from std_msgs.msg import Header

from robohockey_core.appearance import PATCHES, TAGS
from robohockey_core.checked import limited
from robohockey_core.joints import bodies_of
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.overhead_view import load_view
from robohockey_core.ros.conversions import image_message, joint_sample, seconds
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_core.ros.topics import GROUND_TRUTH, OVERHEAD_IMAGE, publisher, subscription
from robohockey_sim.camera_light import LightSettings
from robohockey_sim.overhead_camera import OverheadCamera
from robohockey_sim.pacing import FrameClock


@dataclass(frozen=True)
class Parameters(LightSettings):
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    camera: str = limited("", "file of the camera (see docs/vision.md); empty: mounted over the middle of the league's rink")
    frame_rate_hz: float = limited(30.0, "frames a second, in the time of the match", above=0.0, high=1000.0)
    marks: str = limited(PATCHES, "what robots wear on top: colour patches or ArUco tags", choices=(PATCHES, TAGS))
    width_px: int = limited(0, "image width where no file tells it; 0: 640", low=0, high=8192)
    height_px: int = limited(0, "image height where no file tells it; 0: 480", low=0, high=8192)
    seed: int = limited(1, "seed of the sensor's noise", low=0)


class OverheadCameraNode(Node):
    """Renders a frame whenever one is due."""

    def __init__(self, **options: Any) -> None:
        super().__init__("overhead_camera", **options)
        parameters = declare(self, Parameters)
        league = load_league(parameters.league)
        view = load_view(parameters.camera, league, parameters.width_px, parameters.height_px)
        self._camera = OverheadCamera(league, view, parameters, parameters.seed, parameters.marks)
        self._due = FrameClock(1.0 / parameters.frame_rate_hz)
        self._images = publisher(self, OVERHEAD_IMAGE)
        subscription(self, GROUND_TRUTH, self._on_truth)

    def _on_truth(self, message: Any) -> None:
        if not self._due.is_due(seconds(message.header.stamp)) or not self._images.get_subscription_count():
            return
        image = self._camera.render(bodies_of(joint_sample(message)))
        header = Header(stamp=message.header.stamp, frame_id=OVERHEAD_IMAGE.frame)
        self._images.publish(image_message(image, "bgr8", header))


def main() -> None:
    """Run the node until it is told to end."""
    run_node(OverheadCameraNode)


if __name__ == "__main__":
    main()
