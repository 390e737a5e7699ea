"""The baseline team: one robot keeps the goal, the nearest goes for the puck, the rest hang back."""

from __future__ import annotations

import math
from zlib import crc32

from robohockey_core.actions import Action, Go, Kick, Orders
from robohockey_core.angles import difference
from robohockey_core.geometry import Point, Segment, bearing, clearance, distance, to_local, to_parent
from robohockey_core.names import GOALKEEPER
from robohockey_core.state import BodyState
from robohockey_strategy.giving_way import GivingWay
from robohockey_strategy.view import TeamView

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
# Another robot in the way is passed at this many times the distance at which two robots could touch.
PASS_REACHES = 1.2
# Shots go at the middle of the goal, or at this share of the way to a post.
CORNER_SHARE = 0.6
# A robot that is nearer than this many lengths before the puck blocks it.
BLOCK_LENGTHS = 1.5
# Where the way of the shot is not open, the next best direction is sought in these steps; those along the boards are added.
AROUND_RAD = tuple(math.radians(angle) for angle in range(-150, 181, 30))
ALONG_BOARDS_RAD = tuple(math.radians(angle) for angle in (0, 90, 180, 270))
# A puck that stays within this many radii, for a time drawn between these, at the robot that pushes it is pinned.
PINNED_RADII = 0.5
PINNED_AFTER_S = (0.4, 1.2)
# Then the robot spins to sweep it out, and if that does not help backs off for a new try.
SPIN_S = 0.9
BACK_OFF_S = 0.5
SPIN_RAD = math.radians(120.0)


class Chaser:
    def __init__(self) -> None:
        self._chaser: int | None = None
        self._rests_at = Point(0.0, 0.0)
        self._rests_since_s = math.inf
        self._patience_s = 0.0
        self._giving_way = GivingWay()

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
            orders[self._chaser] = self._attack(view, view.us[self._chaser], view.puck)
        rights = sorted(view.us, key=lambda number: (number != GOALKEEPER, number != self._chaser))
        for number, there in self._giving_way.places(view, rights).items():
            orders[number] = Go(*there)
        return orders

    def _attack(self, view: TeamView, robot: BodyState, puck: BodyState) -> tuple[Action, ...]:
        """Chase the puck; when it does not yield to pushing, spin, then back off, then start anew."""
        pinned_s = self._rested_s(view, robot, puck) - self._patience_s
        if pinned_s < 0.0:
            return chase(view, robot, puck)
        if pinned_s < SPIN_S:
            return (sweep_out(view, robot, puck),)
        if pinned_s > SPIN_S + BACK_OFF_S:
            self._rests_since_s = math.inf
        return (_back_off(view, robot, puck),)

    def _rested_s(self, view: TeamView, robot: BodyState, puck: BodyState) -> float:
        """How long the puck has hardly moved with this robot at it."""
        radius_m, here = view.league.puck.radius_m, puck.pose.point
        at_it_m = _standoff_m(view) + PINNED_RADII * radius_m
        moved = distance(self._rests_at, here) > PINNED_RADII * radius_m or view.time_s < self._rests_since_s
        if moved or distance(robot.pose.point, here) > at_it_m:
            self._rests_at, self._rests_since_s = here, view.time_s
            # Two teams that do the same at the same time hold the puck for ever. Drawing lots by the last digits
            # of the pose lets one lose patience sooner, and a simulated match can still be repeated.
            shortest_s, longest_s = PINNED_AFTER_S
            self._patience_s = shortest_s + (longest_s - shortest_s) * crc32(repr(robot.pose).encode()) / 2**32
        return view.time_s - self._rests_since_s


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
    league, here = view.league, robot.pose.point
    there = _meeting_point(view, robot, puck)
    push_rad = _push_direction(view, there)
    # A puck at the boards is pushed off centre, from as near to them as a robot fits.
    contact = _inside(view, there)
    approach_rad = bearing(here, contact)
    beside = _past_others(view, here, contact, league.robot.width_m / 2.0)
    if beside != contact:
        return (Go(*beside),)
    if abs(difference(push_rad, approach_rad)) < BEHIND_ANGLE_RAD:
        through = _ahead(contact, approach_rad, PUSH_RADII * league.puck.radius_m)
        speed_m_s = league.robot.max_speed_m_s
        velocity = (speed_m_s * math.cos(approach_rad), speed_m_s * math.sin(approach_rad))
        drive = Go(*through, push_rad, *velocity)
        yaw_rad = robot.pose.yaw_rad
        shoots = _would_score(view, there, yaw_rad) and not _blocked(view, there, yaw_rad)
        return (drive, Kick(1.0)) if shoots else (drive,)
    leg = _round(view, contact, bearing(contact, here), push_rad + math.pi)
    return (Go(*_past_others(view, here, leg, 2.0 * league.robot.circumradius_m), push_rad),)


