"""Who stands where when play begins anew: proposals of the teams, checked, and corrected as little as must be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robohockey_core.angles import difference
from robohockey_core.formation import face_off_formation
from robohockey_core.geometry import Point, bearing, distance
from robohockey_core.league import League
from robohockey_core.match_state import FACE_OFF, FREE_BALL, GOAL_KICK, KICK_OFF, PENALTY, SHOOT_OUT
from robohockey_core.names import GOALKEEPER, PUCK, TEAMS, RobotId, opponent, parse_robot
from robohockey_core.state import BodyState, Pose2D, WorldState
from robohockey_referee.calls import Restart
from robohockey_referee.ground import BIG, SMALL, Ground
from robohockey_referee.profile import RestartSettings
from robohockey_referee.zones import Boards, Box, Circle, Side, Zone, first_fault, nearest_place

_CLEARANCE = 1.05
"""Robots keep this many times the distance at which their outlines could touch however they turn."""


@dataclass(frozen=True)
class Correction:
    """A proposal that could not be taken as it was."""

    robot: RobotId
    why: str
    moved_m: float

    def __str__(self) -> str:
        moved = f", moved by {self.moved_m:.2f} m" if math.isfinite(self.moved_m) else ""
        return f"{self.robot} {self.why}{moved}"


def first_to_place(restart: Restart, ground: Ground) -> str:
    """Who places first, and so without knowing what the other does: attackers at kick-offs and goal kicks, else defenders."""
    if restart.team:
        return restart.team if restart.kind in (KICK_OFF, GOAL_KICK) else opponent(restart.team)
    return ground.defender(restart.spot.x_m) if restart.spot.x_m else TEAMS[0]


class Placing:
    """Settles the places of one restart, team by team."""

    def __init__(self, ground: Ground, settings: RestartSettings, restart: Restart, robots: Iterable[RobotId]) -> None:
        """`robots` are those that take part."""
        self._ground, self._settings, self._restart = ground, settings, restart
        self._robots = tuple(robots)
        league = ground.league
        self._reach_m = _CLEARANCE * league.robot.circumradius_m
        self._puck_m = self._reach_m + league.puck.radius_m
        self._near_m = self._puck_m + league.robot.length_m
        self._free_ball_m = max(self._puck_m, settings.free_ball_lengths * league.robot.length_m)
        formation = face_off_formation(league)
        turned = ground.side(TEAMS[0]) > 0
        self._formation = {robot: pose.mirrored() if turned else pose for robot, pose in formation.items()}

    def settle(
        self, team: str, proposal: Mapping[Any, Any], settled: Mapping[str, Pose2D]
    ) -> tuple[dict[str, Pose2D], list[Correction]]:
        """Give every robot of a team a legal place, as near to the proposed one as can be.

        `settled` are the places that are taken already. A robot that is not proposed for, or not to a place that
        exists, gets the default; whatever else is in a proposal is left out.
        """
        robots = [robot for robot in self._robots if robot.team == team]
        asked = {robot: pose for robot in robots if (pose := _pose(proposal.get(robot.number))) is not None}
        corrections = [
            Correction(robot, "was proposed to no place", math.nan)
            for robot in robots
            if robot.number in proposal and robot not in asked
        ]
        taker = self._taker(team, robots, asked)
        places: dict[str, Pose2D] = {}
        for robot in sorted(robots, key=lambda robot: (robot != taker, robot.number)):
            default = self._default(robot, robot == taker)
            wanted = asked.get(robot, default)
            zones = self._zones(robot, robot == taker)
            taken = [self._apart(name, pose) for name, pose in {**settled, **places}.items()]
            place, why = self._legal(wanted.point, zones, taken)
            if why and robot in asked:
                corrections.append(Correction(robot, f"was proposed {why}", distance(place, wanted.point)))
            yaw_rad = wanted.yaw_rad if math.isfinite(wanted.yaw_rad) else default.yaw_rad
            places[str(robot)] = Pose2D(*place, yaw_rad)
        return places, corrections

    def complaint(self, robot: RobotId, place: Point, places: Mapping[str, Pose2D], takes_it: bool) -> str:
        """What is wrong with a robot's place among the others; empty when nothing is."""
        others = [self._apart(name, pose) for name, pose in places.items() if name != str(robot)]
        fault = first_fault(place, [*self._zones(robot, takes_it), *others])
        return fault.words if fault is not None else ""

    def _legal(self, wanted: Point, zones: Sequence[Zone], taken: Sequence[Zone]) -> tuple[Point, str]:
        """The nearest legal place, and what was wrong with the wanted one."""
        fault = first_fault(wanted, [*zones, *taken])
        if fault is None:
            return wanted, ""
        ground, step_m = self._ground, self._reach_m / 2.0
        high = Point(ground.half_length_m - self._reach_m, ground.half_width_m - self._reach_m)
        low = Point(-high.x_m, -high.y_m)
        # A rink so full that no place obeys the restart's zones still has one inside the boards, apart from the others.
        for rules in ([*zones, *taken], [zones[0], *taken]):
            place = nearest_place(wanted, rules, low, high, step_m)
            if place is not None:
                return place, fault.words
        raise RuntimeError(f"no room for a robot near {wanted}: leagues leave half of the rink free")

    def _apart(self, name: str, pose: Pose2D) -> Zone:
        return Circle(pose.point, 2.0 * self._reach_m, inside=False, words=f"too near {name}")

    def _taker(self, team: str, robots: Sequence[RobotId], wanted: Mapping[RobotId, Pose2D]) -> RobotId | None:
        """Who goes to the puck: the goalkeeper at a goal kick, else the field player that is to be nearest to it."""
        restart = self._restart
        if restart.team not in ("", team) or not robots:
            return None
        keepers = [robot for robot in robots if robot.number == GOALKEEPER]
        field = [robot for robot in robots if robot.number != GOALKEEPER]
        candidates = (keepers or field) if restart.kind == GOAL_KICK else (field or keepers)
        return min(candidates, key=lambda robot: distance(wanted.get(robot, self._formation[robot]).point, restart.spot))

    def _default(self, robot: RobotId, takes_it: bool) -> Pose2D:
        ground, restart = self._ground, self._restart
        own = ground.side(robot.team)
        if takes_it:
            # One that drives there and stops a little late must not touch the puck.
            gap_m = 1.02 * self._free_ball_m if restart.kind == FREE_BALL else self._puck_m + ground.league.puck.radius_m
            place = Point(restart.spot.x_m + own * gap_m, restart.spot.y_m)
            return Pose2D(*place, bearing(place, restart.spot))
        if self._on_line(robot):
            return Pose2D(own * (ground.half_length_m - 1.1 * self._reach_m), 0.0, math.pi / 2.0)
        return self._formation[robot]

    def _on_line(self, robot: RobotId) -> bool:
        """Whether a robot keeps its goal line against a penalty."""
        if robot.team == self._restart.team or self._restart.kind not in (PENALTY, SHOOT_OUT):
            return False
        # In a shoot-out its team has no other robot on the rink.
        return robot.number == GOALKEEPER or self._restart.kind == SHOOT_OUT

    def _zones(self, robot: RobotId, takes_it: bool) -> list[Zone]:
        """Where this robot may stand, the boards first."""
        ground, restart, reach_m = self._ground, self._restart, self._reach_m
        rink, spot = ground.league.rink, restart.spot
        own, ours = ground.side(robot.team), restart.team == robot.team
        circle_m = max(rink.center_circle_radius_m, self._near_m)
        zones: list[Zone] = [
            Boards(ground.half_length_m, ground.half_width_m, rink.corner_radius_m, reach_m),
            Circle(spot, self._puck_m, inside=False, words="on the puck"),
        ]
        away = Circle(spot, circle_m + reach_m, inside=False, words="too near the puck")
        near = Circle(spot, self._near_m, inside=True, words="too far from the puck to take it")
        behind = Side(own, own * spot.x_m + reach_m, "on the wrong side of the puck")
        own_half = Side(own, reach_m, "in the wrong half")
        if restart.kind == FACE_OFF:
            zones += [behind, near if takes_it else away]
        elif restart.kind == KICK_OFF:
            zones += [own_half, *([near] if takes_it else [] if ours else [away])]
        elif restart.kind == FREE_BALL:
            zones += self._free_ball_zones(robot, takes_it, behind)
        elif takes_it and restart.kind in (GOAL_KICK, PENALTY, SHOOT_OUT):
            zones += [near, behind]
        elif restart.kind == GOAL_KICK:
            zones.append(self._out_of(SMALL, own) if ours else self._out_of(BIG, -own))
        elif restart.kind in (PENALTY, SHOOT_OUT):
            other_half = Side(ground.side(restart.team), reach_m, "in the half of the penalty")
            zones.append(self._goal_line(own) if self._on_line(robot) else other_half)
        else:
            zones += [near] if takes_it else [] if ours else [away]
        return zones

    def _free_ball_zones(self, robot: RobotId, takes_it: bool, behind: Zone) -> list[Zone]:
        spot, free_m = self._restart.spot, self._free_ball_m
        if takes_it:
            near = Circle(spot, free_m + self._reach_m, inside=True, words="too far from the puck to take it")
            return [Circle(spot, free_m, inside=False, words="too near the puck"), near, behind]
        if robot.number == GOALKEEPER:
            return [self._own_goal_area(self._ground.side(robot.team))]
        return [self._quadrant(spot)]

    def _out_of(self, area: str, side: int) -> Zone:
        from_x_m, to_y_m = self._ground.area_limits(area)
        reach_m = self._reach_m
        return _box(side, from_x_m - reach_m, math.inf, to_y_m + reach_m, inside=False, words=f"in the {area} area")

    def _own_goal_area(self, side: int) -> Zone:
        from_x_m, to_y_m = self._ground.area_limits(SMALL)
        # A small area must still have room for a robot at the boards.
        from_x_m = min(from_x_m, self._ground.half_length_m - 2.0 * self._reach_m)
        return _box(side, from_x_m, math.inf, max(to_y_m, self._reach_m), inside=True, words="out of the goal area")

    def _goal_line(self, side: int) -> Zone:
        from_x_m = self._ground.half_length_m - 2.0 * self._reach_m
        return _box(side, from_x_m, math.inf, self._ground.half_mouth_m, inside=True, words="not on the goal line")

    def _quadrant(self, spot: Point) -> Zone:
        reach_m = self._reach_m
        (x_low, x_high), (y_low, y_high) = ((-reach_m, math.inf) if v > 0.0 else (-math.inf, reach_m) for v in spot)
        return Box(Point(x_low, y_low), Point(x_high, y_high), inside=False, words="in the quadrant of the free ball")


