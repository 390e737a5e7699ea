"""Plane geometry that rules, strategy and physics share. Points are (x_m, y_m) in one frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Point(NamedTuple):
    x_m: float
    y_m: float


class Segment(NamedTuple):
    start: Point
    end: Point


class OrientedBox(NamedTuple):
    """A rectangle around `center`, its length along `yaw_rad`."""

    center: Point
    yaw_rad: float
    length_m: float
    width_m: float

    def corners(self) -> tuple[Point, Point, Point, Point]:
        """Front-left, rear-left, rear-right, front-right: counter-clockwise."""
        return tuple(  # type: ignore[return-value]
            to_parent(self.center, self.yaw_rad, Point(sx * self.length_m / 2, sy * self.width_m / 2))
            for sx, sy in ((1, 1), (-1, 1), (-1, -1), (1, -1))
        )

    def contains(self, point: Point) -> bool:
        local = to_local(self.center, self.yaw_rad, point)
        return abs(local.x_m) <= self.length_m / 2 and abs(local.y_m) <= self.width_m / 2

    def clearance(self, point: Point) -> float:
        """Distance from a point to the box; 0 inside."""
        local = to_local(self.center, self.yaw_rad, point)
        return math.hypot(max(0.0, abs(local.x_m) - self.length_m / 2), max(0.0, abs(local.y_m) - self.width_m / 2))

    def overlap(self, other: OrientedBox) -> float:
        """How far two boxes must move apart, along the line that separates them soonest; 0 when they do not overlap."""
        least_m = math.inf
        for yaw_rad in (self.yaw_rad, self.yaw_rad + math.pi / 2, other.yaw_rad, other.yaw_rad + math.pi / 2):
            cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
            own = [cos * x_m + sin * y_m for x_m, y_m in self.corners()]
            others = [cos * x_m + sin * y_m for x_m, y_m in other.corners()]
            least_m = min(least_m, max(own) - min(others), max(others) - min(own))
        return max(0.0, least_m)


def distance(a: Point, b: Point) -> float:
    return math.hypot(b.x_m - a.x_m, b.y_m - a.y_m)


def bearing(origin: Point, target: Point) -> float:
    """Direction from origin to target, counter-clockwise from +x."""
    return math.atan2(target.y_m - origin.y_m, target.x_m - origin.x_m)


def to_local(origin: Point, yaw_rad: float, point: Point) -> Point:
    """Express a point of the parent frame in a frame placed at origin and turned by yaw."""
    dx, dy = point.x_m - origin.x_m, point.y_m - origin.y_m
    cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
    return Point(cos * dx + sin * dy, cos * dy - sin * dx)


def to_parent(origin: Point, yaw_rad: float, point: Point) -> Point:
    """Express a point of the local frame in its parent: the inverse of `to_local`."""
    cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
    return Point(
        origin.x_m + cos * point.x_m - sin * point.y_m,
        origin.y_m + sin * point.x_m + cos * point.y_m,
    )


def nearest_point(segment: Segment, point: Point) -> Point:
    """Return the point of the segment that lies closest to `point`."""
    dx = segment.end.x_m - segment.start.x_m
    dy = segment.end.y_m - segment.start.y_m
    length_squared = dx * dx + dy * dy
    if length_squared == 0.0:
        return segment.start
    along = ((point.x_m - segment.start.x_m) * dx + (point.y_m - segment.start.y_m) * dy) / length_squared
    along = min(1.0, max(0.0, along))
    return Point(segment.start.x_m + along * dx, segment.start.y_m + along * dy)


def clearance(segment: Segment, point: Point) -> float:
    """Distance from a point to the nearest point of a segment."""
    return distance(nearest_point(segment, point), point)


def outline_clearance(corners: Sequence[Sequence[float]], point: Point) -> float:
    """Distance from a point to an outline of any shape; negative when the point is inside."""
    nearest_m, inside = math.inf, False
    for (ax, ay), (bx, by) in zip(corners, (*corners[1:], corners[0]), strict=True):
        nearest_m = min(nearest_m, clearance(Segment(Point(ax, ay), Point(bx, by)), point))
        # A ray along +x crosses an outline an odd number of times when it starts inside.
        if (ay > point.y_m) != (by > point.y_m) and point.x_m < ax + (point.y_m - ay) * (bx - ax) / (by - ay):
            inside = not inside
    return -nearest_m if inside else nearest_m


def is_convex(corners: Sequence[Sequence[float]]) -> bool:
    """Whether a counter-clockwise outline never turns right."""
    count = len(corners)
    for k in range(count):
        (ax, ay), (bx, by), (cx, cy) = corners[k], corners[(k + 1) % count], corners[(k + 2) % count]
        if (bx - ax) * (cy - by) - (by - ay) * (cx - bx) < 0.0:
            return False
    return True
