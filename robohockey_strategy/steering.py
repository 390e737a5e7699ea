"""The closed loop that drives a robot to its target, compiled: profiles, pursuit, and a PID for the heading.

All speeds are profiles from which braking still arrives: v = sqrt(v_arrive^2 + 2 a d). The heading follows the ideal PID
of Minho eq 6, y = Kp (x + 1/Ti int x dt + Td dx/dt), held within such a profile too.

Forward and left speed are asked for no faster than the wheels can follow. The turn rate is not: it may jump up to its
profile, and the wheels get there as fast as they can. Limited like the speeds, turns were no better and drills neither.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from robohockey_core.angles import TWO_PI
from robohockey_core.compiled import compiled
from robohockey_core.kinematics import FloatArray

# Columns of what never changes: gains and limits.
KP, TI_S, TD_S, INTEGRAL_ZONE_RAD = range(4)
MAX_SPEED_M_S, ACCELERATION_M_S2, BRAKING_M_S2, MAX_TURN_RAD_S, BRAKING_RAD_S2 = range(4, 9)
ARRIVED_M, LOOKAHEAD_M, LOOKAHEAD_S, MAX_WHEEL_RAD_S, DT_S, HOLONOMIC, MAX_ALPHA_RAD_S2 = range(9, 16)
GAINS = 16

# Columns of what is remembered of one robot: the integral of its heading error, and what it was asked for last.
INTEGRAL_RAD_S, LAST_FORWARD_M_S, LAST_LEFT_M_S, LAST_TURN_RAD_S = range(4)
MEMORIES = 4

# Columns of a target.
GOAL_X_M, GOAL_Y_M, GOAL_YAW_RAD, ARRIVE_VX_M_S, ARRIVE_VY_M_S, STANDS, FACES, LEADS_WITH_FRONT = range(8)
TARGET_VALUES = 8

State: TypeAlias = tuple[float, float, float, float, float, float]
"""A robot's pose and twist in the rink frame."""

_SETTLING_S = 0.3
"""A robot that would leave its place no sooner than this counts as standing."""
_PUSHES_S = 0.4
_SEEN_LATE_S = 0.1
"""Seen speeds are no older than this: camera, filter and radio together."""
_LEAST_SHARE = 0.1
_NEAR_ARRIVALS = 4.0
_MOVES_M_S = 1e-3


@compiled
def shortest_turn(to_rad: float, from_rad: float) -> float:
    """Shortest turn between two directions, as `angles.difference` gives it up to the sign of half a turn."""
    turn_rad = to_rad - from_rad
    return turn_rad - TWO_PI * float(math.floor(turn_rad / TWO_PI + 0.5))


@compiled
def turn_rate(g: FloatArray, memory: FloatArray, error_rad: float, yaw_rate_rad_s: float) -> float:
    """Turn rate of the ideal PID (Minho eq 6) on a heading error, never one that braking cannot end in time.

    The derivative is taken of the measurement: a new target then gives no kick. Windup is kept out twice: the integral
    grows only near the target, and only while the output is within its limits.
    """
    kp, ti_s = g[KP], g[TI_S]
    near = abs(error_rad) < g[INTEGRAL_ZONE_RAD]
    integral = memory[INTEGRAL_RAD_S] + error_rad * g[DT_S] if near else 0.0
    limit = min(g[MAX_TURN_RAD_S], math.sqrt(2.0 * g[BRAKING_RAD_S2] * abs(error_rad)))
    wanted = kp * (error_rad + integral / ti_s - g[TD_S] * yaw_rate_rad_s)
    if abs(wanted) <= limit or not near:
        memory[INTEGRAL_RAD_S] = integral
    return min(limit, max(-limit, wanted))


@compiled
def speed_towards(g: FloatArray, distance_m: float, arrive_m_s: float) -> float:
    """The highest speed from which braking still arrives with the wanted one."""
    return min(g[MAX_SPEED_M_S], math.sqrt(arrive_m_s * arrive_m_s + 2.0 * g[BRAKING_M_S2] * max(0.0, distance_m)))


