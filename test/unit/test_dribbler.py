"""The dribbler holds a puck at the front, up to a force."""

from __future__ import annotations

from dataclasses import replace

import pytest
from headless import alone, body, put

from robohockey_core.commands import WheelCommand
from robohockey_core.geometry import to_local
from robohockey_core.league import load_league
from robohockey_core.names import BLUE, PUCK, RobotId
from robohockey_sim.world import World

HOCKEY = load_league("micro_hockey")
BLUE_0 = RobotId(BLUE, 0)
TOUCHING_M = HOCKEY.robot.length_m / 2.0 + HOCKEY.puck.radius_m


def backing_up(dribble: float, wheel_speed_rad_s: float = -5.0, league=HOCKEY) -> World:
    """A robot that drives back from a puck at its front, a little off the middle."""
    world = alone(league)
    put(world, blue_0=body(0.3, 0.3), puck=body(0.3 + TOUCHING_M + 0.001, 0.31))
    world.command(BLUE_0, WheelCommand((wheel_speed_rad_s,) * 2, dribble=dribble))
    world.step(1000)
    return world


def puck_before(world: World):
    robot = world.body("blue/0").pose
    return to_local(robot.point, robot.yaw_rad, world.body(PUCK).pose.point)


def test_a_dribbled_puck_comes_along_backwards_and_to_the_middle():
    at = puck_before(backing_up(1.0))
    assert at.x_m == pytest.approx(TOUCHING_M, abs=1e-3)
    assert at.y_m == pytest.approx(0.0, abs=2e-3)


@pytest.mark.parametrize("league", [HOCKEY, replace(HOCKEY, dribbler=replace(HOCKEY.dribbler, max_force_n=0.0))])
def test_without_dribbler_the_puck_stays_behind(league):
    strength = 0.0 if league is HOCKEY else 1.0
    assert puck_before(backing_up(strength, league=league)).x_m > TOUCHING_M + 0.05


def test_the_force_is_limited():
    weak = replace(HOCKEY, dribbler=replace(HOCKEY.dribbler, max_force_n=0.002))
    assert puck_before(backing_up(1.0, wheel_speed_rad_s=-40.0, league=weak)).x_m > TOUCHING_M + 0.05


def test_what_pulls_the_puck_pulls_the_robot():
    slippery = replace(HOCKEY, robot=replace(HOCKEY.robot, tyre_traction=1e-9), puck=replace(HOCKEY.puck, sliding_friction=0.0))
    world = alone(slippery)
    put(world, blue_0=body(0.0, 0.3), puck=body(TOUCHING_M + 0.004, 0.3, vx=0.05))
    world.command(BLUE_0, WheelCommand((0.0, 0.0), dribble=1.0))
    before = HOCKEY.puck.mass_kg * 0.05
    world.step(5)
    momentum = HOCKEY.puck.mass_kg * world.body(PUCK).twist.vx_m_s + HOCKEY.robot.mass_kg * world.body("blue/0").twist.vx_m_s
    assert world.body(PUCK).twist.vx_m_s < 0.05
    assert momentum == pytest.approx(before, rel=1e-6)
