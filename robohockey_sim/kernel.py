"""Compiled physics: one call advances the whole rink by many steps, without allocating.

A step goes like this. Robots get the speed that their wheels can give them. Contacts between robots, with the boards
and through the puck limit it, and everybody moves. Then the puck flies, rests against what it touches, or meets what it
meets at its exact time. Last, what is left over is undone: where solving contacts did not come to an end, or the puck has
no place left, the robots concerned stay where they were, and with them whoever would run into them. A step
starts from a state without overlaps, so staying is always possible: nothing ever sinks in.
"""

from __future__ import annotations

import math

from robohockey_core.compiled import compiled, merged, unlocked
from robohockey_sim.contacts import find_contacts
from robohockey_sim.drive_parameters import DYNAMIC_MODEL
from robohockey_sim.drives import free_step
from robohockey_sim.flight import fly
from robohockey_sim.layout import (
    BOUND_M_S,
    COS,
    COS0,
    DRIBBLE,
    FORWARD,
    KICK,
    LEFT,
    MODEL,
    OWNED,
    OWNER,
    PINCHES,
    PUCK_SPIN,
    PUCK_VX,
    PUCK_VY,
    PUCK_X,
    PUCK_Y,
    RECHARGE_S,
    ROD0_RAD,
    ROD_RAD,
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
from robohockey_sim.puck import fly_and_bounce, fly_on, overlaps_puck, settle, slow_spin
from robohockey_sim.slip import slip_wheels
from robohockey_sim.solver import carry_gaps, solve, stands, stay, undo_what_overlaps
from robohockey_sim.squeeze import FLIES, RESTS, find_surfaces, find_vices, go_with_surfaces, what_comes
from robohockey_sim.tools import dribble, fire, swing_rod

# Below this angle, in radians, the series of a rotation are exact to rounding.
_SERIES_RAD = 0.1
# Ways that bend less than this are checked no further: it is half the air between the puck and what it rests on.
_LITTLE_BEND_M = 2.5e-7


@compiled
def advance(
    constants, wheels_to_twist, outline, rod, r, puck, pairs, wait, points, who, contact, rows, surface, vice, notes, steps
):
    """Advance by `steps` physics steps. Bodies that are not owned keep moving with their given velocity."""
    c = constants[0]
    for _ in range(steps):
        fastest = _drive(c, r, wheels_to_twist)
        boards = near = vices = 0
        if c.puck_owned > 0.0:
            near, boards = find_surfaces(c, r, outline, puck, surface, notes, fastest)
            if near > boards:
                _kick_and_dribble(c, r, surface, boards, near, puck)
            if near > 1:
                vices = find_vices(c, r, surface, near, fastest, vice)
        count = find_contacts(c, r, pairs, wait, points, who, contact, rows, notes, fastest)
        if c.slip_collisions > 0.0:
            slip_wheels(c, r, pairs, points, who, contact, notes)
        if count + vices > 0:
            bounced = solve(c, r, who, contact, rows, count, surface, vice, vices)
            carry_gaps(c, r, pairs, wait, points, who, contact, rows, count, notes, bounced)
        _move(c, r)
        if count > 0:
            undo_what_overlaps(c, r, pairs, wait, points, who, contact, rows, count, notes)
        if c.puck_owned > 0.0:
            if not _step_puck(c, r, outline, rod, surface, boards, near, puck):
                _hold_puck(c, r, outline, surface, boards, near, puck, pairs, wait, notes)
        else:
            puck[PUCK_X] += puck[PUCK_VX] * c.dt_s
            puck[PUCK_Y] += puck[PUCK_VY] * c.dt_s


@unlocked
def advance_many(
    constants,
    wheels_to_twist,
    outline,
    rod,
    r,
    puck,
    pairs,
    wait,
    points,
    who,
    contact,
    rows,
    surface,
    vice,
    notes,
    first,
    last,
    steps,
):
    """Advance matches `first` to `last` of a batch, one after the other; other threads may run meanwhile."""
    for m in range(first, last):
        advance(
            constants,
            wheels_to_twist,
            outline,
            rod,
            r[m],
            puck[m],
            pairs[m],
            wait[m],
            points[m],
            who[m],
            contact[m],
            rows[m],
            surface[m],
            vice[m],
            notes[m],
            steps,
        )


@compiled
def take_commands(r, commands, first):
    """Copy wheel speeds into the columns from `first` on; returns the first robot whose speeds are not finite, or -1."""
    for i in range(commands.shape[0]):
        for w in range(commands.shape[1]):
            if not math.isfinite(commands[i, w]):
                return i
    for i in range(commands.shape[0]):
        for w in range(commands.shape[1]):
            r[i, first + w] = commands[i, w]
    return -1


@merged
def _drive(c, r, wheels_to_twist):
    """Every robot gets the speed that its wheels give it; returns that of the fastest surface."""
    wheels = wheels_to_twist.shape[1]
    commands, angles = WHEELS + wheels, WHEELS + 2 * wheels
    fastest = 0.0
    for i in range(r.shape[0]):
        if r[i, OWNED] > 0.0:
            forward, left, turn = r[i, FORWARD], r[i, LEFT], r[i, TURN]
            free_step(
                r[i, MODEL],
                c,
                r[i, X : YAW + 1],
                r[i, FORWARD : TURN + 1],
                r[i, WHEELS:commands],
                r[i, commands:angles],
                wheels_to_twist,
                c.dt_s,
            )
            for w in range(wheels):
                r[i, angles + w] += r[i, WHEELS + w] * c.dt_s
            if r[i, MODEL] != DYNAMIC_MODEL:
                _keep_grip(c, r, i, forward, left, turn)
            r[i, VX] = r[i, COS] * r[i, FORWARD] - r[i, SIN] * r[i, LEFT]
            r[i, VY] = r[i, SIN] * r[i, FORWARD] + r[i, COS] * r[i, LEFT]
            if r[i, RECHARGE_S] > 0.0:
                r[i, RECHARGE_S] -= c.dt_s
            if c.rod_length_m > 0.0:
                swing_rod(c, r, i)
        fastest = max(fastest, abs(r[i, VX]) + abs(r[i, VY]) + abs(r[i, TURN]) * c.robot_reach_m)
    return fastest


@merged
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


@merged
def _move(c, r):
    """Along the exact arc of its own twist (Chen eq 15, 17-20), or straight where it slides since a contact."""
    for i in range(r.shape[0]):
        cos0, sin0, turn = r[i, COS], r[i, SIN], r[i, TURN]
        vx, vy = r[i, VX], r[i, VY]
        r[i, X0], r[i, Y0], r[i, YAW0], r[i, COS0], r[i, SIN0] = r[i, X], r[i, Y], r[i, YAW], cos0, sin0
        r[i, BOUND_M_S] = abs(vx) + abs(vy) + abs(turn) * c.robot_reach_m
        phi = turn * c.dt_s
        cos1, sin1, cos_phi = cos0, sin0, 1.0
        if phi != 0.0:
            cos_phi, sin_phi = _rotation(phi)
            cos1, sin1 = cos0 * cos_phi - sin0 * sin_phi, sin0 * cos_phi + cos0 * sin_phi
            # One round of Newton keeps the length at one.
            length = 1.5 - 0.5 * (cos1 * cos1 + sin1 * sin1)
            cos1, sin1 = cos1 * length, sin1 * length
            r[i, YAW], r[i, COS], r[i, SIN] = r[i, YAW] + phi, cos1, sin1
        if r[i, TOUCHED] > 0.0 or r[i, SLIPS] > 0.0 or r[i, OWNED] == 0.0:
            r[i, SLIPS] = max(r[i, SLIPS], r[i, TOUCHED])
            r[i, TOUCHED] = 0.0
            r[i, X] += vx * c.dt_s
            r[i, Y] += vy * c.dt_s
            r[i, FORWARD] = cos1 * vx + sin1 * vy
            r[i, LEFT] = cos1 * vy - sin1 * vx
            continue
        # The chord is v dt sinc(phi/2) along the middle heading. That heading is the mean of both headings divided by
        # cos(phi/2), so the chord is v dt tan(phi/2)/(phi/2) times that mean.
        stretch = 1.0
        if abs(phi) > 1e-7:
            stretch = 2.0 * sin_phi / (phi * (1.0 + cos_phi))
        scale = 0.5 * c.dt_s * stretch
        forward, left = r[i, FORWARD], r[i, LEFT]
        r[i, X] += scale * (forward * (cos0 + cos1) - left * (sin0 + sin1))
        r[i, Y] += scale * (forward * (sin0 + sin1) + left * (cos0 + cos1))
        r[i, VX] = cos1 * forward - sin1 * left
        r[i, VY] = sin1 * forward + cos1 * left


@merged
def _rotation(angle):
    """Cosine and sine; most angles of a step are small enough for a few terms."""
    if abs(angle) > _SERIES_RAD:
        return math.cos(angle), math.sin(angle)
    square = angle * angle
    cos = 1.0 - square * (0.5 - square * (1.0 / 24.0 - square * (1.0 / 720.0 - square * (1.0 / 40320.0))))
    sin = angle * (1.0 - square * (1.0 / 6.0 - square * (1.0 / 120.0 - square * (1.0 / 5040.0 - square / 362880.0))))
    return cos, sin


@merged
def _step_puck(c, r, outline, rod, surface, boards, near, puck):
    """Advance the puck by one step; False when no place is left for it, and then it has not moved."""
    if near == 0:
        if puck[PUCK_VX] == 0.0 and puck[PUCK_VY] == 0.0 and puck[PUCK_SPIN] == 0.0:
            return True
        _fly_free(c, puck)
        return True
    x0, y0, vx0, vy0, spin0 = puck[PUCK_X], puck[PUCK_Y], puck[PUCK_VX], puck[PUCK_VY], puck[PUCK_SPIN]
    outcome, bend = what_comes(c, r, surface, boards, near, puck)
    if outcome == FLIES:
        _fly_free(c, puck)
        return True
    fits = False
    if outcome != RESTS:
        fits = fly_and_bounce(c, r, outline, rod, surface, boards, near, puck)
        fits = fits and settle(c, r, outline, rod, surface, boards, near, puck)
        if not fits:
            # Between surfaces that close in, bounces follow each other faster and faster: they end in going along.
            # A rod that has no way stands still.
            _stall_rods(r, surface, boards, near)
            puck[PUCK_X], puck[PUCK_Y], puck[PUCK_VX], puck[PUCK_VY], puck[PUCK_SPIN] = x0, y0, vx0, vy0, spin0
    if not fits:
        fits = go_with_surfaces(c, r, surface, near, puck)
        # One that was squeezed out moved farther than its speed said, and turning surfaces bend that way too.
        expected_m = math.sqrt(vx0 * vx0 + vy0 * vy0) * c.dt_s + _LITTLE_BEND_M
        squeezed_out = (puck[PUCK_X] - x0) ** 2 + (puck[PUCK_Y] - y0) ** 2 > expected_m * expected_m
        if fits and (bend > _LITTLE_BEND_M or squeezed_out):
            fits = settle(c, r, outline, rod, surface, boards, near, puck)
    if not fits:
        puck[PUCK_X], puck[PUCK_Y], puck[PUCK_VX], puck[PUCK_VY], puck[PUCK_SPIN] = x0, y0, vx0, vy0, spin0
    slow_spin(c, puck)
    return fits


@compiled
def _stall_rods(r, surface, boards, near):
    for k in range(boards, near):
        i = int(surface[k, OWNER])
        r[i, ROD_RAD] = r[i, ROD0_RAD]


@merged
def _fly_free(c, puck):
    speed = math.sqrt(puck[PUCK_VX] * puck[PUCK_VX] + puck[PUCK_VY] * puck[PUCK_VY])
    length_m, end_speed = fly(speed, c.puck_friction_m_s2, c.puck_damping_per_s, c.dt_s)
    fly_on(puck, speed, length_m, end_speed)
    slow_spin(c, puck)


@compiled
def _hold_puck(c, r, outline, surface, boards, near, puck, pairs, wait, notes):
    """The puck is caught: it stays, and nobody who would run into it moves."""
    notes[PINCHES] += 1.0
    puck[PUCK_VX] = puck[PUCK_VY] = 0.0
    again = True
    while again:
        again = False
        for k in range(boards, near):
            i = int(surface[k, OWNER])
            if r[i, OWNED] > 0.0 and not stands(r, i) and overlaps_puck(c, r, outline, i, puck):
                r[i, STAYS] = 1.0
                again = True
        if again:
            stay(c, r, pairs, wait, notes)


@merged
def _kick_and_dribble(c, r, surface, boards, near, puck):
    """Run the kickers and dribblers of the robots near the puck."""
    for k in range(boards, near):
        i = int(surface[k, OWNER])
        dx, dy = puck[PUCK_X] - r[i, X], puck[PUCK_Y] - r[i, Y]
        if r[i, DRIBBLE] > 0.0 and c.dribbler_force_n > 0.0:
            dribble(c, r, i, puck, dx, dy)
        if r[i, KICK] > 0.0 and r[i, RECHARGE_S] <= 0.0 and c.rod_length_m == 0.0:
            fire(c, r, i, puck, dx, dy)
