"""The puck between surfaces: which ones are near, which of them hold it like a vice, and where it goes with them.

Where nothing comes fast enough to bounce, the puck needs no exact times: it takes the least change of speed with which
it runs into none of the surfaces by the end of the step. In the plane that is a step to one surface's limit, or to the
crossing of two.
"""

from __future__ import annotations

import math

from robohockey_core.compiled import compiled, merged
from robohockey_sim.boundary import puck_gap
from robohockey_sim.contacts import SKIN_M
from robohockey_sim.layout import (
    BOARD,
    COS,
    MOST_VICES,
    OWNED,
    OWNER,
    PUCK_ALONE_M,
    PUCK_SPIN,
    PUCK_VX,
    PUCK_VY,
    PUCK_X,
    PUCK_Y,
    SIN,
    SQUEEZE,
    SURFACE_GAP_M,
    SURFACE_NX,
    SURFACE_NY,
    SURFACE_RX,
    SURFACE_RY,
    VICE_DX,
    VICE_DY,
    VICE_KEY,
    VICE_LEGS,
    VICE_LIMIT_M_S,
    VICE_MASS,
    VICE_PUSH,
    VICE_SURFACE,
    X0,
    Y0,
    YAW,
    YAW0,
    X,
    Y,
)
from robohockey_sim.puck import REST_SPEED_M_S, far_from_boards, grip_impulse, push_puck, push_robot, rod_is_out
from robohockey_sim.rim import gap_to_robot

# What the puck's step comes to.
FLIES, RESTS, IMPACT = 0, 1, 2

# Two surfaces whose normals span less than this (sine) hold the puck like a vice; wider ones squeeze it out.
_VICE_SINE = 0.25
# A share smaller than this is none: the surface would have to give way by many times what the others close.
_LEAST_SHARE = 0.05
# Air between the puck and a surface that it rests on.
_AIR_M = 5e-7
# Speeds are compared to this much.
_SAME_M_S = 1e-9


@merged
def find_surfaces(c, r, outline, puck, surface, notes, fastest):
    """List what the puck could touch in this step, the boards first; returns how many, and how many are boards."""
    speed = math.sqrt(puck[PUCK_VX] * puck[PUCK_VX] + puck[PUCK_VY] * puck[PUCK_VY])
    x, y = puck[PUCK_X], puck[PUCK_Y]
    way = (speed + 2.0 * fastest) * c.dt_s
    count = 0
    if not far_from_boards(c, x, y, way):
        count = _find_boards(c, x, y, way, surface)
    boards = count
    notes[PUCK_ALONE_M] -= way
    if notes[PUCK_ALONE_M] > 0.0:
        return count, boards
    tool_m = max(c.kicker_reach_m, c.dribbler_reach_m, c.rod_length_m)
    reach = c.robot_reach_m + c.puck_radius_m + tool_m + way
    alone = math.inf
    for i in range(int(c.robots)):
        dx, dy = x - r[i, X], y - r[i, Y]
        apart_squared = dx * dx + dy * dy
        if apart_squared < reach * reach and count < surface.shape[0]:
            gap, nx, ny, rx, ry = gap_to_robot(c, outline, r[i, X], r[i, Y], r[i, COS], r[i, SIN], x, y)
            surface[count, OWNER], surface[count, SURFACE_GAP_M] = i, gap
            surface[count, SURFACE_NX], surface[count, SURFACE_NY] = nx, ny
            surface[count, SURFACE_RX], surface[count, SURFACE_RY], surface[count, SQUEEZE] = rx, ry, 0.0
            count += 1
        alone = min(alone, apart_squared)
    notes[PUCK_ALONE_M] = math.sqrt(alone) - reach
    return count, boards


@compiled
def _find_boards(c, x, y, way, surface):
    """The nearest board, post or net, and in a square corner the wall beside it."""
    gap, nx, ny = puck_gap(c, x, y)
    if gap > way:
        return 0
    _set_board(surface, 0, gap, nx, ny)
    if c.corner_radius_m > c.puck_radius_m or abs(y) < c.half_goal_m:
        return 1
    to_side, to_end = c.half_width_m - abs(y) - c.puck_radius_m, c.board_half_length_m - abs(x) - c.puck_radius_m
    if max(to_side, to_end) > way:
        return 1
    _set_board(surface, 0, to_side, 0.0, -math.copysign(1.0, y))
    _set_board(surface, 1, to_end, -math.copysign(1.0, x), 0.0)
    return 2


