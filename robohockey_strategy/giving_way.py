"""Two mates that block each other: one gives way for a moment, and if that does not help, the other one does."""

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
# Who gave way so lately to no avail has the other do it.
LATELY_S = 2.0


class GivingWay:
    """Belongs to one team. Ask once at every decision."""

    def __init__(self) -> None:
        self._since: dict[tuple[int, int], tuple[float, float]] = {}
        self._aside: dict[int, tuple[float, Point]] = {}
        self._gave_way: dict[frozenset[int], tuple[int, float]] = {}

    def places(self, view: TeamView, rights: Sequence[int]) -> dict[int, Point]:
        """Where robots go that give way now. `rights` are all robots that play, who has the most right first."""
        for first, second in combinations(rights, 2):
            if self._blocked_s(view, first, second) <= PATIENCE_S:
                continue
            pair = frozenset((first, second))
            number, gave_way_s = self._gave_way.get(pair, (first, -math.inf))
            yields = first if number == second and 0.0 <= view.time_s - gave_way_s < LATELY_S else second
            self._gave_way[pair] = yields, view.time_s
            mate = first if yields == second else second
            self._aside[yields] = (view.time_s, _away(view, yields, mate))
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
    """Straight on or straight back, whichever leads away from the mate: who is wedged in cannot turn."""
    rink, robot = view.league.rink, view.league.robot
    pose, other = view.us[number].pose, view.us[mate].pose.point
    room_x_m, room_y_m = (side_m / 2.0 - robot.circumradius_m for side_m in (rink.length_m, rink.width_m))
    spots = []
    for step_m in (ASIDE_LENGTHS * robot.length_m, -ASIDE_LENGTHS * robot.length_m):
        x_m, y_m = pose.x_m + step_m * math.cos(pose.yaw_rad), pose.y_m + step_m * math.sin(pose.yaw_rad)
        spots.append(Point(min(room_x_m, max(-room_x_m, x_m)), min(room_y_m, max(-room_y_m, y_m))))
    return max(spots, key=lambda spot: distance(spot, other))
