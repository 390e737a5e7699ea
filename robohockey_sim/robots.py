"""Contacts of robots with each other and with the boards: boxes, separating line, impulses.

Klancar section 4.4: bounding circles first, then the line that separates two boxes, then an impulse along its
normal (eq 26, 27), here with restitution and friction. Contacts are solved before they happen: a pair may close no
more than the gap between it. So nothing sinks in and has to be pushed out again, robots that push each other
come to rest, and a contact that rests keeps last step's impulse as its first guess.
"""

from __future__ import annotations

import math

import numpy as np

from robohockey_core.compiled import compiled
from robohockey_sim.boundary import nearest_inside
from robohockey_sim.layout import (
    BEFORE,
    COS,
    HELD_STEPS,
    NOW,
    OWNED,
    PAIR_BUDGET_M,
    PAIR_COUNT,
    PUCK_X,
    PUCK_Y,
    SIN,
    TOUCHED,
    TURN,
    VX,
    VY,
    X,
    Y,
)
from robohockey_sim.rim import gap_to_robot

BOARD = -1

# A pair remembers up to five pushes (four corners at the boards, and a held puck), and as many grips.
GRIPS = 5
_HELD_PUCK = 4

# Columns of a contact's numbers.
NX, NY, AX, AY, BX, BY, MASS_N, MASS_T, LIMIT, PUSH, GRIP, FRICTION = range(12)
CONTACT_WIDTH = 12

_ROUNDS, _BOUNCE_ROUNDS = 8, 50
# Contacts whose speed is right to this much are solved: a step of it is a hundredth of the air between bodies.
_SOLVED_M_S = 2e-4
# A bounce is over in one step, and what it gets wrong stays wrong.
_SOLVED_BOUNCE_M_S = 1e-9
# Bodies keep this much air between them, which turning within a step may use up.
_SKIN_M = 2e-5
_BOUNCE_SPEED_M_S = 0.05
_RECOVERY = 0.1
_OVERLAP_M = 2e-7


@compiled
def boxes_apart(c, r, a, b, when):
    """Largest gap between two boxes over the four directions of their sides, and which: negative when they overlap.

    `when` is NOW or BEFORE, the start of the step.
    """
    hl, hw = c.robot_half_length_m, c.robot_half_width_m
    dx, dy = r[b, when + X] - r[a, when + X], r[b, when + Y] - r[a, when + Y]
    cos = abs(r[a, when + COS] * r[b, when + COS] + r[a, when + SIN] * r[b, when + SIN])
    sin = abs(r[a, when + COS] * r[b, when + SIN] - r[a, when + SIN] * r[b, when + COS])
    along, across = hl * cos + hw * sin, hl * sin + hw * cos
    best, axis = abs(r[a, when + COS] * dx + r[a, when + SIN] * dy) - hl - along, 0
    gap = abs(r[a, when + COS] * dy - r[a, when + SIN] * dx) - hw - across
    if gap > best:
        best, axis = gap, 1
    gap = abs(r[b, when + COS] * dx + r[b, when + SIN] * dy) - hl - along
    # A tie goes to the first box, so that a contact does not flip between two descriptions of itself.
    if gap > best + 1e-9:
        best, axis = gap, 2
    gap = abs(r[b, when + COS] * dy - r[b, when + SIN] * dx) - hw - across
    if gap > best + 1e-9:
        best, axis = gap, 3
    return best, axis


