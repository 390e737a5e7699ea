"""The unwarp node end to end, on one core: `python -m bench.unwarp_node`.

The node runs in a process of its own that is held on one core; frames of 640 x 480 bgr go to it over ROS 2, two on their way
at any time, and strips come back. What counts is strips a second.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from threading import Event

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "test")]

from harness import own_domain, probe, running, wait_for  # noqa: E402
from std_msgs.msg import Header  # noqa: E402

from robohockey_core.ros.conversions import image_message, stamp  # noqa: E402
from robohockey_core.ros.topics import publisher, subscription  # noqa: E402
from robohockey_core.ros_environment import local_environment  # noqa: E402
from robohockey_vision.nodes.omni_unwarp import ROUND_IMAGE, STRIP  # noqa: E402

FRAMES = 1000
WARM_UP = 100
ON_THE_WAY = 2
LEAST_HZ = 200.0
LOST_AFTER_S = 0.5


def main() -> None:
    image = np.random.default_rng(1).integers(0, 256, (480, 640, 3), dtype=np.uint8)
    message = image_message(image, "bgr8", Header(stamp=stamp(1.0), frame_id="omni"))
    came = Event()
    os.environ.update(local_environment(os.environ))
    strips = 0
    with own_domain() as domain, probe(domain) as here:

        def hear(_strip: object) -> None:
            nonlocal strips
            strips += 1
            came.set()

        subscription(here.node, STRIP, hear)
        camera = publisher(here.node, ROUND_IMAGE)
        with running("omni_unwarp", domain) as process:
            os.sched_setaffinity(process.pid, {sorted(os.sched_getaffinity(0))[-1]})
            wait_for(camera.get_subscription_count, "the node")

            def exchange(count: int) -> float:
                """Strips a second over so many of them; a frame that gets lost is made up for."""
                first, sent = strips, 0
                started_s = time.perf_counter()
                while strips - first < count:
                    # Cleared first: a strip that comes while frames are sent is not slept over.
                    came.clear()
                    while sent - (strips - first) < ON_THE_WAY:
                        camera.publish(message)
                        sent += 1
                    if not came.wait(LOST_AFTER_S):
                        sent = strips - first
                return count / (time.perf_counter() - started_s)

            wait_for(lambda: (camera.publish(message), strips)[1], "the first strip")
            exchange(WARM_UP)
            rate_hz = exchange(FRAMES)
    print(f"omni_unwarp node, 640 x 480 bgr to 630 x 96, on one core: {rate_hz:.0f} frames/s (wanted: above {LEAST_HZ:g})")
    sys.exit(0 if rate_hz > LEAST_HZ else 1)


if __name__ == "__main__":
    main()
