"""Contacts of robots with each other and with the boards: who touches whom, where, and with how much room.

Klancar section 4.4: bounding circles first, then the line that separates two boxes. A contact is found before it
happens, as soon as a step could use up its gap, and stays while its bodies move little against each other: its gap is
then carried on with the speed at which it closes, which is right to the second order of that little. Pairs far apart
know how far they may move before anybody needs to look at them again.
"""

from __future__ import annotations

import math

import numpy as np

from robohockey_core.compiled import compiled, merged
from robohockey_sim.layout import (
    BEFORE,
    BOARD,
    BOARD_POINTS,
    BOARD_ROWS,
    BOARD_WAIT_M,
    BOUND_M_S,
    CONTACT_WIDTH,
    COS,
    FIRST,
    FRICTION,
    GAP_M,
    GRIP,
    HALF_LENGTH_M,
    HALF_WIDTH_M,
    LEVER_A,
    LEVER_B,
    LOOK_MARGIN_M,
    MASS_N,
    MASS_T,
    NOW,
    NX,
    NY,
    OWNED,
    PAIR,
    PAIR_BUDGET_M,
    PAIR_COUNT,
    PAIR_ROWS,
    PUSH,
    REACH_M,
    RESTITUTION,
    SECOND,
    SIN,
    SLIDE_A,
    SLIDE_B,
    X,
    Y,
)

# Bodies keep this much air between them, which turning within a step may use up.
SKIN_M = 2e-5
# A contact is looked at again after its bodies have moved so much against each other. What a carried gap gets wrong by
# then is that much times the angle turned meanwhile: some hundredths of the skin.
_LOOK_AGAIN_M = 1e-4
# Contacts are looked for in gaps wider than this step could close by that factor, so that a little more speed later
# does not mean to look at everything anew.
_WIDER = 1.5
# Two sides this much askew, or more, whose ends stick out past each other: a corner slides along an edge, and the gap
# that is carried on misses that. Such a pair is marked by a bit beside those of its two points.
_EVEN_SLOPE = 0.02
CORNER_AT_EDGE = 4
# More than this is an overlap; rounding is far below.
OVERLAP_M = 2e-7


@compiled
def boxes_apart(r, a, b, when):
    """Largest gap between two boxes over the four directions of their sides, and which: negative when they overlap.

    `when` is NOW or BEFORE, the start of the step.
    """
    hl_a, hw_a, hl_b, hw_b = r[a, HALF_LENGTH_M], r[a, HALF_WIDTH_M], r[b, HALF_LENGTH_M], r[b, HALF_WIDTH_M]
    dx, dy = r[b, when + X] - r[a, when + X], r[b, when + Y] - r[a, when + Y]
    cos_a, sin_a, cos_b, sin_b = r[a, when + COS], r[a, when + SIN], r[b, when + COS], r[b, when + SIN]
    cos, sin = abs(cos_a * cos_b + sin_a * sin_b), abs(cos_a * sin_b - sin_a * cos_b)
    best, axis = abs(cos_a * dx + sin_a * dy) - hl_a - hl_b * cos - hw_b * sin, 0
    gap = abs(cos_a * dy - sin_a * dx) - hw_a - hl_b * sin - hw_b * cos
    if gap > best:
        best, axis = gap, 1
    gap = abs(cos_b * dx + sin_b * dy) - hl_b - hl_a * cos - hw_a * sin
    # A tie goes to the first box, so that a contact does not flip between two descriptions of itself.
    if gap > best + 1e-9:
        best, axis = gap, 2
    gap = abs(cos_b * dy - sin_b * dx) - hw_b - hl_a * sin - hw_a * cos
    if gap > best + 1e-9:
        best, axis = gap, 3
    return best, axis