@compiled
def _collect_pair(c, r, i, j, margin, memory, who, contact, count):
    """Add up to two contact points of a pair; returns the new count."""
    gap, axis = boxes_apart(c, r, i, j, NOW)
    if gap > margin:
        for k in range(2):
            memory[i, j, k] = memory[i, j, GRIPS + k] = 0.0
        return count
    # The reference box owns the separating side; the normal leads from it to the other.
    ref, other = (i, j) if axis < 2 else (j, i)
    rc, rs = r[ref, COS], r[ref, SIN]
    if axis % 2 == 0:
        nx, ny, half_n, half_t = rc, rs, c.robot_half_length_m, c.robot_half_width_m
    else:
        nx, ny, half_n, half_t = -rs, rc, c.robot_half_width_m, c.robot_half_length_m
    dx, dy = r[other, X] - r[ref, X], r[other, Y] - r[ref, Y]
    if nx * dx + ny * dy < 0.0:
        nx, ny = -nx, -ny
    tx, ty = -ny, nx
    # The other box's side that faces the reference side most.
    oc, os = r[other, COS], r[other, SIN]
    ahead, aside = -(nx * oc + ny * os), -(ny * oc - nx * os)
    if abs(ahead) > abs(aside):
        sign = 1.0 if ahead > 0.0 else -1.0
        mx, my = sign * c.robot_half_length_m * oc, sign * c.robot_half_length_m * os
        ex, ey = -c.robot_half_width_m * os, c.robot_half_width_m * oc
    else:
        sign = 1.0 if aside > 0.0 else -1.0
        mx, my = -sign * c.robot_half_width_m * os, sign * c.robot_half_width_m * oc
        ex, ey = c.robot_half_length_m * oc, c.robot_half_length_m * os
    # Its two ends in the reference frame, clipped to the reference side.
    p0x, p0y, p1x, p1y = dx + mx - ex, dy + my - ey, dx + mx + ex, dy + my + ey
    t0, t1 = tx * p0x + ty * p0y, tx * p1x + ty * p1y
    d0, d1 = nx * p0x + ny * p0y - half_n, nx * p1x + ny * p1y - half_n
    if t1 < t0:
        t0, t1, d0, d1 = t1, t0, d1, d0
    slope = (d1 - d0) / (t1 - t0) if t1 - t0 > 1e-12 else 0.0
    c0, c1 = max(t0, -half_t), min(t1, half_t)
    if c1 < c0:
        c0 = c1 = 0.5 * (c0 + c1)
    g0, g1 = d0 + slope * (c0 - t0), d0 + slope * (c1 - t0)
    for k in range(2):
        at_t, at_gap = (c0, g0) if k == 0 else (c1, g1)
        if at_gap > margin or (k == 1 and c1 - c0 < 1e-9):
            memory[i, j, k] = memory[i, j, GRIPS + k] = 0.0
            continue
        # The contact point lies on the other box's side.
        rx, ry = nx * (half_n + at_gap) + tx * at_t, ny * (half_n + at_gap) + ty * at_t
        who[count, 0], who[count, 1], who[count, 2] = ref, other, k
        who[count, 3], who[count, 4] = i, j
        contact[count, NX], contact[count, NY] = nx, ny
        contact[count, AX], contact[count, AY], contact[count, BX], contact[count, BY] = rx, ry, rx - dx, ry - dy
        contact[count, FRICTION] = c.robot_robot_friction
        contact[count, PUSH], contact[count, GRIP] = memory[i, j, k], memory[i, j, GRIPS + k]
        lever_a, lever_b = rx * ny - ry * nx, contact[count, BX] * ny - contact[count, BY] * nx
        slide_a, slide_b = rx * nx + ry * ny, contact[count, BX] * nx + contact[count, BY] * ny
        im_a, ii_a = _inverse(c, r[ref, OWNED])
        im_b, ii_b = _inverse(c, r[other, OWNED])
        contact[count, MASS_N] = 1.0 / (im_a + im_b + ii_a * lever_a * lever_a + ii_b * lever_b * lever_b)
        contact[count, MASS_T] = 1.0 / (im_a + im_b + ii_a * slide_a * slide_a + ii_b * slide_b * slide_b)
        closing, _ = _speeds(r, ref, other, contact, count)
        contact[count, LIMIT] = _speed_limit(c, closing, at_gap, c.robot_robot_restitution)
        count += 1
    return count


