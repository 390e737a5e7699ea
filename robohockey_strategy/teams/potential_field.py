"""The planner of Chen section III B as published: waypoints by potential fields, the puck-handler's action by chance.

What the paper leaves open is filled in plainly: the gains, and which fields make up each set but the offense's; a draw holds
for a second, for a handler that draws at every decision finishes nothing; a goalkeeper may handle a puck beside it; the team
without the puck sends its nearest robot to it. What a robot does to the puck is done by the skills that all teams share, which
meet a moving puck and do not swing it past their own goal.
"""

from __future__ import annotations

import math
from itertools import pairwise

from robohockey_core.actions import Go, Orders
from robohockey_core.geometry import Point, bearing, distance
from robohockey_core.names import GOALKEEPER
from robohockey_strategy.fields import (
    Destination,
    FieldPicture,
    FieldPlanner,
    Sight,
    Zone,
    defense,
    goal_scoring,
    goal_tending,
    offense,
    passing,
)
from robohockey_strategy.skills import Order, Shot, Skills
from robohockey_strategy.view import TeamView

SHOOT, PASS, CARRY = "shoot", "pass", "carry"
# The handler draws anew after this time, or when another one has become the handler.
CHOICE_S = 1.0
# The nearest robot remains the handler until another is nearer by this share of the rink's length.
TAKE_OVER_SHARE = 0.03
KEEPER_REACH_LENGTHS = 2.0
# Places of the goal mouth that are looked at, to either side of its middle.
MOUTH_PLACES = 4


class PotentialField:
    """On offense the robot nearest to the puck handles it, by chance: shoot, pass or carry. All others follow their fields."""

    def __init__(self) -> None:
        self._planner: FieldPlanner | None = None
        self._skills: Skills | None = None
        self._handler: int | None = None
        self._choice, self._mate = SHOOT, -1
        self._chosen_s = -CHOICE_S

    def decide(self, view: TeamView) -> Orders:
        """Waypoints from the fields; the handler acts on the puck."""
        if view.puck is None:
            return {}
        if self._planner is None or self._skills is None:
            self._planner, self._skills = FieldPlanner(view.league), Skills(view.league)
        self._planner.look(view)
        self._skills.look(view)
        players = [number for number in view.us if number != GOALKEEPER] or list(view.us)
        if not players:
            return {}
        keeper_may = [GOALKEEPER] if GOALKEEPER in view.us and _in_keepers_reach(view) else []
        handler = self._pick_handler(view, [*players, *keeper_may])
        attacks = self._on_offense(view, handler)
        orders: dict[int, Order] = {}
        for number, lane in zip(players, _lanes(view, len(players)), strict=True):
            terms = offense(view, lane) if attacks else defense(view, lane)
            place = self._planner.waypoint(number, terms)
            orders[number] = self._skills.go(number, place, bearing(place, view.puck.pose.point), round_puck=True)
        if GOALKEEPER in view.us:
            orders[GOALKEEPER] = self._tend_goal(view)
        mates = [number for number in players if number != handler]
        if attacks:
            self._draw(view, mates)
            orders[handler] = self._handle(view, self._planner, self._skills, handler)
        else:
            orders[handler] = self._skills.play_puck(handler, self._goal_shot(view))
        return orders

    def _tend_goal(self, view: TeamView) -> Order:
        assert self._planner is not None
        place = self._planner.waypoint(GOALKEEPER, goal_tending(view))
        return (Go(*place, _across(view, GOALKEEPER)),)

    def _pick_handler(self, view: TeamView, players: list[int]) -> int:
        assert view.puck is not None
        puck = view.puck.pose.point
        margin_m = TAKE_OVER_SHARE * view.league.rink.length_m

        def gap_m(number: int) -> float:
            return distance(view.us[number].pose.point, puck) - (margin_m if number == self._handler else 0.0)

        handler = min(players, key=gap_m)
        if handler != self._handler:
            self._handler, self._chosen_s = handler, -CHOICE_S
        return handler

    def _on_offense(self, view: TeamView, handler: int) -> bool:
        """A team is on offense while its handler is nearer to the puck than any opponent."""
        assert view.puck is not None
        puck = view.puck.pose.point
        theirs_m = min((distance(robot.pose.point, puck) for robot in view.them.values()), default=float("inf"))
        return distance(view.us[handler].pose.point, puck) <= theirs_m

    def _draw(self, view: TeamView, mates: list[int]) -> None:
        """Draw the handler's action; it holds for a while, or nothing would ever be finished."""
        if 0.0 <= view.time_s - self._chosen_s < CHOICE_S and (self._choice != PASS or self._mate in mates):
            return
        self._choice = view.random.choice((SHOOT, PASS, CARRY) if mates else (SHOOT, CARRY))
        self._mate = view.random.choice(mates) if mates else -1
        self._chosen_s = view.time_s

    def field(self, number: int) -> FieldPicture | None:
        """The field that a robot follows, for pictures."""
        return self._planner.picture(number) if self._planner is not None else None

    def _handle(self, view: TeamView, planner: FieldPlanner, skills: Skills, handler: int) -> Order:
        """Act by the choice that was drawn."""
        assert view.puck is not None
        if self._choice == PASS:
            return skills.pass_into(handler, planner.waypoint(handler, passing(view, self._mate)))
        if self._choice == CARRY:
            place = planner.waypoint(handler, goal_scoring(view))
            if skills.dribbles and skills.holds(handler):
                return skills.carry(handler, place)
            return skills.play_puck(handler, Shot(bearing(view.puck.pose.point, place), 0.0))
        return skills.play_puck(handler, self._goal_shot(view))

    def _goal_shot(self, view: TeamView) -> Shot:
        """At the place of their goal mouth with the lowest potential: in sight of the puck, and near the middle."""
        assert view.puck is not None and self._planner is not None
        puck, goal = view.puck.pose.point, view.their_goal
        half_m = view.league.rink.goal_width_m / 2.0 - view.league.puck.radius_m
        mouth = [Point(goal.x_m, half_m * share / MOUTH_PLACES) for share in range(-MOUTH_PLACES, MOUTH_PLACES + 1)]
        terms = (Destination(*goal), Sight(2.0 * half_m))
        assert self._handler is not None
        target = self._planner.lowest_among(self._handler, terms, mouth)
        margin_m = max(0.5 * view.league.puck.radius_m, half_m - abs(target.y_m))
        return Shot(bearing(puck, target), min(0.2, margin_m / max(distance(puck, target), 1e-6)))


def _lanes(view: TeamView, count: int) -> list[Zone]:
    """Zones side by side over the width. Of an odd number the middle one is a centre's, with half of the width (eq 3)."""
    width_m = view.league.rink.width_m
    if count == 1:
        return [Zone(-width_m / 2.0, width_m / 2.0)]
    edges = [-width_m / 2.0 + width_m * lane / count for lane in range(count + 1)]
    lanes = [Zone(low, high) for low, high in pairwise(edges)]
    if count % 2 == 1:
        lanes[count // 2] = Zone(-width_m / 4.0, width_m / 4.0)
    return lanes


def _in_keepers_reach(view: TeamView) -> bool:
    """A puck beside the keeper may be the keeper's to handle; for one farther away it does not leave the goal."""
    assert view.puck is not None
    reach_m = KEEPER_REACH_LENGTHS * view.league.robot.length_m
    return distance(view.us[GOALKEEPER].pose.point, view.puck.pose.point) < reach_m


def _across(view: TeamView, number: int) -> float:
    """Across the goal, whichever way is nearer."""
    return math.copysign(math.pi / 2.0, view.us[number].pose.yaw_rad)