def _box(side: int, from_x_m: float, to_x_m: float, half_width_m: float, *, inside: bool, words: str) -> Box:
    """A box at one end of the rink."""
    x_low, x_high = sorted((side * from_x_m, side * to_x_m))
    return Box(Point(x_low, -half_width_m), Point(x_high, half_width_m), inside, words)


def _pose(value: Any) -> Pose2D | None:
    """A proposed pose, if it is one: two or three numbers, the first two finite."""
    try:
        x_m, y_m, *rest = (float(number) for number in value)
    except (TypeError, ValueError):
        return None
    if len(rest) > 1 or not (math.isfinite(x_m) and math.isfinite(y_m)):
        return None
    return Pose2D(x_m, y_m, rest[0] if rest else math.nan)


def bodies_at(places: Mapping[str, Pose2D], spot: Point) -> dict[str, BodyState]:
    """Robots at their places and the puck on its spot, all at rest."""
    return {**{name: BodyState(pose) for name, pose in places.items()}, PUCK: BodyState(Pose2D(*spot))}


def not_in_place(
    world: WorldState, places: Mapping[str, Pose2D], spot: Point, settings: RestartSettings, league: League
) -> tuple[str, ...]:
    """Bodies in sight that do not stand where they belong; the puck also when it is out of sight."""
    waiting = [
        name
        for name, pose in places.items()
        if (robot := parse_robot(name)) is not None
        and robot in world.robots
        and not _stands(world.robots[robot], pose, settings, league)
    ]
    puck_m = settings.puck_tolerance_radii * league.puck.radius_m
    if world.puck is None or distance(world.puck.pose.point, spot) > puck_m:
        waiting.append(PUCK)
    return tuple(waiting)


