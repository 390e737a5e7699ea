"""Contacts solved: impulses that let nobody close more than the gap before them, pushes only, friction within its cone.

Klancar eq 26 and 27, with restitution and friction. Contacts are solved before they happen, so nothing sinks in and has
to be pushed out again, robots that push each other come to rest, and a contact that rests starts from its last
impulse: then one look at it is enough.

A puck between robots weighs next to nothing beside them. Pushes on it are in balance: surfaces whose normals, with
shares above zero, add up to nothing hold it like a vice, and may close no more, shares counted, than the gaps that are
left. So a push goes through the puck from one robot to the next, and the puck always has its room.
"""

from __future__ import annotations

import math

from robohockey_core.compiled import compiled, merged
from robohockey_sim.contacts import CORNER_AT_EDGE, OVERLAP_M, SKIN_M, forget_contacts_of, sinks_in
from robohockey_sim.layout import (
    BOARD,
    BOUND_M_S,
    COS,
    COS0,
    FIRST,
    FORWARD,
    FRICTION,
    GAP_M,
    GRIP,
    LEFT,
    LEVER_A,
    LEVER_B,
    LIMIT_M_S,
    MASS_N,
    MASS_T,
    NX,
    NY,
    OWNED,
    OWNER,
    PAIR,
    PAIR_COUNT,
    PAIR_ROWS,
    PUSH,
    PUT_BACK,
    RESTITUTION,
    SECOND,
    SIN,
    SIN0,
    SLIDE_A,
    SLIDE_B,
    SLIPS,
    SQUEEZE,
    STAYS,
    SURFACE_RX,
    SURFACE_RY,
    TOUCHED,
    TURN,
    VICE_DX,
    VICE_DY,
    VICE_LEGS,
    VICE_LIMIT_M_S,
    VICE_MASS,
    VICE_PUSH,
    VICE_SURFACE,
    VX,
    VY,
    X0,
    Y0,
    YAW,
    YAW0,
    X,
    Y,
)

_ROUNDS, _BOUNCE_ROUNDS = 8, 50
# Contacts whose speed is right to this much are solved: a step of it is a hundredth of the air between bodies.
_SOLVED_M_S = 2e-4
# A bounce is over in one step, and what it gets wrong stays wrong.
_SOLVED_BOUNCE_M_S = 1e-9
_BOUNCE_SPEED_M_S = 0.05
# Air that was used up comes back little by little: this share of it in a step.
_RECOVERY = 0.1
# A gap that is carried on below this much is looked at exactly.
_TIGHT_M = 2e-6


@merged
def solve(c, r, who, contact, rows, count, surface, vice, vices):
    """Change the speeds so that every contact and vice keeps its limit; returns whether somebody bounced."""
    bounces = _set_limits(c, r, who, contact, rows, count)
    for q in range(count):
        k = rows[q]
        if contact[k, PUSH] > 0.0:
            _apply(c, r, who[k, 0], who[k, 1], contact, k, contact[k, PUSH], contact[k, GRIP])
    for v in range(vices):
        _squeeze(c, r, surface, vice, v, vice[v, VICE_PUSH])
    solved = (_SOLVED_BOUNCE_M_S if bounces else _SOLVED_M_S) / c.robot_inverse_mass
    for _ in range(_BOUNCE_ROUNDS if bounces else _ROUNDS):
        largest = _solve_contacts(c, r, who, contact, rows, count)
        for v in range(vices):
            largest = max(largest, _solve_vice(c, r, surface, vice, v))
        if largest < solved:
            break
    for v in range(vices):
        for leg in range(int(vice[v, VICE_LEGS])):
            s = int(vice[v, VICE_SURFACE + leg])
            surface[s, SQUEEZE] += vice[v, VICE_PUSH] * math.hypot(vice[v, VICE_DX + leg], vice[v, VICE_DY + leg])
            i = int(surface[s, OWNER])
            if i != BOARD and vice[v, VICE_PUSH] > 0.0:
                r[i, TOUCHED] = 1.0
    return bounces


