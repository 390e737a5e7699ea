"""What a robot does to a puck before its front: kicker and dribbler."""

from __future__ import annotations

import math

from robohockey_core.compiled import compiled
from robohockey_sim.layout import COS, DRIBBLE, KICK, PUCK_VX, PUCK_VY, RECHARGE_S, SIN, TURN, VX, VY
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


@compiled
def fire(c, r, i, puck, dx, dy):
    """Kick a puck that lies before the robot's front; the power goes in whole levels (Minho section 7)."""
    gap, _ = _before_front(c, r, i, dx, dy)
    if gap > c.kicker_reach_m:
        return
    cos, sin = r[i, COS], r[i, SIN]
    level = math.floor(r[i, KICK] * (c.kicker_levels - 1.0) + 0.5)
    speed = c.kicker_speed_m_s * level / (c.kicker_levels - 1.0)
    leaving = (puck[PUCK_VX] - r[i, VX]) * cos + (puck[PUCK_VY] - r[i, VY]) * sin
    if speed == 0.0 or leaving >= speed:
        return
    puck[PUCK_VX] = r[i, VX] + speed * cos
    puck[PUCK_VY] = r[i, VY] + speed * sin
    r[i, RECHARGE_S] = KICKER_RECHARGE_S
