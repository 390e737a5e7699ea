"""A puck that is pushed, squeezed and released: never in a body, never lost, never stuck for good."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from headless import alone, body, over_boards_m, puck_depth_m, put, robots_depth_m

from robohockey_core.commands import WheelCommand
from robohockey_core.league import load_league
from robohockey_core.names import BLUE, PUCK, RED, RobotId
from robohockey_core.state import BodyState
from robohockey_sim.world import World

HOCKEY = load_league("micro_hockey")
LONG = replace(HOCKEY, rink=replace(HOCKEY.rink, length_m=8.0))
BLUE_0, BLUE_1, RED_0, RED_1 = (RobotId(team, number) for team in (BLUE, RED) for number in (0, 1))
HALF_LENGTH_M, HALF_WIDTH_M = HOCKEY.rink.length_m / 2.0, HOCKEY.rink.width_m / 2.0
RADIUS_M, FRONT_M = HOCKEY.puck.radius_m, HOCKEY.robot.length_m / 2.0
FULL_RAD_S = HOCKEY.robot.max_wheel_speed_rad_s
DEEPEST_M = 1e-6


def drive(world: World, left: float, right: float, *robots: RobotId) -> None:
    for robot in robots:
        world.command(robot, WheelCommand((left, right)))


def watch(world: World, steps: int) -> None:
    """Step, and look at every step that nothing overlaps and the puck is on the ice."""
    league, radius_m = world.league, world.league.puck.radius_m
    shrunk = replace(
        league,
        rink=replace(
            league.rink,
            length_m=league.rink.length_m - 2.0 * radius_m,
            width_m=league.rink.width_m - 2.0 * radius_m,
            corner_radius_m=league.rink.corner_radius_m - radius_m,
        ),
    )
    for _ in range(steps):
        world.step(1)
        puck = world.body(PUCK)
        robots = [world.body(str(robot)) for robot in world.robots]
        assert over_boards_m(shrunk, puck.pose.x_m, puck.pose.y_m) < DEEPEST_M, world.time_s
        for i, robot in enumerate(robots):
            assert puck_depth_m(league, robot, puck) < DEEPEST_M, world.time_s
            for other in robots[:i]:
                if math.dist(robot.pose[:2], other.pose[:2]) < 2.0 * league.robot.circumradius_m:
                    assert robots_depth_m(league, robot, other) < DEEPEST_M, world.time_s


def four(**bodies: BodyState) -> World:
    """A rink with two robots of each team, those not named out of the way."""
    world = World(replace(HOCKEY, match=replace(HOCKEY.match, players=2)))
    out = {f"{team}_{i}": body(x, -0.5 + 0.1 * i) for team, x in (("blue", -0.5), ("red", 0.5)) for i in (0, 1)}
    put(world, puck=body(0.0, -0.5))
    put(world, **{**out, **bodies})
    return world


@pytest.mark.parametrize("speed_rad_s", [5.0, 20.0, 60.0])
def test_a_puck_on_a_pushed_front_stays_there_without_overlap_or_chatter(speed_rad_s):
    world = alone(LONG)
    put(world, blue_0=body(-3.8, 0.1), puck=body(-3.8 + FRONT_M + RADIUS_M + 1e-4, 0.1))
    drive(world, speed_rad_s, speed_rad_s, BLUE_0)
    watch(world, 2500)
    speed_m_s = speed_rad_s * HOCKEY.robot.wheel_radius_m
    for _ in range(3000):
        world.step(1)
        robot, puck = world.body("blue/0"), world.body(PUCK)
        gap_m = puck.pose.x_m - robot.pose.x_m - FRONT_M - RADIUS_M
        assert -DEEPEST_M < gap_m < 1e-3, world.time_s
        assert puck.twist.vx_m_s == pytest.approx(speed_m_s, abs=0.02), world.time_s
        assert puck.twist.vy_m_s == pytest.approx(0.0, abs=1e-9)


SQUEEZES = {
    "robot and board": {"blue_0": body(0.0, 0.4, math.pi / 2.0), "puck": body(0.01, 0.5)},
    "two robots": {"blue_0": body(-0.3, 0.2), "red_0": body(0.3, 0.2, math.pi), "puck": body(0.0, 0.2)},
    "two robots, shifted": {"blue_0": body(-0.3, 0.18), "red_0": body(0.3, 0.22, math.pi), "puck": body(0.0, 0.2)},
    "robot and corner": {"blue_0": body(0.75, 0.35, math.pi / 4.0), "puck": body(0.85, 0.45)},
    "two robots in a corner": {
        "blue_0": body(0.7, 0.5, 0.0),
        "red_0": body(0.9, 0.3, math.pi / 2.0),
        "puck": body(0.9, 0.5),
    },
    "four robots": {
        "blue_0": body(-0.3, 0.1),
        "red_0": body(0.3, 0.1, math.pi),
        "blue_1": body(0.0, -0.2, math.pi / 2.0),
        "red_1": body(0.0, 0.4, -math.pi / 2.0),
        "puck": body(0.0, 0.1),
    },
    "four robots, askew": {
        "blue_0": body(-0.3, 0.12, -0.1),
        "red_0": body(0.3, 0.08, math.pi + 0.1),
        "blue_1": body(0.02, -0.2, math.pi / 2.0),
        "red_1": body(-0.01, 0.4, -math.pi / 2.0),
        "puck": body(0.0, 0.1),
    },
}


@pytest.mark.parametrize("bodies", SQUEEZES.values(), ids=SQUEEZES)
def test_a_squeezed_puck_is_in_nobody_and_comes_free_when_robots_leave(bodies):
    world = four(**bodies)
    squeezing = [robot for robot in world.robots if str(robot).replace("/", "_") in bodies]
    drive(world, FULL_RAD_S, FULL_RAD_S, *squeezing)
    # Robots askew push the whole bunch along: not so long that it reaches the boards.
    watch(world, 1000)
    # Everybody turns on the spot where there is room, and drives away backwards, as soon as the wheels turn that way.
    drive(world, -0.5 * FULL_RAD_S, -0.4 * FULL_RAD_S, *squeezing)
    watch(world, 400)
    caught = {robot: world.body(str(robot)) for robot in squeezing}
    watch(world, 300)
    for robot, then in caught.items():
        assert math.dist(world.body(str(robot)).pose[:2], then.pose[:2]) > 0.05, robot
    drive(world, 0.0, 0.0, *squeezing)
    watch(world, 500)
    # The puck is free to go, to the middle where there is room.
    free = world.body(PUCK).pose
    away_m = math.hypot(free.x_m, free.y_m)
    put(world, puck=body(free.x_m, free.y_m, vx=-free.x_m / away_m, vy=-free.y_m / away_m))
    watch(world, 60)
    assert math.dist(world.body(PUCK).pose[:2], free[:2]) > 0.03


@pytest.mark.parametrize("turning", [BLUE_0, RED_0])
def test_one_of_two_robots_that_hold_the_puck_can_turn_away(turning):
    world = four(**SQUEEZES["two robots"])
    drive(world, FULL_RAD_S, FULL_RAD_S, BLUE_0, RED_0)
    watch(world, 1500)
    yaw_rad = world.body(str(turning)).pose.yaw_rad
    drive(world, -0.5 * FULL_RAD_S, 0.1 * FULL_RAD_S, turning)
    watch(world, 800)
    assert abs(math.remainder(world.body(str(turning)).pose.yaw_rad - yaw_rad, 2.0 * math.pi)) > 0.5


@pytest.mark.parametrize("speed_m_s", [2.0, 5.0, 20.0])
def test_a_fast_puck_between_two_closing_robots_is_never_lost(speed_m_s):
    world = four(blue_0=body(-0.3, 0.2), red_0=body(0.3, 0.2, math.pi), puck=body(0.0, 0.2, vx=speed_m_s, vy=0.001 * speed_m_s))
    drive(world, FULL_RAD_S, FULL_RAD_S, BLUE_0, RED_0)
    watch(world, 1500)
