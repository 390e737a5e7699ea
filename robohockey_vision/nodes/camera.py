"""A camera: publishes the frames of a V4L2 device, a video file or a folder of images.

| topic                | type                            | way | what                                                        |
|----------------------|---------------------------------|-----|-------------------------------------------------------------|
| `overhead/image_raw` | sensor_msgs/Image               | out | bgr8, stamped when it was taken; remap it for other cameras |
| `/diagnostics`       | diagnostic_msgs/DiagnosticArray | out | once a second: frames, failures, the last trouble           |

A camera that is not there or is unplugged is said once and tried again; meanwhile nothing is published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import Header

from robohockey_core.checked import limited
from robohockey_core.league import DEFAULT_LEAGUE
from robohockey_core.ros.conversions import diagnostics_message, image_message, status_message
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_core.ros.topics import DIAGNOSTICS, OVERHEAD_IMAGE, publisher
from robohockey_vision.sources import SteadySource

_NANOSECONDS = 1e-9


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "taken as every node does; the camera does not depend on it")
    source: str = limited("0", "device number or path, video file, or folder of images")
    frame_rate_hz: float = limited(30.0, "frames a second; a device gives no more than it can", above=0.0, high=1000.0)
    width_px: int = limited(0, "frame width to ask a device for; 0: as it is", low=0, high=8192)
    height_px: int = limited(0, "frame height to ask a device for; 0: as it is", low=0, high=8192)
    loop: bool = limited(False, "whether a video or folder starts again at its end")
    retry_s: float = limited(1.0, "time between two tries to open a lost camera", above=0.0)


class CameraNode(Node):
    """Reads a frame on every tick."""

    def __init__(self, **options: Any) -> None:
        super().__init__("camera", **options)
        p = declare(self, Parameters)
        self._source = SteadySource(p.source, p.retry_s, p.loop, p.width_px, p.height_px)
        self._trouble = ""
        self._wall = Clock(clock_type=ClockType.STEADY_TIME)
        self._images = publisher(self, OVERHEAD_IMAGE)
        self._diagnostics = publisher(self, DIAGNOSTICS)
        # A camera's pace is the wall's, whatever time the match runs on.
        self.create_timer(1.0 / p.frame_rate_hz, self._grab, clock=self._wall)
        self.create_timer(1.0, self._report, clock=self._wall)

    def _grab(self) -> None:
        frame = self._source.next(self._wall.now().nanoseconds * _NANOSECONDS)
        for news in self._source.news:
            self.get_logger().warning(news)
            self._trouble = news
        self._source.news.clear()
        if frame is not None:
            header = Header(stamp=self.get_clock().now().to_msg(), frame_id=OVERHEAD_IMAGE.frame)
            self._images.publish(image_message(frame, "bgr8", header))

    def _report(self) -> None:
        values = {"frames": self._source.frames, "failures": self._source.failures, "last_trouble": self._trouble}
        summary = f"{self._source.frames} frames, {self._source.failures} failures"
        healthy = self._source.frames > 0 and not self._source.failures
        status = status_message(self.get_fully_qualified_name(), summary, values, healthy=healthy)
        self._diagnostics.publish(diagnostics_message(self, status))

    def close(self) -> None:
        """Let go of the camera."""
        self._source.close()


def main() -> None:
    """Run the node until it is told to end."""
    run_node(CameraNode)


if __name__ == "__main__":
    main()