@merged
def find_contacts(c, r, pairs, wait, points, who, contact, rows, notes, fastest):
    """List the rows of all contacts that this step could close; returns how many."""
    # Contacts pass speed on, but none closes faster than twice the fastest surface of all.
    closest = 2.0 * fastest * c.dt_s + 2.0 * SKIN_M
    renewed = _renew_pairs(c, r, pairs, wait, points, notes, fastest)
    if renewed or closest > notes[LOOK_MARGIN_M]:
        _look_wider(r, pairs, wait, points, notes, _WIDER * closest)
    margin = notes[LOOK_MARGIN_M]
    count = 0
    for q in range(int(notes[PAIR_COUNT])):
        k = pairs[q, PAIR]
        if points[k] == 0:
            i, j = pairs[q, FIRST], pairs[q, SECOND]
            wait[k] -= (r[i, BOUND_M_S] + r[j, BOUND_M_S]) * c.dt_s
            if wait[k] > margin:
                continue
            _look_at_pair(c, r, i, j, k, margin, wait, points, who, contact)
        elif wait[k] <= 0.0:
            _look_at_pair(c, r, pairs[q, FIRST], pairs[q, SECOND], k, margin, wait, points, who, contact)
        if points[k] & 1:
            rows[count] = PAIR_ROWS * k
            count += 1
        if points[k] & 2:
            rows[count] = PAIR_ROWS * k + 1
            count += 1
    first_row = PAIR_ROWS * len(wait)
    for i in range(r.shape[0]):
        if r[i, OWNED] == 0.0:
            continue
        r[i, BOARD_WAIT_M] -= r[i, BOUND_M_S] * c.dt_s
        has = int(r[i, BOARD_POINTS])
        if r[i, BOARD_WAIT_M] <= (margin if has == 0 else 0.0):
            has = _look_at_boards(c, r, i, first_row + BOARD_ROWS * i, margin, who, contact)
        if has != 0:
            for q in range(BOARD_ROWS):
                if has >> q & 1:
                    rows[count] = first_row + BOARD_ROWS * i + q
                    count += 1
    return count


@merged
def _renew_pairs(c, r, pairs, wait, points, notes, fastest):
    """Keep a list of the pairs that can meet soon; make it anew when somebody may have come from outside it."""
    notes[PAIR_BUDGET_M] -= 2.0 * fastest * c.dt_s
    if notes[PAIR_BUDGET_M] > 0.0:
        return False
    margin = c.pair_margin_m + 2.0 * (fastest * c.dt_s + SKIN_M)
    found = 0
    k = 0
    for i in range(r.shape[0]):
        for j in range(i):
            dx, dy = r[i, X] - r[j, X], r[i, Y] - r[j, Y]
            reach = r[i, REACH_M] + r[j, REACH_M] + margin
            if dx * dx + dy * dy < reach * reach and r[i, OWNED] + r[j, OWNED] > 0.0:
                pairs[found, PAIR], pairs[found, FIRST], pairs[found, SECOND] = k, j, i
                found += 1
            else:
                wait[k] = 0.0
                points[k] = 0
            k += 1
    notes[PAIR_COUNT] = found
    notes[PAIR_BUDGET_M] = c.pair_margin_m
    return True


@compiled
def _look_wider(r, pairs, wait, points, notes, margin):
    """From now on look for contacts in gaps up to `margin`, also where some are known already."""
    notes[LOOK_MARGIN_M] = margin
    for q in range(int(notes[PAIR_COUNT])):
        if points[pairs[q, PAIR]] != 0:
            wait[pairs[q, PAIR]] = 0.0
    for i in range(r.shape[0]):
        if r[i, BOARD_POINTS] != 0.0:
            r[i, BOARD_WAIT_M] = 0.0