@compiled
def _inverse(c, owned):
    """Inverse mass and inertia; a body that somebody else moves gives way to nothing."""
    return (c.robot_inverse_mass, c.robot_inverse_inertia) if owned > 0.0 else (0.0, 0.0)


@compiled
def _collect_boards(c, r, i, margin, memory, who, contact, count):
    """Add a contact for every corner of a robot that can reach the boards in this step."""
    for k in range(4):
        along = c.robot_half_length_m if k % 2 == 0 else -c.robot_half_length_m
        aside = c.robot_half_width_m if k < 2 else -c.robot_half_width_m
        rx = r[i, COS] * along - r[i, SIN] * aside
        ry = r[i, SIN] * along + r[i, COS] * aside
        x, y = r[i, X] + rx, r[i, Y] + ry
        # The nearest place that is a margin away from the boards tells direction and distance at once.
        inner_x, inner_y = nearest_inside(c, x, y, margin)
        dx, dy = x - inner_x, y - inner_y
        depth = math.hypot(dx, dy)
        if depth == 0.0:
            memory[i, i, k] = memory[i, i, GRIPS + k] = 0.0
            continue
        gap = margin - depth
        # Two corners in a square corner of the rink meet two walls: the nearest point serves both.
        nx, ny = dx / depth, dy / depth
        who[count, 0], who[count, 1], who[count, 2] = i, BOARD, k
        who[count, 3], who[count, 4] = i, i
        (
            contact[count, NX],
            contact[count, NY],
            contact[count, AX],
            contact[count, AY],
            contact[count, BX],
            contact[count, BY],
        ) = nx, ny, rx, ry, 0.0, 0.0
        contact[count, FRICTION] = c.robot_wall_friction
        contact[count, PUSH], contact[count, GRIP] = memory[i, i, k], memory[i, i, GRIPS + k]
        lever, slide = rx * ny - ry * nx, rx * nx + ry * ny
        contact[count, MASS_N] = 1.0 / (c.robot_inverse_mass + c.robot_inverse_inertia * lever * lever)
        contact[count, MASS_T] = 1.0 / (c.robot_inverse_mass + c.robot_inverse_inertia * slide * slide)
        closing, _ = _speeds(r, i, BOARD, contact, count)
        contact[count, LIMIT] = _speed_limit(c, closing, gap, c.robot_wall_restitution)
        count += 1
    return count


@compiled
def _collect_held_puck(c, r, i, outline, puck, margin, memory, who, contact, count):
    """Add the contact of a robot with a puck that is held: it stands there like a post."""
    gap, nx, ny, rx, ry = gap_to_robot(c, outline, r[i, X], r[i, Y], r[i, COS], r[i, SIN], puck[PUCK_X], puck[PUCK_Y])
    if gap > margin:
        memory[i, i, _HELD_PUCK] = memory[i, i, GRIPS + _HELD_PUCK] = 0.0
        return count
    who[count, 0], who[count, 1], who[count, 2] = i, BOARD, _HELD_PUCK
    who[count, 3], who[count, 4] = i, i
    contact[count, NX], contact[count, NY] = nx, ny
    contact[count, AX], contact[count, AY], contact[count, BX], contact[count, BY] = rx, ry, 0.0, 0.0
    contact[count, FRICTION] = c.robot_friction
    contact[count, PUSH] = memory[i, i, _HELD_PUCK]
    contact[count, GRIP] = memory[i, i, GRIPS + _HELD_PUCK]
    lever, slide = rx * ny - ry * nx, rx * nx + ry * ny
    contact[count, MASS_N] = 1.0 / (c.robot_inverse_mass + c.robot_inverse_inertia * lever * lever)
    contact[count, MASS_T] = 1.0 / (c.robot_inverse_mass + c.robot_inverse_inertia * slide * slide)
    contact[count, LIMIT] = _speed_limit(c, 0.0, gap, 0.0)
    return count + 1


