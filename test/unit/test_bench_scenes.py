"""The benchmark's scenes and measures: same for all, and judged by geometry that is checked here by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from headless import over_boards_m, puck_depth_m, robots_depth_m

from bench.engines import OURS, installed_engines
from bench.scenes import (
    CONTROL_S,
    DT_S,
    LEAGUES,
    STEPS_PER_CONTROL,
    Start,
    box_distance,
    drive_numbers,
    free_spot,
    is_lost,
    league_of,
    puck_overlaps,
    random_wheel_speeds,
    robots_overlap,
    set_velocities,
    sizes_of,
    start_of,
    steer_at_puck,
    wall_clearance,
    walls_of,
)
from robohockey_core.kinematics import arc_step
from robohockey_core.state import BodyState, Pose2D

EVERY_SIZE = pytest.mark.parametrize("players", LEAGUES)
INSTALLED = installed_engines()[0]
EVERY_ENGINE = pytest.mark.parametrize("name", INSTALLED)


def random_points(league, count=400):
    rink = league.rink
    reach = (rink.length_m / 2.0 + rink.goal_depth_m + 0.05, rink.width_m / 2.0 + 0.05)
    return np.random.default_rng(2).uniform(-1.0, 1.0, (count, 2)) * reach


def depth_in_wall(wall, x, y):
    dx, dy = x - wall.x_m, y - wall.y_m
    cos, sin = math.cos(wall.yaw_rad), math.sin(wall.yaw_rad)
    return min(wall.half_length_m - abs(cos * dx + sin * dy), wall.half_width_m - abs(cos * dy - sin * dx))


def test_our_simulator_always_takes_part():
    assert OURS in INSTALLED


@EVERY_SIZE
def test_same_seed_same_wheel_speeds_within_the_limit(players):
    league = league_of(players)
    speeds = random_wheel_speeds(league, 50)
    assert speeds.shape == (50, 2 * players, 2)
    np.testing.assert_array_equal(speeds, random_wheel_speeds(league, 50))
    assert 0.9 * league.robot.max_wheel_speed_rad_s < np.abs(speeds).max() <= league.robot.max_wheel_speed_rad_s


@EVERY_SIZE
def test_lost_is_outside_of_the_rink_and_its_nets(players):
    league = league_of(players)
    sizes, rink = sizes_of(league), league.rink
    for x, y in random_points(league):
        behind_m = abs(x) - rink.length_m / 2.0
        in_net = 0.0 < behind_m < rink.goal_depth_m and abs(y) < rink.goal_width_m / 2.0
        assert is_lost(sizes, np.array([x, y, 0.0, 0.0])) == (over_boards_m(league, x, y) > 0.0 and not in_net)
    assert is_lost(sizes, np.array([math.nan, 0.0, 0.0, 0.0]))


@EVERY_SIZE
def test_solid_walls_surround_the_rink_and_nothing_more(players):
    """What the measure calls inside is free of walls but for the corners' chords; what is just outside is solid."""
    league = league_of(players)
    sizes = sizes_of(league)
    walls = [wall for wall in walls_of(sizes) if not wall.robots_only]
    chord_height_m = sizes.corner_radius_m * (1.0 - math.cos(math.pi / 16.0))
    for x, y in random_points(league, 2000):
        clearance_m = wall_clearance(sizes, x, y)
        depth_m = max(depth_in_wall(wall, x, y) for wall in walls)
        if clearance_m >= 0.0:
            assert depth_m <= chord_height_m + 1e-12, (x, y)
        elif clearance_m > -0.02:
            assert depth_m >= -1e-12, (x, y)


def test_wall_clearance_at_boards_corner_post_and_net():
    sizes = sizes_of(league_of(3))
    assert wall_clearance(sizes, 0.0, 0.5) == pytest.approx(0.1)
    assert wall_clearance(sizes, 0.95, 0.4) == pytest.approx(0.05)
    assert wall_clearance(sizes, 0.85 + 0.06, 0.45 + 0.08) == pytest.approx(0.15 - 0.1)
    assert wall_clearance(sizes, 0.97, 0.16) == pytest.approx(0.05)
    assert wall_clearance(sizes, 1.05, 0.0) == pytest.approx(0.05)
    assert wall_clearance(sizes, 1.02, 0.19) == pytest.approx(0.01)
    assert wall_clearance(sizes, 1.01, 0.3) < 0.0


def test_overlaps_equal_those_of_other_code():
    league = league_of(5)
    sizes = sizes_of(league)
    rng = np.random.default_rng(3)
    for _ in range(200):
        poses = rng.uniform(-1.0, 1.0, (2, 3)) * (0.06, 0.06, math.pi)
        puck = np.array([*rng.uniform(-0.08, 0.08, 2), 0.0, 0.0])
        a, b = (BodyState(Pose2D(*pose)) for pose in poses.tolist())
        disc = BodyState(Pose2D(puck[0], puck[1]))
        deepest_m = max(puck_depth_m(league, robot, disc) for robot in (a, b))
        assert puck_overlaps(sizes, poses, puck)[0] == pytest.approx(deepest_m, abs=1e-12)
        assert robots_overlap(sizes, poses) == pytest.approx(robots_depth_m(league, a, b), abs=1e-12)


