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

from robohockey_core.compiled import compiled
from robohockey_sim.boundary import puck_gap, puck_hit
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


@compiled
def slow_spin(c, puck):
    if puck[PUCK_SPIN] != 0.0:
        slower = abs(puck[PUCK_SPIN]) - c.spin_friction_rad_s2 * c.dt_s
        puck[PUCK_SPIN] = math.copysign(slower, puck[PUCK_SPIN]) if slower > 0.0 else 0.0


@compiled
def fly_and_bounce(c, r, outline, surface, boards, count, puck):
    """Fly from impact to impact until the step is over; False when the puck is caught between two surfaces."""
    time_s = 0.0
    last_s, last_nx, last_ny, last_way, same_time, lift = -1.0, 0.0, 0.0, 0.0, 0, 0.0
    for _ in range(_MOST_EVENTS):
        left_s = c.dt_s - time_s
        speed = math.sqrt(puck[PUCK_VX] * puck[PUCK_VX] + puck[PUCK_VY] * puck[PUCK_VY])
        ux, uy = (puck[PUCK_VX] / speed, puck[PUCK_VY] / speed) if speed > 0.0 else (1.0, 0.0)
        reach_m, end_speed = fly(speed, c.puck_friction_m_s2, c.puck_damping_per_s, left_s)
        hit_s, who, nx, ny = left_s, BOARD - 1, 0.0, 0.0
        if speed > 0.0 and not far_from_boards(c, puck[PUCK_X], puck[PUCK_Y], reach_m):
            length_m, bx, by = puck_hit(c, puck[PUCK_X], puck[PUCK_Y], ux, uy, reach_m)
            if length_m <= reach_m:
                hit_s = time_to_cover_s(length_m, speed, c.puck_friction_m_s2, c.puck_damping_per_s)
                who, nx, ny = BOARD, bx, by
        for k in range(boards, count):
            i = int(surface[k, OWNER])
            meet_s = _meet_robot(c, r, i, outline, puck, ux, uy, speed, time_s, hit_s)
            if meet_s < hit_s:
                hit_s, who = meet_s, i
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
            nx, ny, way, lift = _bounce_off_robot(c, r, who, outline, puck, time_s)
        if time_s - last_s < _SAME_TIME_S:
            same_time += 1
            if same_time > 2 or not _leave_wedge(puck, last_nx, last_ny, last_way, nx, ny, way):
                return False
        else:
            same_time = 0
        last_s, last_nx, last_ny, last_way = time_s, nx, ny, way
    return False


@compiled
def fly_on(puck, speed, length_m, left_m_s):
    """Move straight on by a length, to the speed that is left then."""
    if speed > 0.0:
        vx, vy = puck[PUCK_VX], puck[PUCK_VY]
        puck[PUCK_X] += vx * (length_m / speed)
        puck[PUCK_Y] += vy * (length_m / speed)
        puck[PUCK_VX], puck[PUCK_VY] = vx * (left_m_s / speed), vy * (left_m_s / speed)


@compiled
def far_from_boards(c, x, y, reach_m):
    room_m = c.puck_radius_m + reach_m
    return (abs(x) + room_m < c.half_length_m - c.corner_radius_m and abs(y) + room_m < c.half_width_m) or (
        abs(x) + room_m < c.half_length_m and abs(y) + room_m < c.half_width_m - c.corner_radius_m
    )


@compiled
def _pose_at(r, i, share):
    """A robot's pose after that share of the step, as x, y, cos and sin."""
    yaw = r[i, YAW0] + share * (r[i, YAW] - r[i, YAW0])
    return (
        r[i, X0] + share * (r[i, X] - r[i, X0]),
        r[i, Y0] + share * (r[i, Y] - r[i, Y0]),
        math.cos(yaw),
        math.sin(yaw),
    )


