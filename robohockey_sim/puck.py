"""The puck's flight among moving robots, with impacts at their exact time.

Over one step every robot moves from its pose `before` to its pose `after` at constant speed. The puck flies
straight lines between impacts (see `flight`). An impact follows Chen eq 21-26 and Klancar eq 23 and 25 with both
masses: the relative velocity at the contact point is reversed by the restitution, and Coulomb friction acts
along the surface and spins the puck.

As printed, Chen's eq 24 adds the surface's whole velocity to a bounce worked out for a wall at rest, so a puck
that already moves with the surface would leave it at twice its speed. Taken relative to the surface, as here, it
stays; a wall at rest gives the printed result.
"""

from __future__ import annotations

import math

from robohockey_core.compiled import compiled, merged
from robohockey_sim.boundary import at_net, puck_gap, puck_hit
from robohockey_sim.flight import fly, time_to_cover_s
from robohockey_sim.layout import (
    BOARD,
    COS,
    FORWARD,
    LEFT,
    OWNER,
    PUCK_SPIN,
    PUCK_VX,
    PUCK_VY,
    PUCK_X,
    PUCK_Y,
    ROD0_RAD,
    ROD_RAD,
    SIN,
    SLIPS,
    TURN,
    VX,
    VY,
    X0,
    Y0,
    YAW,
    YAW0,
    X,
    Y,
)
from robohockey_sim.rim import gap_to_robot, outline_hit

# What of a robot the puck can meet.
BODY, ROD = 0, 1

_MOST_EVENTS = 16
_SETTLE_ROUNDS = 5
_NEWTON_ROUNDS = 8

_TOUCHING_M = 1e-9
_SETTLED_M = 1e-8
# Slower approaches do not bounce: the puck stays with the surface.
REST_SPEED_M_S = 0.01
# Two impacts nearer in time than this are one, between two surfaces.
_SAME_TIME_S = 1e-10
# Two surfaces whose normals span less than this (sine) hold the puck like a vice; wider ones squeeze it out, at no
# more than their own speed divided by this.
_WEDGE_SINE = 0.25


@merged
def rod_is_out(r, i):
    """Whether a robot's kicker rod is away from its home along the front, or on its way."""
    return r[i, ROD_RAD] != 0.0 or r[i, ROD0_RAD] != 0.0


@merged
def slow_spin(c, puck):
    if puck[PUCK_SPIN] != 0.0:
        slower = abs(puck[PUCK_SPIN]) - c.spin_friction_rad_s2 * c.dt_s
        puck[PUCK_SPIN] = math.copysign(slower, puck[PUCK_SPIN]) if slower > 0.0 else 0.0


@compiled
def fly_and_bounce(c, r, outline, rod, surface, boards, count, puck):
    """Fly from impact to impact until the step is over; False when the puck is caught between two surfaces."""
    time_s = 0.0
    last_s, last_nx, last_ny, last_way, same_time, lift = -1.0, 0.0, 0.0, 0.0, 0, 0.0
    for _ in range(_MOST_EVENTS):
        left_s = c.dt_s - time_s
        speed = math.sqrt(puck[PUCK_VX] * puck[PUCK_VX] + puck[PUCK_VY] * puck[PUCK_VY])
        ux, uy = (puck[PUCK_VX] / speed, puck[PUCK_VY] / speed) if speed > 0.0 else (1.0, 0.0)
        reach_m, end_speed = fly(speed, c.puck_friction_m_s2, c.puck_damping_per_s, left_s)
        hit_s, who, part, nx, ny = left_s, BOARD - 1, BODY, 0.0, 0.0
        if speed > 0.0 and not far_from_boards(c, puck[PUCK_X], puck[PUCK_Y], reach_m):
            length_m, bx, by = puck_hit(c, puck[PUCK_X], puck[PUCK_Y], ux, uy, reach_m)
            if length_m <= reach_m:
                hit_s = time_to_cover_s(length_m, speed, c.puck_friction_m_s2, c.puck_damping_per_s)
                who, nx, ny = BOARD, bx, by
        for k in range(boards, count):
            i = int(surface[k, OWNER])
            meet_s = _meet_part(c, r, i, BODY, outline, puck, ux, uy, speed, time_s, hit_s)
            if meet_s < hit_s:
                hit_s, who, part = meet_s, i, BODY
            if rod_is_out(r, i):
                meet_s = _meet_part(c, r, i, ROD, rod, puck, ux, uy, speed, time_s, hit_s)
                if meet_s < hit_s:
                    hit_s, who, part = meet_s, i, ROD
        if who < BOARD:
            fly_on(puck, speed, reach_m, end_speed)
            puck[PUCK_VX] -= lift * last_nx
            puck[PUCK_VY] -= lift * last_ny
            return True
        length_m, hit_speed = fly(speed, c.puck_friction_m_s2, c.puck_damping_per_s, hit_s)
        fly_on(puck, speed, length_m, hit_speed)
        time_s += hit_s
        if who == BOARD:
            way, lift = 0.0, 0.0
            _bounce_off_board(c, puck, nx, ny)
        else:
            nx, ny, way, lift = _bounce_off_part(c, r, who, part, rod if part == ROD else outline, puck, time_s)
        if time_s - last_s < _SAME_TIME_S:
            same_time += 1
            if same_time > 2 or not _leave_wedge(puck, last_nx, last_ny, last_way, nx, ny, way):
                return False
        else:
            same_time = 0
        last_s, last_nx, last_ny, last_way = time_s, nx, ny, way
    return False


