"""The baseline team: one robot keeps the goal, the nearest goes for the puck, the rest hang back."""

from __future__ import annotations

import math

from robohockey_core.actions import Action, Go, Kick, Orders
from robohockey_core.geometry import Point, bearing, distance
from robohockey_core.state import BodyState
from robohockey_strategy.view import TeamView

GOALKEEPER = 0

# A robot within this angle of the line through puck and goal counts as being behind the puck.
BEHIND_ANGLE_RAD = math.radians(25.0)
# Driving on past the puck by this many puck radii pushes it instead of stopping at it.
PUSH_RADII = 6.0
# Another robot takes over the chase only when it is nearer by this much, so that two do not dither.
TAKE_OVER_MARGIN_M = 0.1


class Chaser:
    def __init__(self) -> None:
        self._chaser: int | None = None

    def decide(self, view: TeamView) -> Orders:
        """One robot keeps, one chases, the others wait behind the puck."""
        if view.puck is None:
            return {}
        orders: dict[int, Action | tuple[Action, ...]] = {}
        field_players = [number for number in view.us if number != GOALKEEPER] or list(view.us)
        self._chaser = _pick_chaser(view, view.puck, field_players, self._chaser)
        waiting = [number for number in field_players if number != self._chaser]
        for place, number in enumerate(waiting):
            orders[number] = _hang_back(view, view.puck, place, len(waiting))
        if GOALKEEPER in view.us:
            orders[GOALKEEPER] = _keep_goal(view, view.puck)
        if self._chaser is not None:
            orders[self._chaser] = chase(view, view.us[self._chaser], view.puck)
        return orders


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
    aim_rad = bearing(puck.pose.point, view.their_goal)
    approach_rad = bearing(robot.pose.point, puck.pose.point)
    off_line_rad = abs(math.remainder(approach_rad - aim_rad, math.tau))
    touching_m = league.robot.length_m / 2.0 + league.puck.radius_m
    if off_line_rad < BEHIND_ANGLE_RAD:
        push_m = PUSH_RADII * league.puck.radius_m
        through = _ahead(puck.pose.point, approach_rad, push_m)
        speed_m_s = league.robot.max_speed_m_s
        velocity = (speed_m_s * math.cos(approach_rad), speed_m_s * math.sin(approach_rad))
        return Go(*through, approach_rad, *velocity), Kick(1.0)
    behind = _ahead(puck.pose.point, aim_rad + math.pi, 2.0 * touching_m)
    if off_line_rad > math.pi / 2.0:
        # The puck is between us and the place behind it: go round on the side we are on.
        side = math.copysign(1.0, math.remainder(approach_rad - aim_rad, math.tau))
        behind = _ahead(puck.pose.point, aim_rad + side * math.pi / 2.0 + math.pi, 2.5 * touching_m)
    return (Go(*_inside(view, behind)),)


def _hang_back(view: TeamView, puck: BodyState, place: int, count: int) -> Go:
    """Spread over the width, between the puck and our goal, facing the puck."""
    width_m = view.league.rink.width_m
    x_m = (puck.pose.x_m + view.our_goal.x_m) / 2.0
    y_m = width_m * ((place + 1) / (count + 1) - 0.5) * 0.8
    if count == 1:
        y_m = -math.copysign(width_m * 0.2, puck.pose.y_m)
    spot = _inside(view, Point(x_m, y_m))
    return Go(*spot, bearing(spot, puck.pose.point))


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