@compiled
def _meet_robot(c, r, i, outline, puck, ux, uy, speed, time_s, limit_s):
    """Time from now until the puck meets a robot, infinite when it does not before `limit_s`."""
    dt_s = c.dt_s
    x, y, cos, sin = _pose_at(r, i, time_s / dt_s)
    px, py = puck[PUCK_X], puck[PUCK_Y]
    gap, nx, ny, rx, ry = gap_to_robot(c, outline, x, y, cos, sin, px, py)
    moves_vx, moves_vy = (r[i, X] - r[i, X0]) / dt_s, (r[i, Y] - r[i, Y0]) / dt_s
    turns = (r[i, YAW] - r[i, YAW0]) / dt_s
    closing = (moves_vx - turns * ry - puck[PUCK_VX]) * nx + (moves_vy + turns * rx - puck[PUCK_VY]) * ny
    if gap <= _TOUCHING_M:
        # A touching pair that does not close is left to `_settle`.
        return 0.0 if closing > 1e-12 else math.inf
    fastest = speed + math.hypot(moves_vx, moves_vy) + abs(turns) * (c.robot_reach_m + c.puck_radius_m)
    if gap > fastest * limit_s:
        return math.inf
    # In the robot's frame the way of the puck is almost straight: meet it there, then refine in time.
    end_x, end_y, end_cos, end_sin = _pose_at(r, i, (time_s + limit_s) / dt_s)
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
        x, y, cos, sin = _pose_at(r, i, (time_s + meet_s) / dt_s)
        way_m, left_speed = fly(speed, c.puck_friction_m_s2, c.puck_damping_per_s, meet_s)
        gap, nx, ny, rx, ry = gap_to_robot(c, outline, x, y, cos, sin, px + ux * way_m, py + uy * way_m)
        if abs(gap) < 1e-13:
            break
        vx, vy = ux * left_speed, uy * left_speed
        closing = (moves_vx - turns * ry - vx) * nx + (moves_vy + turns * rx - vy) * ny
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
    # Behind the goal line there are nets, which give nothing back.
    in_goal = abs(puck[PUCK_X]) > c.half_length_m
    restitution = 0.0 if in_goal else _restitution(approach, c.wall_restitution)
    push = (1.0 + restitution) * approach * c.puck_mass_kg
    slide = puck[PUCK_VY] * nx - puck[PUCK_VX] * ny - puck[PUCK_SPIN] * c.puck_radius_m
    grip = grip_impulse(c, slide, push, 1.0 / c.puck_mass_kg, c.wall_friction)
    push_puck(c, puck, nx, ny, push, grip)


@compiled
def grip_impulse(c, slide, push, inverse_mass, friction):
    """Friction impulse along the surface: enough to stop the sliding, at most friction times the push."""
    inverse = inverse_mass + c.puck_radius_m * c.puck_radius_m / c.puck_inertia_kg_m2
    wanted = -slide / inverse
    most = friction * push
    return min(most, max(-most, wanted))


@compiled
def push_puck(c, puck, nx, ny, push, grip):
    """Apply an impulse along the normal and one along the tangent, a quarter turn left of the normal."""
    puck[PUCK_VX] += (push * nx - grip * ny) / c.puck_mass_kg
    puck[PUCK_VY] += (push * ny + grip * nx) / c.puck_mass_kg
    # The contact lies at -radius along the normal.
    puck[PUCK_SPIN] -= grip * c.puck_radius_m / c.puck_inertia_kg_m2


@compiled
def push_robot(c, r, i, lever_x, lever_y, push_x, push_y):
    """Give a robot an impulse at a point; it slides until its tyres have caught up."""
    r[i, VX] += push_x * c.robot_inverse_mass
    r[i, VY] += push_y * c.robot_inverse_mass
    r[i, TURN] += (lever_x * push_y - lever_y * push_x) * c.robot_inverse_inertia
    r[i, FORWARD] = r[i, COS] * r[i, VX] + r[i, SIN] * r[i, VY]
    r[i, LEFT] = r[i, COS] * r[i, VY] - r[i, SIN] * r[i, VX]
    r[i, SLIPS] = 1.0


