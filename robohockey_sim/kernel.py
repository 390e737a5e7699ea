"""Compiled physics: one call advances the whole rink by many steps, without allocating.

Robots are kinematic (Chen eq 7, 15-20) with a limit on wheel acceleration; the puck slides under
Coulomb friction (Chen eq 27) and damping (Klancar eq 16) and bounces off boards, posts and robots
(Chen eq 21-24). Arrays are modified in place; see `World` for what they mean.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from robohockey_core import kinematics
from robohockey_core.joints import FloatArray

GRAVITY_M_S2 = 9.81
KICKER_RECHARGE_S = 0.5
"""A kicker that has fired needs this long before it fires again."""

X, Y, YAW = 0, 1, 2

# Two rounds settle a robot between another robot and the boards; what is left is settled next step.
_SEPARATION_ROUNDS = 2
_PUCK_ROUNDS = 3

arc_step = njit(cache=True)(kinematics.arc_step)


class Constants(NamedTuple):
    """The numbers of a league that the compiled code needs."""

    half_length_m: float
    half_width_m: float
    corner_radius_m: float
    half_goal_m: float
    goal_depth_m: float
    robot_half_length_m: float
    robot_half_width_m: float
    robot_reach_m: float
    wheel_step_rad_s: float
    puck_radius_m: float
    puck_friction_m_s2: float
    puck_damping_per_s: float
    wall_restitution: float
    robot_restitution: float
    kicker_speed_m_s: float
    kicker_levels: int
    kicker_reach_m: float
    dt_s: float


@njit(cache=True)
def advance(
    c: Constants,
    steps: int,
    pose: FloatArray,
    pose_before: FloatArray,
    twist: FloatArray,
    wheel_speed: FloatArray,
    wheel_angle: FloatArray,
    wheel_command: FloatArray,
    kick_command: FloatArray,
    recharge_s: FloatArray,
    wheels_to_twist: FloatArray,
    owned: np.ndarray,
    puck: FloatArray,
    puck_owned: bool,
) -> None:
    """Advance by `steps` physics steps. Bodies that are not owned keep moving with their given twist."""
    count = pose.shape[0]
    for _ in range(steps):
        pose_before[:] = pose
        for i in range(count):
            if owned[i]:
                _drive(c, pose[i], wheel_speed[i], wheel_angle[i], wheel_command[i], wheels_to_twist)
            else:
                for axis in range(3):
                    pose[i, axis] += twist[i, axis] * c.dt_s
        for _round in range(_SEPARATION_ROUNDS):
            for i in range(count):
                for j in range(count):
                    # A pair of owned robots is met once; one that is not owned does not give way.
                    if owned[i] and j != i and (j > i or not owned[j]):
                        _separate_robots(c, pose[i], pose[j], owned[j])
            # The boards have the last word: robots may touch a little too closely, but never leave the rink.
            for i in range(count):
                if owned[i]:
                    _keep_robot_inside(c, pose[i])
        for i in range(count):
            if owned[i]:
                # What a robot really did: boards and other robots may have held it back.
                for axis in range(3):
                    twist[i, axis] = (pose[i, axis] - pose_before[i, axis]) / c.dt_s
        if puck_owned:
            _step_puck(c, pose, twist, kick_command, recharge_s, owned, puck)
        else:
            puck[0] += puck[2] * c.dt_s
            puck[1] += puck[3] * c.dt_s


@njit(cache=True)
def _drive(c, pose, wheel_speed, wheel_angle, wheel_command, wheels_to_twist):
    forward, left, turn = 0.0, 0.0, 0.0
    for w in range(wheel_speed.shape[0]):
        change = wheel_command[w] - wheel_speed[w]
        wheel_speed[w] += min(c.wheel_step_rad_s, max(-c.wheel_step_rad_s, change))
        wheel_angle[w] += wheel_speed[w] * c.dt_s
        forward += wheels_to_twist[0, w] * wheel_speed[w]
        left += wheels_to_twist[1, w] * wheel_speed[w]
        turn += wheels_to_twist[2, w] * wheel_speed[w]
    pose[X], pose[Y], pose[YAW] = arc_step(pose[X], pose[Y], pose[YAW], forward, left, turn, c.dt_s)


@njit(cache=True)
def _keep_robot_inside(c, pose):
    """Move a robot back until its four corners are within the boards."""
    if abs(pose[X]) + c.robot_reach_m < c.half_length_m - c.corner_radius_m and (
        abs(pose[Y]) + c.robot_reach_m < c.half_width_m
    ):
        return
    cos, sin = math.cos(pose[YAW]), math.sin(pose[YAW])
    for k in range(4):
        along = c.robot_half_length_m if k % 2 == 0 else -c.robot_half_length_m
        aside = c.robot_half_width_m if k < 2 else -c.robot_half_width_m
        x = pose[X] + cos * along - sin * aside
        y = pose[Y] + sin * along + cos * aside
        inside_x, inside_y = nearest_inside(c, x, y, 0.0)
        pose[X] += inside_x - x
        pose[Y] += inside_y - y


@njit(cache=True)
def nearest_inside(c, x, y, margin_m):
    """The point within the rounded rink, `margin_m` from its boards, that is nearest to (x, y)."""
    half_length, half_width = c.half_length_m - margin_m, c.half_width_m - margin_m
    near_x = min(half_length, max(-half_length, x))
    near_y = min(half_width, max(-half_width, y))
    radius = max(0.0, c.corner_radius_m - margin_m)
    over_x = abs(near_x) - (half_length - radius)
    over_y = abs(near_y) - (half_width - radius)
    if over_x > 0.0 and over_y > 0.0:
        # In the square of a corner the boards are an arc: measure from the arc's centre.
        center_x = math.copysign(half_length - radius, x)
        center_y = math.copysign(half_width - radius, y)
        distance = math.hypot(x - center_x, y - center_y)
        if distance > radius:
            return center_x + (x - center_x) * radius / distance, center_y + (y - center_y) * radius / distance
    return near_x, near_y


@njit(cache=True)
def _separate_robots(c, a, b, b_gives_way):
    """Push two overlapping boxes apart along the axis of least overlap (separating line, Klancar 4.4)."""
    dx, dy = b[X] - a[X], b[Y] - a[Y]
    reach = 2.0 * c.robot_reach_m
    if dx * dx + dy * dy >= reach * reach:
        return
    least, push_x, push_y = math.inf, 0.0, 0.0
    turn = b[YAW] - a[YAW]
    cos_turn, sin_turn = abs(math.cos(turn)), abs(math.sin(turn))
    for k in range(4):
        yaw = a[YAW] if k < 2 else b[YAW]
        across = k % 2
        axis_x, axis_y = math.cos(yaw), math.sin(yaw)
        if across:
            axis_x, axis_y = -axis_y, axis_x
        own = c.robot_half_width_m if across else c.robot_half_length_m
        if across:
            other = c.robot_half_length_m * sin_turn + c.robot_half_width_m * cos_turn
        else:
            other = c.robot_half_length_m * cos_turn + c.robot_half_width_m * sin_turn
        apart = dx * axis_x + dy * axis_y
        overlap = own + other - abs(apart)
        if overlap <= 0.0:
            return
        if overlap < least:
            least = overlap
            sign = 1.0 if apart >= 0.0 else -1.0
            push_x, push_y = sign * axis_x, sign * axis_y
    share = 0.5 if b_gives_way else 1.0
    a[X] -= share * least * push_x
    a[Y] -= share * least * push_y
    if b_gives_way:
        b[X] += share * least * push_x
        b[Y] += share * least * push_y


@njit(cache=True)
def _step_puck(c, pose, twist, kick_command, recharge_s, owned, puck):
    _slow_down(c, puck)
    puck[0] += puck[2] * c.dt_s
    puck[1] += puck[3] * c.dt_s
    for i in range(pose.shape[0]):
        recharge_s[i] = max(0.0, recharge_s[i] - c.dt_s)
        if kick_command[i] > 0.0 and recharge_s[i] == 0.0 and _kick(c, pose[i], twist[i], kick_command[i], puck):
            recharge_s[i] = KICKER_RECHARGE_S
    for _ in range(_PUCK_ROUNDS):
        # All robots push from the same place of the puck, so that no team is served first.
        push_x, push_y = 0.0, 0.0
        for i in range(pose.shape[0]):
            robot_push_x, robot_push_y = _bounce_off_robot(c, pose[i], twist[i], puck)
            push_x += robot_push_x
            push_y += robot_push_y
        puck[0] += push_x
        puck[1] += push_y
        _bounce_off_boards(c, puck)
    for i in range(pose.shape[0]):
        if owned[i]:
            _hold_back(c, pose[i], twist[i], puck)


@njit(cache=True)
def _slow_down(c, puck):
    """Friction stops the puck exactly, and never reverses it (Chen eq 27, Klancar eq 16)."""
    speed = math.hypot(puck[2], puck[3])
    if speed == 0.0:
        return
    slower = max(0.0, speed * math.exp(-c.puck_damping_per_s * c.dt_s) - c.puck_friction_m_s2 * c.dt_s)
    puck[2] *= slower / speed
    puck[3] *= slower / speed


@njit(cache=True)
def _kick(c, pose, twist, power, puck):
    """Fire the kicker if the puck lies before the robot's front; the power goes in whole levels."""
    cos, sin = math.cos(pose[YAW]), math.sin(pose[YAW])
    dx, dy = puck[0] - pose[X], puck[1] - pose[Y]
    ahead, aside = cos * dx + sin * dy, cos * dy - sin * dx
    gap = ahead - c.robot_half_length_m - c.puck_radius_m
    if not (-c.puck_radius_m < gap <= c.kicker_reach_m and abs(aside) <= c.robot_half_width_m):
        return False
    level = math.floor(power * (c.kicker_levels - 1) + 0.5)
    speed = c.kicker_speed_m_s * level / (c.kicker_levels - 1)
    leaving = (puck[2] - twist[X]) * cos + (puck[3] - twist[Y]) * sin
    if speed == 0.0 or leaving >= speed:
        return False
    puck[2] = twist[X] + speed * cos
    puck[3] = twist[Y] + speed * sin
    return True


