"""The keyboard of a terminal drives one robot: `ros2 run robohockey keyboard --ros-args -p robot:=blue/1`.

A key counts for `deadman_s`; held keys repeat. It publishes what `robohockey_hw/nodes/hand.py` tells.
"""

from __future__ import annotations

import os
import termios
import time
import tty
from dataclasses import dataclass
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from robohockey_core.checked import InputError, limited
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_hw.keys import HELP, strokes_of
from robohockey_hw.nodes.hand import RATE_HZ, HandParameters, HandSpeaker


@dataclass(frozen=True)
class Parameters(HandParameters):
    # A terminal repeats a held key only after half a second.
    deadman_s: float = limited(0.6, "time for which one key counts", above=0.0, high=2.0)
    device: str = limited("/dev/tty", "the terminal whose keys are read")


class KeyboardNode(Node):
    """Reads keys and says what the hand wants."""

    def __init__(self, **options: Any) -> None:
        super().__init__("keyboard", **options)
        parameters = declare(self, Parameters)
        self._deadman_s = parameters.deadman_s
        self._speaker = HandSpeaker(self, parameters)
        try:
            self._terminal = os.open(parameters.device, os.O_RDONLY | os.O_NONBLOCK)
            self._before = termios.tcgetattr(self._terminal)
            tty.setcbreak(self._terminal)
        except (OSError, termios.error) as error:
            raise InputError(f"device = {parameters.device}: is no terminal to read keys from ({error})") from None
        self._pushed_s = -self._deadman_s
        self.create_timer(1.0 / RATE_HZ, self._tick, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self.get_logger().info(f"keys drive {self._speaker.robot}: {HELP}")

    def close(self) -> None:
        """Leave the terminal as it was."""
        termios.tcsetattr(self._terminal, termios.TCSANOW, self._before)
        os.close(self._terminal)

    def _tick(self) -> None:
        now_s, hand = time.monotonic(), self._speaker.hand
        for stroke in strokes_of(self._read()):
            if stroke.end:
                raise KeyboardInterrupt
            self._pushed_s = now_s
            if stroke.kick:
                hand.kick(1.0, now_s)
                continue
            hand.push(stroke.forward, stroke.left, stroke.turn, now_s)
            hand.dribble(1.0 if stroke.dribble else 0.0)
        self._speaker.say(now_s - self._pushed_s <= self._deadman_s)

    def _read(self) -> str:
        try:
            return os.read(self._terminal, 256).decode(errors="ignore")
        except BlockingIOError:
            return ""


def main() -> None:
    run_node(KeyboardNode)


if __name__ == "__main__":
    main()