@compiled
def slewed(acceleration: float, braking: float, change: float, asked: float, seen: float, wanted: float) -> float:
    """The wanted speed, changed by no more than `change` from the one that was asked for last, or `braking` to slow down.

    Wheels that push against something slower are asked for what they would do by now; braking begins with what is seen.
    """
    lag = acceleration * (_PUSHES_S if abs(wanted) >= abs(asked) else _SEEN_LATE_S)
    asked = min(seen + lag, max(seen - lag, asked))
    up, down = (change, braking) if asked > 0.0 else (braking, change)
    return min(asked + up, max(asked - down, wanted))


@compiled
def aim(g: FloatArray, target: FloatArray, x_m: float, y_m: float, speed_m_s: float) -> tuple[float, float, float, float]:
    """Where to head for and how far it is along the way: the goal, or, to pass it at a speed, a point on its line.

    A robot that is to pass through a place with a velocity follows the line of that velocity (pure pursuit), and drives on
    when it is past the place.
    """
    dx, dy = target[GOAL_X_M] - x_m, target[GOAL_Y_M] - y_m
    arrive = math.hypot(target[ARRIVE_VX_M_S], target[ARRIVE_VY_M_S])
    if arrive < _MOVES_M_S:
        return dx, dy, math.hypot(dx, dy), 0.0
    ux, uy = target[ARRIVE_VX_M_S] / arrive, target[ARRIVE_VY_M_S] / arrive
    along, aside = dx * ux + dy * uy, dy * ux - dx * uy
    ahead = max(g[LOOKAHEAD_M] + g[LOOKAHEAD_S] * speed_m_s, abs(aside))
    return ahead * ux - aside * uy, ahead * uy + aside * ux, along, arrive


@compiled
def pursue(g: FloatArray, memory: FloatArray, s: State, target: FloatArray) -> tuple[float, float]:
    """Forward speed and turn rate of a differential drive."""
    x_m, y_m, yaw_rad, vx_m_s, vy_m_s, yaw_rate_rad_s = s
    speed_m_s = math.hypot(vx_m_s, vy_m_s)
    to_x, to_y, along_m, arrive_m_s = aim(g, target, x_m, y_m, speed_m_s)
    if along_m <= g[ARRIVED_M] and arrive_m_s == 0.0:
        turn = 0.0
        if target[FACES] > 0.0:
            turn = turn_rate(g, memory, shortest_turn(target[GOAL_YAW_RAD], yaw_rad), yaw_rate_rad_s)
        # One wheel speeds up while the other brakes, so a robot that turns before it stands rolls on.
        calm = min(1.0, g[ARRIVED_M] / (_SETTLING_S * speed_m_s)) if speed_m_s > 0.0 else 1.0
        return 0.0, calm * turn
    error_rad = shortest_turn(math.atan2(to_y, to_x), yaw_rad)
    # A robot drives whichever end is nearer, unless it is to pass through facing a given way.
    front = target[LEADS_WITH_FRONT] > 0.0 or (target[FACES] > 0.0 and arrive_m_s > 0.0)
    backwards = abs(error_rad) > 0.5 * math.pi and not front
    if backwards:
        error_rad = shortest_turn(error_rad, math.pi)
    speed = speed_towards(g, along_m, arrive_m_s) * max(0.0, math.cos(error_rad)) ** 3
    if arrive_m_s == 0.0:
        # Right at the place a millimetre aside is a large angle: not worth a turn.
        error_rad *= min(1.0, along_m / (_NEAR_ARRIVALS * g[ARRIVED_M]))
    return -speed if backwards else speed, turn_rate(g, memory, error_rad, yaw_rate_rad_s)


