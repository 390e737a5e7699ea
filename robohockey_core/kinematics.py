"""Wheel speeds and body motion, both directions: the only copy in the project.

A drive is one matrix J with `wheel_speeds = J @ body_twist`, where the body twist is (forward
m/s, left m/s, turn rad/s) in the robot's own frame. Differential and omni drives differ only in J.

Printed equations that do not hold in a limit case, and what is used instead:

* Chen eq 16 prints r = l/2 (v_R - v_L) / (v_R + v_L). Driving straight would turn about a point
  zero metres away. The fraction is upside down: r = l/2 (v_R + v_L) / (v_R - v_L).
* Chen eq 18 and 19 give the direction of travel for either turning sense with an unsigned angle,
  and eq 19 adds pi. With signed r and phi one formula, psi = theta + phi/2, serves both senses:
  r sin(phi/2) has the sign of the forward speed, so the extra half turn would drive backwards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

FORWARD, LEFT, TURN = 0, 1, 2
"""Columns of a drive matrix and entries of a body twist."""


def arc_step(
    x_m: float,
    y_m: float,
    yaw_rad: float,
    forward_m_s: float,
    left_m_s: float,
    yaw_rate_rad_s: float,
    dt_s: float,
) -> tuple[float, float, float]:
    """Move along the exact arc of a constant body twist (Chen eq 15, 17-20; `left_m_s` for omni drives).

    Plain arithmetic on floats, so that the compiled simulator can compile this very function.
    The chord D = 2 r sin(phi/2) is written as v dt sinc(phi/2), which has no pole when driving
    straight.
    """
    phi = yaw_rate_rad_s * dt_s
    half = 0.5 * phi
    # Below this angle the next term of the series, half^4/120, is less than one unit in the last place.
    sinc = 1.0 - half * half / 6.0 if abs(half) < 1e-4 else math.sin(half) / half
    chord_s = dt_s * sinc
    cos, sin = math.cos(yaw_rad + half), math.sin(yaw_rad + half)
    return (
        x_m + chord_s * (forward_m_s * cos - left_m_s * sin),
        y_m + chord_s * (forward_m_s * sin + left_m_s * cos),
        yaw_rad + phi,
    )


def turning_radius_m(v_left_m_s: float, v_right_m_s: float, wheel_base_m: float) -> float:
    """Signed distance to the centre of rotation (Chen eq 16, put upright); inf when straight."""
    if v_right_m_s == v_left_m_s:
        return math.inf
    return wheel_base_m / 2.0 * (v_right_m_s + v_left_m_s) / (v_right_m_s - v_left_m_s)


@dataclass(frozen=True, eq=False)
class Drive:
    """Wheel names and the matrix that maps a body twist to wheel speeds in rad/s."""

    wheel_names: tuple[str, ...]
    matrix: FloatArray
    inverse: FloatArray

    @property
    def holonomic(self) -> bool:
        return bool(np.linalg.matrix_rank(self.matrix) == 3)

    def wheel_speeds(self, body_twist: FloatArray) -> FloatArray:
        """Wheel speeds in rad/s; works on one twist or on rows of them."""
        return body_twist @ self.matrix.T

    def body_twist(self, wheel_speeds_rad_s: FloatArray) -> FloatArray:
        """Body twist that fits the wheel speeds best (exactly, where the wheels agree)."""
        return wheel_speeds_rad_s @ self.inverse.T

    def saturate(self, body_twist: FloatArray, max_wheel_speed_rad_s: float) -> FloatArray:
        """Fit a twist into the wheels' limit: turning first, then what is left for driving.

        Minho section 4.3: the sum of both contributions is limited with priority to the angular
        one, so a robot that must face the puck faces it, and drives a little slower.
        """
        turn_share = self.matrix[:, TURN] * body_twist[TURN]
        turn_peak = float(np.abs(turn_share).max())
        turn_scale = min(1.0, max_wheel_speed_rad_s / turn_peak) if turn_peak > 0.0 else 1.0
        turn_share = turn_share * turn_scale
        drive_share = self.matrix[:, :TURN] @ body_twist[:TURN]
        # A wheel with share d has (limit - turn*sign(d)) left in the direction it is asked to go.
        room = max_wheel_speed_rad_s - turn_share * np.sign(drive_share)
        asked = np.abs(drive_share)
        drive_scale = max(0.0, float(np.min(np.divide(room, asked, out=np.ones_like(room), where=asked > room))))
        limited = body_twist * drive_scale
        limited[TURN] = body_twist[TURN] * turn_scale
        return limited


def _drive(wheel_names: tuple[str, ...], matrix: FloatArray) -> Drive:
    return Drive(wheel_names, matrix, np.linalg.pinv(matrix).astype(np.float64))


def differential_drive(wheel_radius_m: float, wheel_base_m: float) -> Drive:
    """Two wheels on one axle through the centre (Chen eq 7: omega = (v_R - v_L) / l)."""
    half_base_m = wheel_base_m / 2.0
    matrix = np.array([[1.0, 0.0, -half_base_m], [1.0, 0.0, half_base_m]]) / wheel_radius_m
    return _drive(("left_wheel", "right_wheel"), matrix)


def omni_drive(wheel_radius_m: float, hub_radius_m: float, wheel_angles_rad: tuple[float, ...]) -> Drive:
    """Any number of omni wheels whose axles meet in the centre.

    A wheel mounted at angle a (from the front, positive to the left) drives in direction a + 90
    degrees: Minho eq 2, F = v cos(drive direction - desired direction), plus the turning share of
    section 4.2. Mounting angles of +60, -60 and 180 degrees give eq 3-5 with their 150, 30 and 270.
    """
    drive_direction = np.asarray(wheel_angles_rad, dtype=float) + math.pi / 2.0
    columns = (np.cos(drive_direction), np.sin(drive_direction), np.full_like(drive_direction, hub_radius_m))
    names = tuple(f"wheel_{i}" for i in range(len(drive_direction)))
    return _drive(names, np.stack(columns, axis=1) / wheel_radius_m)