@compiled
def _bounce_off_robot(c, r, i, outline, puck, time_s):
    """Impact with a robot; returns the normal and the speed along it of the surface on its way through this step.

    The robot's way through the step is fixed; what the puck does to it shows in the next one. So the puck must
    leave at least as fast as that way goes. What it got for that alone, the last number, is taken back at the end
    of the step.
    """
    x, y, cos, sin = _pose_at(r, i, time_s / c.dt_s)
    _, nx, ny, rx, ry = gap_to_robot(c, outline, x, y, cos, sin, puck[PUCK_X], puck[PUCK_Y])
    surface_x, surface_y = r[i, VX] - r[i, TURN] * ry, r[i, VY] + r[i, TURN] * rx
    approach = (surface_x - puck[PUCK_VX]) * nx + (surface_y - puck[PUCK_VY]) * ny
    if approach > 0.0:
        lever_n, lever_t = rx * ny - ry * nx, rx * nx + ry * ny
        inverse_n = 1.0 / c.puck_mass_kg + c.robot_inverse_mass + lever_n * lever_n * c.robot_inverse_inertia
        inverse_t = 1.0 / c.puck_mass_kg + c.robot_inverse_mass + lever_t * lever_t * c.robot_inverse_inertia
        push = (1.0 + _restitution(approach, c.robot_restitution)) * approach / inverse_n
        slide = (puck[PUCK_VY] - surface_y) * nx - (puck[PUCK_VX] - surface_x) * ny - puck[PUCK_SPIN] * c.puck_radius_m
        grip = grip_impulse(c, slide, push, inverse_t, c.robot_friction)
        push_puck(c, puck, nx, ny, push, grip)
        back_x, back_y = -(push * nx - grip * ny), -(push * ny + grip * nx)
        push_robot(c, r, i, rx, ry, back_x, back_y)
    turns = (r[i, YAW] - r[i, YAW0]) / c.dt_s
    way_x = (r[i, X] - r[i, X0]) / c.dt_s - turns * ry
    way_y = (r[i, Y] - r[i, Y0]) / c.dt_s + turns * rx
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
def settle(c, r, outline, surface, boards, count, puck):
    """Take out what rounding and turning robots left, micrometres, along one surface or in the wedge of two.

    False when two surfaces leave the puck no place.
    """
    for _ in range(_SETTLE_ROUNDS):
        depth1, n1x, n1y, surface1 = 0.0, 0.0, 0.0, 0.0
        depth2, n2x, n2y, surface2 = 0.0, 0.0, 0.0, 0.0
        gap, nx, ny = puck_gap(c, puck[PUCK_X], puck[PUCK_Y])
        if gap < 0.0:
            depth1, n1x, n1y = -gap, nx, ny
        for k in range(boards, count):
            i = int(surface[k, OWNER])
            gap, nx, ny, rx, ry = gap_to_robot(c, outline, r[i, X], r[i, Y], r[i, COS], r[i, SIN], puck[PUCK_X], puck[PUCK_Y])
            if gap >= 0.0:
                continue
            speed = (r[i, VX] - r[i, TURN] * ry) * nx + (r[i, VY] + r[i, TURN] * rx) * ny
            if -gap > depth1:
                depth2, n2x, n2y, surface2 = depth1, n1x, n1y, surface1
                depth1, n1x, n1y, surface1 = -gap, nx, ny, speed
            elif -gap > depth2:
                depth2, n2x, n2y, surface2 = -gap, nx, ny, speed
        if depth1 <= _SETTLED_M * 0.1:
            return True
        if depth2 == 0.0:
            puck[PUCK_X] += depth1 * n1x
            puck[PUCK_Y] += depth1 * n1y
            _go_with(puck, n1x, n1y, surface1)
            continue
        sine = n1x * n2y - n1y * n2x
        if abs(sine) < _WEDGE_SINE:
            return False
        puck[PUCK_X] += (depth1 * n2y - depth2 * n1y) / sine
        puck[PUCK_Y] += (depth2 * n1x - depth1 * n2x) / sine
        _go_with(puck, n1x, n1y, surface1)
        _go_with(puck, n2x, n2y, surface2)
        if not _leave_wedge(puck, n1x, n1y, surface1, n2x, n2y, surface2):
            return False
    return depth1 <= _SETTLED_M


@compiled
def _go_with(puck, nx, ny, surface_m_s):
    """Lose the speed into a surface, without a bounce."""
    approach = surface_m_s - (puck[PUCK_VX] * nx + puck[PUCK_VY] * ny)
    if approach > 0.0:
        puck[PUCK_VX] += approach * nx
        puck[PUCK_VY] += approach * ny


@compiled
def overlaps_puck(c, r, outline, i, puck):
    """Whether a robot, where it is now, is in the puck."""
    px, py = puck[PUCK_X], puck[PUCK_Y]
    gap, _, _, _, _ = gap_to_robot(c, outline, r[i, X], r[i, Y], r[i, COS], r[i, SIN], px, py)
    return gap < -_SETTLED_M
