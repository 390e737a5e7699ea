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
_NOBODY = -1


Row: TypeAlias = tuple[float, float, float, float, float, float]
"""A term as `field_sums` reads it."""


class Base(NamedTuple):
    """Eq 1: towards their goal."""

    gain: float = 1.0

    def row(self, goal: Point) -> Row:
        return field_sums.BASE, self.gain, goal.x_m, goal.y_m, 0.0, 0.0


class Destination(NamedTuple):
    """Eq 2: towards a place."""

    x_m: float
    y_m: float
    gain: float = 1.0

    def row(self, _goal: Point) -> Row:
        return field_sums.DESTINATION, self.gain, self.x_m, self.y_m, 0.0, 0.0


class Zone(NamedTuple):
    """Eq 3: within the robot's zone of responsibility, a part of the width and, if wanted, of the length."""

    y_low_m: float
    y_high_m: float
    x_low_m: float = -math.inf
    x_high_m: float = math.inf
    gain: float = 2.0

    def row(self, _goal: Point) -> Row:
        return field_sums.ZONE, self.gain, self.x_low_m, self.x_high_m, self.y_low_m, self.y_high_m


class Sight(NamedTuple):
    """Eq 4: where opponents do not hide the puck."""

    gain: float = 1.0

    def row(self, _goal: Point) -> Row:
        return field_sums.SIGHT, self.gain, 0.0, 0.0, 0.0, 0.0


class Personal(NamedTuple):
    """Eq 5: not near other robots."""

    gain: float = 3.0

    def row(self, _goal: Point) -> Row:
        return field_sums.PERSONAL, self.gain, 0.0, 0.0, 0.0, 0.0


Term: TypeAlias = Base | Destination | Zone | Sight | Personal


def offense(view: TeamView, lane: Zone) -> tuple[Term, ...]:
    """Where a player without the puck waits in attack: all five fields (Chen Fig 6).

    The goal draws it more than the puck does, so it goes as near to the goal as lane, shadows and other robots let it.
    """
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


def passing(view: TeamView, mate: int) -> tuple[Term, ...]:
    """Where to send a pass: as near to the mate as the puck is in sight."""
    return (Destination(*view.us[mate].pose.point), Sight(1.0))


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
        self._scene, self._robots = np.zeros(5), np.zeros((0, 2))
        self._row_of: dict[int, int] = {}
        self._goal = Point(0.0, 0.0)
        self._asked: dict[int, Sequence[Term]] = {}

    def look(self, view: TeamView) -> None:
        """See where everybody is."""
        assert view.puck is not None
        self._goal = view.their_goal
        self._scene = np.array((*view.puck.pose.point, self._half_m, self.personal_m, len(view.them)))
        self._robots = np.array([state.pose[:2] for side in (view.them, view.us) for state in side.values()]).reshape(-1, 2)
        self._row_of = {number: row for row, number in enumerate(view.us, start=len(view.them))}

    def waypoint(self, number: int, terms: Sequence[Term]) -> Point:
        """The place of lowest potential for one robot, to a millimetre."""
        self._asked[number] = terms
        return Point(*field_sums.lowest(*self._field_of(number, terms), self.xs, self.ys))

    def grid(self, number: int, terms: Sequence[Term]) -> FloatArray:
        """The potential at every cell, indexed by x and y: for pictures."""
        values = np.empty((len(self.xs), len(self.ys)))
        field_sums.draw_potential(*self._field_of(number, terms), self.xs, self.ys, values)
        return values

    def picture(self, number: int) -> FieldPicture | None:
        """The field that a robot's waypoint was last taken from; None when it had none."""
        terms = self._asked.get(number)
        if terms is None:
            return None
        x_m, y_m = (float(side[0]) - self.cell_m / 2.0 for side in (self.xs, self.ys))
        return FieldPicture(self.grid(number, terms), x_m, y_m, self.cell_m)

    def potential(self, number: int, terms: Sequence[Term], place: Point) -> float:
        """The potential at one place."""
        return float(field_sums.potential(*self._field_of(number, terms), *place, math.inf))

    def lowest_among(self, number: int, terms: Sequence[Term], places: Sequence[Point]) -> Point:
        """The one of some places that has the lowest potential."""
        return places[field_sums.lowest_among(*self._field_of(number, terms), np.array(places))]

    def _field_of(self, number: int, terms: Sequence[Term]) -> tuple[FloatArray, FloatArray, FloatArray, int]:
        """A robot's field as the compiled functions take it."""
        rows = np.array([term.row(self._goal) for term in terms])
        return rows, self._scene, self._robots, self._row_of.get(number, _NOBODY)


def _cells(half_m: float, cell_m: float) -> FloatArray:
    count = math.floor(half_m / cell_m)
    return cell_m * np.arange(-count, count + 1).astype(np.float64)
