"""Compiled physics: one call advances the whole rink by many steps, without allocating.

A step has three parts. Robots get the speed that their wheels can give them, contacts between robots and with the
boards limit it, and everybody moves. Then the puck flies, meets what it meets at its exact time, and settles. Last,
what is left over is undone: where solving contacts did not come to an end, or the puck is caught in a vice, the
robots concerned stay where they were, and with them whoever would run into them. A step starts from a state
without overlaps, so staying is always possible: nothing ever sinks in.
"""

from __future__ import annotations

import math

from robohockey_core.compiled import compiled, unlocked
from robohockey_sim.drive_parameters import DYNAMIC_MODEL
from robohockey_sim.drives import free_step
from robohockey_sim.layout import (
    COS,
    COS0,
    DRIBBLE,
    FORWARD,
    HELD_STEPS,
    KICK,
    LEFT,
    OWNED,
    PAIR_COUNT,
    PINCHES,
    PUCK_VX,
    PUCK_VY,
    PUCK_X,
    PUCK_Y,
    PUT_BACK,
    RECHARGE_S,
    SIN,
    SIN0,
    SLIPS,
    STAYS,
    TOUCHED,
    TURN,
    VX,
    VY,
    WHEELS,
    X0,
    Y0,
    YAW,
    YAW0,
    X,
    Y,
)
from robohockey_sim.puck import PINCHED, overlaps_puck, step_puck
from robohockey_sim.robots import clear_of_boards, leaves_rink, limit_by_contacts, sinks_in
from robohockey_sim.tools import dribble, fire

# A puck that was caught counts as held for so many steps: robots then meet it as a post that they can turn and
# slide along. After that it is tried again whether it can move.
_HOLD_STEPS = 20.0

# Beyond this half angle the series of tan(h)/h is too short.
_SERIES_HALF_RAD = 0.05


@compiled
def advance(c, model, drive, wheels_to_twist, outline, puck_owned, r, puck, near, pairs, who, contact, memory, notes, steps):
    """Advance by `steps` physics steps. Bodies that are not owned keep moving with their given velocity."""
    for _ in range(steps):
        fastest = _drive(c, r, model, drive, wheels_to_twist)
        limit_by_contacts(c, r, outline, puck, pairs, who, contact, memory, notes, fastest)
        _move(c, r)
        _undo_what_overlaps(c, r, pairs, notes)
        if puck_owned:
            near_count = _kick_and_dribble(c, r, puck, near)
            held = notes[HELD_STEPS] > 0.0 and near_count > 0
            outcome = step_puck(c, r, outline, near, near_count, puck, held)
            notes[HELD_STEPS] = notes[HELD_STEPS] - 1.0 if held else 0.0
            if outcome == PINCHED:
                _hold_puck(c, r, outline, puck, near, near_count, pairs, notes)
        else:
            puck[PUCK_X] += puck[PUCK_VX] * c.dt_s
            puck[PUCK_Y] += puck[PUCK_VY] * c.dt_s


@unlocked
def advance_many(
    c, model, drive, wheels_to_twist, outline, puck_owned, r, puck, near, pairs, who, contact, memory, notes, first, last, steps
):
    """Advance matches `first` to `last` of a batch, one after the other; other threads may run meanwhile."""
    for m in range(first, last):
        advance(
            c,
            model,
            drive,
            wheels_to_twist,
            outline,
            puck_owned,
            r[m],
            puck[m],
            near[m],
            pairs[m],
            who[m],
            contact[m],
            memory[m],
            notes[m],
            steps,
        )


