"""How the puck slows down on its own, in closed form: a straight line, its length a function of time.

Coulomb friction (Chen eq 27) and viscous damping (Klancar eq 16) together: dv/dt = -a - k v. The puck stops
exactly at zero, and a stop distance v^2/(2 a) does not depend on the step.
"""

from __future__ import annotations

import math

from robohockey_core.compiled import compiled

# Below this loss of speed the first terms of its series are used: the closed form would divide by almost nothing.
_LITTLE_DAMPING = 1e-6
# Newton's method halves the error at the least, next to the place where the puck stops; elsewhere it squares it.
_NEWTON_ROUNDS = 60


@compiled
def stop_time_s(speed_m_s, friction_m_s2, damping_per_s):
    """Time until the puck stands still; infinite where nothing but damping slows it."""
    if speed_m_s <= 0.0:
        return 0.0
    if friction_m_s2 <= 0.0:
        return math.inf
    if damping_per_s == 0.0:
        return speed_m_s / friction_m_s2
    return math.log1p(damping_per_s * speed_m_s / friction_m_s2) / damping_per_s


@compiled
def fly(speed_m_s, friction_m_s2, damping_per_s, time_s):
    """Distance covered and speed left after `time_s`."""
    stop_s = stop_time_s(speed_m_s, friction_m_s2, damping_per_s)
    stopped = time_s >= stop_s
    t = stop_s if stopped else time_s
    if damping_per_s * t < _LITTLE_DAMPING:
        lost = damping_per_s * t
        distance_m = t * (speed_m_s * (1.0 - 0.5 * lost) - friction_m_s2 * t * (0.5 - lost / 6.0))
        left_m_s = speed_m_s * (1.0 - lost) - friction_m_s2 * t * (1.0 - 0.5 * lost)
    else:
        limit_m_s = friction_m_s2 / damping_per_s
        lost = -math.expm1(-damping_per_s * t)
        left_m_s = speed_m_s - (speed_m_s + limit_m_s) * lost
        distance_m = ((speed_m_s + limit_m_s) * lost - friction_m_s2 * t) / damping_per_s
    return distance_m, 0.0 if stopped else max(0.0, left_m_s)


@compiled
def time_to_cover_s(distance_m, speed_m_s, friction_m_s2, damping_per_s):
    """Time to cover a distance that the puck does reach: the inverse of `fly`."""
    if distance_m <= 0.0:
        return 0.0
    if damping_per_s == 0.0:
        under_root = max(0.0, speed_m_s * speed_m_s - 2.0 * friction_m_s2 * distance_m)
        # This form of the root keeps its digits when friction is small.
        return 2.0 * distance_m / (speed_m_s + math.sqrt(under_root))
    t = distance_m / speed_m_s
    for _ in range(_NEWTON_ROUNDS):
        covered_m, left_m_s = fly(speed_m_s, friction_m_s2, damping_per_s, t)
        change_s = (distance_m - covered_m) / left_m_s if left_m_s > 0.0 else 0.0
        t += change_s
        if abs(change_s) < 1e-15 * t:
            break
    return t
