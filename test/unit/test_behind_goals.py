"""Rinks with room behind the goals: nets with two sides, end boards farther out, robots that go round."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from headless import alone, body, put

from robohockey_core.checked import InputError
from robohockey_core.commands import WheelCommand
from robohockey_core.league import load_league
from robohockey_core.names import BLUE, PUCK, RobotId
from robohockey_sim.world import World

ROOM_M = 0.35
HOCKEY = load_league("micro_hockey")
OPEN = replace(HOCKEY, rink=replace(HOCKEY.rink, room_behind_goals_m=ROOM_M), puck=replace(HOCKEY.puck, sliding_friction=0.0))
LINE_M, END_M, SIDE_M = HOCKEY.rink.length_m / 2.0, HOCKEY.rink.length_m / 2.0 + ROOM_M, HOCKEY.rink.width_m / 2.0
BACK_M, POST_M = LINE_M + HOCKEY.rink.goal_depth_m, HOCKEY.rink.goal_width_m / 2.0
RADIUS_M, CORNER_M = HOCKEY.puck.radius_m, HOCKEY.rink.corner_radius_m
NET = [((LINE_M, POST_M), (BACK_M, POST_M)), ((BACK_M, POST_M), (BACK_M, -POST_M)), ((BACK_M, -POST_M), (LINE_M, -POST_M))]


def flying(x, y, vx, vy, steps: int):
    world = alone(OPEN)
    put(world, puck=body(x, y, vx=vx, vy=vy))
    world.step(steps)
    return world.body(PUCK)


def test_the_puck_goes_by_beside_the_goal_and_comes_back_from_the_end_boards():
    puck = flying(0.9, 0.4, 1.0, 0.0, 600)
    hit_s = (END_M - RADIUS_M - 0.9) / 1.0
    assert puck.twist.vx_m_s == pytest.approx(-HOCKEY.puck.wall_restitution)
    assert puck.pose.x_m == pytest.approx(END_M - RADIUS_M - HOCKEY.puck.wall_restitution * (0.6 - hit_s), abs=1e-9)


def test_it_still_goes_into_the_goal_from_the_front_and_stays_in_the_net():
    puck = flying(0.8, 0.05, 1.0, 0.0, 1000)
    assert puck.pose.x_m == pytest.approx(BACK_M - RADIUS_M, abs=1e-6)
    assert puck.twist.speed_m_s == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_from_behind_the_net_stops_it(side):
    puck = flying(side * (END_M - 0.05), 0.1, side * -1.0, 0.0, 1000)
    assert side * puck.pose.x_m == pytest.approx(BACK_M + RADIUS_M, abs=1e-6)


def test_a_post_throws_it_back():
    puck = flying(0.7, POST_M, 1.0, 0.0, 600)
    assert puck.twist.vx_m_s < 0.0


def gap_m(x: float, y: float) -> float:
    """From the puck's rim to the nearest board or net, by other code: segments and a rounded box."""
    nearest = math.inf
    for (ax, ay), (bx, by) in NET:
        along = ((abs(x) - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
        along = min(1.0, max(0.0, along))
        nearest = min(nearest, math.dist((abs(x), y), (ax + along * (bx - ax), ay + along * (by - ay))))
    over = np.maximum(np.abs([x, y]) - np.array([END_M, SIDE_M]) + CORNER_M, 0.0)
    boards = CORNER_M - math.hypot(*over) if over.all() else min(END_M - abs(x), SIDE_M - abs(y))
    return min(nearest, boards) - RADIUS_M


@pytest.mark.parametrize("speed_m_s", [2.0, 5.0, 20.0])
def test_a_fast_puck_is_never_in_anything(speed_m_s):
    world, random = World(OPEN), np.random.default_rng(7)
    limit = OPEN.robot.max_wheel_speed_rad_s
    for _ in range(60):
        x, y, way = random.uniform(-END_M, END_M), random.uniform(-SIDE_M, SIDE_M), random.uniform(0.0, 2.0 * math.pi)
        try:
            put(world, puck=body(x, y, vx=speed_m_s * math.cos(way), vy=speed_m_s * math.sin(way)))
        except InputError:
            continue
        commands = random.uniform(-limit, limit, (len(world.robots), 2))
        for _ in range(60):
            world.step(1, commands)
            assert gap_m(*world.puck[:2]) > -1e-6, world.time_s


def test_a_robot_drives_round_the_goal_and_not_through_it():
    world = alone(OPEN)
    put(world, blue_0=body(BACK_M + 0.12, 0.0, math.pi), puck=body(-0.5, 0.0))
    world.command(RobotId(BLUE, 0), WheelCommand((30.0, 30.0)))
    world.step(1500)
    # It stands against the back of the net.
    assert world.body("blue/0").pose.x_m == pytest.approx(BACK_M + HOCKEY.robot.length_m / 2.0, abs=1e-4)


def test_places_in_a_net_and_rooms_too_small_are_refused(tmp_path):
    world = alone(OPEN)
    with pytest.raises(InputError, match="and not in a net"):
        put(world, blue_0=body(LINE_M + 0.05, 0.0))
    put(world, blue_0=body(BACK_M + 0.1, 0.0))
    path = tmp_path / "small.yaml"
    path.write_text("rink: {room_behind_goals_m: 0.12}\n")
    with pytest.raises(InputError, match=r"rink\.room_behind_goals_m = 0\.12: must be 0, or let the puck pass"):
        load_league(str(path))