@EVERY_SIZE
def test_puck_is_put_back_where_it_touches_nothing(players):
    league = league_of(players)
    sizes = sizes_of(league)
    poses = start_of(league).poses.copy()
    poses[:4] = (0.0, 0.0, 0.3), (0.08, 0.0, 0.0), (0.0, 0.09, 0.1), (-0.09, -0.03, 0.7)
    x, y = free_spot(sizes, poses)
    assert wall_clearance(sizes, x, y) > sizes.puck_radius_m
    assert min(box_distance(sizes, pose, x, y) for pose in poses) > sizes.puck_radius_m
    assert math.hypot(x, y) < 0.5


def test_velocities_of_a_period_end_where_the_wheels_do():
    league = league_of(3)
    robot = league.robot
    start = Pose2D(0.1, -0.2, 0.5)
    wheel_speeds, commands = np.array([[10.0, 10.0]]), np.array([[10.5, 60.0]])
    twists, puck = np.zeros((1, 3)), np.array([0.0, 0.0, 3.0, 4.0])
    set_velocities(drive_numbers(league), CONTROL_S, np.array([start]), wheel_speeds, commands, twists, puck)
    pose, speeds = start, np.array([10.0, 10.0])
    most = robot.max_wheel_acceleration_rad_s2 * DT_S / 100
    for _ in range(100 * STEPS_PER_CONTROL):
        speeds += np.clip(commands[0] - speeds, -most, most)
        twist = robot.make_drive().body_twist(speeds)
        pose = Pose2D(*arc_step(*pose, *twist, DT_S / 100))
    np.testing.assert_allclose(wheel_speeds[0], speeds)
    np.testing.assert_allclose(np.array(start) + twists[0] * CONTROL_S, pose, atol=2e-5)
    slower = 5.0 - league.puck.sliding_friction * 9.81 * CONTROL_S
    np.testing.assert_allclose(puck[2:], (0.6 * slower, 0.8 * slower))


def test_steering_turns_to_the_puck_and_stays_within_the_limit():
    league = league_of(3)
    limit = league.robot.max_wheel_speed_rad_s
    poses = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, math.pi / 2], [0.0, 0.0, -math.pi / 2], [0.0, 0.0, math.pi]])
    commands = np.zeros((4, 2))
    steer_at_puck(sizes_of(league), poses, np.array([0.5, 0.0, 0.0, 0.0]), commands)
    assert commands[0] == pytest.approx([limit, limit])
    assert commands[1, 0] > 0.0 > commands[1, 1]
    assert commands[2, 0] < 0.0 < commands[2, 1]
    assert commands[3].sum() == pytest.approx(0.0)
    assert np.abs(commands).max() <= limit


@EVERY_ENGINE
def test_engine_starts_where_it_is_told_and_puts_the_puck_back(name):
    league = league_of(3)
    start = start_of(league, 2.0, 0.4)
    engine = INSTALLED[name](league, start)
    engine.read()
    np.testing.assert_allclose(engine.poses[:, :2], start.poses[:, :2], atol=1e-6)
    np.testing.assert_allclose(np.cos(engine.poses[:, 2] - start.poses[:, 2]), 1.0)
    np.testing.assert_allclose(engine.puck, start.puck, atol=1e-6)
    engine.put_puck(0.3, -0.2)
    engine.read()
    np.testing.assert_allclose(engine.puck, (0.3, -0.2, 0.0, 0.0), atol=1e-6)


@EVERY_ENGINE
def test_engine_moves_free_bodies_as_the_scene_says(name):
    """Robots that drive curves, and a puck that slides, without touching anything, end alike in every engine."""
    league = league_of(3)
    start = start_of(league, 0.5, math.pi / 2)
    commands = np.tile((9.0, 11.0), (len(league.robots()), 1))
    ends = {}
    for kind in (OURS, name):
        engine = INSTALLED[kind](league, Start(*(values.copy() for values in start)))
        for _ in range(25):
            engine.drive(commands)
            engine.step(STEPS_PER_CONTROL)
        engine.read()
        ends[kind] = engine.poses.copy(), engine.puck.copy()
    assert np.hypot(*(ends[name][0] - start.poses)[:, :2].T).min() > 0.08
    np.testing.assert_allclose(ends[name][0][:, :2], ends[OURS][0][:, :2], atol=2e-3)
    np.testing.assert_allclose(np.cos(ends[name][0][:, 2] - ends[OURS][0][:, 2]), 1.0, atol=1e-4)
    np.testing.assert_allclose(ends[name][1], ends[OURS][1], atol=5e-3)