@merged
def fly_on(puck, speed, length_m, left_m_s):
    """Move straight on by a length, to the speed that is left then."""
    if speed > 0.0:
        vx, vy = puck[PUCK_VX], puck[PUCK_VY]
        puck[PUCK_X] += vx * (length_m / speed)
        puck[PUCK_Y] += vy * (length_m / speed)
        puck[PUCK_VX], puck[PUCK_VY] = vx * (left_m_s / speed), vy * (left_m_s / speed)


@merged
def far_from_boards(c, x, y, reach_m):
    """Whether the puck meets no board, post or net on a way of that length."""
    room_m = c.puck_radius_m + reach_m
    ax, ay = abs(x) + room_m, abs(y) + room_m
    if ax >= c.half_length_m or ay >= c.half_width_m:
        return False
    return ax < c.board_half_length_m - c.corner_radius_m or ay < c.half_width_m - c.corner_radius_m


@compiled
def _pose_at(c, r, i, part, share):
    """Where a robot's body or rod is after that share of the step: x, y, cos and sin.

    The rod is a frame at the hinge, the front-left corner, that looks along the rod.
    """
    x = r[i, X0] + share * (r[i, X] - r[i, X0])
    y = r[i, Y0] + share * (r[i, Y] - r[i, Y0])
    yaw = r[i, YAW0] + share * (r[i, YAW] - r[i, YAW0])
    cos, sin = math.cos(yaw), math.sin(yaw)
    if part == BODY:
        return x, y, cos, sin
    x, y = (
        x + cos * c.robot_half_length_m - sin * c.robot_half_width_m,
        y + sin * c.robot_half_length_m + cos * c.robot_half_width_m,
    )
    # At home the rod lies along the front, to the right: a quarter turn back.
    rod = r[i, ROD0_RAD] + share * (r[i, ROD_RAD] - r[i, ROD0_RAD])
    cos_rod, sin_rod = math.sin(rod), -math.cos(rod)
    return x, y, cos * cos_rod - sin * sin_rod, sin * cos_rod + cos * sin_rod


@merged
def _way_at(c, r, i, part, share, rx, ry):
    """Speed of a point of a body or rod on its way through the step; (rx, ry) leads to it from the part's frame."""
    vx, vy = (r[i, X] - r[i, X0]) / c.dt_s, (r[i, Y] - r[i, Y0]) / c.dt_s
    turn = (r[i, YAW] - r[i, YAW0]) / c.dt_s
    if part == BODY:
        return vx - turn * ry, vy + turn * rx
    x, y, _, _ = _pose_at(c, r, i, BODY, share)
    hinge_x, hinge_y, _, _ = _pose_at(c, r, i, ROD, share)
    swing = turn + (r[i, ROD_RAD] - r[i, ROD0_RAD]) / c.dt_s
    return vx - turn * (hinge_y - y) - swing * ry, vy + turn * (hinge_x - x) + swing * rx