@njit(cache=True)
def _contact(c, pose, puck):
    """Depth of the puck in a robot, the normal out of it, and the touched point from its centre; depth 0 when apart."""
    dx, dy = puck[0] - pose[X], puck[1] - pose[Y]
    reach = c.robot_reach_m + c.puck_radius_m
    if dx * dx + dy * dy >= reach * reach:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    cos, sin = math.cos(pose[YAW]), math.sin(pose[YAW])
    ahead, aside = cos * dx + sin * dy, cos * dy - sin * dx
    near_ahead = min(c.robot_half_length_m, max(-c.robot_half_length_m, ahead))
    near_aside = min(c.robot_half_width_m, max(-c.robot_half_width_m, aside))
    normal_ahead, normal_aside = ahead - near_ahead, aside - near_aside
    distance = math.hypot(normal_ahead, normal_aside)
    if distance >= c.puck_radius_m:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    if distance > 0.0:
        normal_ahead /= distance
        normal_aside /= distance
        depth = c.puck_radius_m - distance
    else:
        # The puck's centre is inside the body: leave by the nearest side.
        room_ahead = c.robot_half_length_m - abs(ahead)
        room_aside = c.robot_half_width_m - abs(aside)
        if room_ahead < room_aside:
            normal_ahead, normal_aside = math.copysign(1.0, ahead), 0.0
        else:
            normal_ahead, normal_aside = 0.0, math.copysign(1.0, aside)
        depth = c.puck_radius_m + min(room_ahead, room_aside)
    return (
        depth,
        cos * normal_ahead - sin * normal_aside,
        sin * normal_ahead + cos * normal_aside,
        cos * near_ahead - sin * near_aside,
        sin * near_ahead + cos * near_aside,
    )


