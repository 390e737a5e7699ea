"""The scenes that every engine plays, and the measures that every engine is held to: plain arrays, one copy.

A scene is the same for all: rink, robots and puck of a league preset, the same start, the same wheel speeds
(spread) or the same steering law (scrum). What an engine answers is judged by the functions below alone.
Poses are rows of (x_m, y_m, yaw_rad), the puck is (x_m, y_m, vx_m_s, vy_m_s).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from robohockey_core.formation import face_off_formation
from robohockey_core.kinematics import FloatArray
from robohockey_core.league import League, load_league

SPREAD, SCRUM = "spread", "scrum"
SCENES = (SPREAD, SCRUM)
LEAGUES = {3: "micro_hockey", 5: "mirosot_5v5", 11: "mirosot_11v11"}
"""Robots of a team, and the preset that plays with so many."""

GRAVITY_M_S2 = 9.81
DT_S = 0.001
STEPS_PER_CONTROL = 20
CONTROL_S = DT_S * STEPS_PER_CONTROL
SEED = 1

# Boards of the engines that need solid ones: thick enough to stop a puck of 20 m/s that has sunk in for a step.
WALL_THICKNESS_M = 0.1
# Straight pieces for each rounded corner. Their ends lie on the arc, so that they never stand outside of it: what a
# piece gives away counts for the engine, not against it.
CORNER_PIECES = 4
# A puck that is put back lies at least this far from every robot.
FREE_M = 0.005
# The steering law turns by this much for each radian that it is off course.
TURN_GAIN_PER_S = 8.0


class Sizes(NamedTuple):
    """What the measures and the steering law need to know of a league."""

    half_length_m: float
    half_width_m: float
    corner_radius_m: float
    half_goal_m: float
    goal_depth_m: float
    robot_half_length_m: float
    robot_half_width_m: float
    puck_radius_m: float
    wheel_radius_m: float
    half_base_m: float
    max_wheel_rad_s: float


class Wall(NamedTuple):
    """A solid box that does not move; `robots_only` bars the goal mouths, which robots do not enter."""

    x_m: float
    y_m: float
    half_length_m: float
    half_width_m: float
    yaw_rad: float
    robots_only: bool = False


class Start(NamedTuple):
    poses: FloatArray
    puck: FloatArray


def league_of(players: int) -> League:
    league = load_league(LEAGUES[players])
    timing = league.timing
    assert (timing.physics_dt_s, timing.control_dt_s) == (DT_S, CONTROL_S), f"{league.name} has other times: {timing}"
    return league


def sizes_of(league: League) -> Sizes:
    rink, robot, puck = league.rink, league.robot, league.puck
    return Sizes(
        half_length_m=rink.length_m / 2.0,
        half_width_m=rink.width_m / 2.0,
        corner_radius_m=rink.corner_radius_m,
        half_goal_m=rink.goal_width_m / 2.0,
        goal_depth_m=rink.goal_depth_m,
        robot_half_length_m=robot.length_m / 2.0,
        robot_half_width_m=robot.width_m / 2.0,
        puck_radius_m=puck.radius_m,
        wheel_radius_m=robot.wheel_radius_m,
        half_base_m=robot.wheel_base_m / 2.0,
        max_wheel_rad_s=robot.max_wheel_speed_rad_s,
    )


def start_of(league: League, puck_speed_m_s: float = 0.0, puck_direction_rad: float = 0.0) -> Start:
    """The face-off, with the puck at centre ice."""
    poses = np.array(list(face_off_formation(league).values()))
    direction = (math.cos(puck_direction_rad), math.sin(puck_direction_rad))
    return Start(poses, np.array([0.0, 0.0, puck_speed_m_s * direction[0], puck_speed_m_s * direction[1]]))


def random_wheel_speeds(league: League, ticks: int, seed: int = SEED) -> FloatArray:
    """Wheel speeds of every robot for each control period: (ticks, robots, left and right) in rad/s."""
    limit = league.robot.max_wheel_speed_rad_s
    return np.random.default_rng(seed).uniform(-limit, limit, (ticks, len(league.robots()), 2))


def walls_of(sizes: Sizes) -> list[Wall]:
    """The boards and nets as solid boxes, for engines that do not know a rounded rink."""
    half_length_m, half_width_m, radius_m = sizes.half_length_m, sizes.half_width_m, sizes.corner_radius_m
    thick_m, deep_m = WALL_THICKNESS_M / 2.0, sizes.goal_depth_m / 2.0
    straight_m, flat_end_m = half_length_m - radius_m, half_width_m - radius_m
    walls = [Wall(0.0, side * (half_width_m + thick_m), straight_m, thick_m, 0.0) for side in (1.0, -1.0)]
    block_m = (flat_end_m - sizes.half_goal_m) / 2.0
    for end in (1.0, -1.0):
        # A block between goal and corner is end board and side net in one.
        x_m = end * (half_length_m + deep_m)
        walls += [Wall(x_m, side * (sizes.half_goal_m + block_m), deep_m, block_m, 0.0) for side in (1.0, -1.0)]
        walls.append(Wall(x_m, 0.0, deep_m, sizes.half_goal_m, 0.0, robots_only=True))
        back_x_m = end * (half_length_m + sizes.goal_depth_m + thick_m)
        walls.append(Wall(back_x_m, 0.0, thick_m, sizes.half_goal_m + WALL_THICKNESS_M, 0.0))
    if radius_m == 0.0:
        return walls
    step_rad = math.pi / 2.0 / CORNER_PIECES
    for corner_x, corner_y in ((1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)):
        for piece in range(CORNER_PIECES):
            angle_rad = (piece + 0.5) * step_rad
            out_x, out_y = corner_x * math.cos(angle_rad), corner_y * math.sin(angle_rad)
            away_m = radius_m * math.cos(step_rad / 2.0) + thick_m
            # Longer than the chord: the rink is convex, so what sticks out lies behind the next piece.
            half_chord_m = radius_m * math.sin(step_rad / 2.0) + thick_m / 2.0
            x_m, y_m = corner_x * straight_m + away_m * out_x, corner_y * flat_end_m + away_m * out_y
            walls.append(Wall(x_m, y_m, thick_m, half_chord_m, math.atan2(out_y, out_x)))
    return walls


@njit(cache=True)
def steer_at_puck(sizes, poses, puck, commands):
    """Every robot turns to the puck and drives, the straighter the faster, within what its wheels can do."""
    for i in range(poses.shape[0]):
        away_rad = math.atan2(puck[1] - poses[i, 1], puck[0] - poses[i, 0]) - poses[i, 2]
        off_rad = math.atan2(math.sin(away_rad), math.cos(away_rad))
        forward = sizes.max_wheel_rad_s * max(0.0, math.cos(off_rad))
        turn = TURN_GAIN_PER_S * off_rad * sizes.half_base_m / sizes.wheel_radius_m
        left, right = forward - turn, forward + turn
        scale = min(1.0, sizes.max_wheel_rad_s / max(1e-9, abs(left), abs(right)))
        commands[i, 0], commands[i, 1] = left * scale, right * scale


def drive_numbers(league: League) -> FloatArray:
    """What `set_velocities` needs, as an array: numba takes one in far less time than a tuple with names."""
    robot, puck = league.robot, league.puck
    friction_m_s2 = puck.sliding_friction * GRAVITY_M_S2
    wheels = (robot.wheel_radius_m, robot.wheel_base_m / 2.0, robot.max_wheel_acceleration_rad_s2)
    return np.array([*wheels, friction_m_s2, puck.rolling_damping_per_s])


@njit(cache=True)
def set_velocities(numbers, period_s, poses, wheel_speeds, commands, twists, puck):
    """Velocities in the rink frame for one period, of robots that follow their wheels and of a puck that slows down.

    The wheels ramp to the command at their limit of acceleration. A constant velocity along the chord of the arc, and a
    constant yaw rate, end in the same pose as the arc (Chen eq 15-20) at the mean wheel speeds. Friction and damping
    stop the puck and never turn it.
    """
    wheel_radius, half_base, acceleration, friction, damping = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    most = acceleration * period_s
    for i in range(poses.shape[0]):
        left, right = 0.0, 0.0
        for w in range(2):
            change = min(most, max(-most, commands[i, w] - wheel_speeds[i, w]))
            ramp_s = abs(change) / acceleration
            wheel_speeds[i, w] += change
            mean = wheel_speeds[i, w] - 0.5 * change * ramp_s / period_s
            if w == 0:
                left = mean * wheel_radius
            else:
                right = mean * wheel_radius
        yaw_rate = (right - left) / (2.0 * half_base)
        half_rad = 0.5 * yaw_rate * period_s
        chord = 0.5 * (left + right) * (math.sin(half_rad) / half_rad if abs(half_rad) > 1e-6 else 1.0)
        twists[i, 0] = chord * math.cos(poses[i, 2] + half_rad)
        twists[i, 1] = chord * math.sin(poses[i, 2] + half_rad)
        twists[i, 2] = yaw_rate
    speed = math.hypot(puck[2], puck[3])
    if speed > 0.0:
        scale = max(0.0, speed * math.exp(-damping * period_s) - friction * period_s) / speed
        puck[2] *= scale
        puck[3] *= scale


@njit(cache=True)
def wall_clearance(sizes, x, y):
    """Distance from a point in the rink or its nets to the nearest board, post or net; below 0: it is outside."""
    over_x, over_y = abs(x) - sizes.half_length_m, abs(y) - sizes.half_width_m
    goal_y = sizes.half_goal_m - abs(y)
    if over_x > 0.0:
        # Behind the goal line, where only the net is inside.
        return min(goal_y, sizes.goal_depth_m - over_x)
    radius = sizes.corner_radius_m
    if over_x > -radius and over_y > -radius:
        return radius - math.hypot(over_x + radius, over_y + radius)
    if goal_y <= 0.0:
        return min(-over_x, -over_y)
    return min(math.hypot(over_x, goal_y), sizes.goal_depth_m - over_x, -over_y)


@njit(cache=True)
def box_distance(sizes, pose, x, y):
    """Signed distance from a point to a robot's box: negative inside."""
    dx, dy = x - pose[0], y - pose[1]
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    over_x = abs(cos * dx + sin * dy) - sizes.robot_half_length_m
    over_y = abs(cos * dy - sin * dx) - sizes.robot_half_width_m
    return math.hypot(max(0.0, over_x), max(0.0, over_y)) + min(0.0, max(over_x, over_y))


