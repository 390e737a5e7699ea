"""Drills: one skill at a time, tried from many seeded starts on a simulated rink with its noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robohockey_core.actions import Orders
from robohockey_core.geometry import OrientedBox, Point, bearing, distance
from robohockey_core.joints import bodies_sample
from robohockey_core.league import League
from robohockey_core.names import BLUE, PUCK, RED, RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState
from robohockey_match.engine import Engine, OpenPlay
from robohockey_strategy.skills import Order, Skills
from robohockey_strategy.view import TeamView

REACHED_M = 0.02
"""A waypoint is reached within this, as tracked."""
TOUCH_M = 0.0005
SHOT_SHARE = 0.5
PASS_M = 0.8
SHOT_M = 1.0


class _Robots:
    """A team whose robots do what a drill tells each of them; the others stand."""

    def __init__(self, league: League, tasks: dict[int, Callable[[Skills], Order]]) -> None:
        self._skills, self._tasks = Skills(league), tasks

    def decide(self, view: TeamView) -> Orders:
        if view.puck is None:
            return {}
        self._skills.look(view)
        return {number: task(self._skills) for number, task in self._tasks.items() if number in view.us}


@dataclass(frozen=True)
class Drill:
    """A drill: how it is called, the share of tries that must succeed, and one try by seed."""

    name: str
    mark: float
    attempt: Callable[[League, int], bool]


def _engine(league: League, seed: int, places: dict[str, BodyState], tasks: dict[int, Callable[[Skills], Order]]) -> Engine:
    idle = _Robots(league, {})
    engine = Engine(league, {BLUE: _Robots(league, tasks), RED: idle}, seed, OpenPlay())
    aside = _benches(league)
    bodies = {str(robot): aside[robot] for robot in league.robots()}
    engine.rink.world.set_state(bodies_sample(0.0, {**bodies, **places}))
    return engine


def _benches(league: League) -> dict[RobotId, BodyState]:
    """Places along the lower boards, out of the way."""
    y_m = -league.rink.width_m / 2.0 + league.robot.circumradius_m * 1.2
    gap_m = 2.5 * league.robot.circumradius_m
    robots = league.robots()
    return {robot: BodyState(Pose2D((i - len(robots) / 2.0) * gap_m, y_m)) for i, robot in enumerate(robots)}


def _in_contact(league: League, world: WorldState, robot: RobotId) -> bool:
    """Whether a robot's true body touches another's: boxes a hair larger than they are overlap."""

    def box(state: BodyState) -> OrientedBox:
        spec = league.robot
        return OrientedBox(state.pose.point, state.pose.yaw_rad, spec.length_m + TOUCH_M, spec.width_m + TOUCH_M)

    own = box(world.robots[robot])
    near = (state for other, state in world.robots.items() if other != robot)
    reach_m = 2.0 * league.robot.circumradius_m + TOUCH_M
    return any(
        own.overlap(box(state)) > 0.0 for state in near if distance(state.pose.point, world.robots[robot].pose.point) < reach_m
    )


def waypoint(league: League, seed: int) -> bool:
    """Drive across a rink on which all other robots stand about; reach the place without touching anybody."""
    random = np.random.default_rng(seed)
    rink, apart_m = league.rink, 4.5 * league.robot.circumradius_m
    room = np.array([rink.length_m / 2.0, rink.width_m / 2.0]) - 2.5 * league.robot.circumradius_m
    start, goal = (
        Point(-0.9 * room[0], random.uniform(-room[1], room[1])),
        Point(0.9 * room[0], random.uniform(-room[1], room[1])),
    )
    taken = [start, goal]
    while len(taken) < 2 + len(league.robots()) - 1:
        place = Point(*random.uniform(-room, room).tolist())
        if min(distance(place, other) for other in taken) > apart_m:
            taken.append(place)
    me = RobotId(BLUE, 1)
    others = [robot for robot in league.robots() if robot != me]
    yaws = random.uniform(-math.pi, math.pi, len(others) + 1).tolist()
    places = {str(robot): BodyState(Pose2D(*place, yaw)) for robot, place, yaw in zip(others, taken[2:], yaws, strict=False)}
    places[str(me)] = BodyState(Pose2D(*start, yaws[-1]))
    places[PUCK] = BodyState(Pose2D(rink.length_m / 2.0 - 2.0 * league.puck.radius_m, rink.width_m / 2.0 - 0.2))
    engine = _engine(league, seed, places, {1: lambda skills: skills.go(1, goal)})
    for seen in engine.ticks(10.0):
        if _in_contact(league, _truth(engine), me):
            return False
        state = seen.robots.get(me)
        if state is not None and distance(state.pose.point, goal) < REACHED_M and state.twist.speed_m_s < 0.05:
            return True
    return False


def shot(league: League, seed: int) -> bool:
    """Score in an empty goal from a metre, starting behind the puck but off its line."""
    random = np.random.default_rng(seed)
    goal = Point(league.rink.length_m / 2.0, 0.0)
    round_rad = random.uniform(-0.35, 0.35)
    puck = Point(goal.x_m - SHOT_M * math.cos(round_rad), SHOT_M * math.sin(round_rad))
    back_m = random.uniform(0.15, 0.35)
    start = Point(puck.x_m - back_m, min(0.45, max(-0.35, puck.y_m + random.uniform(-0.15, 0.15))))
    robot = BodyState(Pose2D(*start, random.uniform(-1.0, 1.0)))
    places = {f"{BLUE}/1": robot, PUCK: BodyState(Pose2D(*puck))}
    engine = _engine(league, seed, places, {1: lambda skills: skills.shoot(1)})
    return engine.play_until(lambda _: _in_goal(league, engine) > 0, 6.0)


def passing(league: League, seed: int) -> bool:
    """Pass over 0.8 m to a mate that takes the puck: it ends at the mate's front and moves with it."""
    random = np.random.default_rng(seed)
    puck = Point(random.uniform(-0.5, 0.0), random.uniform(-0.15, 0.25))
    towards_rad = random.uniform(-0.3, 0.3)
    mate = Point(puck.x_m + PASS_M * math.cos(towards_rad), puck.y_m + PASS_M * math.sin(towards_rad))
    back_rad = towards_rad + math.pi + random.uniform(-0.5, 0.5)
    start = Point(puck.x_m + 0.2 * math.cos(back_rad), puck.y_m + 0.2 * math.sin(back_rad))
    places = {
        f"{BLUE}/1": BodyState(Pose2D(*start, towards_rad)),
        f"{BLUE}/2": BodyState(Pose2D(*mate, bearing(mate, puck) + random.uniform(-0.5, 0.5))),
        PUCK: BodyState(Pose2D(*puck)),
    }
    touched = passed = False

    def passer(skills: Skills) -> Order:
        nonlocal touched, passed
        at_m = distance(skills.view.us[1].pose.point, skills.puck.pose.point)
        touched = touched or at_m < 1.3 * skills.contact_m
        passed = passed or (touched and at_m > 2.0 * skills.contact_m)
        return skills.face(1, skills.puck.pose.point) if passed else skills.pass_to(1, 2)

    engine = _engine(league, seed, places, {1: passer, 2: lambda skills: skills.receive(2)})
    held = 0
    for _ in engine.ticks(6.0):
        held = held + 1 if _at_front(league, engine, f"{BLUE}/2") else 0
        if held * league.timing.control_dt_s >= 0.2:
            return True
    return False