def _round(view: TeamView, center: Point, from_rad: float, to_rad: float) -> Point:
    """The next place on the way round the puck, by the shorter side or, where the boards are in the way, the other."""
    turn_rad = difference(to_rad, from_rad)
    ways_rad = (turn_rad, turn_rad - math.copysign(2.0 * math.pi, turn_rad))

    def off_rink_m(way_rad: float) -> float:
        legs = max(1, math.ceil(abs(way_rad) / ROUND_ANGLE_RAD))
        stops = (_ahead(center, from_rad + way_rad * leg / legs, _standoff_m(view)) for leg in range(1, legs + 1))
        return max(distance(stop, _inside(view, stop)) for stop in stops)

    way_rad = min(ways_rad, key=lambda way_rad: (off_rink_m(way_rad) > view.league.puck.radius_m, abs(way_rad)))
    leg_rad = min(ROUND_ANGLE_RAD, max(-ROUND_ANGLE_RAD, way_rad))
    return _inside(view, _ahead(center, from_rad + leg_rad, _standoff_m(view)))


def _past_others(view: TeamView, here: Point, goal: Point, berth_m: float) -> Point:
    """The goal, or a place beside the first robot that stands in the way to it."""
    robots = (*view.us.values(), *view.them.values())
    seen = [to_local(here, bearing(here, goal), robot.pose.point) for robot in robots]
    in_way = [at for at in seen if 0.0 < at.x_m < distance(here, goal) and abs(at.y_m) < berth_m]
    if not in_way:
        return goal
    first = min(in_way)
    reach_m = 2.0 * view.league.robot.circumradius_m
    pass_m = math.copysign(PASS_REACHES * reach_m, -first.y_m)
    # Beside it but not yet level with it, so that a robot that touches it comes free first.
    places = [Point(first.x_m - reach_m, first.y_m + side_m) for side_m in (pass_m, -pass_m)]
    besides = [to_parent(here, bearing(here, goal), place) for place in places]
    return min(besides, key=lambda beside: distance(beside, _inside(view, beside)))


def sweep_out(view: TeamView, robot: BodyState, puck: BodyState) -> Go:
    """Spin on the spot so that the puck leaves sideways, on the side that is the better one to push it to."""
    at_rad = bearing(robot.pose.point, puck.pose.point)
    shot_rad = bearing(puck.pose.point, _shot_target(view, puck.pose.point))
    left, right = (_hindrance(view, puck.pose.point, at_rad + side * math.pi / 2.0, shot_rad) for side in (1.0, -1.0))
    turn_rad = SPIN_RAD if left <= right else -SPIN_RAD
    return Go(*robot.pose.point, robot.pose.yaw_rad + turn_rad)


def _back_off(view: TeamView, robot: BodyState, puck: BodyState) -> Go:
    away_rad = bearing(puck.pose.point, robot.pose.point)
    return Go(*_inside(view, _ahead(robot.pose.point, away_rad, _standoff_m(view))))


