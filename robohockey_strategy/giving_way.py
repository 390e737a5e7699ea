"""Two mates that block each other: the one with the lesser right steps aside for a moment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from robohockey_core.geometry import Point, distance
from robohockey_strategy.view import TeamView

# Mates nearer than this many circumradii block each other while one of them is slower than this share of the top speed.
NEAR_RADII = 2.4
SLOW_SHARE = 0.12
# So long they may; a look in between at which they did not is a camera's noise.
PATIENCE_S = 0.7
NOISE_S = 0.25
ASIDE_S = 0.6
ASIDE_LENGTHS = 2.0
_WAYS = 8


class GivingWay:
    """Belongs to one team. Ask once at every decision."""

    def __init__(self) -> None:
        self._since: dict[tuple[int, int], tuple[float, float]] = {}
        self._aside: dict[int, tuple[float, Point]] = {}

    def places(self, view: TeamView, rights: Sequence[int]) -> dict[int, Point]:
        """Where robots go that give way now. `rights` are all robots that play, who has the most right first."""
        for first, second in combinations(rights, 2):
            if self._blocked_s(view, first, second) > PATIENCE_S and first not in self._aside:
                self._aside[second] = (view.time_s, _away(view, second, first))
                self._since.clear()
        self._aside = {n: (at_s, place) for n, (at_s, place) in self._aside.items() if 0.0 <= view.time_s - at_s < ASIDE_S}
        return {number: place for number, (_, place) in self._aside.items() if number in view.us}

    def _blocked_s(self, view: TeamView, first: int, second: int) -> float:
        """How long two have been in each other's way."""
        pair, now_s = (first, second) if first < second else (second, first), view.time_s
        a, b = view.us[first], view.us[second]
        near = distance(a.pose.point, b.pose.point) < NEAR_RADII * view.league.robot.circumradius_m
        slow = min(a.twist.speed_m_s, b.twist.speed_m_s) < SLOW_SHARE * view.league.robot.max_speed_m_s
        since_s, last_s = self._since.get(pair, (now_s, now_s))
        if near and slow:
            self._since[pair] = since_s, now_s
        elif not 0.0 <= now_s - last_s < NOISE_S:
            self._since.pop(pair, None)
            return 0.0
        return now_s - since_s


def _away(view: TeamView, number: int, mate: int) -> Point:
    """A place beside a robot that is far from its mate, and on the rink."""
    rink, robot = view.league.rink, view.league.robot
    here, other = view.us[number].pose.point, view.us[mate].pose.point
    room_x_m, room_y_m = (side_m / 2.0 - robot.circumradius_m for side_m in (rink.length_m, rink.width_m))
    step_m = ASIDE_LENGTHS * robot.length_m
    spots = (
        Point(
            min(room_x_m, max(-room_x_m, here.x_m + step_m * math.cos(math.tau * way / _WAYS))),
            min(room_y_m, max(-room_y_m, here.y_m + step_m * math.sin(math.tau * way / _WAYS))),
        )
        for way in range(_WAYS)
    )
    return max(spots, key=lambda spot: distance(spot, other))
