"""What a robot does to a puck before its front: kicker and dribbler."""

from __future__ import annotations

import math

from robohockey_core.compiled import compiled, merged
from robohockey_sim.layout import (
    COS,
    DRIBBLE,
    KICK,
    PUCK_VX,
    PUCK_VY,
    RECHARGE_S,
    ROD0_RAD,
    ROD_RAD,
    ROD_RAD_S,
    SIN,
    TURN,
    VX,
    VY,
)
from robohockey_sim.puck import push_robot

KICKER_RECHARGE_S = 0.5
"""A kicker that has fired needs this long before it fires again."""

# A dribbler takes a puck to the middle of the front within about this time.
_DRIBBLER_S = 0.05


@compiled
def _before_front(c, r, i, dx, dy):
    """Gap between the front and a puck at (dx, dy) from the centre, infinite when it is not before it; and its side."""
    ahead, aside = r[i, COS] * dx + r[i, SIN] * dy, r[i, COS] * dy - r[i, SIN] * dx
    gap = ahead - c.robot_half_length_m - c.puck_radius_m
    if gap <= -c.puck_radius_m or abs(aside) > c.robot_half_width_m:
        return math.inf, aside
    return gap, aside


@compiled
def dribble(c, r, i, puck, dx, dy):
    """Pull a puck before the front towards the middle of it, with a limited force that acts back on the robot."""
    gap, aside = _before_front(c, r, i, dx, dy)
    if gap > c.dribbler_reach_m:
        return
    cos, sin = r[i, COS], r[i, SIN]
    lever_x, lever_y = cos * c.robot_half_length_m - sin * aside, sin * c.robot_half_length_m + cos * aside
    inward, centring = gap / _DRIBBLER_S, aside / _DRIBBLER_S
    wish_x = r[i, VX] - r[i, TURN] * lever_y - cos * inward + sin * centring - puck[PUCK_VX]
    wish_y = r[i, VY] + r[i, TURN] * lever_x - sin * inward - cos * centring - puck[PUCK_VY]
    wish = math.hypot(wish_x, wish_y)
    if wish == 0.0:
        return
    share = min(1.0, r[i, DRIBBLE] * c.dribbler_force_n * c.dt_s / (c.puck_mass_kg * wish))
    puck[PUCK_VX] += share * wish_x
    puck[PUCK_VY] += share * wish_y
    back_x, back_y = -share * wish_x * c.puck_mass_kg, -share * wish_y * c.puck_mass_kg
    push_robot(c, r, i, lever_x, lever_y, back_x, back_y)


@merged
def kick_share(c, power):
    """Powers go in whole levels, of which the first does not move (Minho section 7)."""
    return math.floor(power * (c.kicker_levels - 1.0) + 0.5) / (c.kicker_levels - 1.0)


@merged
def swing_rod(c, r, i):
    """Advance the rod: out to its swing, back home, and still there (Chen eq 13 and Table II)."""
    r[i, ROD0_RAD] = r[i, ROD_RAD]
    if r[i, ROD_RAD_S] == 0.0:
        if r[i, KICK] <= 0.0 or r[i, RECHARGE_S] > 0.0 or r[i, ROD_RAD] != 0.0:
            return
        r[i, ROD_RAD_S] = c.rod_speed_rad_s * kick_share(c, r[i, KICK])
        r[i, RECHARGE_S] = KICKER_RECHARGE_S
    r[i, ROD_RAD] += r[i, ROD_RAD_S] * c.dt_s
    if r[i, ROD_RAD] >= c.rod_swing_rad:
        r[i, ROD_RAD], r[i, ROD_RAD_S] = c.rod_swing_rad, -r[i, ROD_RAD_S]
    elif r[i, ROD_RAD] <= 0.0:
        r[i, ROD_RAD] = r[i, ROD_RAD_S] = 0.0


@compiled
def fire(c, r, i, puck, dx, dy):
    """Kick a puck that lies before the robot's front."""
    gap, aside = _before_front(c, r, i, dx, dy)
    if gap > c.kicker_reach_m:
        return
    cos, sin = r[i, COS], r[i, SIN]
    speed = c.kicker_speed_m_s * kick_share(c, r[i, KICK])
    leaving = (puck[PUCK_VX] - r[i, VX]) * cos + (puck[PUCK_VY] - r[i, VY]) * sin
    if speed == 0.0 or leaving >= speed:
        return
    gain = speed - leaving
    puck[PUCK_VX] += gain * cos
    puck[PUCK_VY] += gain * sin
    # What the puck gets the robot gives, where the puck lies.
    lever_x, lever_y = cos * c.robot_half_length_m - sin * aside, sin * c.robot_half_length_m + cos * aside
    push_robot(c, r, i, lever_x, lever_y, -gain * c.puck_mass_kg * cos, -gain * c.puck_mass_kg * sin)
    r[i, RECHARGE_S] = KICKER_RECHARGE_S
