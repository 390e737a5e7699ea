"""A camera: publishes the frames of a V4L2 device, a video file or a folder of images.

| topic                    | type                            | way | what                                            |
|--------------------------|---------------------------------|-----|-------------------------------------------------|
| `overhead/image_raw`     | sensor_msgs/Image               | out | bgr8, stamped when it was taken                 |
| `<robot>/omni/image_raw` | sensor_msgs/Image               | out | the same instead, for a `robot`'s omni camera   |
| `/diagnostics`           | diagnostic_msgs/DiagnosticArray | out | once a second: frames, failures, the last trouble |

A camera that is not there or is unplugged is said once and tried again; meanwhile nothing is published. A video or folder
that has ended is done, or with `loop` goes on from its beginning.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from std_msgs.msg import Header

from robohockey_core.checked import limited
from robohockey_core.frame_health import FrameHealth
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.names import robot_of
from robohockey_core.ros.conversions import diagnostics_message, image_message, status_message
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_core.ros.topics import DIAGNOSTICS, OMNI_IMAGE, OVERHEAD_IMAGE, publisher
from robohockey_vision.sources import SteadySource

_NANOSECONDS = 1e-9
_SOON_SHARE = 0.75
_LONGEST_GOODBYE_S = 1.0


@dataclass(frozen=True)
class Parameters:
    league: str = limited(DEFAULT_LEAGUE, "preset name or path of a league file")
    robot: str = limited("", "the robot that carries the camera, an omni one; empty: it hangs over the rink")
    source: str = limited("0", "device number or path, video file, or folder of images")
    frame_rate_hz: float = limited(30.0, "frames a second; a device gives no more than it can", above=0.0, high=1000.0)
    width_px: int = limited(0, "frame width to ask a device for; 0: as it is", low=0, high=8192)
    height_px: int = limited(0, "frame height to ask a device for; 0: as it is", low=0, high=8192)
    loop: bool = limited(False, "whether a video or folder starts again at its end")
    retry_s: float = limited(1.0, "time between two tries to open a lost camera", above=0.0)


class CameraNode(Node):
    """Reads frames in a thread of its own, so that a device that hangs holds up nothing else."""

    def __init__(self, **options: Any) -> None:
        super().__init__("camera", **options)
        p = declare(self, Parameters)
        self._source = SteadySource(p.source, p.retry_s, p.loop, p.width_px, p.height_px, p.frame_rate_hz)
        self._period_s = 1.0 / p.frame_rate_hz
        self._trouble = ""
        # A camera's pace is the wall's, whatever time the match runs on.
        self._wall = Clock(clock_type=ClockType.STEADY_TIME)
        self._health = FrameHealth(self._wall_s(), "failures")
        robots = load_league(p.league).robots()
        self._topic = OMNI_IMAGE.of(robot=robot_of(p.robot, robots)) if p.robot else OVERHEAD_IMAGE
        self._images = publisher(self, self._topic)
        self._diagnostics = publisher(self, DIAGNOSTICS)
        self.create_timer(1.0, self._report, clock=self._wall)
        self._ending, self._publishing = threading.Event(), threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        """Frame after frame. A device is read as fast as it gives them, so that none gets old in its queue."""
        published_s = -math.inf
        stamps: list[Any] = []
        while not self._ending.is_set():
            started_s = self._wall_s()
            frame = self._source.next(started_s, lambda: stamps.append(self.get_clock().now()))
            for news in self._source.news:
                self.get_logger().warning(news)
                self._trouble = news
            self._source.news.clear()
            now_s = self._wall_s()
            # A device may be faster than wanted, and is never quite regular.
            if frame is not None and now_s - published_s > _SOON_SHARE * self._period_s:
                published_s = now_s
                self._publish(frame, stamps[-1])
            stamps.clear()
            if frame is None or not self._source.live:
                self._ending.wait(max(0.0, started_s + self._period_s - now_s))
        self._source.close()

    def _publish(self, frame: Any, taken: Any) -> None:
        message = image_message(frame, "bgr8", Header(stamp=taken.to_msg(), frame_id=self._topic.frame))
        with self._publishing:
            if not self._ending.is_set():
                self._images.publish(message)

    def _wall_s(self) -> float:
        return float(self._wall.now().nanoseconds) * _NANOSECONDS

    def _report(self) -> None:
        frames, failures = self._source.frames, self._source.failures
        summary, healthy = self._health.look(frames, failures, self._wall_s())
        values = {"frames": frames, "failures": failures, "last_trouble": self._trouble}
        status = status_message(self.get_fully_qualified_name(), summary, values, healthy=healthy)
        self._diagnostics.publish(diagnostics_message(self, status))

    def close(self) -> None:
        """Let go of the camera; one that hangs is left to the end of the process."""
        with self._publishing:
            self._ending.set()
        self._reader.join(_LONGEST_GOODBYE_S)


def main() -> None:
    """Run the node until it is told to end."""
    run_node(CameraNode)


if __name__ == "__main__":
    main()
