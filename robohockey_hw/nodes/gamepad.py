"""A gamepad drives one robot. Hold the left shoulder button: it is the deadman.

Left stick: drive (and sideways on omni robots). Right stick: turn. South button: kick. East button: dribble.
It publishes what `robohockey_hw/nodes/hand.py` tells. An unplugged gamepad stops the robot and is awaited.
"""

from __future__ import annotations

import errno
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from robohockey_core.checked import limited
from robohockey_core.ros.parameters import declare
from robohockey_core.ros.running import run_node
from robohockey_hw.gamepad import LEFT_X, LEFT_Y, RIGHT_X, Gamepad, axis_range, events_of, find_gamepad
from robohockey_hw.nodes.hand import RATE_HZ, HandParameters, HandSpeaker

_LOOK_AGAIN_S = 1.0


@dataclass(frozen=True)
class Parameters(HandParameters):
    device: str = limited("", "evdev device such as /dev/input/event5; empty: the first joystick")


class GamepadNode(Node):
    """Reads the device and says what the hand wants."""

    def __init__(self, **options: Any) -> None:
        super().__init__("gamepad", **options)
        parameters = declare(self, Parameters)
        self._path = parameters.device
        self._speaker = HandSpeaker(self, parameters)
        self._pad = Gamepad()
        self._device: int | None = None
        self._look_again_s = 0.0
        self._missing_told = False
        self.create_timer(1.0 / RATE_HZ, self._tick, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def close(self) -> None:
        """Give the device back."""
        if self._device is not None:
            os.close(self._device)

    def _tick(self) -> None:
        now_s = time.monotonic()
        if self._device is None and now_s >= self._look_again_s:
            self._look_again_s = now_s + _LOOK_AGAIN_S
            self._open()
        if self._device is not None:
            self._read()
        pad, hand = self._pad, self._speaker.hand
        if pad.held:
            hand.push(*pad.stick, now_s)
            hand.dribble(1.0 if pad.dribbles else 0.0)
        if pad.kicked() and pad.held:
            hand.kick(1.0, now_s)
        self._speaker.say(pad.held)

    def _open(self) -> None:
        path = Path(self._path) if self._path else find_gamepad()
        try:
            if path is None:
                raise FileNotFoundError("no joystick in /dev/input/by-id")
            self._device = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            if not self._missing_told:
                self.get_logger().warning(f"waiting for a gamepad: {error}")
            self._missing_told = True
            return
        self._missing_told = False
        self._pad = Gamepad({axis: axis_range(self._device, axis) for axis in (LEFT_X, LEFT_Y, RIGHT_X)})
        self.get_logger().info(f"{path} drives {self._speaker.robot}; hold the left shoulder button")

    def _read(self) -> None:
        assert self._device is not None
        try:
            data = os.read(self._device, 4096)
            if not data:
                raise OSError(errno.ENODEV, "end of the device")
            self._pad.take(events_of(data))
        except BlockingIOError:
            pass
        except OSError as error:
            self.get_logger().warning(f"the gamepad is gone: {error.strerror}; the robot stops")
            os.close(self._device)
            self._device = None
            self._pad.let_go()


def main() -> None:
    run_node(GamepadNode)


if __name__ == "__main__":
    main()