@compiled
def float_to(g: FloatArray, memory: FloatArray, s: State, target: FloatArray) -> tuple[float, float, float]:
    """Forward and left speed and turn rate of a drive that moves in any direction."""
    x_m, y_m, yaw_rad, vx_m_s, vy_m_s, yaw_rate_rad_s = s
    to_x, to_y, along_m, arrive_m_s = aim(g, target, x_m, y_m, math.hypot(vx_m_s, vy_m_s))
    turn = 0.0
    if target[FACES] > 0.0:
        turn = turn_rate(g, memory, shortest_turn(target[GOAL_YAW_RAD], yaw_rad), yaw_rate_rad_s)
    if along_m <= g[ARRIVED_M] and arrive_m_s == 0.0:
        return 0.0, 0.0, turn
    speed = speed_towards(g, along_m, arrive_m_s)
    direction_rad = math.atan2(to_y, to_x) - yaw_rad
    return speed * math.cos(direction_rad), speed * math.sin(direction_rad), turn


@compiled
def fit(matrix: FloatArray, limit_rad_s: float, forward: float, left: float, turn: float, out: FloatArray) -> None:
    """Wheel speeds of a twist within the wheels' limit, turning first: `Drive.saturate`, for one robot, compiled."""
    largest = 0.0
    for w in range(len(matrix)):
        largest = max(largest, abs(matrix[w, 2] * turn))
    if largest > limit_rad_s:
        turn *= limit_rad_s / largest
    scale = 1.0
    for w in range(len(matrix)):
        asked = matrix[w, 0] * forward + matrix[w, 1] * left
        room = limit_rad_s - matrix[w, 2] * turn * (1.0 if asked > 0.0 else -1.0)
        if abs(asked) > room:
            scale = min(scale, max(0.0, room / abs(asked)))
    for w in range(len(matrix)):
        out[w] = scale * (matrix[w, 0] * forward + matrix[w, 1] * left) + matrix[w, 2] * turn


@compiled
def steer(
    g: FloatArray,
    matrix: FloatArray,
    memories: FloatArray,
    targets: FloatArray,
    states: FloatArray,
    rows: NDArray[np.intp],
    out: FloatArray,
) -> None:
    """One control step of some robots of a team: wheel speeds that bring them nearer to their targets.

    `states` and `out` have a row for each robot that is steered; `rows` say where it stands in the other two.
    """
    for k in range(len(rows)):
        _steer_one(g, matrix, memories[rows[k]], targets[rows[k]], states[k], out[k])


@compiled
def _steer_one(
    g: FloatArray, matrix: FloatArray, memory: FloatArray, target: FloatArray, state: FloatArray, out: FloatArray
) -> None:
    x_m, y_m, yaw_rad, vx_m_s, vy_m_s, yaw_rate_rad_s = state[0], state[1], state[2], state[3], state[4], state[5]
    s = (x_m, y_m, yaw_rad, vx_m_s, vy_m_s, yaw_rate_rad_s)
    forward, left, turn = 0.0, 0.0, 0.0
    if target[STANDS] > 0.0:
        memory[INTEGRAL_RAD_S] = 0.0
    elif g[HOLONOMIC] > 0.0:
        forward, left, turn = float_to(g, memory, s, target)
    else:
        forward, turn = pursue(g, memory, s, target)
    # Speeds change no faster than the wheels can, and turning comes first here too: a wheel that both brakes a turn and
    # speeds up the robot does neither in time.
    acceleration = g[ACCELERATION_M_S2]
    turning = min(1.0 - _LEAST_SHARE, abs(turn - memory[LAST_TURN_RAD_S]) / (g[MAX_ALPHA_RAD_S2] * g[DT_S]))
    braking = acceleration * g[DT_S]
    change = (1.0 - turning) * braking
    cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
    forward = slewed(acceleration, braking, change, memory[LAST_FORWARD_M_S], vx_m_s * cos + vy_m_s * sin, forward)
    if g[HOLONOMIC] > 0.0:
        left = slewed(acceleration, braking, change, memory[LAST_LEFT_M_S], vy_m_s * cos - vx_m_s * sin, left)
    memory[LAST_FORWARD_M_S], memory[LAST_LEFT_M_S], memory[LAST_TURN_RAD_S] = forward, left, turn
    fit(matrix, g[MAX_WHEEL_RAD_S], forward, left, turn, out)
