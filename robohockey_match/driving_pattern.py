"""The pattern that a robot drives to be identified: all that its motors, tyres and geometry can show, near one place."""

from __future__ import annotations

import math

# Left and right wheel as shares of the top speed, and how long. Each is driven there and back, then back and there, so
# that the robot stays near its place: straight runs for the wheel radius and the motors, spins for the wheel base, fast
# arcs that slide for the tyres, small steps for the speed control. In this order a robot of the micro hockey league that
# starts at centre ice stays clear of its boards.
_FIGURES = (
    (0.4, 1.0, 0.5),
    (-0.85, -0.85, 0.36),
    (0.8, -0.8, 0.4),
    (-1.0, -0.2, 0.5),
    (0.7, 0.7, 0.4),
    (-1.0, -1.0, 0.34),
    (0.2, 1.0, 0.5),
    (-1.0, -0.4, 0.5),
    (0.9, 0.5, 0.4),
    (0.4, -0.4, 0.5),
    (0.5, -0.5, 0.5),
    (-0.15, -0.1, 0.4),
    (0.4, 0.4, 0.5),
    (-0.5, -0.9, 0.4),
)
_ORDERS = (1.0, -1.0, 0.0, -1.0, 1.0, 0.0)
_REST_S = 0.2
DURATION_S = 60.0


def pattern(time_s: float, top_speed_rad_s: float) -> tuple[float, float]:
    """Speeds of left and right wheel at a time of the pattern, which begins anew when it is through."""
    pieces = [(s * left, s * right, d if s else _REST_S) for left, right, d in _FIGURES for s in _ORDERS]
    left_s = math.fmod(time_s, sum(duration_s for _, _, duration_s in pieces))
    for left, right, duration_s in pieces:
        if left_s < duration_s:
            return left * top_speed_rad_s, right * top_speed_rad_s
        left_s -= duration_s
    return 0.0, 0.0
