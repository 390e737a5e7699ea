"""The rink as rules see it: areas, spots, and where a restart takes place."""

from __future__ import annotations

import math

from robohockey_core.geometry import Point, distance
from robohockey_core.league import League
from robohockey_core.match_state import FACE_OFF, FREE_BALL, FREE_KICK, GOAL_KICK, KICK_OFF, PENALTY, SHOOT_OUT, THROW_IN
from robohockey_core.names import TEAMS, opponent
from robohockey_referee.calls import Restart

SMALL, BIG = "small", "big"
AREAS = (SMALL, BIG)
"""The crease or goal area, and the penalty area."""

CENTRE = Point(0.0, 0.0)

FOUL_RESTARTS = (FACE_OFF, FREE_BALL, FREE_KICK, GOAL_KICK, PENALTY)
STOP_RESTARTS = (FACE_OFF, FREE_BALL, THROW_IN)
"""What may follow a foul, and a stop without one."""


class Ground:
    """Places of a rink, and whose they are: `side` is -1 for the end at -x and 1 for the other."""

    def __init__(self, league: League, ends_swapped: bool = False) -> None:
        self.league = league
        rink = league.rink
        self.half_length_m, self.half_width_m = rink.length_m / 2.0, rink.width_m / 2.0
        self.half_mouth_m = rink.goal_width_m / 2.0
        self.end_m = self.half_length_m + rink.room_behind_goals_m
        """Where the end boards are; goal lines are at half the length."""
        self.net_m = self.half_length_m + rink.goal_depth_m
        """Where the back of a net is."""
        self._areas = {
            SMALL: (self.half_length_m - rink.goal_area_depth_m, rink.goal_area_width_m / 2.0),
            BIG: (self.half_length_m - rink.penalty_area_depth_m, rink.penalty_area_width_m / 2.0),
        }
        # So far from the boards there is room for the puck and a robot behind it.
        self._room_m = 2.2 * league.robot.circumradius_m + 2.0 * league.puck.radius_m
        self._side = dict(zip(TEAMS, (1, -1) if ends_swapped else (-1, 1), strict=True))

    def side(self, team: str) -> int:
        """The end that a team defends."""
        return self._side[team]

    def defender(self, side: float) -> str:
        """The team that defends the end at that sign of x."""
        return TEAMS[0] if (side > 0.0) == (self._side[TEAMS[0]] > 0) else TEAMS[1]

    def area_limits(self, area: str) -> tuple[float, float]:
        """From which |x| and up to which |y| an area reaches."""
        return self._areas[area]

    def area_side(self, area: str, point: Point) -> int:
        """The end in whose area a point lies; 0 where it lies in none."""
        from_x_m, to_y_m = self._areas[area]
        if not from_x_m <= abs(point.x_m) <= self.net_m or abs(point.y_m) > to_y_m:
            return 0
        return 1 if point.x_m > 0.0 else -1

    def outside_m(self, point: Point) -> float:
        """How far a point is outside the boards, rounded corners included; negative inside them."""
        corner_m = self.league.rink.corner_radius_m
        over_x = abs(point.x_m) - (self.end_m - corner_m)
        over_y = abs(point.y_m) - (self.half_width_m - corner_m)
        if over_x > 0.0 and over_y > 0.0:
            return math.hypot(over_x, over_y) - corner_m
        return max(over_x, over_y) - corner_m

    def in_net(self, point: Point, run_on_m: float = 0.0) -> bool:
        """Whether a puck there is behind the goal line and inside the frame of a goal, or has run on through it so far."""
        behind_line = self.half_length_m < abs(point.x_m) <= self.net_m + run_on_m
        return behind_line and abs(point.y_m) <= self.half_mouth_m + run_on_m

    def nearest_dot(self, point: Point) -> Point:
        rink = self.league.rink
        dots = [Point(sx * rink.face_off_x_m, sy * rink.face_off_y_m) for sx in (-1, 1) for sy in (-1, 1)]
        return min(dots, key=lambda dot: distance(dot, point))

    def restart(self, kind: str, near: Point, team: str) -> Restart:
        """The restart of that kind for a team, as near to a place as it may be."""
        if kind in (FACE_OFF, FREE_BALL):
            return Restart(kind, self.nearest_dot(near))
        if kind == KICK_OFF:
            return Restart(kind, CENTRE, team)
        if kind in (PENALTY, SHOOT_OUT):
            return Restart(kind, Point(-self.side(team) * self.league.rink.penalty_spot_x_m, 0.0), team)
        if kind == GOAL_KICK:
            # At the edge of the area, or where the goalkeeper has room behind the puck.
            x_m = min(self._areas[SMALL][0], self.half_length_m - self._room_m)
            return Restart(kind, Point(self.side(team) * x_m, 0.0), team)
        assert kind in (FREE_KICK, THROW_IN), kind
        return Restart(kind, self._with_room(near), team)

    def foul_restart(self, kind: str, place: Point, against: str) -> Restart:
        """The restart after a foul; a free kick within the offender's own penalty area is a penalty."""
        if kind == FREE_KICK and self.area_side(BIG, place) == self.side(against):
            kind = PENALTY
        return self.restart(kind, place, opponent(against))

    def _with_room(self, point: Point) -> Point:
        """The nearest place with room for the puck and a robot on every side of it, out of the penalty areas."""
        x_limit_m, y_limit_m = self.half_length_m - self._room_m, self.half_width_m - self._room_m
        y_m = min(y_limit_m, max(-y_limit_m, point.y_m))
        if abs(y_m) <= self._areas[BIG][1]:
            x_limit_m = min(x_limit_m, self._areas[BIG][0])
        return Point(min(x_limit_m, max(-x_limit_m, point.x_m)), y_m)
