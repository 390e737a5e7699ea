"""What a driver and its robots tell each other: messages to frames and back.

The content of a frame is version, message type, robot address, sequence and body, all numbers little endian.
docs/hardware.md has it byte by byte, with test vectors.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntFlag

from robohockey_hw.framing import BadFrameError, FrameSplitter, content_of, frame_of

VERSION = 2
EVERY_ROBOT = 255
"""The address that every robot on a link listens to; Stop may use it, and GroupDrive always does."""

MAX_WHEELS = 8
SPEED_STEP_RAD_S = 0.01
MAX_SPEED_RAD_S = 327.67
"""A wheel speed is an int16 in steps of 1/100 rad/s; the one step more that int16 has below zero is no speed."""

ANGLE_RANGE_RAD = 65.536
"""A wheel angle is a counter in steps of 1/1000 rad that wraps at 16 bits: whoever reads it counts the wraps."""

MAX_NAME_BYTES = 16
MAX_SLOT_S = 0.255

_ANGLE_STEP_RAD = 0.001
_BATTERY_STEP_V = 0.1
_SLOT_STEP_S = 0.001
_WATCHDOG_STEP_S = 0.001
_UPTIME_STEP_S = 0.001
_SHARE_STEPS = 255
_CHARGE_STEPS = 127
_PUCK_NEAR = 0x80
_DRIVE, _STOP, _PING, _IDENTIFY, _GROUP = 0x01, 0x02, 0x03, 0x04, 0x05
_TELEMETRY, _PONG, _IDENTITY = 0x81, 0x83, 0x84

_HEADER = struct.Struct("<BBBB")
_SHARES = struct.Struct("<BB")
_GROUP_HEAD = struct.Struct("<BBBB")
_TELEMETRY_HEAD = struct.Struct("<BbBB")
_UPTIME = struct.Struct("<I")
_IDENTITY_HEAD = struct.Struct("<BBBBH")


class Fault(IntFlag):
    """What a robot can complain of; the other bits are free and sent as 0."""

    COMMANDS_LOST = 1
    """The robot's own watchdog stopped it since its last telemetry."""
    LOW_BATTERY = 2
    MOTOR = 4
    ENCODER = 8
    KICKER = 16
    HOT = 32
    EMPTY_BATTERY = 64
    """The robot keeps its motors off until the battery has recovered."""


class Part(IntFlag):
    """What a robot has."""

    KICKER = 1
    DRIBBLER = 2
    PUCK_SENSOR = 4
    ENCODERS = 8


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
class Ping:
    """Are you there? Answered by a Pong, and moves nothing."""

    address: int
    sequence: int


@dataclass(frozen=True, slots=True)
class Identify:
    """What are you? Answered by an Identity."""

    address: int
    sequence: int


@dataclass(frozen=True, slots=True)
class GroupDrive:
    """Many robots' Drives in one broadcast frame; all have the frame's sequence and the same number of wheels.

    `answers` of them, from place `first` of the list on and round its end, answer one after the other, each
    in a slot of its own: so robots that share one radio channel do not talk at once.
    """

    sequence: int
    drives: tuple[Drive, ...]
    first: int = 0
    answers: int = 0
    slot_s: float = 0.0

    @property
    def address(self) -> int:
        return EVERY_ROBOT

    def answer_place(self, address: int) -> int | None:
        """Which of the answering slots a robot has; None when it is not asked."""
        count = len(self.drives)
        for slot in range(self.answers):
            if self.drives[(self.first + slot) % count].address == address:
                return slot
        return None


@dataclass(frozen=True, slots=True)
class Telemetry:
    """What a robot answers to Drive, Stop and GroupDrive: `sequence` is that of the command which it answers."""

    address: int
    sequence: int
    wheel_angles_rad: tuple[float, ...]
    wheel_speeds_rad_s: tuple[float, ...]
    battery_v: float = 0.0
    temperature_c: int = 0
    kicker_charge: float = 0.0
    puck_near: bool = False
    faults: Fault = NO_FAULT


@dataclass(frozen=True, slots=True)
class Pong:
    """Here I am, switched on so long ago."""

    address: int
    sequence: int
    uptime_s: float


@dataclass(frozen=True, slots=True)
class Identity:
    """What a robot is."""

    address: int
    sequence: int
    wheels: int
    firmware: tuple[int, int]
    parts: Part
    watchdog_s: float
    name: str


Message = Drive | Stop | Ping | Identify | GroupDrive | Telemetry | Pong | Identity


def encode(message: Message) -> bytes:
    """Write a message as a frame with its end. Raises ValueError on a number that the format cannot carry.

    A speed out of range is refused and not clipped: one clipped wheel would bend the robot's path.
    """
    kind, write = _WRITERS[type(message)]
    last_address = EVERY_ROBOT if kind in (_STOP, _GROUP) else EVERY_ROBOT - 1
    address, sequence = (
        _whole("address", message.address, 0, last_address),
        _whole("sequence", message.sequence, 0, 255),
    )
    return frame_of(_HEADER.pack(VERSION, kind, address, sequence) + write(message))