@njit(cache=True)
def _bounce_off_robot(c, pose, twist, puck):
    """Turn the puck's velocity at a robot it touches; return how far it must move to be clear."""
    depth, normal_x, normal_y, contact_x, contact_y = _contact(c, pose, puck)
    if depth > 0.0:
        surface_x = twist[X] - twist[YAW] * contact_y
        surface_y = twist[Y] + twist[YAW] * contact_x
        _reflect(puck, normal_x, normal_y, surface_x, surface_y, c.robot_restitution)
    return depth * normal_x, depth * normal_y


@njit(cache=True)
def _hold_back(c, pose, twist, puck):
    """A puck that could not get away, squeezed between a robot and something else, stops the robot."""
    depth, normal_x, normal_y, _, _ = _contact(c, pose, puck)
    pose[X] -= depth * normal_x
    pose[Y] -= depth * normal_y
    twist[X] -= depth * normal_x / c.dt_s
    twist[Y] -= depth * normal_y / c.dt_s


@njit(cache=True)
def _bounce_off_boards(c, puck):
    r = c.puck_radius_m
    mouth = c.half_goal_m - r
    if abs(puck[0]) > c.half_length_m - r and abs(puck[1]) < c.half_goal_m:
        _bounce_in_goal_mouth(c, puck, mouth)
        return
    x, y = nearest_inside(c, puck[0], puck[1], r)
    dx, dy = x - puck[0], y - puck[1]
    depth = math.hypot(dx, dy)
    if depth > 0.0:
        puck[0], puck[1] = x, y
        _reflect(puck, dx / depth, dy / depth, 0.0, 0.0, c.wall_restitution)