@compiled
def _meet_part(c, r, i, part, outline, puck, ux, uy, speed, time_s, limit_s):
    """Time from now until the puck meets a robot's body or rod, infinite when it does not before `limit_s`."""
    dt_s = c.dt_s
    x, y, cos, sin = _pose_at(c, r, i, part, time_s / dt_s)
    px, py = puck[PUCK_X], puck[PUCK_Y]
    gap, nx, ny, rx, ry = gap_to_robot(c, outline, x, y, cos, sin, px, py)
    way_x, way_y = _way_at(c, r, i, part, time_s / dt_s, rx, ry)
    closing = (way_x - puck[PUCK_VX]) * nx + (way_y - puck[PUCK_VY]) * ny
    if gap <= _TOUCHING_M:
        # A touching pair that does not close is left to `settle`.
        return 0.0 if closing > 1e-12 else math.inf
    moved = math.sqrt((r[i, X] - r[i, X0]) ** 2 + (r[i, Y] - r[i, Y0]) ** 2)
    moved += abs(r[i, YAW] - r[i, YAW0]) * (c.robot_reach_m + c.puck_radius_m)
    if part == ROD:
        reach = c.rod_length_m + c.puck_radius_m
        moved += abs(r[i, YAW] - r[i, YAW0]) * reach + abs(r[i, ROD_RAD] - r[i, ROD0_RAD]) * reach
    if gap > (speed + moved / dt_s) * limit_s:
        return math.inf
    # In the part's frame the way of the puck is almost straight: meet it there, then refine in time.
    end_x, end_y, end_cos, end_sin = _pose_at(c, r, i, part, (time_s + limit_s) / dt_s)
    way_m, _ = fly(speed, c.puck_friction_m_s2, c.puck_damping_per_s, limit_s)
    dx, dy = px - x, py - y
    ex, ey = px + ux * way_m - end_x, py + uy * way_m - end_y
    q0x, q0y = cos * dx + sin * dy, cos * dy - sin * dx
    q1x, q1y = end_cos * ex + end_sin * ey, end_cos * ey - end_sin * ex
    share = outline_hit(outline, c.puck_radius_m, q0x, q0y, q1x - q0x, q1y - q0y)
    if share == math.inf:
        return math.inf
    meet_s = share * limit_s
    for _ in range(_NEWTON_ROUNDS):
        x, y, cos, sin = _pose_at(c, r, i, part, (time_s + meet_s) / dt_s)
        way_m, left_speed = fly(speed, c.puck_friction_m_s2, c.puck_damping_per_s, meet_s)
        gap, nx, ny, rx, ry = gap_to_robot(c, outline, x, y, cos, sin, px + ux * way_m, py + uy * way_m)
        if abs(gap) < 1e-13:
            break
        way_x, way_y = _way_at(c, r, i, part, (time_s + meet_s) / dt_s, rx, ry)
        closing = (way_x - ux * left_speed) * nx + (way_y - uy * left_speed) * ny
        if closing <= 1e-9:
            return meet_s if gap <= _TOUCHING_M else math.inf
        meet_s = min(limit_s, max(0.0, meet_s + gap / closing))
    return meet_s if gap <= _TOUCHING_M else math.inf


@compiled
def _restitution(approach_m_s, restitution):
    return restitution if approach_m_s > REST_SPEED_M_S else 0.0


@compiled
def _bounce_off_board(c, puck, nx, ny):
    approach = -(puck[PUCK_VX] * nx + puck[PUCK_VY] * ny)
    if approach <= 0.0:
        return
    # Nets give nothing back.
    restitution = 0.0 if at_net(c, puck[PUCK_X], puck[PUCK_Y]) else _restitution(approach, c.wall_restitution)
    push = (1.0 + restitution) * approach * c.puck_mass_kg
    slide = puck[PUCK_VY] * nx - puck[PUCK_VX] * ny - puck[PUCK_SPIN] * c.puck_radius_m
    grip = grip_impulse(c, slide, push, 1.0 / c.puck_mass_kg, c.wall_friction)
    push_puck(c, puck, nx, ny, push, grip)


@merged
def grip_impulse(c, slide, push, inverse_mass, friction):
    """Friction impulse along the surface: enough to stop the sliding, at most friction times the push."""
    inverse = inverse_mass + c.puck_radius_m * c.puck_radius_m / c.puck_inertia_kg_m2
    wanted = -slide / inverse
    most = friction * push
    return min(most, max(-most, wanted))