@merged
def _set_limits(c, r, who, contact, rows, count):
    """The fastest that each contact may close: what the gap allows, or the bounce when it would be used up."""
    bounces = False
    for q in range(count):
        k = rows[q]
        room = contact[k, GAP_M] - SKIN_M
        limit = room / c.dt_s if room >= 0.0 else _RECOVERY * room / c.dt_s
        if contact[k, PUSH] == 0.0:
            closing = _closing(r, who[k, 0], who[k, 1], contact, k)
            if closing > _BOUNCE_SPEED_M_S and closing * c.dt_s >= room:
                limit = -contact[k, RESTITUTION] * closing
                bounces = True
        contact[k, LIMIT_M_S] = limit
    return bounces


@merged
def _closing(r, a, b, contact, k):
    """Closing speed along the normal."""
    nx, ny = contact[k, NX], contact[k, NY]
    closing = r[a, VX] * nx + r[a, VY] * ny + r[a, TURN] * contact[k, LEVER_A]
    if b != BOARD:
        closing -= r[b, VX] * nx + r[b, VY] * ny + r[b, TURN] * contact[k, LEVER_B]
    return closing


@merged
def _solve_contacts(c, r, who, contact, rows, count):
    """One round: correct every contact's impulses in turn; returns the largest correction."""
    inverse_mass, inverse_inertia = c.robot_inverse_mass, c.robot_inverse_inertia
    largest = 0.0
    for q in range(count):
        k = rows[q]
        a, b = who[k, 0], who[k, 1]
        nx, ny, lever_a, slide_a = contact[k, NX], contact[k, NY], contact[k, LEVER_A], contact[k, SLIDE_A]
        vx, vy, turn = r[a, VX], r[a, VY], r[a, TURN]
        closing = vx * nx + vy * ny + turn * lever_a
        sliding = vy * nx - vx * ny + turn * slide_a
        if b != BOARD:
            vx, vy, turn = r[b, VX], r[b, VY], r[b, TURN]
            closing -= vx * nx + vy * ny + turn * contact[k, LEVER_B]
            sliding -= vy * nx - vx * ny + turn * contact[k, SLIDE_B]
        before, grip_before = contact[k, PUSH], contact[k, GRIP]
        push = max(0.0, before + (closing - contact[k, LIMIT_M_S]) * contact[k, MASS_N])
        if push == 0.0 and before == 0.0:
            continue
        most = contact[k, FRICTION] * push
        grip = min(most, max(-most, grip_before - sliding * contact[k, MASS_T]))
        contact[k, PUSH], contact[k, GRIP] = push, grip
        push, grip = push - before, grip - grip_before
        largest = max(largest, abs(push), abs(grip))
        # The same as `_apply`, which as a call would cost more than all of the above.
        jx, jy = (-push * nx - grip * ny) * inverse_mass, (-push * ny + grip * nx) * inverse_mass
        if r[a, OWNED] > 0.0:
            r[a, VX] += jx
            r[a, VY] += jy
            r[a, TURN] += (grip * slide_a - push * lever_a) * inverse_inertia
        if b != BOARD and r[b, OWNED] > 0.0:
            r[b, VX] -= jx
            r[b, VY] -= jy
            r[b, TURN] -= (grip * contact[k, SLIDE_B] - push * contact[k, LEVER_B]) * inverse_inertia
    return largest


@merged
def _apply(c, r, a, b, contact, k, push, grip):
    """Push a back along the normal and b forward; grip acts on a along the tangent."""
    nx, ny = contact[k, NX], contact[k, NY]
    jx, jy = (-push * nx - grip * ny) * c.robot_inverse_mass, (-push * ny + grip * nx) * c.robot_inverse_mass
    if r[a, OWNED] > 0.0:
        r[a, VX] += jx
        r[a, VY] += jy
        r[a, TURN] += (grip * contact[k, SLIDE_A] - push * contact[k, LEVER_A]) * c.robot_inverse_inertia
    if b != BOARD and r[b, OWNED] > 0.0:
        r[b, VX] -= jx
        r[b, VY] -= jy
        r[b, TURN] -= (grip * contact[k, SLIDE_B] - push * contact[k, LEVER_B]) * c.robot_inverse_inertia


