"""What will be where, and which ways are open: the arithmetic under the skills, compiled."""

from __future__ import annotations

import math

from robohockey_core.compiled import compiled
from robohockey_core.kinematics import FloatArray

GRAVITY_M_S2 = 9.81

# Numbers of a league that the functions below need.
HALF_LENGTH_M, HALF_WIDTH_M, GOAL_HALF_M, RADIUS_M, FRICTION_M_S2, DAMPING_PER_S, BOUNCE, WALL_FRICTION = range(8)
MAX_SPEED_M_S, ACCELERATION_M_S2, MAX_TURN_RAD_S, TURN_ACCELERATION_RAD_S2, HOLONOMIC, END_BOARDS_M = range(8, 14)
LEAGUE_NUMBERS = 14

_STEP_S = 0.04
_STEPS = 50
"""A puck is foreseen for two seconds."""
_KEEPS_SHARE = 0.4
"""How much of a metre's detour a metre's change of the way costs."""
_LEAVES_SHARE_2 = 0.98**2
"""Who leaves another comes no nearer to it than this share of their distance, squared."""


@compiled
def drive_s(l: FloatArray, distance_m: float, towards_m_s: float) -> float:  # noqa: E741 (the league's numbers)
    """Time to drive straight to a place, speeding up from the present speed towards it; passing it at speed is fine."""
    a, top = l[ACCELERATION_M_S2], l[MAX_SPEED_M_S]
    v = min(top, max(-top, towards_m_s))
    to_top_m = (top * top - v * abs(v)) / (2.0 * a)
    if distance_m >= to_top_m:
        return (top - v) / a + (distance_m - to_top_m) / top
    return (math.sqrt(max(0.0, v * v + 2.0 * a * distance_m)) - v) / a


@compiled
def turn_s(l: FloatArray, angle_rad: float) -> float:  # noqa: E741
    """Time to turn by an angle and stand again."""
    alpha, top = l[TURN_ACCELERATION_RAD_S2], l[MAX_TURN_RAD_S]
    angle = abs(angle_rad)
    if angle <= top * top / alpha:
        return 2.0 * math.sqrt(angle / alpha)
    return angle / top + top / alpha


@compiled
def reach_s(l: FloatArray, robot: FloatArray, x_m: float, y_m: float) -> float:  # noqa: E741
    """Time in which a robot (x, y, yaw, vx, vy) can be at a place, with whichever end first."""
    dx, dy = x_m - robot[0], y_m - robot[1]
    distance_m = math.hypot(dx, dy)
    if distance_m < 1e-6:
        return 0.0
    towards = (robot[3] * dx + robot[4] * dy) / distance_m
    driving_s = drive_s(l, distance_m, towards)
    if l[HOLONOMIC] > 0.0:
        return driving_s
    off = math.atan2(dy, dx) - robot[2]
    off = abs(off - math.pi * math.floor(off / math.pi + 0.5))
    # A short way is driven in a curve while the robot turns.
    return driving_s + turn_s(l, off) * min(1.0, distance_m / 0.1)


@compiled
def roll(l: FloatArray, puck: FloatArray, dt_s: float) -> None:  # noqa: E741
    """Let a puck (x, y, vx, vy) slide on: friction (Chen eq 27), damping (Klancar eq 16), boards that throw it back."""
    speed = math.hypot(puck[2], puck[3])
    if speed <= 0.0:
        return
    later = max(0.0, speed * math.exp(-l[DAMPING_PER_S] * dt_s) - l[FRICTION_M_S2] * dt_s)
    mean = 0.5 * (speed + later) / speed
    puck[0] += puck[2] * mean * dt_s
    puck[1] += puck[3] * mean * dt_s
    puck[2] *= later / speed
    puck[3] *= later / speed
    for axis in range(2):
        room = (l[END_BOARDS_M] if axis == 0 else l[HALF_WIDTH_M]) - l[RADIUS_M]
        over = abs(puck[axis]) - room
        open_goal = axis == 0 and abs(puck[1]) < l[GOAL_HALF_M] and l[END_BOARDS_M] == l[HALF_LENGTH_M]
        if over > 0.0 and not open_goal:
            puck[axis] = math.copysign(room - over * l[BOUNCE], puck[axis])
            # Friction along the boards slows a disc until it rolls along them, which takes a third of its speed.
            along, into = puck[3 - axis], abs(puck[2 + axis])
            lost = min(l[WALL_FRICTION] * (1.0 + l[BOUNCE]) * into, abs(along) / 3.0)
            puck[3 - axis] = math.copysign(abs(along) - lost, along)
            puck[2 + axis] *= -l[BOUNCE]


@compiled
def meet(l: FloatArray, robot: FloatArray, puck: FloatArray, reach_m: float, out: FloatArray) -> float:  # noqa: E741
    """The earliest moment at which a robot can be at the puck, and the puck (x, y, vx, vy) then.

    `reach_m` is how near its centre must come. A puck that is in a goal by then, or too far to be had in the time foreseen,
    is met where it is at the end of that time.
    """
    out[:] = puck
    time_s, needed_s = 0.0, 0.0
    for step in range(_STEPS + 1):
        dx, dy = out[0] - robot[0], out[1] - robot[1]
        gap = math.hypot(dx, dy)
        share = max(0.0, gap - reach_m) / gap if gap > 0.0 else 0.0
        needed_s = reach_s(l, robot, robot[0] + share * dx, robot[1] + share * dy)
        if needed_s <= time_s or step == _STEPS or abs(out[0]) > l[END_BOARDS_M]:
            break
        roll(l, out, _STEP_S)
        time_s += _STEP_S
    return max(time_s, needed_s)