@merged
def push_puck(c, puck, nx, ny, push, grip):
    """Apply an impulse along the normal and one along the tangent, a quarter turn left of the normal."""
    puck[PUCK_VX] += (push * nx - grip * ny) / c.puck_mass_kg
    puck[PUCK_VY] += (push * ny + grip * nx) / c.puck_mass_kg
    # The contact lies at -radius along the normal.
    puck[PUCK_SPIN] -= grip * c.puck_radius_m / c.puck_inertia_kg_m2


@merged
def push_robot(c, r, i, lever_x, lever_y, push_x, push_y):
    """Give a robot an impulse at a point; it slides until its tyres have caught up."""
    r[i, VX] += push_x * c.robot_inverse_mass
    r[i, VY] += push_y * c.robot_inverse_mass
    r[i, TURN] += (lever_x * push_y - lever_y * push_x) * c.robot_inverse_inertia
    r[i, FORWARD] = r[i, COS] * r[i, VX] + r[i, SIN] * r[i, VY]
    r[i, LEFT] = r[i, COS] * r[i, VY] - r[i, SIN] * r[i, VX]
    r[i, SLIPS] = 1.0


@compiled
def _bounce_off_part(c, r, i, part, outline, puck, time_s):
    """Impact with a robot's body or rod; returns the normal, the surface's speed along it, and a lift.

    A rod's own speed at the point adds to the body's (Chen eq 25 and 26). The robot's way through the step is fixed; what
    the puck does to it shows in the next one. So the puck must leave at least as fast as that way goes. What it got for
    that alone, the lift, is taken back at the end of the step.
    """
    share = time_s / c.dt_s
    x, y, cos, sin = _pose_at(c, r, i, part, share)
    _, nx, ny, px, py = gap_to_robot(c, outline, x, y, cos, sin, puck[PUCK_X], puck[PUCK_Y])
    rx, ry, swing_x, swing_y = px, py, 0.0, 0.0
    if part == ROD:
        body_x, body_y, _, _ = _pose_at(c, r, i, BODY, share)
        rx, ry = px + x - body_x, py + y - body_y
        swing = (r[i, ROD_RAD] - r[i, ROD0_RAD]) / c.dt_s
        swing_x, swing_y = -swing * py, swing * px
    surface_x, surface_y = r[i, VX] - r[i, TURN] * ry + swing_x, r[i, VY] + r[i, TURN] * rx + swing_y
    approach = (surface_x - puck[PUCK_VX]) * nx + (surface_y - puck[PUCK_VY]) * ny
    if approach > 0.0:
        lever_n, lever_t = rx * ny - ry * nx, rx * nx + ry * ny
        inverse_n = 1.0 / c.puck_mass_kg + c.robot_inverse_mass + lever_n * lever_n * c.robot_inverse_inertia
        inverse_t = 1.0 / c.puck_mass_kg + c.robot_inverse_mass + lever_t * lever_t * c.robot_inverse_inertia
        # Both impulses at once: friction turns the robot, and that changes the speed along the normal.
        parting = (1.0 + _restitution(approach, c.robot_restitution)) * approach
        slide = (puck[PUCK_VY] - surface_y) * nx - (puck[PUCK_VX] - surface_x) * ny - puck[PUCK_SPIN] * c.puck_radius_m
        inverse_t += c.puck_radius_m * c.puck_radius_m / c.puck_inertia_kg_m2
        cross = lever_n * lever_t * c.robot_inverse_inertia
        determinant = inverse_n * inverse_t - cross * cross
        push = (parting * inverse_t + slide * cross) / determinant
        grip = -(slide * inverse_n + parting * cross) / determinant
        if abs(grip) > c.robot_friction * push:
            share = math.copysign(c.robot_friction, grip)
            push = parting / (inverse_n + share * cross)
            grip = share * push
        push_puck(c, puck, nx, ny, push, grip)
        back_x, back_y = -(push * nx - grip * ny), -(push * ny + grip * nx)
        push_robot(c, r, i, rx, ry, back_x, back_y)
    way_x, way_y = _way_at(c, r, i, part, share, px, py)
    way_m_s = way_x * nx + way_y * ny
    lift_m_s = max(0.0, way_m_s - (puck[PUCK_VX] * nx + puck[PUCK_VY] * ny))
    puck[PUCK_VX] += lift_m_s * nx
    puck[PUCK_VY] += lift_m_s * ny
    return nx, ny, way_m_s, lift_m_s


