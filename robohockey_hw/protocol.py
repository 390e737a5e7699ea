"""The wire format between a driver and its robots: messages to framed bytes and back.

A frame is a payload in COBS, ended by 0x00: no payload byte looks like the end of a frame, so a receiver
that starts late or loses a byte is in step again at the next 0x00. A payload is version, message type,
robot address, sequence, body and CRC-16/CCITT-FALSE, all numbers little endian. docs/hardware.md has it
byte by byte, with test vectors.

COBS: Cheshire and Baker, Consistent Overhead Byte Stuffing, IEEE/ACM Trans. Networking 7(2), 1999.
"""

from __future__ import annotations

import binascii
import math
import struct
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntFlag

VERSION = 1
DELIMITER = b"\x00"
EVERY_ROBOT = 255
"""The address that every robot on a link listens to; a Stop may use it, nothing else."""

MAX_WHEELS = 8
SPEED_STEP_RAD_S = 0.01
MAX_SPEED_RAD_S = 327.67
"""A wheel speed is an int16 in steps of 1/100 rad/s; the one step more that int16 has below zero is no speed."""

MAX_PAYLOAD_BYTES = 128
# Below 254 bytes COBS adds exactly one byte.
_MAX_FRAME_BYTES = MAX_PAYLOAD_BYTES + 1
_ANGLE_STEP_RAD = 0.001
_BATTERY_STEP_V = 0.001
_SHARE_STEPS = 255
_DRIVE, _STOP, _TELEMETRY = 0x01, 0x02, 0x81

_HEADER = struct.Struct("<BBBB")
_CRC = struct.Struct("<H")
_DRIVE_HEAD = struct.Struct("<BB")
_TELEMETRY_HEAD = struct.Struct("<HH")


class Fault(IntFlag):
    """What a robot can complain of; the other bits are free and sent as 0."""

    COMMANDS_LOST = 1
    """The robot's own watchdog stopped it since its last telemetry."""
    LOW_BATTERY = 2
    MOTOR = 4
    ENCODER = 8
    KICKER = 16


NO_FAULT = Fault(0)


@dataclass(frozen=True, slots=True)
class Drive:
    """Turn the wheels at these speeds, kick with this power, dribble this much (both 0 to 1)."""

    address: int
    sequence: int
    wheel_speeds_rad_s: tuple[float, ...]
    kick_power: float = 0.0
    dribble: float = 0.0


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop the wheels, the kicker and the dribbler until the next Drive."""

    address: int
    sequence: int


@dataclass(frozen=True, slots=True)
class Telemetry:
    """What a robot answers: `sequence` is that of the command which it answers."""

    address: int
    sequence: int
    wheel_angles_rad: tuple[float, ...]
    wheel_speeds_rad_s: tuple[float, ...]
    battery_v: float = 0.0
    faults: Fault = NO_FAULT


Message = Drive | Stop | Telemetry


class BadFrameError(ValueError):
    """A frame that is not to be obeyed; `args[0]` is the reason, one of a few words."""


def encode(message: Message) -> bytes:
    """Write a message as a frame with its end. Raises ValueError on a number that the format cannot carry.

    A speed out of range is refused and not clipped: one clipped wheel would bend the robot's path.
    """
    kind, body = _body_of(message)
    last_address = EVERY_ROBOT if kind == _STOP else EVERY_ROBOT - 1
    payload = _HEADER.pack(
        VERSION, kind, _whole("address", message.address, 0, last_address), _whole("sequence", message.sequence, 0, 255)
    )
    payload += body
    return cobs_encode(payload + _CRC.pack(crc16(payload))) + DELIMITER


def decode(frame: bytes) -> Message:
    """Read one frame without its delimiter. Raises BadFrameError."""
    payload = cobs_decode(frame)
    if len(payload) < _HEADER.size + _CRC.size:
        raise BadFrameError("length")
    content = payload[: -_CRC.size]
    if crc16(content) != _CRC.unpack(payload[-_CRC.size :])[0]:
        raise BadFrameError("crc")
    version, kind, address, sequence = _HEADER.unpack_from(content)
    body = content[_HEADER.size :]
    if version != VERSION:
        raise BadFrameError("version")
    if kind not in (_DRIVE, _STOP, _TELEMETRY):
        raise BadFrameError("type")
    if address == EVERY_ROBOT and kind != _STOP:
        raise BadFrameError("address")
    if kind == _DRIVE:
        return _read_drive(address, sequence, body)
    if kind == _TELEMETRY:
        return _read_telemetry(address, sequence, body)
    if body:
        raise BadFrameError("length")
    return Stop(address, sequence)


class Decoder:
    """Turns bytes, as they come in pieces, into messages; counts by reason the frames it throws away."""

    def __init__(self) -> None:
        self._pending = bytearray()
        self._too_long = False
        self.bad: Counter[str] = Counter()

    @property
    def bad_count(self) -> int:
        return self.bad.total()

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages that these bytes complete. Never raises."""
        messages: list[Message] = []
        *ends, rest = data.split(DELIMITER)
        for piece in ends:
            self._take(piece)
            message = self._finish()
            if message is not None:
                messages.append(message)
        self._take(rest)
        return messages

    def _take(self, piece: bytes) -> None:
        if self._too_long or len(self._pending) + len(piece) > _MAX_FRAME_BYTES:
            self._too_long = True
            self._pending.clear()
        else:
            self._pending += piece

    def _finish(self) -> Message | None:
        frame, too_long = bytes(self._pending), self._too_long
        self._pending.clear()
        self._too_long = False
        try:
            if too_long:
                raise BadFrameError("too long")
            # Nothing between two delimiters is no frame: a sender starts a burst with one to end what was cut off.
            return decode(frame) if frame else None
        except BadFrameError as error:
            self.bad[str(error)] += 1
            return None