@compiled
def _drive(c, r, model, drive, wheels_to_twist):
    """Every robot gets the speed that its wheels give it; returns that of the fastest surface."""
    wheels = wheels_to_twist.shape[1]
    commands, angles = WHEELS + wheels, WHEELS + 2 * wheels
    fastest = 0.0
    for i in range(r.shape[0]):
        if r[i, OWNED] > 0.0:
            forward, left, turn = r[i, FORWARD], r[i, LEFT], r[i, TURN]
            free_step(
                model,
                drive,
                r[i, X : YAW + 1],
                r[i, FORWARD : TURN + 1],
                r[i, WHEELS:commands],
                r[i, commands:angles],
                wheels_to_twist,
                c.dt_s,
            )
            for w in range(wheels):
                r[i, angles + w] += r[i, WHEELS + w] * c.dt_s
            if model != DYNAMIC_MODEL:
                _keep_grip(c, r, i, forward, left, turn)
            r[i, VX] = r[i, COS] * r[i, FORWARD] - r[i, SIN] * r[i, LEFT]
            r[i, VY] = r[i, SIN] * r[i, FORWARD] + r[i, COS] * r[i, LEFT]
        fastest = max(fastest, abs(r[i, VX]) + abs(r[i, VY]) + abs(r[i, TURN]) * c.robot_reach_m)
    return fastest


@compiled
def _keep_grip(c, r, i, forward, left, turn):
    """Models without forces follow their wheels, but no faster than tyres grip; wheels that roll hold the curve."""
    dx, dy, dw = r[i, FORWARD] - forward, r[i, LEFT] - left, r[i, TURN] - turn
    slip_squared = dx * dx + dy * dy
    r[i, SLIPS] = 0.0
    if slip_squared > c.traction_step_m_s * c.traction_step_m_s:
        share = c.traction_step_m_s / math.sqrt(slip_squared)
        r[i, FORWARD], r[i, LEFT] = forward + share * dx, left + share * dy
        r[i, SLIPS] = 1.0
    if abs(dw) > c.traction_turn_step_rad_s:
        r[i, TURN] = turn + math.copysign(c.traction_turn_step_rad_s, dw)
        r[i, SLIPS] = 1.0


@compiled
def _move(c, r):
    """Along the exact arc of its own twist (Chen eq 15, 17-20), or straight where it slides since a contact."""
    for i in range(r.shape[0]):
        cos0, sin0 = r[i, COS], r[i, SIN]
        r[i, X0], r[i, Y0], r[i, YAW0], r[i, COS0], r[i, SIN0] = r[i, X], r[i, Y], r[i, YAW], cos0, sin0
        phi = r[i, TURN] * c.dt_s
        cos1, sin1 = cos0, sin0
        if phi != 0.0:
            yaw = r[i, YAW] + phi
            cos1, sin1 = math.cos(yaw), math.sin(yaw)
            r[i, YAW], r[i, COS], r[i, SIN] = yaw, cos1, sin1
        if r[i, TOUCHED] > 0.0 or r[i, SLIPS] > 0.0 or r[i, OWNED] == 0.0:
            r[i, SLIPS] = max(r[i, SLIPS], r[i, TOUCHED])
            r[i, TOUCHED] = 0.0
            r[i, X] += r[i, VX] * c.dt_s
            r[i, Y] += r[i, VY] * c.dt_s
            r[i, FORWARD] = cos1 * r[i, VX] + sin1 * r[i, VY]
            r[i, LEFT] = cos1 * r[i, VY] - sin1 * r[i, VX]
            continue
        # The chord v dt sinc(h) along the middle heading, h = phi/2. The middle heading is the mean of both
        # headings divided by cos(h), so the chord is v dt tan(h)/h times that mean: no further sine is needed.
        half = 0.5 * phi
        square = half * half
        stretch = 1.0 + square * (1.0 / 3.0 + square * (2.0 / 15.0 + square * (17.0 / 315.0)))
        if abs(half) > _SERIES_HALF_RAD:
            stretch = math.tan(half) / half
        scale = 0.5 * c.dt_s * stretch
        forward, left = r[i, FORWARD], r[i, LEFT]
        r[i, X] += scale * (forward * (cos0 + cos1) - left * (sin0 + sin1))
        r[i, Y] += scale * (forward * (sin0 + sin1) + left * (cos0 + cos1))
        r[i, VX] = cos1 * forward - sin1 * left
        r[i, VY] = sin1 * forward + cos1 * left


