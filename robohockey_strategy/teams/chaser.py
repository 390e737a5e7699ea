"""The baseline team: one robot keeps the goal, the nearest goes for the puck, the rest hang back."""

from __future__ import annotations

import math

from robohockey_core.actions import Action, Go, Kick, Orders
from robohockey_core.angles import difference
from robohockey_core.geometry import Point, Segment, bearing, clearance, distance, to_local
from robohockey_core.state import BodyState
from robohockey_strategy.view import TeamView

GOALKEEPER = 0

KEEPER_REACH_LENGTHS = 2.0
# A robot within this angle of the line along which it wants to push counts as being behind the puck.
BEHIND_ANGLE_RAD = math.radians(25.0)
# Round the puck in legs of at most this angle, so that the way there does not lead through it.
ROUND_ANGLE_RAD = math.radians(60.0)
# Driving on past the puck by this many puck radii pushes it instead of stopping at it.
PUSH_RADII = 6.0
# Another robot takes over the chase only when it is nearer by this much, so that two do not dither.
TAKE_OVER_MARGIN_M = 0.1
# A moving puck is met where it will be, but nobody knows what it does later than this.
LONGEST_LEAD_S = 0.6
# Shots go at the middle of the goal, or at this share of the way to a post.
CORNER_SHARE = 0.6
# A robot that is nearer than this many lengths before the puck blocks it.
BLOCK_LENGTHS = 1.5
# Where the boards leave no room behind the puck, the next best direction is sought in these steps.
AROUND_RAD = tuple(sign * math.radians(angle) for angle in range(0, 181, 30) for sign in (1.0, -1.0))


class Chaser:
    def __init__(self) -> None:
        self._chaser: int | None = None

    def decide(self, view: TeamView) -> Orders:
        """One robot keeps, one chases, the others wait behind the puck."""
        if view.puck is None:
            return {}
        orders: dict[int, Action | tuple[Action, ...]] = {}
        field_players = [number for number in view.us if number != GOALKEEPER]
        keeper_clears = not field_players or _within_keepers_reach(view, view.puck)
        candidates = list(view.us.keys() & {GOALKEEPER}) if keeper_clears else field_players
        self._chaser = _pick_chaser(view, view.puck, candidates, self._chaser)
        waiting = [number for number in field_players if number != self._chaser]
        for place, number in enumerate(waiting):
            orders[number] = _hang_back(view, view.puck, place, len(waiting))
        if GOALKEEPER in view.us:
            orders[GOALKEEPER] = _keep_goal(view, view.puck)
        if self._chaser is not None:
            orders[self._chaser] = chase(view, view.us[self._chaser], view.puck)
        return orders


def _within_keepers_reach(view: TeamView, puck: BodyState) -> bool:
    """A puck beside the keeper and before our goal is its own: a team mate would only get in its way."""
    keeper = view.us.get(GOALKEEPER)
    if keeper is None or puck.pose.x_m > _crease_x_m(view):
        return False
    return distance(keeper.pose.point, puck.pose.point) < KEEPER_REACH_LENGTHS * view.league.robot.length_m


def _pick_chaser(view: TeamView, puck: BodyState, candidates: list[int], current: int | None) -> int | None:
    if not candidates:
        return None

    def reach(number: int) -> float:
        gap_m = distance(view.us[number].pose.point, puck.pose.point)
        return gap_m - TAKE_OVER_MARGIN_M if number == current else gap_m

    return min(candidates, key=reach)


def chase(view: TeamView, robot: BodyState, puck: BodyState) -> tuple[Action, ...]:
    """Get behind the puck, then drive it at the goal and kick."""
    league = view.league
    here, there = robot.pose.point, _meeting_point(view, robot, puck)
    standoff_m = league.robot.length_m + 2.0 * league.puck.radius_m
    push_rad = _push_direction(view, there, standoff_m)
    approach_rad = bearing(here, there)
    off_line_rad = difference(push_rad, approach_rad)
    if abs(off_line_rad) < BEHIND_ANGLE_RAD:
        through = _ahead(there, approach_rad, PUSH_RADII * league.puck.radius_m)
        speed_m_s = league.robot.max_speed_m_s
        velocity = (speed_m_s * math.cos(approach_rad), speed_m_s * math.sin(approach_rad))
        drive = Go(*through, push_rad, *velocity)
        return (drive, Kick(1.0)) if _would_score(view, there, robot.pose.yaw_rad) else (drive,)
    # Seen from the puck we stand opposite to our approach: go round it towards the place behind it.
    leg_rad = min(ROUND_ANGLE_RAD, max(-ROUND_ANGLE_RAD, off_line_rad))
    return (Go(*_inside(view, _ahead(there, approach_rad + math.pi + leg_rad, standoff_m)), push_rad),)