@compiled
def widest_gap(
    from_x: float, from_y: float, low_rad: float, high_rad: float, blockers: FloatArray, radius_m: float
) -> tuple[float, float]:
    """Middle and half width of the widest open angle between two directions, past round blockers; width 0 when shut.

    Blockers are (x, y, radius): everything within their radius and the puck's own is shut.
    """
    best_mid, best_half = 0.5 * (low_rad + high_rad), 0.0
    middle = 0.5 * (low_rad + high_rad)
    count = len(blockers)
    # The open gap begins at the lower end or at the upper edge of a blocker: try each.
    for first in range(-1, count):
        start = low_rad
        if first >= 0:
            gap, mid, half = _seen(from_x, from_y, blockers, first, radius_m, middle)
            if gap <= 0.0:
                return middle, 0.0
            start = mid + half
        if start < low_rad or start >= high_rad:
            continue
        end, free = high_rad, True
        for other in range(count):
            gap, mid, half = _seen(from_x, from_y, blockers, other, radius_m, middle)
            if mid - half > start + 1e-9:
                end = min(end, mid - half)
            elif mid + half > start + 1e-9:
                free = False
                break
        if free and 0.5 * (end - start) > best_half:
            best_mid, best_half = 0.5 * (start + end), 0.5 * (end - start)
    return best_mid, best_half


@compiled
def _seen(
    from_x: float, from_y: float, blockers: FloatArray, i: int, radius_m: float, middle_rad: float
) -> tuple[float, float, float]:
    """Distance, direction (within half a turn of the middle) and half angle of a blocker."""
    dx, dy = blockers[i, 0] - from_x, blockers[i, 1] - from_y
    gap = math.hypot(dx, dy)
    direction = math.atan2(dy, dx) - middle_rad
    direction = middle_rad + direction - 2.0 * math.pi * math.floor(direction / (2.0 * math.pi) + 0.5)
    wide = blockers[i, 2] + radius_m
    half = math.asin(min(1.0, wide / gap)) if gap > 0.0 else 0.5 * math.pi
    return gap, direction, half


@compiled
def lane_clearance(from_x: float, from_y: float, to_x: float, to_y: float, others: FloatArray) -> float:
    """How near the nearest of some robots is to a straight way; beside its ends counts as well."""
    dx, dy = to_x - from_x, to_y - from_y
    length2 = dx * dx + dy * dy
    nearest = math.inf
    for o in range(len(others)):
        ox, oy = others[o, 0] - from_x, others[o, 1] - from_y
        along = min(1.0, max(0.0, (ox * dx + oy * dy) / length2)) if length2 > 0.0 else 0.0
        nearest = min(nearest, math.hypot(ox - along * dx, oy - along * dy))
    return nearest


@compiled
def way_round(here: FloatArray, to: FloatArray, last: FloatArray, others: FloatArray, berth_m: float, room: FloatArray) -> bool:
    """Turn a goal (`to`) into the next corner of a way to it that keeps a berth from others and stays on the rink.

    Each obstacle is passed on either side; of the two-leg ways the shortest that is free is taken. A corner near the `last`
    one is preferred, or a robot would change its mind right before an obstacle. Returns whether the way is free after it.
    """
    from_x, from_y, to_x, to_y = here[0], here[1], to[0], to[1]
    best, best_x, best_y, best_is_free = math.inf, to_x, to_y, False
    if _free(from_x, from_y, to_x, to_y, others, berth_m):
        return True
    room_x, room_y = room[0], room[1]
    for o in range(len(others)):
        for side in (-1.0, 1.0):
            for scale in (1.15, 1.6):
                ox, oy = others[o, 0], others[o, 1]
                dx, dy = to_x - from_x, to_y - from_y
                length = math.hypot(dx, dy)
                if length == 0.0:
                    return True
                via_x = ox - side * dy / length * berth_m * scale
                via_y = oy + side * dx / length * berth_m * scale
                if abs(via_x) > room_x or abs(via_y) > room_y:
                    continue
                cost = math.hypot(via_x - from_x, via_y - from_y) + math.hypot(to_x - via_x, to_y - via_y)
                cost += _KEEPS_SHARE * math.hypot(via_x - last[0], via_y - last[1])
                if cost >= best:
                    continue
                if not _free(from_x, from_y, via_x, via_y, others, berth_m):
                    cost += 10.0 * room_x
                free_after = _free(via_x, via_y, to_x, to_y, others, berth_m)
                if not free_after:
                    cost += room_x
                if cost < best:
                    best, best_x, best_y, best_is_free = cost, via_x, via_y, free_after
    to[0], to[1] = best_x, best_y
    return best_is_free


@compiled
def _free(from_x: float, from_y: float, to_x: float, to_y: float, others: FloatArray, berth_m: float) -> bool:
    """Whether a straight way keeps its berth; who is nearer than that already may be left, but not approached."""
    dx, dy = to_x - from_x, to_y - from_y
    length2 = dx * dx + dy * dy
    for o in range(len(others)):
        ox, oy = others[o, 0] - from_x, others[o, 1] - from_y
        along = (ox * dx + oy * dy) / length2 if length2 > 0.0 else 0.0
        if along <= 0.0:
            continue
        along = min(1.0, along)
        aside_x, aside_y = ox - along * dx, oy - along * dy
        if aside_x * aside_x + aside_y * aside_y < min(berth_m * berth_m, _LEAVES_SHARE_2 * (ox * ox + oy * oy)):
            return False
    return True