@merged
def _solve_vice(c, r, surface, vice, v):
    """Let the surfaces of a vice close no more than the puck between them allows; returns the change of the squeeze."""
    closing = 0.0
    legs = int(vice[v, VICE_LEGS])
    for leg in range(legs):
        s = int(vice[v, VICE_SURFACE + leg])
        i = int(surface[s, OWNER])
        if i != BOARD:
            vx = r[i, VX] - r[i, TURN] * surface[s, SURFACE_RY]
            vy = r[i, VY] + r[i, TURN] * surface[s, SURFACE_RX]
            closing += vx * vice[v, VICE_DX + leg] + vy * vice[v, VICE_DY + leg]
    before = vice[v, VICE_PUSH]
    push = max(0.0, before + (closing - vice[v, VICE_LIMIT_M_S]) * vice[v, VICE_MASS])
    if push == before:
        return 0.0
    vice[v, VICE_PUSH] = push
    _squeeze(c, r, surface, vice, v, push - before)
    return abs(push - before)


@merged
def _squeeze(c, r, surface, vice, v, push):
    """Push back every robot of a vice by its share."""
    for leg in range(int(vice[v, VICE_LEGS])):
        s = int(vice[v, VICE_SURFACE + leg])
        i = int(surface[s, OWNER])
        if i != BOARD and r[i, OWNED] > 0.0:
            jx, jy = -push * vice[v, VICE_DX + leg], -push * vice[v, VICE_DY + leg]
            r[i, VX] += jx * c.robot_inverse_mass
            r[i, VY] += jy * c.robot_inverse_mass
            r[i, TURN] += (surface[s, SURFACE_RX] * jy - surface[s, SURFACE_RY] * jx) * c.robot_inverse_inertia


@merged
def carry_gaps(c, r, pairs, wait, points, who, contact, rows, count, notes, bounced):
    """Bring gaps to the end of the step at the solved speeds, and note who touched somebody.

    What held in a step that rests is the next step's first guess; a bounce happens once.
    """
    dt_s = c.dt_s
    for q in range(int(notes[PAIR_COUNT])):
        k = pairs[q, PAIR]
        if points[k] == 0:
            continue
        i, j = pairs[q, FIRST], pairs[q, SECOND]
        turn_i, turn_j = r[i, TURN], r[j, TURN]
        vx, vy = r[i, VX] - r[j, VX], r[i, VY] - r[j, VY]
        wait[k] -= (abs(vx) + abs(vy) + (abs(turn_i) + abs(turn_j)) * c.robot_reach_m) * dt_s
        for row in range(PAIR_ROWS * k, PAIR_ROWS * (k + 1)):
            # The first body of a contact may be either one.
            if who[row, 0] == i:
                turns = turn_i * contact[row, LEVER_A] - turn_j * contact[row, LEVER_B]
                contact[row, GAP_M] -= (vx * contact[row, NX] + vy * contact[row, NY] + turns) * dt_s
            else:
                turns = turn_j * contact[row, LEVER_A] - turn_i * contact[row, LEVER_B]
                contact[row, GAP_M] -= (turns - vx * contact[row, NX] - vy * contact[row, NY]) * dt_s
    for q in range(count):
        k = rows[q]
        a, b = who[k, 0], who[k, 1]
        if b == BOARD:
            contact[k, GAP_M] -= _closing(r, a, b, contact, k) * dt_s
        if contact[k, PUSH] > 0.0:
            r[a, TOUCHED] = 1.0
            if b != BOARD:
                r[b, TOUCHED] = 1.0
            if bounced:
                contact[k, PUSH] = contact[k, GRIP] = 0.0