@compiled
def _undo_what_overlaps(c, r, pairs, notes):
    """Let robots stay whose contacts were not solved far enough."""
    found = False
    near_squared = 4.0 * c.robot_reach_m * c.robot_reach_m
    for k in range(int(notes[PAIR_COUNT])):
        i, j = pairs[k, 0], pairs[k, 1]
        dx, dy = r[i, X] - r[j, X], r[i, Y] - r[j, Y]
        if dx * dx + dy * dy < near_squared and sinks_in(c, r, i, j):
            r[i, STAYS] = r[j, STAYS] = 1.0
            found = True
    for i in range(r.shape[0]):
        if r[i, OWNED] > 0.0 and not clear_of_boards(c, r, i, c.robot_reach_m) and leaves_rink(c, r, i):
            r[i, STAYS] = 1.0
            found = True
    if found:
        _stay(c, r, pairs, notes)


@compiled
def _stay(c, r, pairs, notes):
    """Put the robots marked to stay back to where they were, and with them whoever would overlap one of them."""
    again = True
    while again:
        again = False
        for i in range(r.shape[0]):
            if r[i, STAYS] == 0.0:
                continue
            r[i, STAYS] = 0.0
            if r[i, OWNED] == 0.0 or _stands(r, i):
                continue
            _put_back(r, i)
            notes[PUT_BACK] += 1.0
            for k in range(int(notes[PAIR_COUNT])):
                a, b = pairs[k, 0], pairs[k, 1]
                if i not in (a, b):
                    continue
                other = b if a == i else a
                if not _stands(r, other) and sinks_in(c, r, a, b):
                    r[other, STAYS] = 1.0
                    again = True


@compiled
def _stands(r, i):
    return r[i, X] == r[i, X0] and r[i, Y] == r[i, Y0] and r[i, YAW] == r[i, YAW0]


@compiled
def _put_back(r, i):
    r[i, X], r[i, Y], r[i, YAW], r[i, COS], r[i, SIN] = r[i, X0], r[i, Y0], r[i, YAW0], r[i, COS0], r[i, SIN0]
    r[i, VX] = r[i, VY] = r[i, TURN] = r[i, FORWARD] = r[i, LEFT] = 0.0
    r[i, SLIPS] = 1.0


@compiled
def _hold_puck(c, r, outline, puck, near, near_count, pairs, notes):
    """The puck is caught: it stays, and nobody who would run into it moves."""
    notes[HELD_STEPS] = _HOLD_STEPS
    notes[PINCHES] += 1.0
    puck[PUCK_VX] = puck[PUCK_VY] = 0.0
    again = True
    while again:
        again = False
        for k in range(near_count):
            i = near[k]
            if r[i, OWNED] > 0.0 and not _stands(r, i) and overlaps_puck(c, r, outline, i, puck):
                r[i, STAYS] = 1.0
                again = True
        if again:
            _stay(c, r, pairs, notes)


@compiled
def _kick_and_dribble(c, r, puck, near):
    """List the robots that can touch the puck in this step, and run kickers and dribblers; returns how many are listed."""
    near_count = 0
    speed = abs(puck[PUCK_VX]) + abs(puck[PUCK_VY])
    tool_m = max(c.kicker_reach_m, c.dribbler_reach_m)
    reach = c.robot_reach_m + c.puck_radius_m + tool_m + speed * c.dt_s
    for i in range(r.shape[0]):
        if r[i, RECHARGE_S] > 0.0:
            r[i, RECHARGE_S] -= c.dt_s
        dx, dy = puck[PUCK_X] - r[i, X0], puck[PUCK_Y] - r[i, Y0]
        moved = abs(r[i, X] - r[i, X0]) + abs(r[i, Y] - r[i, Y0])
        if dx * dx + dy * dy < (reach + moved) * (reach + moved):
            near[near_count] = i
            near_count += 1
            if r[i, DRIBBLE] > 0.0 and c.dribbler_force_n > 0.0:
                dribble(c, r, i, puck, dx, dy)
            if r[i, KICK] > 0.0 and r[i, RECHARGE_S] <= 0.0:
                fire(c, r, i, puck, dx, dy)
    return near_count
