"""From a waypoint to state update vectors: the open loop of Chen section III C, equations 6 to 14, Tables I and II.

Printed as arctan of a quotient, eq 6 loses the quadrant: a waypoint behind the robot would have it drive away from it.
atan2 keeps it, and the turn is the shorter one. The scan of Table I has the two stopping rows twice; they stand once here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from robohockey_core.angles import difference
from robohockey_core.commands import StateUpdate
from robohockey_core.geometry import Point, bearing, distance, to_local, to_parent
from robohockey_core.league import League
from robohockey_core.names import KICKER, RobotId
from robohockey_core.state import Pose2D

LEFT_WHEEL, RIGHT_WHEEL = "left_wheel", "right_wheel"


@dataclass(frozen=True)
class TwoWheels:
    """What the equations need to know of a robot."""

    wheel_radius_m: float
    wheel_base_m: float
    max_wheel_speed_rad_s: float
    kick_angle_rad: float
    max_kicker_speed_rad_s: float

    @classmethod
    def of(cls, league: League) -> TwoWheels:
        """The robot of a league, and its kicker's rod; a solenoid is timed as if it were one."""
        robot, kicker = league.robot, league.kicker
        wheels = (robot.wheel_radius_m, robot.wheel_base_m, robot.max_wheel_speed_rad_s)
        return cls(*wheels, kicker.rod_swing_rad, kicker.rod_speed_rad_s)

    @property
    def max_speed_m_s(self) -> float:
        """Eq 8."""
        return self.max_wheel_speed_rad_s * self.wheel_radius_m

    @property
    def max_turn_rad_s(self) -> float:
        """Eq 9: both wheels at their limit, against each other (eq 7)."""
        return 2.0 * self.max_wheel_speed_rad_s * self.wheel_radius_m / self.wheel_base_m

    @property
    def kicking_s(self) -> float:
        """Eq 13: the kicker's way out, or back."""
        return self.kick_angle_rad / self.max_kicker_speed_rad_s


class Room(NamedTuple):
    """How far from centre ice a robot's centre may be, along x and y."""

    half_x_m: float
    half_y_m: float

    def holds(self, place: Point) -> bool:
        return self.nearest(place) == place

    def nearest(self, place: Point) -> Point:
        """The place within it that is nearest to a place."""
        half_x_m, half_y_m = self
        return Point(min(half_x_m, max(-half_x_m, place.x_m)), min(half_y_m, max(-half_y_m, place.y_m)))


@dataclass(frozen=True)
class Leg:
    """One navigation movement: turn to face the waypoint, then drive straight to it."""

    turning_rad: float
    turning_s: float
    forward_m: float
    forward_s: float


def leg_to(robot: TwoWheels, pose: Pose2D, waypoint: Point) -> Leg:
    """Eq 6 and 10 to 12. A waypoint where the robot stands needs neither turn nor drive."""
    forward_m = distance(pose.point, waypoint)  # eq 11
    turning_rad = difference(bearing(pose.point, waypoint), pose.yaw_rad) if forward_m > 0.0 else 0.0  # eq 6
    return Leg(turning_rad, abs(turning_rad) / robot.max_turn_rad_s, forward_m, forward_m / robot.max_speed_m_s)


def navigation(who: RobotId, robot: TwoWheels, leg: Leg, now_s: float) -> list[StateUpdate]:
    """Table I: turn, drive, stop. To turn right the wheels change signs."""
    fastest = robot.max_wheel_speed_rad_s
    turn = math.copysign(fastest, leg.turning_rad)
    drive_s = now_s + leg.turning_s
    stop_s = drive_s + leg.forward_s
    rows = ((-turn, turn, now_s), (fastest, fastest, drive_s), (0.0, 0.0, stop_s))
    return [
        StateUpdate(who, part, omega, 0.0, start_s)
        for left, right, start_s in rows
        for part, omega in ((LEFT_WHEEL, left), (RIGHT_WHEEL, right))
    ]


def kick(who: RobotId, robot: TwoWheels, start_s: float) -> list[StateUpdate]:
    """Table II: the kicker swings out, back home from eq 14's time on, and rests."""
    omega = robot.max_kicker_speed_rad_s
    back_s = start_s + robot.kicking_s
    rows = ((omega, start_s), (-omega, back_s), (0.0, back_s + robot.kicking_s))
    return [StateUpdate(who, KICKER, speed, 0.0, at_s) for speed, at_s in rows]


def navigate_and_kick(who: RobotId, robot: TwoWheels, pose: Pose2D, waypoint: Point, now_s: float) -> list[StateUpdate]:
    """Tables I and II, the second appended to the end of the first."""
    leg = leg_to(robot, pose, waypoint)
    return [*navigation(who, robot, leg, now_s), *kick(who, robot, now_s + leg.turning_s + leg.forward_s)]


def split_path(start: Point, goal: Point, sensing_range_m: float) -> list[Point]:
    """Fig 7: waypoints on the straight path, each a sensing range from the last, then the goal."""
    count = max(1, math.ceil(distance(start, goal) / sensing_range_m - 1e-9))
    reach = [min(1.0, leg * sensing_range_m / distance(start, goal)) for leg in range(1, count)]
    return [*(Point(start.x_m + s * (goal.x_m - start.x_m), start.y_m + s * (goal.y_m - start.y_m)) for s in reach), goal]


def first_waypoint(start: Point, goal: Point, sensing_range_m: float, others: Iterable[Point], room: Room) -> Point:
    """Fig 8: the first waypoint of the path, turned by 90 degrees when another robot is in sensing range ahead.

    To the left or the right: away from the nearest one, unless that leads out of the rink. Who is beside or behind is no
    obstacle, or two robots would never part. Where both ways lead out, as in a corner, the first one ends at the boards.
    """
    waypoint = split_path(start, goal, sensing_range_m)[0]
    heading_rad = bearing(start, waypoint)
    seen = (to_local(start, heading_rad, other) for other in others)
    ahead = [at for at in seen if at.x_m > 0.0 and math.hypot(*at) <= sensing_range_m]
    if not ahead or distance(start, goal) <= min(math.hypot(*at) for at in ahead):
        return waypoint
    nearest = min(ahead, key=lambda at: math.hypot(*at))
    reach_m = distance(start, waypoint)
    aside_m = -math.copysign(reach_m, nearest.y_m)
    ways = [to_parent(start, heading_rad, Point(0.0, side_m)) for side_m in (aside_m, -aside_m)]
    return next(filter(room.holds, ways), room.nearest(ways[0]))