def save(league: League, seed: int) -> bool:
    """Keep out a shot at half power from a metre, anywhere between the posts."""
    random = np.random.default_rng(seed)
    rink = league.rink
    goal_x_m = -rink.length_m / 2.0
    round_rad = random.uniform(-0.4, 0.4)
    puck = Point(goal_x_m + SHOT_M * math.cos(round_rad), SHOT_M * math.sin(round_rad))
    half_m = rink.goal_width_m / 2.0 - league.puck.radius_m
    aim_rad = bearing(puck, Point(goal_x_m, random.uniform(-half_m, half_m)))
    speed_m_s = SHOT_SHARE * league.kicker.max_puck_speed_m_s
    keeper = BodyState(Pose2D(goal_x_m + 0.9 * league.robot.length_m, 0.0, math.pi / 2.0))
    engine = _engine(league, seed, {f"{BLUE}/0": keeper, PUCK: BodyState(Pose2D(*puck))}, {0: lambda skills: skills.block(0)})
    # The keeper has its place before the shot.
    for _ in engine.ticks(1.0):
        pass
    flying = BodyState(Pose2D(*puck), Twist2D(speed_m_s * math.cos(aim_rad), speed_m_s * math.sin(aim_rad)))
    engine.rink.world.set_state(bodies_sample(engine.time_s, {PUCK: flying}))
    return not engine.play_until(lambda _: _in_goal(league, engine) < 0, 3.0)


def _truth(engine: Engine) -> WorldState:
    world = engine.rink.world
    return WorldState(world.time_s, {robot: world.body(str(robot)) for robot in world.robots}, world.body(PUCK))


def _in_goal(league: League, engine: Engine) -> int:
    """1 when the puck is wholly in red's goal, -1 in blue's, else 0."""
    x_m = engine.rink.world.body(PUCK).pose.x_m
    over = abs(x_m) - league.rink.length_m / 2.0 >= league.puck.radius_m
    return int(math.copysign(1.0, x_m)) if over else 0


def _at_front(league: League, engine: Engine, robot: str) -> bool:
    """Whether the puck truly lies at a robot and moves with it."""
    body, puck = engine.rink.world.body(robot), engine.rink.world.body(PUCK)
    gap_m = distance(body.pose.point, puck.pose.point) - league.robot.circumradius_m - league.puck.radius_m
    slip_m_s = math.hypot(puck.twist.vx_m_s - body.twist.vx_m_s, puck.twist.vy_m_s - body.twist.vy_m_s)
    return gap_m < 0.01 and slip_m_s < 0.25


DRILLS = (
    Drill("waypoint with obstacles, within 20 mm, no contact", 0.98, waypoint),
    Drill("shot at an empty goal from 1 m", 0.90, shot),
    Drill("pass over 0.8 m", 0.80, passing),
    Drill("goalkeeper against half power from 1 m", 0.60, save),
)
