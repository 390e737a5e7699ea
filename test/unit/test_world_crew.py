"""Robots that leave the rink and come back, commands for all wheels at once, and pushes that go through the puck."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from headless import body, put

from robohockey_core.checked import InputError
from robohockey_core.commands import WheelCommand
from robohockey_core.league import load_league
from robohockey_core.names import PUCK
from robohockey_core.state import BodyState, Pose2D
from robohockey_sim.world import World

HOCKEY = load_league("micro_hockey")


def test_a_robot_that_is_off_is_seen_by_nobody_and_met_by_nothing():
    world = World(HOCKEY)
    put(world, blue_0=body(0.0, 0.5), puck=body(-0.2, 0.5, vx=2.0))
    world.take_off("blue/0")
    assert world.off == {"blue/0"}
    assert not any(name.startswith("blue/0/") for name in (*world.detections().names, *world.truth().names))
    # Nor does anything hear from its wheels: a tracker that goes by them would keep it on the rink.
    assert not any(name.startswith("blue/0/") for name in world.wheel_states().names)
    assert len(world.truth().position) == len(world.truth().names) == 3 * (len(world.bodies) - 1)
    world.step(200)
    assert world.body(PUCK).pose.x_m == pytest.approx(0.2, abs=0.01)


def test_it_comes_back_to_a_free_place_only():
    world = World(HOCKEY)
    world.take_off("blue/0")
    taken = world.body("red/0")
    with pytest.raises(InputError, match="blue/0 would overlap red/0"):
        world.put_on("blue/0", BodyState(taken.pose))
    with pytest.raises(InputError, match="must be finite"):
        world.put_on("blue/0", BodyState(Pose2D(math.nan, 0.0)))
    assert world.off == {"blue/0"}
    world.put_on("blue/0", body(-0.3, 0.2))
    assert world.off == frozenset()
    world.command(world.robots[0], WheelCommand((20.0, 20.0)))
    world.step(500)
    assert world.body("blue/0").pose.x_m > -0.25
    with pytest.raises(InputError, match="on the rink already"):
        world.put_on("blue/0", body(0.3, 0.2))


def test_who_is_off_cannot_be_moved_and_stays_off_through_a_snapshot():
    world = World(HOCKEY)
    with pytest.raises(InputError, match=r"blue/7: no such robot in micro_hockey"):
        world.take_off("blue/7")
    world.take_off("blue/1")
    kept = world.snapshot()
    with pytest.raises(InputError, match="blue/1 was taken off the rink"):
        put(world, blue_1=body(0.0, 0.3))
    world.put_on("blue/1", body(-0.3, 0.2))
    world.restore(kept)
    assert world.off == {"blue/1"}
    world.reset()
    assert world.off == frozenset()


def test_commands_for_all_wheels_are_those_for_each():
    one, all_at_once = World(HOCKEY), World(HOCKEY)
    speeds = np.random.default_rng(3).uniform(-30.0, 30.0, (len(one.robots), 2))
    for robot, pair in zip(one.robots, speeds.tolist(), strict=True):
        one.command(robot, WheelCommand(tuple(pair)))
    one.step(300)
    all_at_once.step(300, speeds)
    assert np.array_equal(one.truth().position, all_at_once.truth().position)


@pytest.mark.parametrize(
    ("speeds", "message"),
    [
        (np.zeros((2, 2)), r"shape \(2, 2\); must be \(6, 2\)"),
        (np.full((6, 2), np.nan), r"wheel speeds of blue/0 are \[nan, nan\]; must be finite"),
        (np.full((6, 2), np.inf), "must be finite"),
    ],
)
def test_bad_commands_change_nothing(speeds, message):
    world = World(HOCKEY)
    world.step(20, np.full((6, 2), 10.0))
    before = world.snapshot()
    with pytest.raises(InputError, match=message):
        world.step(20, speeds)
    for then, now in zip(before[2], world.snapshot()[2], strict=True):
        assert np.array_equal(then, now)


def test_views_show_the_state_and_cannot_be_written():
    world = World(HOCKEY)
    world.step(100, np.full((6, 2), 10.0))
    assert world.poses[0].tolist() == pytest.approx(list(world.body("blue/0").pose))
    assert world.puck[:2].tolist() == list(world.body(PUCK).pose[:2])
    with pytest.raises(ValueError, match="read-only"):
        world.poses[0, 0] = 1.0


def test_a_push_goes_through_the_puck_and_no_momentum_is_lost():
    """Blue, gliding, runs through a puck into a standing red: all three share its momentum."""
    league = replace(HOCKEY, robot=replace(HOCKEY.robot, tyre_traction=1e-12), match=replace(HOCKEY.match, players=1))
    league = replace(league, puck=replace(league.puck, sliding_friction=0.0))
    world = World(league)
    half_m, radius_m = league.robot.length_m / 2.0, league.puck.radius_m
    put(
        world,
        puck=body(0.0, 0.0),
        red_0=body(half_m + radius_m + 1e-4, 0.0, math.pi),
        blue_0=BodyState(Pose2D(-half_m - radius_m - 0.01, 0.0)),
    )
    put(world, blue_0=body(-half_m - radius_m - 0.01, 0.0, vx=0.5))
    before = league.robot.mass_kg * 0.5
    for _ in range(200):
        world.step(1)
        blue, red, puck = world.body("blue/0"), world.body("red/0"), world.body(PUCK)
        robots = league.robot.mass_kg * (blue.twist.vx_m_s + red.twist.vx_m_s)
        assert robots + league.puck.mass_kg * puck.twist.vx_m_s == pytest.approx(before, rel=1e-6)
        assert red.pose.x_m - blue.pose.x_m >= 2.0 * (half_m + radius_m) - 1e-6
    assert red.twist.vx_m_s > 0.2
