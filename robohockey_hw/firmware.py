"""The reference firmware in C, built with the machine's compiler and run as the program of a robot without a robot."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
from dataclasses import astuple, fields
from functools import cache
from pathlib import Path

from robohockey_core.checked import InputError
from robohockey_core.files import share_directories
from robohockey_hw.emulator import RobotEmulator
from robohockey_hw.protocol import MAX_NAME_BYTES, MAX_WHEELS
from robohockey_hw.robot_settings import Acts, Firmware, PidGains, RobotSettings, Sensed

FLAGS = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-shared", "-fPIC")
_MAX_FRAME_BYTES = 202
_CHARGE_STEPS = 127
_SHARE_STEPS = 255


class _Gains(ctypes.Structure):
    _fields_ = tuple((field.name, ctypes.c_float) for field in fields(PidGains))


class _Settings(ctypes.Structure):
    _fields_ = (
        ("address", ctypes.c_uint8),
        ("wheels", ctypes.c_uint8),
        ("parts", ctypes.c_uint8),
        ("control_period_ms", ctypes.c_uint16),
        ("counts_per_turn", ctypes.c_uint32),
        ("low_battery_mv", ctypes.c_uint16),
        ("empty_battery_mv", ctypes.c_uint16),
        ("hot_c", ctypes.c_int8),
        ("gains", _Gains),
        ("name", ctypes.c_char * (MAX_NAME_BYTES + 1)),
    )


class _Sensed(ctypes.Structure):
    _fields_ = (
        ("counts", ctypes.c_int32 * MAX_WHEELS),
        ("battery_mv", ctypes.c_uint16),
        ("temperature_c", ctypes.c_int8),
        ("kicker_charge", ctypes.c_uint8),
        ("puck_near", ctypes.c_bool),
        ("faults", ctypes.c_uint8),
    )


class _Acts(ctypes.Structure):
    _fields_ = (("duty", ctypes.c_float * MAX_WHEELS), ("kick", ctypes.c_uint8), ("dribble", ctypes.c_uint8))


def compiler() -> str | None:
    """The C compiler of this machine: $CC, cc or gcc; None when there is none."""
    names = filter(None, (os.environ.get("CC"), "cc", "gcc"))
    return next((found for name in names if (found := shutil.which(name))), None)


def source_folder() -> Path:
    """Where the firmware's sources lie. Raises InputError."""
    for share in share_directories():
        if (share / "firmware" / "rh_robot.c").is_file():
            return share / "firmware"
    raise InputError("firmware/rh_robot.c is not installed")


@cache
def library() -> ctypes.CDLL:
    """Build the firmware for this machine, once for each state of its sources. Raises InputError."""
    folder, cc = source_folder(), compiler()
    if cc is None:
        raise InputError("no C compiler: install cc, or set CC")
    sources = sorted(folder.glob("rh_*.c"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(folder.glob("rh_*.[ch]"))))
    kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "robohockey" / "firmware"
    built = kept / f"firmware-{digest.hexdigest()[:16]}.so"
    if not built.is_file():
        kept.mkdir(parents=True, exist_ok=True)
        # Two processes may build at once: each into a file of its own, and the last one stays.
        fresh = built.with_suffix(f".{os.getpid()}")
        done = subprocess.run([cc, *FLAGS, "-o", fresh, *sources], capture_output=True, text=True, check=False)
        if done.returncode:
            raise InputError(f"the firmware does not compile: {' '.join(done.stderr.split())[:400]}")
        fresh.replace(built)
    loaded = ctypes.CDLL(str(built))
    loaded.rh_robot_say.restype = ctypes.c_uint8
    loaded.rh_robot_size.restype = ctypes.c_uint32
    loaded.rh_robot_count.restype = ctypes.c_uint32
    return loaded


class CompiledFirmware:
    """One robot that runs the C firmware."""

    def __init__(self, settings: RobotSettings) -> None:
        """Raise InputError where the firmware cannot be built."""
        self.settings = settings
        self._library = library()
        self._robot = ctypes.create_string_buffer(self._library.rh_robot_size())
        self._frame = ctypes.create_string_buffer(_MAX_FRAME_BYTES)
        self._sensed, self._acts = _Sensed(), _Acts()
        wanted = _Settings(
            settings.address,
            settings.wheels,
            int(settings.parts),
            settings.control_period_ms,
            settings.counts_per_turn,
            _millivolts(settings.low_battery_v),
            _millivolts(settings.empty_battery_v),
            settings.hot_c,
            _Gains(*astuple(settings.gains)),
            settings.name.encode("ascii", "replace")[:MAX_NAME_BYTES],
        )
        self._library.rh_robot_begin(self._robot, ctypes.byref(wanted))

    def hear(self, data: bytes, now_s: float) -> None:
        """Take bytes off the wire."""
        self._library.rh_robot_hear_all(self._robot, data, ctypes.c_uint32(len(data)), _milliseconds(now_s))

    def say(self, now_s: float) -> bytes:
        """Answers that are due."""
        said = b""
        while count := self._library.rh_robot_say(self._robot, _milliseconds(now_s), self._frame):
            said += self._frame.raw[:count]
        return said

    def control(self, sensed: Sensed, now_s: float) -> Acts:
        """Once in a control period: what the motors shall do now."""
        wheels, into, acts = self.settings.wheels, self._sensed, self._acts
        into.counts[:wheels] = sensed.counts
        into.battery_mv, into.temperature_c = _millivolts(sensed.battery_v), sensed.temperature_c
        into.kicker_charge, into.puck_near = round(_CHARGE_STEPS * sensed.kicker_charge), sensed.puck_near
        into.faults = int(sensed.faults)
        self._library.rh_robot_control(self._robot, ctypes.byref(into), _milliseconds(now_s), ctypes.byref(acts))
        return Acts(tuple(acts.duty[:wheels]), acts.kick / _SHARE_STEPS, acts.dribble / _SHARE_STEPS)

    def frame_counts(self) -> list[int]:
        """Frames heard: good ones, then those thrown away for COBS, length, CRC, version, type, address, speed, too long."""
        return [self._library.rh_robot_count(self._robot, ctypes.c_uint8(verdict)) for verdict in range(9)]


def make_firmware(settings: RobotSettings) -> Firmware:
    """The C firmware where a compiler is, the one in Python where not."""
    return CompiledFirmware(settings) if compiler() is not None else RobotEmulator(settings)


def _millivolts(volts: float) -> int:
    return round(1000.0 * volts)


def _milliseconds(time_s: float) -> ctypes.c_uint32:
    return ctypes.c_uint32(round(1000.0 * time_s) & 0xFFFFFFFF)