@compiled
def _speed_limit(c, closing, gap, restitution):
    """The fastest that a contact may close: what the gap allows, or the bounce when it would be used up."""
    room = gap - _SKIN_M
    if closing > _BOUNCE_SPEED_M_S and closing * c.dt_s >= room:
        return -restitution * closing
    # Air that was used up comes back little by little.
    return room / c.dt_s if room >= 0.0 else _RECOVERY * room / c.dt_s


@compiled
def _solve(c, r, who, contact, count):
    """Find impulses that keep every contact's limit, pushes only, friction within its cone."""
    for k in range(count):
        if contact[k, PUSH] > 0.0:
            _apply(c, r, who, contact, k, contact[k, PUSH], contact[k, GRIP])
    solved_m_s, rounds = _SOLVED_M_S, _ROUNDS
    for k in range(count):
        if contact[k, LIMIT] < -_BOUNCE_SPEED_M_S * _RECOVERY:
            solved_m_s, rounds = _SOLVED_BOUNCE_M_S, _BOUNCE_ROUNDS
    for _ in range(rounds):
        largest = 0.0
        for k in range(count):
            closing, sliding = _speeds(r, who[k, 0], who[k, 1], contact, k)
            before, grip_before = contact[k, PUSH], contact[k, GRIP]
            push = max(0.0, before + (closing - contact[k, LIMIT]) * contact[k, MASS_N])
            most = contact[k, FRICTION] * push
            grip = min(most, max(-most, grip_before - sliding * contact[k, MASS_T]))
            if push != before or grip != grip_before:
                _apply(c, r, who, contact, k, push - before, grip - grip_before)
                contact[k, PUSH], contact[k, GRIP] = push, grip
                largest = max(largest, abs(push - before), abs(grip - grip_before))
        if largest * c.robot_inverse_mass < solved_m_s:
            break


@compiled
def _speeds(r, a, b, contact, k):
    """Closing speed along the normal, and sliding speed of a's surface along the tangent."""
    vx = r[a, VX] - r[a, TURN] * contact[k, AY]
    vy = r[a, VY] + r[a, TURN] * contact[k, AX]
    if b != BOARD:
        vx -= r[b, VX] - r[b, TURN] * contact[k, BY]
        vy -= r[b, VY] + r[b, TURN] * contact[k, BX]
    nx, ny = contact[k, NX], contact[k, NY]
    return vx * nx + vy * ny, vy * nx - vx * ny


@compiled
def _apply(c, r, who, contact, k, push, grip):
    """Push a back along the normal and b forward; grip acts on a along the tangent."""
    nx, ny = contact[k, NX], contact[k, NY]
    jx, jy = -push * nx - grip * ny, -push * ny + grip * nx
    a, b = who[k, 0], who[k, 1]
    if r[a, OWNED] > 0.0:
        r[a, VX] += jx * c.robot_inverse_mass
        r[a, VY] += jy * c.robot_inverse_mass
        r[a, TURN] += (contact[k, AX] * jy - contact[k, AY] * jx) * c.robot_inverse_inertia
    if b != BOARD and r[b, OWNED] > 0.0:
        r[b, VX] -= jx * c.robot_inverse_mass
        r[b, VY] -= jy * c.robot_inverse_mass
        r[b, TURN] -= (contact[k, BX] * jy - contact[k, BY] * jx) * c.robot_inverse_inertia