def _meeting_point(view: TeamView, robot: BodyState, puck: BodyState) -> Point:
    """Where the puck will be when the robot can be there, if it rolls on freely."""
    gap_m = distance(robot.pose.point, puck.pose.point)
    lead_s = min(LONGEST_LEAD_S, gap_m / view.league.robot.max_speed_m_s)
    rink, radius_m = view.league.rink, view.league.puck.radius_m
    room_x_m, room_y_m = rink.length_m / 2.0 - radius_m, rink.width_m / 2.0 - radius_m
    x_m = puck.pose.x_m + lead_s * puck.twist.vx_m_s
    y_m = puck.pose.y_m + lead_s * puck.twist.vy_m_s
    return Point(min(room_x_m, max(-room_x_m, x_m)), min(room_y_m, max(-room_y_m, y_m)))


def _push_direction(view: TeamView, puck: Point, standoff_m: float) -> float:
    """The direction nearest to that of the shot with room for a robot behind the puck, and for the puck ahead.

    At the boards that is along them, before an opponent past it; of two equally good ones, the one that leads
    away from our goal.
    """
    shot_rad = bearing(puck, _shot_target(view, puck))
    away_rad = bearing(view.our_goal, puck)

    def detour(turn_rad: float) -> float:
        return abs(turn_rad) - 0.1 * math.cos(shot_rad + turn_rad - away_rad)

    ways = [shot_rad + turn_rad for turn_rad in sorted(AROUND_RAD, key=detour)]
    behinds = {way: _ahead(puck, way + math.pi, standoff_m) for way in ways}
    with_room = [way for way in ways if _inside(view, behinds[way]) == behinds[way]]
    free = [way for way in with_room if not _blocked(view, puck, way)]
    return next(iter((*free, *with_room, shot_rad)))


def _blocked(view: TeamView, puck: Point, heading_rad: float) -> bool:
    """Whether an opponent stands right before the puck."""
    robot, lane_m = view.league.robot, view.league.robot.width_m / 2.0 + view.league.puck.radius_m
    seen = (to_local(puck, heading_rad, opponent.pose.point) for opponent in view.them.values())
    return any(0.0 < at.x_m < BLOCK_LENGTHS * robot.length_m and abs(at.y_m) < lane_m for at in seen)


def _shot_target(view: TeamView, puck: Point) -> Point:
    """The place in their goal whose line from the puck passes farthest from their robots; the middle if it is free."""
    goal = view.their_goal
    corner_m = CORNER_SHARE * view.league.rink.goal_width_m / 2.0
    free_m = view.league.robot.circumradius_m + view.league.puck.radius_m
    targets = [Point(goal.x_m, y_m) for y_m in (0.0, corner_m, -corner_m)]

    def room(target: Point) -> float:
        line = Segment(puck, target)
        return min([free_m, *(clearance(line, robot.pose.point) for robot in view.them.values())])

    return max(targets, key=room)


def _would_score(view: TeamView, puck: Point, heading_rad: float) -> bool:
    """Whether a shot along the heading crosses their goal line between the posts."""
    ahead_m = view.their_goal.x_m - puck.x_m
    if math.cos(heading_rad) <= 0.0 or ahead_m <= 0.0:
        return False
    mouth_m = view.league.rink.goal_width_m / 2.0 - view.league.puck.radius_m
    return abs(puck.y_m + ahead_m * math.tan(heading_rad)) < mouth_m


def _hang_back(view: TeamView, puck: BodyState, place: int, count: int) -> Go:
    """Spread over the width, between the puck and our goal but out of the keeper's way, facing the puck."""
    width_m = view.league.rink.width_m
    x_m = max(_crease_x_m(view), (puck.pose.x_m + view.our_goal.x_m) / 2.0)
    y_m = width_m * ((place + 1) / (count + 1) - 0.5) * 0.8
    if count == 1:
        y_m = -math.copysign(width_m * 0.2, puck.pose.y_m)
    spot = _inside(view, Point(x_m, y_m))
    return Go(*spot, bearing(spot, puck.pose.point))


def _crease_x_m(view: TeamView) -> float:
    """How far out the keeper's realm reaches."""
    return view.our_goal.x_m + 2.0 * view.league.rink.goal_area_depth_m


def _keep_goal(view: TeamView, puck: BodyState) -> Go:
    """Stand on the line between puck and goal, just before the goal, within the posts."""
    rink = view.league.rink
    x_m = view.our_goal.x_m + view.league.robot.length_m
    half_mouth_m = rink.goal_width_m / 2.0 - view.league.robot.width_m / 4.0
    ahead_m = max(puck.pose.x_m - view.our_goal.x_m, 1e-6)
    y_m = puck.pose.y_m * (x_m - view.our_goal.x_m) / ahead_m
    y_m = min(half_mouth_m, max(-half_mouth_m, y_m))
    return Go(x_m, y_m, math.pi / 2.0)


def _ahead(origin: Point, heading_rad: float, reach_m: float) -> Point:
    return Point(origin.x_m + reach_m * math.cos(heading_rad), origin.y_m + reach_m * math.sin(heading_rad))


def _inside(view: TeamView, point: Point) -> Point:
    """The nearest place at which a robot still clears the boards."""
    margin_m = view.league.robot.circumradius_m
    room_x_m = view.league.rink.length_m / 2.0 - margin_m
    room_y_m = view.league.rink.width_m / 2.0 - margin_m
    return Point(min(room_x_m, max(-room_x_m, point.x_m)), min(room_y_m, max(-room_y_m, point.y_m)))
