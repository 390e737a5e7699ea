"""A gamepad as Linux tells of it: evdev events to stick positions and buttons.

https://docs.kernel.org/input/event-codes.html and input.h: an event is a time, a type, a code and a value.
Reading it takes a few lines, so no library is needed, and none has to be compiled on the robot's computer.
"""

from __future__ import annotations

import fcntl
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

EVENT = struct.Struct("@llHHi")
SYNC, KEY, AXIS = 0x00, 0x01, 0x03
REPORT, DROPPED = 0x00, 0x03
"""Codes of SYNC: a packet of events is whole; the kernel's buffer ran over, and events before the next REPORT are lost."""
LEFT_X, LEFT_Y, RIGHT_X = 0x00, 0x01, 0x03
SOUTH, EAST, LEFT_SHOULDER = 0x130, 0x131, 0x136

_ABSOLUTE_INFO = struct.Struct("@6i")
_READ_ABSOLUTE_INFO = 0x80184540
"""EVIOCGABS(0): _IOR('E', 0x40, struct input_absinfo); the axis is added."""

_DEFAULT_RANGE = (-32768, 32767)
_REST = 0.12
"""Sticks do not come back to the very middle: this much of their way counts as rest."""


class Event(NamedTuple):
    type: int
    code: int
    value: int


def events_of(data: bytes) -> Iterator[Event]:
    """Decode whole events; a rest shorter than one is left out."""
    whole = len(data) // EVENT.size * EVENT.size
    for _, _, kind, code, value in EVENT.iter_unpack(data[:whole]):
        yield Event(kind, code, value)


def axis_range(device: int, axis: int) -> tuple[int, int]:
    """Ask an open device how far an axis goes; the usual range when it cannot tell."""
    answer = bytearray(_ABSOLUTE_INFO.size)
    try:
        fcntl.ioctl(device, _READ_ABSOLUTE_INFO + axis, answer)
    except OSError:
        return _DEFAULT_RANGE
    _, low, high, *_ = _ABSOLUTE_INFO.unpack(answer)
    return (low, high) if high > low else _DEFAULT_RANGE


def find_gamepad(folder: Path = Path("/dev/input/by-id")) -> Path | None:
    """The first joystick that the kernel names as one."""
    return next(iter(sorted(folder.glob("*-event-joystick"))), None)


@dataclass
class Gamepad:
    """Where the sticks are and which buttons are down. The left shoulder is the deadman."""

    ranges: dict[int, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Hands off."""
        self._axes = dict.fromkeys((LEFT_X, LEFT_Y, RIGHT_X), 0.0)
        self._down: set[int] = set()
        self._pressed: set[int] = set()
        self._lost = False

    def take(self, events: Iterable[Event]) -> None:
        """Follow the events. Where some were lost a button may be up unheard: nothing is held until it is pressed anew."""
        for event in events:
            if event.type == SYNC:
                if event.code == DROPPED:
                    self.let_go()
                    self._lost = True
                elif event.code == REPORT:
                    self._lost = False
            elif self._lost:
                continue
            elif event.type == AXIS and event.code in self._axes:
                self._axes[event.code] = self._share(event.code, event.value)
            elif event.type == KEY:
                if event.value:
                    self._down.add(event.code)
                    self._pressed.add(event.code)
                else:
                    self._down.discard(event.code)

    @property
    def held(self) -> bool:
        """Whether a hand is there."""
        return LEFT_SHOULDER in self._down

    @property
    def stick(self) -> tuple[float, float, float]:
        """Forward, left, turn to the left; sticks count right and down as positive."""
        return -self._axes[LEFT_Y], -self._axes[LEFT_X], -self._axes[RIGHT_X]

    @property
    def dribbles(self) -> bool:
        return EAST in self._down

    def kicked(self) -> bool:
        """Whether the kick button was pressed since the last question."""
        kicked = SOUTH in self._pressed
        self._pressed.clear()
        return kicked

    def let_go(self) -> None:
        """Nothing is held any more: the device is gone, or not to be trusted."""
        self.__post_init__()

    def _share(self, axis: int, value: int) -> float:
        low, high = self.ranges.get(axis, _DEFAULT_RANGE)
        share = min(1.0, max(-1.0, 2.0 * (value - low) / (high - low) - 1.0))
        return 0.0 if abs(share) < _REST else share