@compiled
def limit_by_contacts(c, r, outline, puck, pairs, who, contact, memory, notes, fastest):
    """Solve the contacts of this step, so that nobody moves into anybody."""
    _renew_pairs(c, r, pairs, notes, fastest)
    # Contacts pass speed on, but none closes faster than twice the fastest surface of all.
    margin = 2.0 * fastest * c.dt_s + 2.0 * _SKIN_M
    near_squared = (2.0 * c.robot_reach_m + margin) ** 2
    count = 0
    for k in range(int(notes[PAIR_COUNT])):
        i, j = pairs[k, 0], pairs[k, 1]
        dx, dy = r[i, X] - r[j, X], r[i, Y] - r[j, Y]
        if dx * dx + dy * dy < near_squared:
            count = _collect_pair(c, r, i, j, margin, memory, who, contact, count)
    reach = c.robot_reach_m + margin
    for i in range(r.shape[0]):
        if r[i, OWNED] > 0.0 and not clear_of_boards(c, r, i, reach):
            count = _collect_boards(c, r, i, margin, memory, who, contact, count)
        if notes[HELD_STEPS] > 0.0 and r[i, OWNED] > 0.0:
            count = _collect_held_puck(c, r, i, outline, puck, margin, memory, who, contact, count)
    if count > 0:
        _solve(c, r, who, contact, count)
        for k in range(count):
            # The next step's first guess.
            memory[who[k, 3], who[k, 4], who[k, 2]] = contact[k, PUSH]
            memory[who[k, 3], who[k, 4], GRIPS + who[k, 2]] = contact[k, GRIP]
            if contact[k, PUSH] > 0.0:
                r[who[k, 0], TOUCHED] = 1.0
                if who[k, 1] != BOARD:
                    r[who[k, 1], TOUCHED] = 1.0


@compiled
def clear_of_boards(c, r, i, reach):
    """Whether a robot is farther than `reach` from every board."""
    room_x = c.half_length_m - abs(r[i, X]) - reach
    room_y = c.half_width_m - abs(r[i, Y]) - reach
    return room_x > 0.0 and room_y > 0.0 and (room_x > c.corner_radius_m or room_y > c.corner_radius_m)


@compiled
def _renew_pairs(c, r, pairs, notes, fastest):
    """Keep a list of the pairs that can meet soon; make it anew when somebody may have come from outside it."""
    notes[PAIR_BUDGET_M] -= 2.0 * fastest * c.dt_s
    if notes[PAIR_BUDGET_M] > 0.0:
        return
    reach = 2.0 * c.robot_reach_m + c.pair_margin_m + 2.0 * (fastest * c.dt_s + _SKIN_M)
    found = 0
    for i in range(r.shape[0]):
        for j in range(i):
            dx, dy = r[i, X] - r[j, X], r[i, Y] - r[j, Y]
            if dx * dx + dy * dy < reach * reach and r[i, OWNED] + r[j, OWNED] > 0.0:
                pairs[found, 0], pairs[found, 1] = j, i
                found += 1
    notes[PAIR_COUNT] = found
    notes[PAIR_BUDGET_M] = c.pair_margin_m


@compiled
def sinks_in(c, r, i, j):
    """Whether two robots overlap, and more than at the start of the step."""
    gap, _ = boxes_apart(c, r, i, j, NOW)
    if gap >= -_OVERLAP_M:
        return False
    gap_before, _ = boxes_apart(c, r, i, j, BEFORE)
    return gap < gap_before


@compiled
def leaves_rink(c, r, i):
    """Whether a corner of a robot is beyond the boards, and further than at the start of the step."""
    outside = _outside_m(c, r, i, NOW)
    return outside > _OVERLAP_M and outside > _outside_m(c, r, i, BEFORE)


@compiled
def _outside_m(c, r, i, when):
    worst = 0.0
    for k in range(4):
        along = c.robot_half_length_m if k % 2 == 0 else -c.robot_half_length_m
        aside = c.robot_half_width_m if k < 2 else -c.robot_half_width_m
        x = r[i, when + X] + r[i, when + COS] * along - r[i, when + SIN] * aside
        y = r[i, when + Y] + r[i, when + SIN] * along + r[i, when + COS] * aside
        inside_x, inside_y = nearest_inside(c, x, y, 0.0)
        worst = max(worst, abs(x - inside_x) + abs(y - inside_y))
    return worst


def contact_room(robots: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Room for all contacts of a match: who, numbers, and the impulses remembered for each pair."""
    most = 5 * robots + robots * (robots - 1)
    return np.zeros((most, 5), dtype=np.int64), np.zeros((most, CONTACT_WIDTH)), np.zeros((robots, robots, 2 * GRIPS))