@compiled
def _set_board(surface, k, gap, nx, ny):
    surface[k, OWNER], surface[k, SURFACE_GAP_M], surface[k, SURFACE_NX], surface[k, SURFACE_NY] = BOARD, gap, nx, ny
    surface[k, SURFACE_RX] = surface[k, SURFACE_RY] = surface[k, SQUEEZE] = 0.0


@merged
def find_vices(c, r, surface, count, fastest, vice):
    """List the sets of surfaces that could crush the puck in this step; returns how many."""
    # Only what all could close together in a step matters.
    margin = 4.0 * fastest * c.dt_s + 4.0 * SKIN_M
    vice[MOST_VICES:] = vice[:MOST_VICES]
    found = 0
    for a in range(count):
        for b in range(a):
            if surface[a, SURFACE_GAP_M] + surface[b, SURFACE_GAP_M] > margin:
                continue
            ax, ay, bx, by = surface[a, SURFACE_NX], surface[a, SURFACE_NY], surface[b, SURFACE_NX], surface[b, SURFACE_NY]
            sine = bx * ay - by * ax
            if ax * bx + ay * by < 0.0 and abs(sine) < _VICE_SINE:
                # Friction makes up for the angle: both push along the line from one touching point to the other.
                length = math.sqrt((ax - bx) ** 2 + (ay - by) ** 2)
                ux, uy = (ax - bx) / length, (ay - by) / length
                found = _add_vice(c, r, surface, vice, found, a, ux, uy, b, -ux, -uy, -1, 0.0, 0.0)
            for d in range(b):
                # Shares with which three normals add up to nothing: the sines of the angles across.
                dx, dy = surface[d, SURFACE_NX], surface[d, SURFACE_NY]
                share_a, share_b, share_d = dx * by - dy * bx, ax * dy - ay * dx, sine
                if share_d < 0.0:
                    share_a, share_b, share_d = -share_a, -share_b, -share_d
                most = max(share_a, share_b, share_d)
                if min(share_a, share_b, share_d) > _LEAST_SHARE * most:
                    fa, fb, fd = share_a / most, share_b / most, share_d / most
                    found = _add_vice(c, r, surface, vice, found, a, fa * ax, fa * ay, b, fb * bx, fb * by, d, fd * dx, fd * dy)
    for k in range(found, MOST_VICES):
        vice[k, VICE_LEGS] = vice[k, VICE_PUSH] = vice[k, VICE_KEY] = 0.0
    return found


@compiled
def _add_vice(c, r, surface, vice, k, a, ax, ay, b, bx, by, d, dx, dy):
    """Write down one vice, with the squeeze that it had in the last step; returns the new count.

    `a`, `b` and `d` are surfaces, `d` -1 where there are two; the rest is how each of them pushes.
    """
    if k == MOST_VICES:
        return k
    legs = 3 if d >= 0 else 2
    vice[k, VICE_LEGS] = legs
    vice[k, VICE_SURFACE], vice[k, VICE_SURFACE + 1], vice[k, VICE_SURFACE + 2] = a, b, d
    vice[k, VICE_DX], vice[k, VICE_DX + 1], vice[k, VICE_DX + 2] = ax, bx, dx
    vice[k, VICE_DY], vice[k, VICE_DY + 1], vice[k, VICE_DY + 2] = ay, by, dy
    inverse, gap, key = 0.0, 0.0, 0.0
    for leg in range(legs):
        s = int(vice[k, VICE_SURFACE + leg])
        push_x, push_y = vice[k, VICE_DX + leg], vice[k, VICE_DY + leg]
        share_squared = push_x * push_x + push_y * push_y
        i = int(surface[s, OWNER])
        gap += math.sqrt(share_squared) * (surface[s, SURFACE_GAP_M] - 2.0 * _AIR_M)
        key = 1000.0 * key + i + 2.0
        if i != BOARD and r[i, OWNED] > 0.0:
            lever = surface[s, SURFACE_RX] * push_y - surface[s, SURFACE_RY] * push_x
            inverse += share_squared * c.robot_inverse_mass + lever * lever * c.robot_inverse_inertia
    if inverse == 0.0:
        return k
    vice[k, VICE_MASS] = 1.0 / inverse
    vice[k, VICE_LIMIT_M_S] = max(0.0, gap - SKIN_M) / c.dt_s
    vice[k, VICE_KEY], vice[k, VICE_PUSH] = key, 0.0
    for old in range(MOST_VICES, 2 * MOST_VICES):
        if vice[old, VICE_KEY] == key:
            vice[k, VICE_PUSH] = vice[old, VICE_PUSH]
    return k + 1