@compiled
def _look_at_pair(c, r, i, j, k, margin, wait, points, who, contact):
    """Find up to two contact points of a pair, or how far apart it is."""
    had, row = points[k], PAIR_ROWS * k
    points[k] = 0
    gap, axis = boxes_apart(r, i, j, NOW)
    wait[k] = gap
    if gap > margin:
        return
    # The reference box owns the separating side; the normal leads from it to the other.
    ref, other = (i, j) if axis < 2 else (j, i)
    rc, rs = r[ref, COS], r[ref, SIN]
    if axis % 2 == 0:
        nx, ny, half_n, half_t = rc, rs, r[ref, HALF_LENGTH_M], r[ref, HALF_WIDTH_M]
    else:
        nx, ny, half_n, half_t = -rs, rc, r[ref, HALF_WIDTH_M], r[ref, HALF_LENGTH_M]
    dx, dy = r[other, X] - r[ref, X], r[other, Y] - r[ref, Y]
    if nx * dx + ny * dy < 0.0:
        nx, ny = -nx, -ny
    tx, ty = -ny, nx
    # The other box's side that faces the reference side most.
    oc, os = r[other, COS], r[other, SIN]
    half_length, half_width = r[other, HALF_LENGTH_M], r[other, HALF_WIDTH_M]
    ahead, aside = -(nx * oc + ny * os), -(ny * oc - nx * os)
    if abs(ahead) > abs(aside):
        sign = 1.0 if ahead > 0.0 else -1.0
        mx, my = sign * half_length * oc, sign * half_length * os
        ex, ey = -half_width * os, half_width * oc
    else:
        sign = 1.0 if aside > 0.0 else -1.0
        mx, my = -sign * half_width * os, sign * half_width * oc
        ex, ey = half_length * oc, half_length * os
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
    im_a, ii_a = _inverse(c, r[ref, OWNED])
    im_b, ii_b = _inverse(c, r[other, OWNED])
    wait[k] = _LOOK_AGAIN_M
    if (c0 > t0 or c1 < t1) and abs(slope) > _EVEN_SLOPE:
        points[k] = CORNER_AT_EDGE
    # An end that is near only where it sticks out is met there: the boxes might pass each other, or turn into contact.
    far = margin + _LOOK_AGAIN_M
    if g0 > far and g1 > far:
        c0, g0, c1, g1 = t0, d0, t1, d1
    for end in range(2):
        at_t, at_gap = (c0, g0) if end == 0 else (c1, g1)
        if at_gap > far or (end == 1 and c1 - c0 < 1e-9):
            continue
        if not had >> end & 1 or who[row + end, 0] != ref:
            contact[row + end, PUSH] = contact[row + end, GRIP] = 0.0
        points[k] |= 1 << end
        who[row + end, 0], who[row + end, 1] = ref, other
        # The contact point lies on the other box's side.
        rx, ry = nx * (half_n + at_gap) + tx * at_t, ny * (half_n + at_gap) + ty * at_t
        _set_contact(contact, row + end, nx, ny, rx, ry, rx - dx, ry - dy, at_gap, im_a, ii_a, im_b, ii_b)
        contact[row + end, FRICTION], contact[row + end, RESTITUTION] = c.robot_robot_friction, c.robot_robot_restitution


@merged
def _set_contact(contact, row, nx, ny, ax, ay, bx, by, gap, im_a, ii_a, im_b, ii_b):
    """Fill in a contact from its normal, the levers to its point and the inverse masses of both bodies."""
    lever_a, lever_b = ax * ny - ay * nx, bx * ny - by * nx
    slide_a, slide_b = ax * nx + ay * ny, bx * nx + by * ny
    contact[row, NX], contact[row, NY], contact[row, GAP_M] = nx, ny, gap
    contact[row, LEVER_A], contact[row, LEVER_B] = lever_a, lever_b
    contact[row, SLIDE_A], contact[row, SLIDE_B] = slide_a, slide_b
    contact[row, MASS_N] = 1.0 / (im_a + im_b + ii_a * lever_a * lever_a + ii_b * lever_b * lever_b)
    contact[row, MASS_T] = 1.0 / (im_a + im_b + ii_a * slide_a * slide_a + ii_b * slide_b * slide_b)


@merged
def _inverse(c, owned):
    """Inverse mass and inertia; a body that somebody else moves gives way to nothing."""
    return (c.robot_inverse_mass, c.robot_inverse_inertia) if owned > 0.0 else (0.0, 0.0)


