"""The bodies of a world as a simulator's user asks for them: by name, kind, tag and place."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from robohockey_core.checked import InputError
from robohockey_core.geometry import OrientedBox, Point, distance
from robohockey_core.joints import bodies_sample
from robohockey_core.league import League
from robohockey_core.names import PUCK, parse_robot
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_sim.world import World

# Poses come with six numbers of freedom, and we have three: this much of the others is rounding.
_OFF_THE_ICE_M = 1e-3
_TILT = 1e-4
_UNIT = 1e-2

Xyz = tuple[float, float, float]


@dataclass(frozen=True)
class Entity:
    """What is known of a body beside its state. It stands on the ice, around its own origin."""

    is_robot: bool
    description: str
    tags: tuple[str, ...]
    size_m: Xyz


@dataclass(frozen=True)
class Sphere:
    center_m: Xyz
    radius_m: float

    def meets(self, entity: Entity, state: BodyState) -> bool:
        x_m, y_m, z_m = self.center_m
        gap_m = _planar_gap_m(entity, state, Point(x_m, y_m))
        return math.hypot(gap_m, max(0.0, -z_m, z_m - entity.size_m[2])) <= self.radius_m


@dataclass(frozen=True)
class Box:
    """A box along the axes of the rink."""

    lower_m: Xyz
    upper_m: Xyz

    def meets(self, entity: Entity, state: BodyState) -> bool:
        (x0, y0, z0), (x1, y1, z1) = self.lower_m, self.upper_m
        if z1 < 0.0 or z0 > entity.size_m[2]:
            return False
        area = OrientedBox(Point((x0 + x1) / 2.0, (y0 + y1) / 2.0), 0.0, x1 - x0, y1 - y0)
        if entity.is_robot:
            return area.overlap(_footprint(entity, state)) > 0.0
        return area.clearance(state.pose.point) <= entity.size_m[0] / 2.0


@dataclass(frozen=True)
class Query:
    """Which entities are asked for; what is empty does not matter."""

    pattern: str = ""
    kinds: frozenset[bool] = frozenset()
    """True for robots, False for the puck."""
    tags: frozenset[str] = frozenset()
    all_tags: bool = False
    region: Sphere | Box | None = None


class Entities:
    """Looks things up in a world, and moves them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known = {name: _entity(world.league, name, name in world.owned) for name in world.bodies}

    def __getitem__(self, name: str) -> Entity:
        """Raise KeyError for a name that the league does not have."""
        return self._known[name]

    def __contains__(self, name: str) -> bool:
        """Whether there is such a body, and it is on the rink."""
        return name in self._known and name not in self._world.off

    def found(self, query: Query) -> list[str]:
        """The names of all that the query means, in the league's order. Raises InputError for a bad pattern."""
        try:
            pattern = re.compile(query.pattern)
        except re.error as error:
            raise InputError(f"filter = {query.pattern!r}: no regular expression: {error}") from None
        fits: Callable[[set[str]], bool] = (
            query.tags.issubset if query.all_tags else lambda tags: not query.tags.isdisjoint(tags)
        )
        return [
            name
            for name, entity in self._known.items()
            if name in self
            and pattern.search(name)
            and (not query.kinds or entity.is_robot in query.kinds)
            and (not query.tags or fits(set(entity.tags)))
            and (query.region is None or query.region.meets(entity, self._world.body(name)))
        ]

    def move(self, name: str, pose: Pose2D | None, twist: Twist2D | None) -> None:
        """Set pose, velocity or both. Raises InputError, and then nothing has changed."""
        now = self._world.body(name)
        moved = BodyState(now.pose if pose is None else pose, now.twist if twist is None else twist)
        self._world.set_state(bodies_sample(self._world.time_s, {name: moved}))


def sphere(points_m: Sequence[Xyz]) -> Sphere:
    """Centre, and the radius as first number of the second point."""
    _need_two(points_m)
    return Sphere(points_m[0], points_m[1][0])


def box(points_m: Sequence[Xyz]) -> Box:
    """Two corners, in any order."""
    _need_two(points_m)
    lower, upper = (tuple(map(pick, *points_m)) for pick in (min, max))
    return Box(lower, upper)


def _need_two(points_m: Sequence[Xyz]) -> None:
    if len(points_m) != 2 or not all(math.isfinite(value) for point in points_m for value in point):
        raise InputError(f"bounds = {[tuple(point) for point in points_m]}: must be two points of finite numbers")


def refuse_off_plane(z_m: float, rotation_xyzw: Sequence[float]) -> None:
    """Raise InputError for a pose that no body on the ice can have."""
    x, y, z, w = rotation_xyzw
    if not abs(z_m) <= _OFF_THE_ICE_M:
        raise InputError(f"position.z = {z_m:g}: must be 0, on the ice")
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    if not abs(norm - 1.0) <= _UNIT:
        raise InputError(f"orientation = ({x:g}, {y:g}, {z:g}, {w:g}): must be a quaternion of length 1")
    if x * x + y * y > _TILT:
        raise InputError(f"orientation = ({x:g}, {y:g}, {z:g}, {w:g}): must turn about the upright axis only")


def planar_twist(linear_m_s: Xyz, angular_rad_s: Xyz) -> Twist2D:
    """The part in the plane. Raises InputError for a velocity that is not finite or leads off the ice."""
    (vx, vy, up), (roll, pitch, turn) = linear_m_s, angular_rad_s
    if not all(map(math.isfinite, (vx, vy, turn))):
        raise InputError(f"twist: linear.x, linear.y, angular.z = {vx:g}, {vy:g}, {turn:g}: must be finite")
    if not up == roll == pitch == 0.0:
        raise InputError(f"twist: linear.z, angular.x, angular.y = {up:g}, {roll:g}, {pitch:g}: must be 0")
    return Twist2D(vx, vy, turn)


def _entity(league: League, name: str, owned: bool) -> Entity:
    origin = "simulated" if owned else "tracked"
    robot = parse_robot(name)
    if robot is None:
        puck = league.puck
        size = (2.0 * puck.radius_m, 2.0 * puck.radius_m, puck.height_m)
        return Entity(False, f"{puck.shape} of {league.name}", (PUCK, puck.shape, origin), size)
    spec = league.robot
    described = f"robot {robot.number} of team {robot.team}, {spec.drive} drive"
    return Entity(True, described, ("robot", robot.team, origin), (spec.length_m, spec.width_m, spec.height_m))


def _footprint(entity: Entity, state: BodyState) -> OrientedBox:
    return OrientedBox(state.pose.point, state.pose.yaw_rad, *entity.size_m[:2])


def _planar_gap_m(entity: Entity, state: BodyState, point: Point) -> float:
    if entity.is_robot:
        return _footprint(entity, state).clearance(point)
    return max(0.0, distance(state.pose.point, point) - entity.size_m[0] / 2.0)
