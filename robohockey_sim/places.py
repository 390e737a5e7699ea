"""Which places bodies may be put to: on the ice, and in nobody."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from robohockey_core.checked import InputError
from robohockey_core.geometry import OrientedBox, Point, outline_clearance, to_local
from robohockey_core.league import League
from robohockey_core.names import PUCK
from robohockey_core.state import BodyState
from robohockey_sim.boundary import nearest_inside, puck_gap

# Places are given in decimal fractions: this much of an overlap is rounding.
_TOUCHING_M = 1e-6


class Places:
    """The rink of a league, as those who are put somewhere find it."""

    def __init__(self, league: League, constants: Any) -> None:
        self._league, self._constants = league, constants
        rink = league.rink
        middle_m = rink.length_m / 2.0 + rink.goal_depth_m / 2.0
        self._goals = [
            OrientedBox(Point(side * middle_m, 0.0), 0.0, rink.goal_depth_m, rink.goal_width_m)
            for side in (-1.0, 1.0)
            if rink.room_behind_goals_m > 0.0
        ]

    def refuse_bad(self, what: str, bodies: Mapping[str, BodyState], moved: Mapping[str, BodyState]) -> None:
        """Raise InputError where one that is moved would be outside or in another."""
        for name in moved:
            over_m = self._over_boards_m(name, bodies[name])
            if over_m > _TOUCHING_M:
                rink, pose = self._league.rink, bodies[name].pose
                length_m = rink.length_m + 2.0 * rink.room_behind_goals_m
                raise InputError(
                    f"{what}: {name} at ({pose.x_m:g}, {pose.y_m:g}) is {over_m:g} m outside; allowed: within "
                    f"{length_m:g} x {rink.width_m:g} m around the centre, corners rounded by {rink.corner_radius_m:g} m"
                    + (", and not in a net" if self._goals else "")
                )
            for other, state in bodies.items():
                overlap_m = self._overlap_m(name, bodies[name], other, state) if other != name else 0.0
                if overlap_m > _TOUCHING_M:
                    raise InputError(f"{what}: {name} would overlap {other} by {overlap_m:g} m; allowed: {_TOUCHING_M} m")

    def _over_boards_m(self, name: str, body: BodyState) -> float:
        if name == PUCK:
            return float(max(0.0, -puck_gap(self._constants, *body.pose.point)[0]))
        box = self._box(body)
        over_m = max(math.dist(corner, nearest_inside(self._constants, *corner, 0.0)) for corner in box.corners())
        return max(over_m, *(goal.overlap(box) for goal in self._goals)) if self._goals else over_m

    def _overlap_m(self, name: str, body: BodyState, other: str, other_body: BodyState) -> float:
        if PUCK not in (name, other):
            return self._box(body).overlap(self._box(other_body))
        puck, robot = (body, other_body) if name == PUCK else (other_body, body)
        local = to_local(robot.pose.point, robot.pose.yaw_rad, puck.pose.point)
        return self._league.puck.radius_m - outline_clearance(self._league.robot.corners_m, local)

    def _box(self, body: BodyState) -> OrientedBox:
        return OrientedBox(body.pose.point, body.pose.yaw_rad, self._league.robot.length_m, self._league.robot.width_m)