def crc16(data: bytes) -> int:
    """CRC-16/CCITT-FALSE: polynomial 0x1021, start 0xFFFF, nothing reflected, no final xor."""
    return binascii.crc_hqx(data, 0xFFFF)


def cobs_encode(data: bytes) -> bytes:
    """Replace every zero: each code byte says how far the next one is, and stands where a zero was.

    Payloads are far below 254 bytes, so the long block of COBS (code 255) never comes up.
    """
    return b"".join(bytes((len(block) + 1,)) + block for block in data.split(b"\x00"))


def cobs_decode(data: bytes) -> bytes:
    """Undo `cobs_encode`. Raises BadFrameError on what it can never have made."""
    blocks = []
    at = 0
    while at < len(data):
        code = data[at]
        block = data[at + 1 : at + code]
        if code == 0 or len(block) != code - 1 or 0 in block:
            raise BadFrameError("cobs")
        blocks.append(block)
        at += code
    return b"\x00".join(blocks)


def _body_of(message: Message) -> tuple[int, bytes]:
    if isinstance(message, Stop):
        return _STOP, b""
    speeds = _pack_speeds(message.wheel_speeds_rad_s)
    if isinstance(message, Drive):
        shares = (_share("kick_power", message.kick_power), _share("dribble", message.dribble))
        return _DRIVE, _DRIVE_HEAD.pack(*shares) + speeds
    if len(message.wheel_angles_rad) != len(message.wheel_speeds_rad_s):
        raise ValueError(f"{len(message.wheel_angles_rad)} wheel angles but {len(message.wheel_speeds_rad_s)} speeds")
    battery_mv = _whole("battery_v in mV", _steps("battery_v", message.battery_v, _BATTERY_STEP_V), 0, 0xFFFF)
    head = _TELEMETRY_HEAD.pack(battery_mv, _whole("faults", message.faults, 0, 0xFFFF))
    return _TELEMETRY, head + _pack_angles(message.wheel_angles_rad) + speeds


def _read_drive(address: int, sequence: int, body: bytes) -> Drive:
    wheels = _wheel_count(len(body) - _DRIVE_HEAD.size, 2)
    kick, dribble = _DRIVE_HEAD.unpack_from(body)
    speeds = _unpack_speeds(body[_DRIVE_HEAD.size :], wheels)
    return Drive(address, sequence, speeds, kick / _SHARE_STEPS, dribble / _SHARE_STEPS)


def _read_telemetry(address: int, sequence: int, body: bytes) -> Telemetry:
    wheels = _wheel_count(len(body) - _TELEMETRY_HEAD.size, 6)
    battery_mv, faults = _TELEMETRY_HEAD.unpack_from(body)
    speeds_at = _TELEMETRY_HEAD.size + 4 * wheels
    angles = tuple(raw * _ANGLE_STEP_RAD for raw in struct.unpack_from(f"<{wheels}i", body, _TELEMETRY_HEAD.size))
    return Telemetry(
        address, sequence, angles, _unpack_speeds(body[speeds_at:], wheels), battery_mv * _BATTERY_STEP_V, Fault(faults)
    )


def _wheel_count(wheel_bytes: int, bytes_per_wheel: int) -> int:
    """The body's length says how many wheels there are."""
    wheels, left_over = divmod(wheel_bytes, bytes_per_wheel)
    if left_over or not 1 <= wheels <= MAX_WHEELS:
        raise BadFrameError("length")
    return wheels


def _pack_speeds(speeds_rad_s: tuple[float, ...]) -> bytes:
    _whole("number of wheels", len(speeds_rad_s), 1, MAX_WHEELS)
    for speed in speeds_rad_s:
        if not abs(speed) <= MAX_SPEED_RAD_S:
            raise ValueError(f"wheel speed {speed} rad/s: must be between -{MAX_SPEED_RAD_S} and {MAX_SPEED_RAD_S}")
    return _packed("h", (_steps("wheel speed", s, SPEED_STEP_RAD_S) for s in speeds_rad_s))


def _unpack_speeds(data: bytes, wheels: int) -> tuple[float, ...]:
    raw = struct.unpack(f"<{wheels}h", data)
    if -32768 in raw:
        raise BadFrameError("speed")
    return tuple(value * SPEED_STEP_RAD_S for value in raw)


def _pack_angles(angles_rad: tuple[float, ...]) -> bytes:
    """Angles wrap as a counter does: the low 32 bits, read as signed."""
    steps = (_steps("wheel angle", angle, _ANGLE_STEP_RAD) for angle in angles_rad)
    return _packed("i", ((s + 2**31) % 2**32 - 2**31 for s in steps))


def _packed(kind: str, values: Iterable[int]) -> bytes:
    numbers = tuple(values)
    return struct.pack(f"<{len(numbers)}{kind}", *numbers)


def _steps(what: str, value: float, step: float) -> int:
    if not math.isfinite(value):
        raise ValueError(f"{what} {value}: must be finite")
    return round(value / step)


def _share(what: str, value: float) -> int:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{what} {value}: must be between 0 and 1")
    return round(value * _SHARE_STEPS)


def _whole(what: str, value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise ValueError(f"{what} {value}: must be between {low} and {high}")
    return int(value)
