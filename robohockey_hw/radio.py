"""Codecs for radios that exist: the speed codes of Mixed Reality robots and the two-byte packets of MiroSot ones.

Both are one way: such robots do not answer. Their own papers give the numbers (MR Table 1; FIRA's wheel speeds in
one signed byte); the frames around them are laid down in docs/hardware.md, since every team has its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robohockey_core.joints import FloatArray

MIROSOT_STEPS = 127
MIROSOT_START = 0x80
"""Starts a MiroSot frame: -128, the one byte that is no wheel speed; so a receiver finds the start again."""

MIROSOT_MOST_ROBOTS = 11
_CHECKSUM_MASK = 0x7F

MR_BACKWARD = 0x20
MR_CODES = 31
MR_MOST_ROBOTS = 64
_MR_LEFT, _MR_RIGHT = 0x40, 0x80
"""The two top bits of an MR byte say what it is: 00 a robot's number, 01 its left wheel, 10 its right one."""


def mr_code(rim_speed_m_s: float, codes_m_s: FloatArray) -> int:
    """The six bits of a wheel speed: its nearest code (MR Table 1), and the bit for backwards."""
    code = int(np.abs(codes_m_s - abs(rim_speed_m_s)).argmin())
    return code | MR_BACKWARD if rim_speed_m_s < 0.0 and code else code


def mr_speed_m_s(code: int, codes_m_s: FloatArray) -> float:
    """Undo `mr_code`. Raises ValueError on a code that the table does not have."""
    level = code & (MR_BACKWARD - 1)
    if code & ~(2 * MR_BACKWARD - 1) or level >= len(codes_m_s):
        raise ValueError(f"code {code}: must be 0 to {len(codes_m_s) - 1}, plus {MR_BACKWARD} for backwards")
    return float(-codes_m_s[level] if code & MR_BACKWARD else codes_m_s[level])


def mr_frame(rim_speeds_m_s: Mapping[int, tuple[float, float]], codes_m_s: FloatArray) -> bytes:
    """Three bytes a robot, one after the other: number, left wheel, right wheel. Raises ValueError."""
    frame = b""
    for robot, (left, right) in rim_speeds_m_s.items():
        if not 0 <= robot < MR_MOST_ROBOTS:
            raise ValueError(f"robot {robot}: must be between 0 and {MR_MOST_ROBOTS - 1}")
        frame += bytes((robot, _MR_LEFT | mr_code(left, codes_m_s), _MR_RIGHT | mr_code(right, codes_m_s)))
    return frame


def mr_read(data: bytes, codes_m_s: FloatArray) -> dict[int, tuple[float, float]]:
    """The robots whose three bytes stand whole and in order; what a lost byte tore apart is left out."""
    robots = {}
    for at in range(len(data) - 2):
        robot, left, right = data[at : at + 3]
        if robot < MR_MOST_ROBOTS and left & 0xC0 == _MR_LEFT and right & 0xC0 == _MR_RIGHT:
            try:
                robots[robot] = (mr_speed_m_s(left & 0x3F, codes_m_s), mr_speed_m_s(right & 0x3F, codes_m_s))
            except ValueError:
                continue
    return robots


def mirosot_frame(wheel_speeds: Sequence[tuple[float, float]], full_speed: float) -> bytes:
    """Start, then two signed bytes for each robot in order of its number, then a checksum of seven bits.

    A speed is a share of `full_speed`, in 127 steps each way. Raises ValueError on one beyond it.
    """
    if not 1 <= len(wheel_speeds) <= MIROSOT_MOST_ROBOTS:
        raise ValueError(f"{len(wheel_speeds)} robots: must be between 1 and {MIROSOT_MOST_ROBOTS}")
    steps = [round(speed / full_speed * MIROSOT_STEPS) for pair in wheel_speeds for speed in pair]
    if any(abs(step) > MIROSOT_STEPS for step in steps):
        raise ValueError(f"a wheel speed is beyond {full_speed:g}")
    body = bytes(step & 0xFF for step in steps)
    return bytes((MIROSOT_START,)) + body + bytes((sum(body) & _CHECKSUM_MASK,))


def mirosot_read(frame: bytes, full_speed: float) -> list[tuple[float, float]] | None:
    """Undo `mirosot_frame`; None for bytes that are no whole, undamaged frame."""
    body, check = frame[1:-1], frame[-1:]
    robots, odd = divmod(len(body), 2)
    if frame[:1] != bytes((MIROSOT_START,)) or odd or not 1 <= robots <= MIROSOT_MOST_ROBOTS:
        return None
    if MIROSOT_START in body or check != bytes((sum(body) & _CHECKSUM_MASK,)):
        return None
    speeds = [(byte - 256 if byte > 127 else byte) / MIROSOT_STEPS * full_speed for byte in body]
    return list(zip(speeds[::2], speeds[1::2], strict=True))