def _stands(state: BodyState, place: Pose2D, settings: RestartSettings, league: League) -> bool:
    return (
        distance(state.pose.point, place.point) <= settings.robot_tolerance_lengths * league.robot.length_m
        and abs(difference(state.pose.yaw_rad, place.yaw_rad)) <= settings.yaw_tolerance_rad
        and state.twist.speed_m_s <= settings.still_m_s
        and abs(state.twist.yaw_rate_rad_s) <= settings.still_rad_s
    )


def bench_place(ground: Ground, robot: RobotId, bodies: Mapping[str, BodyState]) -> Pose2D:
    """Where a robot comes back: at the side boards of its own half, as near as there is room."""
    league = ground.league
    reach_m = _CLEARANCE * league.robot.circumradius_m
    own = ground.side(robot.team)
    wanted = Point(own * ground.half_length_m / 4.0, ground.half_width_m - 1.1 * reach_m)
    zones: list[Zone] = [
        Boards(ground.half_length_m, ground.half_width_m, league.rink.corner_radius_m, reach_m),
        Side(own, reach_m, "in the wrong half"),
    ]
    for name, state in bodies.items():
        # They move while the camera looks, so this is more than it takes.
        apart_m = 2.0 * reach_m + league.robot.length_m
        zones.append(Circle(state.pose.point, apart_m, inside=False, words=f"too near {name}"))
    high = Point(ground.half_length_m - reach_m, ground.half_width_m - reach_m)
    place = nearest_place(wanted, zones, Point(-high.x_m, -high.y_m), high, reach_m / 2.0)
    return Pose2D(*(place or wanted), 0.0 if own < 0 else math.pi)