@compiled
def _look_at_boards(c, r, i, first_row, margin, who, contact):
    """Find the contacts of a robot's corners with the boards, as bits; or how far it is from them."""
    had, has = int(r[i, BOARD_POINTS]), 0
    nearest = math.inf
    straight_x, straight_y = c.board_half_length_m - c.corner_radius_m, c.half_width_m - c.corner_radius_m
    for q in range(4):
        along = c.robot_half_length_m if q % 2 == 0 else -c.robot_half_length_m
        aside = c.robot_half_width_m if q < 2 else -c.robot_half_width_m
        rx = r[i, COS] * along - r[i, SIN] * aside
        ry = r[i, SIN] * along + r[i, COS] * aside
        x, y = r[i, X] + rx, r[i, Y] + ry
        side_x, side_y = math.copysign(1.0, x), math.copysign(1.0, y)
        over_x, over_y = abs(x) - straight_x, abs(y) - straight_y
        if over_x > 0.0 and over_y > 0.0 and c.corner_radius_m > 0.0:
            # In the square of a corner the boards are an arc.
            far = math.sqrt(over_x * over_x + over_y * over_y)
            gap = c.corner_radius_m - far
            nearest = min(nearest, gap)
            if gap <= margin + _LOOK_AGAIN_M:
                has |= _board_contact(
                    c, r, i, first_row, 2 * q, had, side_x * over_x / far, side_y * over_y / far, rx, ry, gap, who, contact
                )
            continue
        gap_x, gap_y = c.board_half_length_m - abs(x), c.half_width_m - abs(y)
        nearest = min(nearest, gap_x, gap_y)
        if gap_x <= margin + _LOOK_AGAIN_M:
            has |= _board_contact(c, r, i, first_row, 2 * q, had, side_x, 0.0, rx, ry, gap_x, who, contact)
        if gap_y <= margin + _LOOK_AGAIN_M:
            has |= _board_contact(c, r, i, first_row, 2 * q + 1, had, 0.0, side_y, rx, ry, gap_y, who, contact)
    r[i, BOARD_POINTS] = has
    r[i, BOARD_WAIT_M] = nearest if has == 0 else _LOOK_AGAIN_M
    return has


@merged
def _board_contact(c, r, i, first_row, slot, had, nx, ny, rx, ry, gap, who, contact):
    row = first_row + slot
    if not had >> slot & 1:
        contact[row, PUSH] = contact[row, GRIP] = 0.0
    who[row, 0], who[row, 1] = i, BOARD
    _set_contact(contact, row, nx, ny, rx, ry, 0.0, 0.0, gap, c.robot_inverse_mass, c.robot_inverse_inertia, 0.0, 0.0)
    contact[row, FRICTION], contact[row, RESTITUTION] = c.robot_wall_friction, c.robot_wall_restitution
    return 1 << slot


@compiled
def forget_contacts_of(r, i, wait):
    """A robot was moved otherwise than by its speed: look at its contacts again."""
    r[i, BOARD_WAIT_M] = 0.0
    for j in range(r.shape[0]):
        if j != i:
            high, low = (i, j) if i > j else (j, i)
            wait[high * (high - 1) // 2 + low] = 0.0


@compiled
def sinks_in(r, i, j):
    """Whether two robots overlap, and more than at the start of the step."""
    gap, _ = boxes_apart(r, i, j, NOW)
    if gap >= -OVERLAP_M:
        return False
    gap_before, _ = boxes_apart(r, i, j, BEFORE)
    return gap < gap_before


def contact_room(robots: int) -> dict[str, np.ndarray]:
    """Room for the pairs and contacts of a match."""
    pairs = robots * (robots - 1) // 2
    rows = PAIR_ROWS * pairs + BOARD_ROWS * robots
    return {
        "pairs": np.zeros((pairs, 3), dtype=np.int64),
        "wait": np.zeros(pairs),
        "points": np.zeros(pairs, dtype=np.int64),
        "who": np.zeros((rows, 2), dtype=np.int64),
        "contact": np.zeros((rows, CONTACT_WIDTH)),
        "rows": np.zeros(rows, dtype=np.int64),
    }