@merged
def surface_way(c, r, surface, k):
    """Speed of a surface along its normal, on its owner's way through this step."""
    i = int(surface[k, OWNER])
    if i == BOARD:
        return 0.0
    turn = r[i, YAW] - r[i, YAW0]
    way_x = r[i, X] - r[i, X0] - turn * surface[k, SURFACE_RY]
    way_y = r[i, Y] - r[i, Y0] + turn * surface[k, SURFACE_RX]
    return (way_x * surface[k, SURFACE_NX] + way_y * surface[k, SURFACE_NY]) / c.dt_s


@merged
def what_comes(c, r, surface, boards, count, puck):
    """Whether the puck flies free, rests against something, or meets something hard enough to bounce.

    The second number tells how far, at most, ways that are taken as straight are bent within the step.
    """
    vx, vy = puck[PUCK_VX], puck[PUCK_VY]
    speed = math.sqrt(vx * vx + vy * vy)
    squeezed = False
    for k in range(count):
        squeezed = squeezed or surface[k, SQUEEZE] > 0.0
    slowing = (c.puck_friction_m_s2 + c.puck_damping_per_s * speed) * c.dt_s * c.dt_s
    outcome, most_bend = FLIES, 0.0
    for k in range(count):
        gap = surface[k, SURFACE_GAP_M]
        if k < boards:
            if gap > speed * c.dt_s:
                continue
            # Another board may be nearer at the end of the way than the one that is nearest now.
            bend, approach = math.inf, speed
        else:
            i = int(surface[k, OWNER])
            if rod_is_out(r, i):
                return IMPACT, math.inf
            turn = abs(r[i, YAW] - r[i, YAW0])
            moved = abs(r[i, X] - r[i, X0]) + abs(r[i, Y] - r[i, Y0]) + turn * (c.robot_reach_m + c.puck_radius_m)
            if gap > speed * c.dt_s + moved:
                continue
            if c.outline_convex == 0.0:
                return IMPACT, math.inf
            bend = turn * (moved + speed * c.dt_s) + slowing
            approach = surface_way(c, r, surface, k) - vx * surface[k, SURFACE_NX] - vy * surface[k, SURFACE_NY]
            if approach * c.dt_s + bend <= gap:
                continue
        if approach > REST_SPEED_M_S and not squeezed:
            return IMPACT, math.inf
        # Little errors add up: what they have used up of the air is given back.
        outcome, most_bend = RESTS, max(most_bend, bend if gap > 0.5 * _AIR_M else math.inf)
    return outcome, most_bend


@compiled
def go_with_surfaces(c, r, surface, count, puck):
    """Move the puck among surfaces that it rests against; False where there is no way."""
    dt_s = c.dt_s
    vx0, vy0 = puck[PUCK_VX], puck[PUCK_VY]
    speed = math.sqrt(vx0 * vx0 + vy0 * vy0)
    if speed > 0.0:
        left = max(0.0, speed - (c.puck_friction_m_s2 + c.puck_damping_per_s * speed) * dt_s) / speed
        puck[PUCK_VX], puck[PUCK_VY] = vx0 * left, vy0 * left
    free, a, push_a, b, push_b = _least_change(c, r, surface, count, puck)
    if not free:
        puck[PUCK_VX], puck[PUCK_VY] = vx0, vy0
        return False
    _grip_surfaces(c, r, surface, count, puck, a, push_a, b, push_b)
    free, a2, push_a2, b2, push_b2 = _least_change(c, r, surface, count, puck)
    if not free:
        puck[PUCK_VX], puck[PUCK_VY] = vx0, vy0
        return False
    for s, push in ((a, push_a), (b, push_b), (a2, push_a2), (b2, push_b2)):
        if s >= 0 and surface[s, OWNER] >= 0.0 and push > 0.0:
            back_x, back_y = -push * surface[s, SURFACE_NX], -push * surface[s, SURFACE_NY]
            push_robot(c, r, int(surface[s, OWNER]), surface[s, SURFACE_RX], surface[s, SURFACE_RY], back_x, back_y)
    puck[PUCK_X] += puck[PUCK_VX] * dt_s
    puck[PUCK_Y] += puck[PUCK_VY] * dt_s
    return True