def _meeting_point(view: TeamView, robot: BodyState, puck: BodyState) -> Point:
    """Where the puck will be when the robot can be there, if it rolls on freely."""
    gap_m = distance(robot.pose.point, puck.pose.point)
    lead_s = min(LONGEST_LEAD_S, gap_m / view.league.robot.max_speed_m_s)
    rink, radius_m = view.league.rink, view.league.puck.radius_m
    room_x_m, room_y_m = rink.length_m / 2.0 - radius_m, rink.width_m / 2.0 - radius_m
    x_m = puck.pose.x_m + lead_s * puck.twist.vx_m_s
    y_m = puck.pose.y_m + lead_s * puck.twist.vy_m_s
    return Point(min(room_x_m, max(-room_x_m, x_m)), min(room_y_m, max(-room_y_m, y_m)))


def _push_direction(view: TeamView, puck: Point) -> float:
    """The direction nearest to that of the shot with room for a robot behind the puck, and for the puck ahead.

    A corner offers none: there the puck is held from the diagonal, where a robot has room to sweep it out.
    """
    shot_rad = bearing(puck, _shot_target(view, puck))
    contact = _inside(view, puck)
    ways = [*(shot_rad + turn_rad for turn_rad in AROUND_RAD), *ALONG_BOARDS_RAD]
    behinds = [_ahead(contact, way + math.pi, _standoff_m(view)) for way in ways]
    with_room = [way for way, behind in zip(ways, behinds, strict=True) if distance(_inside(view, behind), behind) < 1e-9]
    open_ways = [way for way in with_room if not _at_boards(view, puck, way)]
    into_corner_rad = math.atan2(math.copysign(1.0, puck.y_m), math.copysign(1.0, puck.x_m))
    return min(open_ways, key=lambda way: _hindrance(view, puck, way, shot_rad), default=into_corner_rad)


def _hindrance(view: TeamView, puck: Point, heading_rad: float, shot_rad: float) -> tuple[int, float]:
    """What speaks against pushing the puck that way: boards and opponents before it, then the detour.

    Of two ways equally far from the shot's, the one that leads away from our goal is better.
    """
    obstacles = int(_at_boards(view, puck, heading_rad)) + int(_blocked(view, puck, heading_rad))
    turn_rad = difference(heading_rad, shot_rad)
    return obstacles, abs(turn_rad) - 0.1 * math.cos(heading_rad - bearing(view.our_goal, puck))


def _at_boards(view: TeamView, puck: Point, heading_rad: float) -> bool:
    """Whether the puck cannot go that way by a robot's length, because there are boards and no goal."""
    rink, radius_m = view.league.rink, view.league.puck.radius_m
    ahead = _ahead(puck, heading_rad, view.league.robot.length_m)
    # Driven along the boards it may press against them a little.
    at_side = abs(ahead.y_m) > (rink.width_m - radius_m) / 2.0
    at_end = abs(ahead.x_m) > (rink.length_m - radius_m) / 2.0
    return at_side or (at_end and not _would_score(view, puck, heading_rad))


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


def _standoff_m(view: TeamView) -> float:
    """How far from the puck a robot can turn and drive round it without touching it."""
    return view.league.robot.length_m + 2.0 * view.league.puck.radius_m


def _ahead(origin: Point, heading_rad: float, reach_m: float) -> Point:
    return Point(origin.x_m + reach_m * math.cos(heading_rad), origin.y_m + reach_m * math.sin(heading_rad))


def _inside(view: TeamView, point: Point) -> Point:
    """The nearest place at which a robot still clears the boards."""
    margin_m = view.league.robot.circumradius_m
    room_x_m = view.league.rink.length_m / 2.0 - margin_m
    room_y_m = view.league.rink.width_m / 2.0 - margin_m
    return Point(min(room_x_m, max(-room_x_m, point.x_m)), min(room_y_m, max(-room_y_m, point.y_m)))
