"""The MR-Simulator's collisions of robots by wheel slip (its Table 2 and eq 1-13), as a choice beside impulses.

When two robots are about to touch, their wheels turn with speeds v* = (1 - s) v, whose slips s follow from the kind of
collision: parallel, where both meet with front or back; perpendicular, where one meets the other's side. A corner
counts by the side that it meets (oblique). What then still closes is stopped by the contact itself.

What is printed, and what is done here:

* Eq 6, (1 + |T|) / (2 |T_max|), adds a number to a torque. With (1 + T / T_max) / 2 a push through the middle gives
  both wheels the same, and the largest torque gives all to one.
* Eq 7, r_max x (V_A + V_B), is zero where two robots meet head-on at equal speed. The largest torque that eq 5 can give is
  r_max (|V_A| + |V_B|).
* Eq 5 takes V_A - V_B for both robots, which turns B to the wrong side in the mirror image of a collision. Each robot
  takes its own velocity less the other's.
* Eq 9 and 10, (1 - S) C with slips that add up to one, leave C / 2, also for two robots that touch and drive alike. With
  the total slip of eq 4, spread over the wheels by eq 6 and 8 and taken from the robot's own speed, both come out with C,
  as the text says, reversing where the slip exceeds one.
"""

from __future__ import annotations

import math

from robohockey_core.compiled import compiled
from robohockey_sim.contacts import SKIN_M
from robohockey_sim.layout import (
    COS,
    FIRST,
    FORWARD,
    GAP_M,
    LEFT,
    LEVER_A,
    LEVER_B,
    NX,
    NY,
    OWNED,
    PAIR,
    PAIR_COUNT,
    PAIR_ROWS,
    SECOND,
    SIN,
    SLIDE_A,
    SLIDE_B,
    SLIPS,
    TURN,
    VX,
    VY,
    WHEELS,
)

_QUARTER = math.pi / 4.0


@compiled
def parallel_speeds(forward, after, torque_share):
    """Speeds of the wheels in states Y (right of the motion) and not Y (eq 4, 6, 8-10).

    `after` is the common velocity C along the robot's heading, `torque_share` is T / T_max.
    """
    lost = forward - after
    return forward - (1.0 + torque_share) * lost, forward - (1.0 - torque_share) * lost


@compiled
def perpendicular_slips(beta_rad, sigma):
    """Slips of the robot that runs into another's side: wheel in state Y and the other (eq 11, 12)."""
    slip = 1.0 - 0.5 * sigma * (1.0 + beta_rad / _QUARTER)
    return slip, slip + sigma


@compiled
def bumped_slip(beta_rad):
    """Slip of the wheel on the side that was run into (eq 13, through its three given points)."""
    u = abs(beta_rad) / _QUARTER
    return max(0.0, 2.0 - 7.0 / 6.0 * u + u * u / 6.0)


@compiled
def slip_wheels(c, r, pairs, points, who, contact, notes):
    """Change the wheel speeds of all robots that are about to touch another."""
    for q in range(int(notes[PAIR_COUNT])):
        k = pairs[q, PAIR]
        if points[k] & 3 == 0:
            continue
        row = PAIR_ROWS * k + (0 if points[k] & 1 else 1)
        i, j = pairs[q, FIRST], pairs[q, SECOND]
        if who[row, 0] != i:
            i, j = j, i
        nx, ny = contact[row, NX], contact[row, NY]
        turns = r[i, TURN] * contact[row, LEVER_A] - r[j, TURN] * contact[row, LEVER_B]
        closing = (r[i, VX] - r[j, VX]) * nx + (r[i, VY] - r[j, VY]) * ny + turns
        if closing <= 0.0 or closing * c.dt_s < contact[row, GAP_M] - 2.0 * SKIN_M:
            continue
        # Where it happens, from both centres: the middle of two points (Table 2), or the only one.
        lever_a, lever_b, slide_a, slide_b = _levers(contact, row)
        if points[k] & 3 == 3:
            other_a, other_b, _, _ = _levers(contact, row + 1)
            lever_a, lever_b = 0.5 * (lever_a + other_a), 0.5 * (lever_b + other_b)
        ax, ay = slide_a * nx + lever_a * ny, slide_a * ny - lever_a * nx
        bx, by = slide_b * nx + lever_b * ny, slide_b * ny - lever_b * nx
        head_i = abs(r[i, COS] * nx + r[i, SIN] * ny) > abs(r[i, COS] * ny - r[i, SIN] * nx)
        head_j = abs(r[j, COS] * nx + r[j, SIN] * ny) > abs(r[j, COS] * ny - r[j, SIN] * nx)
        if head_i and head_j:
            _parallel(c, r, i, j, ax, ay, bx, by)
        elif head_i:
            _perpendicular(c, r, i, j, ax, ay, bx, by)
        elif head_j:
            _perpendicular(c, r, j, i, bx, by, ax, ay)


