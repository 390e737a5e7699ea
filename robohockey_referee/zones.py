"""Where a robot may stand, and the nearest such place to one where it may not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from robohockey_core.geometry import OrientedBox, Point
from robohockey_core.joints import FloatArray

_ROUNDING_M = 5e-7
_FINER = 8
_LEVELS = 4
_BASINS = 6
_CANDIDATES = 200


class Zone(Protocol):
    """A place that robots must be in, or keep out of."""

    @property
    def words(self) -> str:
        """What is wrong with a place that has no room, for people."""
        ...

    def room_m(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """How far inside what is allowed each point is; negative outside."""
        ...


@dataclass(frozen=True)
class Boards:
    """Inside the boards, rounded corners included, by a margin."""

    half_length_m: float
    half_width_m: float
    corner_radius_m: float
    margin_m: float
    words: str = "outside the boards"

    def room_m(self, x: FloatArray, y: FloatArray) -> FloatArray:
        over_x = np.abs(x) - (self.half_length_m - self.corner_radius_m)
        over_y = np.abs(y) - (self.half_width_m - self.corner_radius_m)
        cornered = (over_x > 0.0) & (over_y > 0.0)
        outside = np.where(cornered, np.hypot(over_x, over_y), np.maximum(over_x, over_y)) - self.corner_radius_m
        return -outside - self.margin_m


@dataclass(frozen=True)
class Circle:
    """Inside or outside a circle."""

    center: Point
    radius_m: float
    inside: bool
    words: str

    def room_m(self, x: FloatArray, y: FloatArray) -> FloatArray:
        room = self.radius_m - np.hypot(x - self.center.x_m, y - self.center.y_m)
        return room if self.inside else -room


@dataclass(frozen=True)
class Side:
    """On one side of a line across the rink: where `sign * x` is at least `from_m`."""

    sign: int
    from_m: float
    words: str

    def room_m(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return self.sign * x - self.from_m


@dataclass(frozen=True)
class Box:
    """Inside or outside a rectangle along the axes."""

    low: Point
    high: Point
    inside: bool
    words: str

    def room_m(self, x: FloatArray, y: FloatArray) -> FloatArray:
        room = np.minimum(np.minimum(x - self.low.x_m, self.high.x_m - x), np.minimum(y - self.low.y_m, self.high.y_m - y))
        return room if self.inside else -room


@dataclass(frozen=True)
class ClearOf:
    """A rectangular body, whose own corners are given about its centre, clear of another one."""

    box: OrientedBox
    corners: tuple[Point, ...]
    words: str

    def room_m(self, x: FloatArray, y: FloatArray) -> FloatArray:
        room = np.full(len(x), -np.inf)
        dx, dy = x - self.box.center.x_m, y - self.box.center.y_m
        others = self.box._replace(center=Point(0.0, 0.0)).corners()
        for cos, sin in (*_axes(others), *_axes(self.corners)):
            reach_m = sum(max(abs(cos * c.x_m + sin * c.y_m) for c in corners) for corners in (others, self.corners))
            room = np.maximum(room, np.abs(cos * dx + sin * dy) - reach_m)
        return room


@dataclass(frozen=True)
class RoundClearOf:
    """A round body clear of a rectangular one."""

    box: OrientedBox
    radius_m: float
    words: str

    def room_m(self, x: FloatArray, y: FloatArray) -> FloatArray:
        cos, sin = math.cos(self.box.yaw_rad), math.sin(self.box.yaw_rad)
        dx, dy = x - self.box.center.x_m, y - self.box.center.y_m
        over_x = np.abs(cos * dx + sin * dy) - self.box.length_m / 2.0
        over_y = np.abs(cos * dy - sin * dx) - self.box.width_m / 2.0
        outside = np.hypot(np.maximum(over_x, 0.0), np.maximum(over_y, 0.0))
        return np.where(outside > 0.0, outside, np.maximum(over_x, over_y)) - self.radius_m


@dataclass(frozen=True)
class Outline:
    """A body inside the boards with all its corners."""

    boards: Boards
    corners: tuple[Point, ...]
    words: str = "outside the boards"

    def room_m(self, x: FloatArray, y: FloatArray) -> FloatArray:
        room = np.full(len(x), np.inf)
        for corner in self.corners:
            room = np.minimum(room, self.boards.room_m(x + corner.x_m, y + corner.y_m))
        return room


def _axes(corners: Sequence[Point]) -> list[tuple[float, float]]:
    """Directions along the sides of a rectangle about its own centre."""
    (ax, ay), (bx, by) = corners[0], corners[1]
    length_m = math.hypot(bx - ax, by - ay)
    cos, sin = (bx - ax) / length_m, (by - ay) / length_m
    return [(cos, sin), (-sin, cos)]


def first_fault(point: Point, zones: Sequence[Zone]) -> Zone | None:
    """The first zone that a point offends against."""
    x, y = np.array([point.x_m]), np.array([point.y_m])
    return next((zone for zone in zones if zone.room_m(x, y)[0] < -_ROUNDING_M), None)


def nearest_place(wanted: Point, zones: Sequence[Zone], low: Point, high: Point, step_m: float) -> Point | None:
    """The place nearest to the wanted one that no zone objects to, or None when there is none.

    Looks on a grid of `step_m` within the given corners, then ever finer around the best places: a narrower
    gap than that may be missed, and what is found is within a thousandth of a step of the nearest.
    """
    if first_fault(wanted, zones) is None:
        return wanted
    # From so far away every place is as near as the next one: look from just outside.
    far_m = 10.0 * math.dist(low, high)
    wanted = Point(*(min(far_m, max(-far_m, value)) for value in wanted))
    places = _legal_on_grid(wanted, zones, low, high, step_m)
    best: Point | None = None
    for basin in _apart(places, 2.0 * step_m):
        if best is not None and math.dist(basin, wanted) - 1.5 * step_m > math.dist(best, wanted):
            continue  # it cannot get that much better
        place, fine_m = basin, step_m
        for _ in range(_LEVELS):
            corner, other = Point(place.x_m - fine_m, place.y_m - fine_m), Point(place.x_m + fine_m, place.y_m + fine_m)
            fine_m /= _FINER
            finer = _legal_on_grid(wanted, zones, corner, other, fine_m)
            place = min((*finer[:1], place), key=lambda p: math.dist(p, wanted))
        if best is None or math.dist(place, wanted) < math.dist(best, wanted):
            best = place
    return best


def _legal_on_grid(wanted: Point, zones: Sequence[Zone], low: Point, high: Point, step_m: float) -> list[Point]:
    """Legal places of a grid, the nearest first."""
    xs, ys = (np.linspace(a, b, max(2, math.ceil((b - a) / step_m) + 1)) for a, b in zip(low, high, strict=True))
    x, y = (values.ravel() for values in np.meshgrid(xs, ys))
    legal = np.ones(len(x), dtype=bool)
    for zone in zones:
        legal &= zone.room_m(x, y) >= 0.0
    x, y = x[legal], y[legal]
    away = np.hypot(x - wanted.x_m, y - wanted.y_m)
    if len(away) > _CANDIDATES:
        nearest = np.argpartition(away, _CANDIDATES)[:_CANDIDATES]
        x, y, away = x[nearest], y[nearest], away[nearest]
    order = np.lexsort((y, x, away))
    return [Point(float(x[i]), float(y[i])) for i in order]


def _apart(places: Sequence[Point], gap_m: float) -> list[Point]:
    """The first few of a list that are not next to each other."""
    chosen: list[Point] = []
    for place in places:
        if len(chosen) == _BASINS:
            break
        if all(math.dist(place, other) >= gap_m for other in chosen):
            chosen.append(place)
    return chosen