@merged
def undo_what_overlaps(c, r, pairs, wait, points, who, contact, rows, count, notes):
    """Let robots stay whose contacts were not solved far enough.

    A gap that was carried on is off by what turning bends ways within the step, and boards in corners; only where that
    could matter is it measured.
    """
    found = False
    board_bend = 0.5 / c.corner_radius_m if c.corner_radius_m > 0.0 else 0.0
    for q in range(int(notes[PAIR_COUNT])):
        k = pairs[q, PAIR]
        if points[k] == 0:
            continue
        i, j = pairs[q, FIRST], pairs[q, SECOND]
        if wait[k] > 0.0 and points[k] < CORNER_AT_EDGE:
            bend = (abs(r[i, TURN]) * r[i, BOUND_M_S] + abs(r[j, TURN]) * r[j, BOUND_M_S]) * c.dt_s * c.dt_s
            tight = bend + _TIGHT_M
            row = PAIR_ROWS * k
            first_clear = points[k] & 1 == 0 or contact[row, GAP_M] > tight
            if first_clear and (points[k] & 2 == 0 or contact[row + 1, GAP_M] > tight):
                continue
        if sinks_in(r, i, j):
            r[i, STAYS] = r[j, STAYS] = 1.0
            found = True
    for q in range(count):
        k = rows[q]
        a = who[k, 0]
        if who[k, 1] == BOARD:
            bend = (abs(r[a, TURN]) * r[a, BOUND_M_S] + r[a, BOUND_M_S] * r[a, BOUND_M_S] * board_bend) * c.dt_s * c.dt_s
            if contact[k, GAP_M] - bend <= _TIGHT_M and leaves_rink(c, r, a):
                r[a, STAYS] = 1.0
                found = True
    if found:
        stay(c, r, pairs, wait, notes)


@compiled
def stay(c, r, pairs, wait, notes):
    """Put the robots marked to stay back to where they were, and with them whoever would overlap one of them."""
    again = True
    while again:
        again = False
        for i in range(r.shape[0]):
            if r[i, STAYS] == 0.0:
                continue
            r[i, STAYS] = 0.0
            if r[i, OWNED] == 0.0 or stands(r, i):
                continue
            _put_back(r, i)
            forget_contacts_of(r, i, wait)
            notes[PUT_BACK] += 1.0
            for q in range(int(notes[PAIR_COUNT])):
                a, b = pairs[q, FIRST], pairs[q, SECOND]
                if i not in (a, b):
                    continue
                other = b if a == i else a
                if not stands(r, other) and sinks_in(r, a, b):
                    r[other, STAYS] = 1.0
                    again = True


@compiled
def stands(r, i):
    return r[i, X] == r[i, X0] and r[i, Y] == r[i, Y0] and r[i, YAW] == r[i, YAW0]


@compiled
def _put_back(r, i):
    r[i, X], r[i, Y], r[i, YAW], r[i, COS], r[i, SIN] = r[i, X0], r[i, Y0], r[i, YAW0], r[i, COS0], r[i, SIN0]
    r[i, VX] = r[i, VY] = r[i, TURN] = r[i, FORWARD] = r[i, LEFT] = 0.0
    r[i, SLIPS] = 1.0


@compiled
def leaves_rink(c, r, i):
    """Whether a corner of a robot is beyond the boards, and further than at the start of the step."""
    outside = _outside_m(c, r[i, X], r[i, Y], r[i, COS], r[i, SIN])
    return outside > OVERLAP_M and outside > _outside_m(c, r[i, X0], r[i, Y0], r[i, COS0], r[i, SIN0])


@compiled
def _outside_m(c, x, y, cos, sin):
    worst = 0.0
    straight_x, straight_y = c.board_half_length_m - c.corner_radius_m, c.half_width_m - c.corner_radius_m
    for k in range(4):
        along = c.robot_half_length_m if k % 2 == 0 else -c.robot_half_length_m
        aside = c.robot_half_width_m if k < 2 else -c.robot_half_width_m
        corner_x, corner_y = abs(x + cos * along - sin * aside), abs(y + sin * along + cos * aside)
        over_x, over_y = corner_x - straight_x, corner_y - straight_y
        worst = max(worst, corner_x - c.board_half_length_m, corner_y - c.half_width_m)
        if over_x > 0.0 and over_y > 0.0:
            worst = max(worst, math.sqrt(over_x * over_x + over_y * over_y) - c.corner_radius_m)
    return worst