@compiled
def _levers(contact, row):
    return contact[row, LEVER_A], contact[row, LEVER_B], contact[row, SLIDE_A], contact[row, SLIDE_B]


@compiled
def _parallel(c, r, i, j, ax, ay, bx, by):
    vx_i, vy_i, vx_j, vy_j = r[i, VX], r[i, VY], r[j, VX], r[j, VY]
    after_x, after_y = 0.5 * (vx_i + vx_j), 0.5 * (vy_i + vy_j)
    most = c.robot_reach_m * (math.hypot(vx_i, vy_i) + math.hypot(vx_j, vy_j))
    for robot, px, py, dx, dy in ((i, ax, ay, vx_i - vx_j, vy_i - vy_j), (j, bx, by, vx_j - vx_i, vy_j - vy_i)):
        forward = r[robot, FORWARD]
        after = r[robot, COS] * after_x + r[robot, SIN] * after_y
        torque_share = min(1.0, max(-1.0, (px * dy - py * dx) / most)) if most > 0.0 else 0.0
        y_speed, other_speed = parallel_speeds(forward, after, torque_share)
        _set_wheels(c, r, robot, forward >= 0.0, y_speed, other_speed)


@compiled
def _perpendicular(c, r, a, b, ax, ay, bx, by):
    """Robot `a` runs with its front or back into the side of `b`."""
    cross = r[a, VX] * r[b, VY] - r[a, VY] * r[b, VX]
    forward_a, forward_b = r[a, FORWARD], r[b, FORWARD]
    # The right wheel is the one in state Y when the robot drives ahead.
    left_a, right_a = r[a, WHEELS] * c.wheel_radius_m, r[a, WHEELS + 1] * c.wheel_radius_m
    y_speed, other_speed = (right_a, left_a) if forward_a >= 0.0 else (left_a, right_a)
    slip_y = slip_other = 1.0
    if cross != 0.0:
        beta_a = min(_QUARTER, max(-_QUARTER, _clockwise(r, a, ax, ay, forward_a)))
        slip_y, slip_other = perpendicular_slips(beta_a, math.copysign(1.0, cross))
    _set_wheels(c, r, a, forward_a >= 0.0, (1.0 - slip_y) * y_speed, (1.0 - slip_other) * other_speed)
    slip = bumped_slip(min(3.0 * _QUARTER, max(_QUARTER, abs(_clockwise(r, b, bx, by, forward_b)))))
    left_b, right_b = r[b, WHEELS] * c.wheel_radius_m, r[b, WHEELS + 1] * c.wheel_radius_m
    if r[b, COS] * by - r[b, SIN] * bx > 0.0:
        left_b *= 1.0 - slip
    else:
        right_b *= 1.0 - slip
    _set_wheels(c, r, b, True, right_b, left_b)


@compiled
def _clockwise(r, i, px, py, forward):
    """Angle from the direction of motion to a point, clockwise positive."""
    ahead, aside = r[i, COS] * px + r[i, SIN] * py, r[i, COS] * py - r[i, SIN] * px
    return math.atan2(-aside, ahead) if forward >= 0.0 else math.atan2(aside, -ahead)


@compiled
def _set_wheels(c, r, i, ahead, y_speed, other_speed):
    """Give a robot's wheels their speeds in m/s, and the robot the velocity that follows."""
    if r[i, OWNED] == 0.0:
        return
    left, right = (other_speed, y_speed) if ahead else (y_speed, other_speed)
    r[i, WHEELS], r[i, WHEELS + 1] = left / c.wheel_radius_m, right / c.wheel_radius_m
    r[i, FORWARD], r[i, LEFT], r[i, TURN] = 0.5 * (left + right), 0.0, (right - left) / c.wheel_base_m
    r[i, SLIPS] = 0.0
    r[i, VX], r[i, VY] = r[i, COS] * r[i, FORWARD], r[i, SIN] * r[i, FORWARD]