@njit(cache=True)
def puck_overlaps(sizes, poses, puck):
    """How deep the puck is in the robot that it is deepest in, and how deep in the boards; below 0: apart."""
    in_robot = -math.inf
    for i in range(poses.shape[0]):
        in_robot = max(in_robot, sizes.puck_radius_m - box_distance(sizes, poses[i], puck[0], puck[1]))
    return in_robot, sizes.puck_radius_m - wall_clearance(sizes, puck[0], puck[1])


@njit(cache=True)
def robots_overlap(sizes, poses):
    """How far the two robots overlap that overlap most, along the line that separates them best; below 0: apart."""
    worst = -math.inf
    half_length, half_width = sizes.robot_half_length_m, sizes.robot_half_width_m
    for i in range(poses.shape[0]):
        for j in range(i):
            dx, dy = poses[j, 0] - poses[i, 0], poses[j, 1] - poses[i, 1]
            turn = poses[j, 2] - poses[i, 2]
            cos, sin = abs(math.cos(turn)), abs(math.sin(turn))
            least = math.inf
            for owner in (i, j):
                ahead_x, ahead_y = math.cos(poses[owner, 2]), math.sin(poses[owner, 2])
                ahead = abs(ahead_x * dx + ahead_y * dy)
                aside = abs(ahead_x * dy - ahead_y * dx)
                least = min(least, half_length + half_length * cos + half_width * sin - ahead)
                least = min(least, half_width + half_length * sin + half_width * cos - aside)
            worst = max(worst, least)
    return worst


@njit(cache=True)
def is_lost(sizes, puck):
    """Whether the puck's centre has left the rink and its nets."""
    return not wall_clearance(sizes, puck[0], puck[1]) >= 0.0


@njit(cache=True)
def is_in_net(sizes, puck):
    return abs(puck[0]) > sizes.half_length_m


@njit(cache=True)
def free_spot(sizes, poses):
    """The place nearest to centre ice, on a grid, where the puck touches nothing: where play goes on after a goal."""
    spacing = 2.0 * sizes.puck_radius_m
    best, best_x, best_y = math.inf, 0.0, 0.0
    columns, rows = int(sizes.half_length_m / spacing), int(sizes.half_width_m / spacing)
    for column in range(-columns, columns + 1):
        for row in range(-rows, rows + 1):
            x, y = column * spacing, row * spacing
            distance = math.hypot(x, y)
            if distance < best and wall_clearance(sizes, x, y) > sizes.puck_radius_m + FREE_M:
                clear = True
                for i in range(poses.shape[0]):
                    if box_distance(sizes, poses[i], x, y) < sizes.puck_radius_m + FREE_M:
                        clear = False
                        break
                if clear:
                    best, best_x, best_y = distance, x, y
    return best_x, best_y
