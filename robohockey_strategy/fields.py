"""Artificial potential fields of Chen section III B: terms to put together, sets of them, and where their sum is lowest.

A robot's waypoint is the place of lowest potential in the superposition of its terms over the rink.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from robohockey_core.geometry import Point
from robohockey_core.joints import FloatArray
from robohockey_core.league import League
from robohockey_strategy import field_sums
from robohockey_strategy.view import TeamView

CELL_M = 0.02
"""Width of a grid cell on a small rink; on a large one there are at most this many cells along it."""
MOST_CELLS = 300


class Base(NamedTuple):
    """Eq 1: towards their goal."""

    gain: float = 1.0


class Destination(NamedTuple):
    """Eq 2: towards a place."""

    x_m: float
    y_m: float
    gain: float = 1.0


class Zone(NamedTuple):
    """Eq 3: within the robot's zone of responsibility, a part of the width and, if wanted, of the length."""

    y_low_m: float
    y_high_m: float
    x_low_m: float = -math.inf
    x_high_m: float = math.inf
    gain: float = 2.0


class Sight(NamedTuple):
    """Eq 4: where opponents do not hide the puck."""

    gain: float = 1.0


class Personal(NamedTuple):
    """Eq 5: not near other robots."""

    gain: float = 3.0


Term: TypeAlias = Base | Destination | Zone | Sight | Personal


def offense(view: TeamView, lane: Zone) -> tuple[Term, ...]:
    """Where a player without the puck waits in attack: all five fields (Chen Fig 6). It stays within reach of the puck."""
    assert view.puck is not None
    return (Base(1.0), Destination(*view.puck.pose.point, 0.8), lane, Sight(1.0), Personal())


def defense(view: TeamView, lane: Zone) -> tuple[Term, ...]:
    """Between the puck and our goal, in the robot's lane."""
    assert view.puck is not None
    goal, puck = view.our_goal, view.puck.pose
    return (Destination((goal.x_m + puck.x_m) / 2.0, puck.y_m / 2.0, 2.0), lane._replace(gain=0.3), Personal())


def goal_scoring(view: TeamView) -> tuple[Term, ...]:
    """Where to take the puck before a shot: near their goal, near the puck, out of the shadows."""
    assert view.puck is not None
    return (Base(1.0), Destination(*view.puck.pose.point, 0.5), Sight(1.0), Personal())


def goal_tending(view: TeamView) -> tuple[Term, ...]:
    """Before our goal, where the line from the puck to its middle crosses the keeper's own line."""
    assert view.puck is not None
    rink, goal, puck = view.league.rink, view.our_goal, view.puck.pose
    out_m, half_m = view.league.robot.length_m, rink.goal_width_m / 2.0
    y_m = puck.y_m * min(1.0, out_m / max(puck.x_m - goal.x_m, 1e-6))
    crease = Zone(-half_m, half_m, -math.inf, goal.x_m + rink.goal_area_depth_m)
    return (Destination(goal.x_m + out_m, min(half_m, max(-half_m, y_m))), crease)


class FieldPicture(NamedTuple):
    """A robot's field as cells along x, then y, from the corner at (x_m, y_m) on."""

    values: FloatArray
    x_m: float
    y_m: float
    cell_m: float

    def mirrored(self) -> FieldPicture:
        """As a team that attacks the other way has it: half a turn about centre ice."""
        columns, rows = self.values.shape
        x_m, y_m = -self.x_m - columns * self.cell_m, -self.y_m - rows * self.cell_m
        return FieldPicture(self.values[::-1, ::-1], x_m, y_m, self.cell_m)


