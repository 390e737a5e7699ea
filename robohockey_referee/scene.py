"""One look at the game: who touches the puck, who touches whom, and since when."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from robohockey_core.checked import limited
from robohockey_core.geometry import Point
from robohockey_core.joints import FloatArray
from robohockey_core.league import League
from robohockey_core.names import GOALKEEPER, RobotId
from robohockey_core.state import BodyState, WorldState
from robohockey_referee.calls import Restart
from robohockey_referee.contacts import VX, VY, X, Y, puck_gaps, touching_pairs
from robohockey_referee.ground import Ground

RUN_ON_S = 0.1
"""A tracker lets a puck that was stopped run on for as long as the camera is late, frames that it loses included."""


@dataclass(frozen=True)
class LookSettings:
    """When bodies count as touching, for a camera that is not perfect."""

    touch_radii: float = limited(0.2, "gap between puck and robot that counts as a touch, in puck radii", low=0.0, high=5.0)
    contact_lengths: float = limited(
        0.05, "gap between two robots that counts as a contact, in robot lengths", low=0.0, high=5.0
    )
    deflection_m_s: float = limited(0.15, "a change of the puck's velocity that only a hit explains", above=0.0)


class Touch(NamedTuple):
    robot: RobotId
    time_s: float


class Contact(NamedTuple):
    """Two robots that touch: since when, and how fast each one came on to the other when it began."""

    first: RobotId
    second: RobotId
    place: Point
    since_s: float
    first_towards_m_s: float
    second_towards_m_s: float

    @property
    def closing_m_s(self) -> float:
        return self.first_towards_m_s + self.second_towards_m_s


class Scene(NamedTuple):
    """What rules look at. Time is time played: a pause takes none."""

    ground: Ground
    time_s: float
    elapsed_s: float
    puck: BodyState | None
    robots: dict[RobotId, BodyState]
    gaps_m: dict[RobotId, float]
    """From each robot's outline to the puck's rim."""
    touching: tuple[RobotId, ...]
    """Who touches the puck now, the nearest first."""
    last_touch: Touch | None
    last_touch_of: dict[str, Touch]
    """The last touch of each team."""
    contacts: tuple[Contact, ...]
    restart: Restart | None
    """The restart that play came from."""
    off: Collection[RobotId]
    """Who is sent off."""
    strays: tuple[RobotId, ...]
    """Robots on the rink that should not be there: sent off, or none of this league's."""

    @property
    def run_on_m(self) -> float:
        """How far a puck that a net has stopped may be seen behind it: shots fly through a small net within two looks."""
        return RUN_ON_S * self.puck.twist.speed_m_s if self.puck is not None else 0.0

    def keeper(self, team: str) -> RobotId | None:
        keeper = RobotId(team, GOALKEEPER)
        return keeper if keeper in self.robots else None

    def in_area(self, area: str, side: int) -> list[RobotId]:
        """Robots whose centre is in the area at that end."""
        (from_x_m, to_y_m), to_x_m = self.ground.area_limits(area), self.ground.net_m
        return [
            robot
            for robot, state in self.robots.items()
            if from_x_m <= side * state.pose[0] <= to_x_m and -to_y_m <= state.pose[1] <= to_y_m
        ]