@merged
def _lowest_speed(c, r, surface, k):
    """How fast the puck must go along a surface's normal at the least."""
    return surface_way(c, r, surface, k) - max(0.0, surface[k, SURFACE_GAP_M] - _AIR_M) / c.dt_s


@merged
def _allowed(c, r, surface, count, vx, vy):
    for k in range(count):
        if vx * surface[k, SURFACE_NX] + vy * surface[k, SURFACE_NY] < _lowest_speed(c, r, surface, k) - _SAME_M_S:
            return False
    return True


@compiled
def _least_change(c, r, surface, count, puck):
    """The least change of speed that no surface forbids: whether there is one, and which surfaces push how hard."""
    vx, vy = puck[PUCK_VX], puck[PUCK_VY]
    if _allowed(c, r, surface, count, vx, vy):
        return True, -1, 0.0, -1, 0.0
    fastest = math.sqrt(vx * vx + vy * vy)
    for a in range(count):
        ax, ay = surface[a, SURFACE_NX], surface[a, SURFACE_NY]
        lowest = _lowest_speed(c, r, surface, a)
        fastest = max(fastest, abs(lowest))
        change = lowest - (vx * ax + vy * ay)
        if change > 0.0 and _allowed(c, r, surface, count, vx + change * ax, vy + change * ay):
            puck[PUCK_VX], puck[PUCK_VY] = vx + change * ax, vy + change * ay
            return True, a, change * c.puck_mass_kg, -1, 0.0
    for a in range(count):
        ax, ay = surface[a, SURFACE_NX], surface[a, SURFACE_NY]
        change_a = _lowest_speed(c, r, surface, a) - (vx * ax + vy * ay)
        for b in range(a):
            bx, by = surface[b, SURFACE_NX], surface[b, SURFACE_NY]
            change_b = _lowest_speed(c, r, surface, b) - (vx * bx + vy * by)
            sine, cosine = ax * by - ay * bx, ax * bx + ay * by
            # Between surfaces that hold it like a vice the puck does not shoot out: it would take pushes without end.
            if abs(sine) < _VICE_SINE:
                continue
            # Both limits are kept by pushes along both normals.
            push_a = (change_a - cosine * change_b) / (sine * sine)
            push_b = (change_b - cosine * change_a) / (sine * sine)
            if push_a < 0.0 or push_b < 0.0:
                continue
            wx, wy = vx + push_a * ax + push_b * bx, vy + push_a * ay + push_b * by
            if wx * wx + wy * wy <= (fastest / _VICE_SINE) ** 2 and _allowed(c, r, surface, count, wx, wy):
                puck[PUCK_VX], puck[PUCK_VY] = wx, wy
                return True, a, push_a * c.puck_mass_kg, b, push_b * c.puck_mass_kg
    return False, -1, 0.0, -1, 0.0


@merged
def _grip_surfaces(c, r, surface, count, puck, a, push_a, b, push_b):
    """Friction with the surfaces that push or squeeze: along each, at most friction times its push, and spin."""
    for k in range(count):
        push = surface[k, SQUEEZE]
        push += push_a if k == a else 0.0
        push += push_b if k == b else 0.0
        if push == 0.0:
            continue
        nx, ny, rx, ry = surface[k, SURFACE_NX], surface[k, SURFACE_NY], surface[k, SURFACE_RX], surface[k, SURFACE_RY]
        i = int(surface[k, OWNER])
        inverse, friction, along = 1.0 / c.puck_mass_kg, c.wall_friction, 0.0
        if i != BOARD:
            turn = r[i, YAW] - r[i, YAW0]
            along = ((r[i, Y] - r[i, Y0] + turn * rx) * nx - (r[i, X] - r[i, X0] - turn * ry) * ny) / c.dt_s
            friction = c.robot_friction
        slide = puck[PUCK_VY] * nx - puck[PUCK_VX] * ny - along - puck[PUCK_SPIN] * c.puck_radius_m
        grip = grip_impulse(c, slide, push, inverse, friction)
        push_puck(c, puck, nx, ny, 0.0, grip)
        if i != BOARD:
            push_robot(c, r, i, rx, ry, grip * ny, -grip * nx)