@njit(cache=True)
def _bounce_in_goal_mouth(c, puck, mouth):
    """Posts are points on the goal line; behind it are the side nets and the back of the net."""
    r = c.puck_radius_m
    side_x = math.copysign(1.0, puck[0])
    beyond = abs(puck[0]) - c.half_length_m
    if beyond <= 0.0:
        post_y = math.copysign(c.half_goal_m, puck[1])
        dx, dy = puck[0] - side_x * c.half_length_m, puck[1] - post_y
        distance = math.hypot(dx, dy)
        if 0.0 < distance < r:
            puck[0] += (r - distance) * dx / distance
            puck[1] += (r - distance) * dy / distance
            _reflect(puck, dx / distance, dy / distance, 0.0, 0.0, c.wall_restitution)
        return
    if abs(puck[1]) > mouth:
        inward = -math.copysign(1.0, puck[1])
        puck[1] = -inward * mouth
        _reflect(puck, 0.0, inward, 0.0, 0.0, c.wall_restitution)
    if beyond > c.goal_depth_m - r:
        puck[0] = side_x * (c.half_length_m + c.goal_depth_m - r)
        _reflect(puck, -side_x, 0.0, 0.0, 0.0, 0.0)


@njit(cache=True)
def _reflect(puck, normal_x, normal_y, surface_x, surface_y, restitution):
    """Chen eq 21-24, with eq 22 taken relative to the surface.

    As printed, eq 24 adds the surface's whole velocity to a bounce that was worked out for a wall at
    rest. A puck that already moves with the surface would then leave it at twice its speed. Taken
    relative to the surface it stays, and a wall at rest gives the printed result.
    """
    approach = (puck[2] - surface_x) * normal_x + (puck[3] - surface_y) * normal_y
    if approach < 0.0:
        puck[2] -= (1.0 + restitution) * approach * normal_x
        puck[3] -= (1.0 + restitution) * approach * normal_y