class Watcher:
    """Makes scenes of world states and remembers touches and contacts between them."""

    def __init__(self, league: League, settings: LookSettings | None = None) -> None:
        settings = settings or LookSettings()
        self._touch_m = settings.touch_radii * league.puck.radius_m
        self._contact_m = settings.contact_lengths * league.robot.length_m
        self._deflection_m_s = settings.deflection_m_s
        self._radius_m = league.puck.radius_m
        self._half_length_m, self._half_width_m = league.robot.length_m / 2.0, league.robot.width_m / 2.0
        self._corners = np.array(league.robot.corners_m)
        self._players = frozenset(league.robots())
        robots = len(self._players)
        self._gaps = np.empty(robots)
        self._pairs = np.empty((robots * (robots - 1) // 2, 2), dtype=np.int64)
        self.forget()

    def forget(self) -> None:
        """Play begins anew: nobody has touched anything."""
        self._last_touch: Touch | None = None
        self._last_touch_of: dict[str, Touch] = {}
        self._contacts: dict[tuple[RobotId, RobotId], Contact] = {}
        self._speeds: dict[RobotId, tuple[float, float]] = {}
        self._puck_velocity: tuple[float, float] | None = None

    def look(
        self,
        world: WorldState,
        ground: Ground,
        time_s: float,
        elapsed_s: float,
        *,
        restart: Restart | None = None,
        off: Collection[RobotId] = (),
    ) -> Scene:
        robots = {robot: state for robot, state in world.robots.items() if robot in self._players and robot not in off}
        strays: tuple[RobotId, ...] = ()
        if len(robots) < len(world.robots):
            others = ((robot, state) for robot, state in world.robots.items() if robot not in robots)
            strays = tuple(robot for robot, state in others if ground.outside_m(state.pose.point) < 0.0)
        rows = np.array([(*state.pose, *state.twist) for state in robots.values()]).reshape(-1, 6)
        names = tuple(robots)
        gaps_m, touching = self._touches(rows, names, world.puck, time_s, elapsed_s)
        contacts = self._pair_up(rows, names, time_s)
        return Scene(
            ground,
            time_s,
            elapsed_s,
            world.puck,
            robots,
            gaps_m,
            touching,
            self._last_touch,
            self._last_touch_of,
            contacts,
            restart,
            off,
            strays,
        )

    def _touches(
        self, rows: FloatArray, names: tuple[RobotId, ...], puck: BodyState | None, time_s: float, elapsed_s: float
    ) -> tuple[dict[RobotId, float], tuple[RobotId, ...]]:
        if puck is None or not names:
            self._puck_velocity = None
            return {}, ()
        x_m, y_m, _ = puck.pose
        vx_m_s, vy_m_s, _ = puck.twist
        gaps = self._gaps[: len(names)]
        puck_gaps(rows, self._corners, x_m, y_m, self._radius_m, gaps)
        gaps_m = dict(zip(names, gaps.tolist(), strict=True))
        near_m = self._touch_m
        if self._puck_velocity is not None:
            before_vx, before_vy = self._puck_velocity
            if math.hypot(vx_m_s - before_vx, vy_m_s - before_vy) > self._deflection_m_s:
                # A fast puck can come and go between two looks: then who hit it is as far as it went since.
                near_m += elapsed_s * max(math.hypot(vx_m_s, vy_m_s), math.hypot(before_vx, before_vy)) / 2.0
        self._puck_velocity = (vx_m_s, vy_m_s)
        touching = tuple(sorted((robot for robot, gap_m in gaps_m.items() if gap_m <= near_m), key=gaps_m.__getitem__))
        for robot in reversed(touching):
            self._last_touch = self._last_touch_of[robot.team] = Touch(robot, time_s)
        return gaps_m, touching

    def _pair_up(self, rows: FloatArray, names: tuple[RobotId, ...], time_s: float) -> tuple[Contact, ...]:
        count = touching_pairs(rows, self._half_length_m, self._half_width_m, self._contact_m, self._pairs)
        contacts = {}
        for i, j in self._pairs[:count].tolist():
            pair = (names[i], names[j])
            contacts[pair] = self._contacts.get(pair) or self._contact(pair, rows[i], rows[j], time_s)
        self._contacts = contacts
        self._speeds = dict(zip(names, rows[:, VX : VY + 1].tolist(), strict=True))
        return tuple(contacts.values())

    def _contact(self, pair: tuple[RobotId, RobotId], a: FloatArray, b: FloatArray, time_s: float) -> Contact:
        """A contact that begins. Speeds are those before the hit, which the last look saw, or those of now if higher."""
        dx, dy = float(b[X] - a[X]), float(b[Y] - a[Y])
        apart_m = math.hypot(dx, dy) or 1.0
        nx, ny = dx / apart_m, dy / apart_m

        def towards(robot: RobotId, row: FloatArray, sign: float) -> float:
            speeds = [(float(row[VX]), float(row[VY])), self._speeds.get(robot, (0.0, 0.0))]
            return max(sign * (vx * nx + vy * ny) for vx, vy in speeds)

        place = Point(float(a[X]) + dx / 2.0, float(a[Y]) + dy / 2.0)
        return Contact(*pair, place, time_s, towards(pair[0], a, 1.0), towards(pair[1], b, -1.0))