@compiled
def _leave_wedge(puck, n1x, n1y, speed1, n2x, n2y, speed2):
    """Between two surfaces at once: leave with both, or tell that they hold the puck."""
    if puck[PUCK_VX] * n1x + puck[PUCK_VY] * n1y >= speed1 - 1e-12:
        return True
    sine = n1x * n2y - n1y * n2x
    if abs(sine) < _WEDGE_SINE:
        return False
    puck[PUCK_VX] = (speed1 * n2y - speed2 * n1y) / sine
    puck[PUCK_VY] = (speed2 * n1x - speed1 * n2x) / sine
    return True


@compiled
def settle(c, r, outline, rod, surface, boards, count, puck):
    """Take out what rounding and turning robots left, micrometres, along one surface or in the wedge of two.

    False when two surfaces leave the puck no place.
    """
    for _ in range(_SETTLE_ROUNDS):
        depth1, n1x, n1y, surface1, who1 = 0.0, 0.0, 0.0, 0.0, BOARD
        depth2, n2x, n2y, surface2, who2 = 0.0, 0.0, 0.0, 0.0, BOARD
        gap, nx, ny = puck_gap(c, puck[PUCK_X], puck[PUCK_Y])
        if gap < 0.0:
            depth1, n1x, n1y = -gap, nx, ny
        for k in range(boards, count):
            i = int(surface[k, OWNER])
            for part in range(2 if rod_is_out(r, i) else 1):
                x, y, cos, sin = _pose_at(c, r, i, part, 1.0)
                shape = rod if part == ROD else outline
                gap, nx, ny, rx, ry = gap_to_robot(c, shape, x, y, cos, sin, puck[PUCK_X], puck[PUCK_Y])
                if gap >= 0.0:
                    continue
                way_x, way_y = _way_at(c, r, i, part, 1.0, rx, ry)
                speed = way_x * nx + way_y * ny
                if -gap > depth1:
                    depth2, n2x, n2y, surface2, who2 = depth1, n1x, n1y, surface1, who1
                    depth1, n1x, n1y, surface1, who1 = -gap, nx, ny, speed, i
                elif -gap > depth2:
                    depth2, n2x, n2y, surface2, who2 = -gap, nx, ny, speed, i
        if depth1 <= _SETTLED_M * 0.1:
            return True
        if depth2 == 0.0:
            puck[PUCK_X] += depth1 * n1x
            puck[PUCK_Y] += depth1 * n1y
            _go_with(c, r, puck, n1x, n1y, surface1, who1)
            continue
        sine = n1x * n2y - n1y * n2x
        if abs(sine) < _WEDGE_SINE:
            return False
        puck[PUCK_X] += (depth1 * n2y - depth2 * n1y) / sine
        puck[PUCK_Y] += (depth2 * n1x - depth1 * n2x) / sine
        _go_with(c, r, puck, n1x, n1y, surface1, who1)
        _go_with(c, r, puck, n2x, n2y, surface2, who2)
        if not _leave_wedge(puck, n1x, n1y, surface1, n2x, n2y, surface2):
            return False
    return depth1 <= _SETTLED_M


@compiled
def _go_with(c, r, puck, nx, ny, surface_m_s, i):
    """Lose the speed into a surface, without a bounce; a robot takes what the puck gives."""
    approach = surface_m_s - (puck[PUCK_VX] * nx + puck[PUCK_VY] * ny)
    if approach > 0.0:
        puck[PUCK_VX] += approach * nx
        puck[PUCK_VY] += approach * ny
        if i != BOARD:
            rx, ry = puck[PUCK_X] - c.puck_radius_m * nx - r[i, X], puck[PUCK_Y] - c.puck_radius_m * ny - r[i, Y]
            push_robot(c, r, i, rx, ry, -approach * c.puck_mass_kg * nx, -approach * c.puck_mass_kg * ny)


@compiled
def overlaps_puck(c, r, outline, i, puck):
    """Whether a robot, where it is now, is in the puck."""
    px, py = puck[PUCK_X], puck[PUCK_Y]
    gap, _, _, _, _ = gap_to_robot(c, outline, r[i, X], r[i, Y], r[i, COS], r[i, SIN], px, py)
    return gap < -_SETTLED_M
