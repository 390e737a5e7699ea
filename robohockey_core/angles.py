"""Angles in radians, wrapped to the half-open interval (-pi, pi]."""

from __future__ import annotations

import math

TWO_PI = 2.0 * math.pi


def wrap(angle_rad: float) -> float:
    """Return the same direction as an angle in (-pi, pi]."""
    wrapped = math.remainder(angle_rad, TWO_PI)
    return math.pi if wrapped == -math.pi else wrapped


def difference(to_rad: float, from_rad: float) -> float:
    """Return the shortest turn that leads from one direction to the other."""
    return wrap(to_rad - from_rad)