def decode(frame: bytes) -> Message:
    """Read one frame without its delimiter. Raises BadFrameError."""
    content = content_of(frame, _HEADER.size)
    version, kind, address, sequence = _HEADER.unpack_from(content)
    if version != VERSION:
        raise BadFrameError("version")
    read = _READERS.get(kind)
    if read is None:
        raise BadFrameError("type")
    if (address == EVERY_ROBOT and kind not in (_STOP, _GROUP)) or (kind == _GROUP and address != EVERY_ROBOT):
        raise BadFrameError("address")
    return read(address, sequence, content[_HEADER.size :])


class Decoder:
    """Turns bytes, as they come in pieces, into messages; counts by reason the frames it throws away."""

    def __init__(self) -> None:
        self.splitter = FrameSplitter()
        self.bad: Counter[str] = Counter()

    @property
    def bad_count(self) -> int:
        return self.bad.total()

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages that these bytes complete. Never raises."""
        messages: list[Message] = []
        for frame in self.splitter.feed(data):
            try:
                if frame is None:
                    raise BadFrameError("too long")
                messages.append(decode(frame))
            except BadFrameError as error:
                self.bad[str(error)] += 1
        return messages


def _write_nothing(_message: Message) -> bytes:
    return b""


def _write_drive(drive: Drive) -> bytes:
    return _write_shares(drive) + _pack_speeds(drive.wheel_speeds_rad_s)


def _write_shares(drive: Drive) -> bytes:
    return _SHARES.pack(_share("kick_power", drive.kick_power, _SHARE_STEPS), _share("dribble", drive.dribble, _SHARE_STEPS))


def _write_group(group: GroupDrive) -> bytes:
    robots = _whole("number of robots", len(group.drives), 1, EVERY_ROBOT)
    wheels = len(group.drives[0].wheel_speeds_rad_s)
    slot_ms = _whole("slot_s in ms", _steps("slot_s", group.slot_s, _SLOT_STEP_S), 0, 255)
    first, answers = _whole("first", group.first, 0, robots - 1), _whole("answers", group.answers, 0, robots)
    body = _GROUP_HEAD.pack(wheels, first, answers, slot_ms)
    for drive in group.drives:
        if len(drive.wheel_speeds_rad_s) != wheels or drive.sequence != group.sequence:
            raise ValueError("the drives of a group need one sequence and one number of wheels")
        body += bytes((_whole("address", drive.address, 0, EVERY_ROBOT - 1),)) + _write_drive(drive)
    return body


def _write_telemetry(telemetry: Telemetry) -> bytes:
    if len(telemetry.wheel_angles_rad) != len(telemetry.wheel_speeds_rad_s):
        raise ValueError(f"{len(telemetry.wheel_angles_rad)} wheel angles but {len(telemetry.wheel_speeds_rad_s)} speeds")
    head = _TELEMETRY_HEAD.pack(
        _whole("battery_v in 0.1 V", _steps("battery_v", telemetry.battery_v, _BATTERY_STEP_V), 0, 255),
        _whole("temperature_c", telemetry.temperature_c, -128, 127),
        _share("kicker_charge", telemetry.kicker_charge, _CHARGE_STEPS) | (_PUCK_NEAR if telemetry.puck_near else 0),
        _whole("faults", telemetry.faults, 0, 0xFF),
    )
    return head + _pack_angles(telemetry.wheel_angles_rad) + _pack_speeds(telemetry.wheel_speeds_rad_s)


def _write_pong(pong: Pong) -> bytes:
    return _UPTIME.pack(_whole("uptime_s in ms", _steps("uptime_s", pong.uptime_s, _UPTIME_STEP_S), 0, 2**32 - 1))


def _write_identity(identity: Identity) -> bytes:
    name = identity.name.encode("ascii", "replace")
    _whole("length of name", len(name), 0, MAX_NAME_BYTES)
    major, minor = (_whole("firmware", number, 0, 255) for number in identity.firmware)
    wheels = _whole("number of wheels", identity.wheels, 1, MAX_WHEELS)
    watchdog_ms = _whole("watchdog_s in ms", _steps("watchdog_s", identity.watchdog_s, _WATCHDOG_STEP_S), 0, 0xFFFF)
    return _IDENTITY_HEAD.pack(wheels, major, minor, _whole("parts", identity.parts, 0, 255), watchdog_ms) + name


def _reader_of_nothing(kind: type[Stop] | type[Ping] | type[Identify]) -> Callable[[int, int, bytes], Message]:
    def read(address: int, sequence: int, body: bytes) -> Message:
        if body:
            raise BadFrameError("length")
        return kind(address, sequence)

    return read


def _read_drive(address: int, sequence: int, body: bytes) -> Drive:
    wheels = _wheel_count(len(body) - _SHARES.size, 2)
    kick, dribble = _SHARES.unpack_from(body)
    speeds = _unpack_speeds(body[_SHARES.size :], wheels)
    return Drive(address, sequence, speeds, kick / _SHARE_STEPS, dribble / _SHARE_STEPS)


def _read_group(_address: int, sequence: int, body: bytes) -> GroupDrive:
    if len(body) < _GROUP_HEAD.size:
        raise BadFrameError("length")
    wheels, first, answers, slot_ms = _GROUP_HEAD.unpack_from(body)
    entry_bytes = 1 + _SHARES.size + 2 * wheels
    robots, left_over = divmod(len(body) - _GROUP_HEAD.size, entry_bytes)
    if not 1 <= wheels <= MAX_WHEELS or robots < 1 or left_over or first >= robots or answers > robots:
        raise BadFrameError("length")
    entries = (body[at : at + entry_bytes] for at in range(_GROUP_HEAD.size, len(body), entry_bytes))
    drives = tuple(_read_drive(entry[0], sequence, entry[1:]) for entry in entries)
    if any(drive.address == EVERY_ROBOT for drive in drives):
        raise BadFrameError("address")
    return GroupDrive(sequence, drives, first, answers, slot_ms * _SLOT_STEP_S)


def _read_telemetry(address: int, sequence: int, body: bytes) -> Telemetry:
    wheels = _wheel_count(len(body) - _TELEMETRY_HEAD.size, 4)
    battery, temperature_c, kicker, faults = _TELEMETRY_HEAD.unpack_from(body)
    speeds_at = _TELEMETRY_HEAD.size + 2 * wheels
    angles = tuple(raw * _ANGLE_STEP_RAD for raw in struct.unpack_from(f"<{wheels}h", body, _TELEMETRY_HEAD.size))
    return Telemetry(
        address,
        sequence,
        angles,
        _unpack_speeds(body[speeds_at:], wheels),
        battery * _BATTERY_STEP_V,
        temperature_c,
        (kicker & ~_PUCK_NEAR) / _CHARGE_STEPS,
        bool(kicker & _PUCK_NEAR),
        Fault(faults),
    )


def _read_pong(address: int, sequence: int, body: bytes) -> Pong:
    if len(body) != _UPTIME.size:
        raise BadFrameError("length")
    return Pong(address, sequence, _UPTIME.unpack(body)[0] * _UPTIME_STEP_S)


def _read_identity(address: int, sequence: int, body: bytes) -> Identity:
    name = body[_IDENTITY_HEAD.size :]
    if len(body) < _IDENTITY_HEAD.size or len(name) > MAX_NAME_BYTES:
        raise BadFrameError("length")
    wheels, major, minor, parts, watchdog_ms = _IDENTITY_HEAD.unpack_from(body)
    if not 1 <= wheels <= MAX_WHEELS:
        raise BadFrameError("length")
    text = name.decode("ascii", "replace").replace("\N{REPLACEMENT CHARACTER}", "?")
    return Identity(address, sequence, wheels, (major, minor), Part(parts), watchdog_ms * _WATCHDOG_STEP_S, text)


_WRITERS: Mapping[type, tuple[int, Callable[..., bytes]]] = {
    Drive: (_DRIVE, _write_drive),
    Stop: (_STOP, _write_nothing),
    Ping: (_PING, _write_nothing),
    Identify: (_IDENTIFY, _write_nothing),
    GroupDrive: (_GROUP, _write_group),
    Telemetry: (_TELEMETRY, _write_telemetry),
    Pong: (_PONG, _write_pong),
    Identity: (_IDENTITY, _write_identity),
}

_READERS: Mapping[int, Callable[[int, int, bytes], Message]] = {
    _DRIVE: _read_drive,
    _STOP: _reader_of_nothing(Stop),
    _PING: _reader_of_nothing(Ping),
    _IDENTIFY: _reader_of_nothing(Identify),
    _GROUP: _read_group,
    _TELEMETRY: _read_telemetry,
    _PONG: _read_pong,
    _IDENTITY: _read_identity,
}


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
    """Angles wrap as a counter does: the low 16 bits, read as signed."""
    steps = (_steps("wheel angle", angle, _ANGLE_STEP_RAD) for angle in angles_rad)
    return _packed("h", ((s + 2**15) % 2**16 - 2**15 for s in steps))


def _packed(kind: str, values: Iterable[int]) -> bytes:
    numbers = tuple(values)
    return struct.pack(f"<{len(numbers)}{kind}", *numbers)


def _steps(what: str, value: float, step: float) -> int:
    if not math.isfinite(value):
        raise ValueError(f"{what} {value}: must be finite")
    return round(value / step)


def _share(what: str, value: float, steps: int) -> int:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{what} {value}: must be between 0 and 1")
    return round(value * steps)


def _whole(what: str, value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise ValueError(f"{what} {value}: must be between {low} and {high}")
    return int(value)