class FieldPlanner:
    """Grids for one league. `look` at a view first; then ask for each robot's waypoint, or for its field as a picture."""

    def __init__(self, league: League, cell_m: float = CELL_M, personal_m: float | None = None) -> None:
        rink, robot = league.rink, league.robot
        cell_m = max(cell_m, rink.length_m / MOST_CELLS)
        self.personal_m = personal_m if personal_m is not None else 2.0 * robot.circumradius_m
        self._half_m = robot.circumradius_m + league.puck.radius_m
        # Cells lie where a robot has room, symmetric about centre ice.
        half_x, half_y = (side_m / 2.0 - robot.circumradius_m for side_m in (rink.length_m, rink.width_m))
        self.cell_m = cell_m
        self.xs, self.ys = _cells(half_x, cell_m), _cells(half_y, cell_m)
        shape = (len(self.xs), len(self.ys))
        self._shadows, self._near, self._sum = np.zeros(shape), np.zeros(shape), np.empty(shape)
        self._puck, self._them = np.zeros(2), np.zeros((0, 2))
        self._places: dict[int, FloatArray] = {}
        self._goal = Point(0.0, 0.0)
        self._asked: dict[int, Sequence[Term]] = {}

    def look(self, view: TeamView) -> None:
        """Draw what the robots of the team share."""
        assert view.puck is not None
        self._goal = view.their_goal
        self._puck = np.array(view.puck.pose.point)
        self._them = np.array([robot.pose.point for robot in view.them.values()]).reshape(-1, 2)
        self._places = {number: np.array([robot.pose.point]) for number, robot in view.us.items()}
        self._shadows[:] = self._near[:] = 0.0
        field_sums.draw_shadows(self._shadows, self.xs, self.ys, self._puck, self._them, self._half_m)
        for places in (self._them, *self._places.values()):
            field_sums.draw_discs(self._near, self.xs, self.ys, places, self.personal_m, 1.0)

    def waypoint(self, number: int, terms: Sequence[Term]) -> Point:
        """The place of lowest potential for one robot, to a millimetre."""
        self._asked[number] = terms
        rows = self._rows(terms)
        x_m, y_m, _ = field_sums.lowest(
            rows,
            self._draw(number, rows),
            self.xs,
            self.ys,
            self._puck,
            self._them,
            self._half_m,
            self._others(number),
            self.personal_m,
        )
        return Point(x_m, y_m)

    def grid(self, number: int, terms: Sequence[Term]) -> FloatArray:
        """The potential at every cell, indexed by x and y: for pictures."""
        return self._draw(number, self._rows(terms)).copy()

    def picture(self, number: int) -> FieldPicture | None:
        """The field that a robot's waypoint was last taken from; None when it had none."""
        terms = self._asked.get(number)
        if terms is None:
            return None
        x_m, y_m = (float(side[0]) - self.cell_m / 2.0 for side in (self.xs, self.ys))
        return FieldPicture(self.grid(number, terms), x_m, y_m, self.cell_m)

    def potential(self, number: int, terms: Sequence[Term], place: Point) -> float:
        """The potential at one place."""
        puck_x_m, puck_y_m = self._puck.tolist()
        shadow = any(field_sums.in_shadow(puck_x_m, puck_y_m, o[0], o[1], self._half_m, *place) for o in self._them.tolist())
        near = any(math.dist(other, place) <= self.personal_m for other in self._others(number))
        return float(field_sums.potential(self._rows(terms), float(shadow), float(near), *place))

    def _others(self, number: int) -> FloatArray:
        mates = [place for other, place in self._places.items() if other != number]
        return np.concatenate([self._them, *mates])

    def _draw(self, number: int, rows: FloatArray) -> FloatArray:
        own = self._places.get(number, np.zeros((0, 2)))
        # A robot is not in its own way.
        field_sums.draw_discs(self._near, self.xs, self.ys, own, self.personal_m, -1.0)
        field_sums.draw_potential(rows, self._shadows, self._near, self.xs, self.ys, self._sum)
        field_sums.draw_discs(self._near, self.xs, self.ys, own, self.personal_m, 1.0)
        return self._sum

    def _rows(self, terms: Sequence[Term]) -> FloatArray:
        rows = np.zeros((len(terms), field_sums.TERM_VALUES))
        for row, term in zip(rows, terms, strict=True):
            match term:
                case Base(gain):
                    row[:4] = field_sums.BASE, gain, *self._goal
                case Destination(x_m, y_m, gain):
                    row[:4] = field_sums.DESTINATION, gain, x_m, y_m
                case Zone(y_low_m, y_high_m, x_low_m, x_high_m, gain):
                    row[:] = field_sums.ZONE, gain, x_low_m, x_high_m, y_low_m, y_high_m
                case Sight(gain):
                    row[:2] = field_sums.SIGHT, gain
                case Personal(gain):
                    row[:2] = field_sums.PERSONAL, gain
        return rows


def _cells(half_m: float, cell_m: float) -> FloatArray:
    count = math.floor(half_m / cell_m)
    return cell_m * np.arange(-count, count + 1).astype(np.float64)
