"""Every league drives with every motion model that its robots can have, named by one line in a file."""

from __future__ import annotations

import math

import numpy as np
import pytest
from headless import PRESETS, alone, body, put

from robohockey_core.commands import WheelCommand
from robohockey_core.league import DIFFERENTIAL, DYNAMIC, KINEMATIC, WHEEL_TRAJECTORY, League, load_league
from robohockey_core.names import BLUE, RobotId
from robohockey_sim.world import World

BLUE_0 = RobotId(BLUE, 0)
MODELS = [(name, motion) for name in PRESETS for motion in (KINEMATIC, DYNAMIC)]
MODELS += [(name, WHEEL_TRAJECTORY) for name in PRESETS if load_league(name).robot.drive == DIFFERENTIAL]


@pytest.fixture
def league(request, tmp_path) -> League:
    name, motion = request.param
    path = tmp_path / "mine.yaml"
    path.write_text(f"extends: {name}\nrobot: {{motion: {motion}}}\n")
    return load_league(str(path))


def driven(league: League, twist: tuple[float, float, float], seconds: float) -> World:
    """A robot from rest, off the middle of the rink, with the wheels of a body twist."""
    world = alone(league)
    put(world, blue_0=body(-0.3 * league.rink.length_m, 0.0), puck=body(0.0, 0.4 * league.rink.width_m))
    drive_on(world, twist, seconds)
    return world


def drive_on(world: World, twist: tuple[float, float, float], seconds: float) -> None:
    drive = world.league.robot.make_drive()
    world.command(BLUE_0, WheelCommand(tuple(drive.wheel_speeds(np.array(twist)).tolist())))
    world.step(round(seconds / world.league.timing.physics_dt_s))


@pytest.mark.parametrize("league", MODELS, indirect=True, ids=" ".join)
def test_a_robot_gets_to_the_speed_that_it_is_told_and_stops(league):
    """Half of its top speed within half a second, as tightly as its wheels are controlled; then rest."""
    speed = 0.5 * league.robot.max_speed_m_s
    world = driven(league, (speed, 0.0, 0.0), 0.5)
    twist = world.body("blue/0").twist
    assert twist.vx_m_s == pytest.approx(speed, rel=0.01)
    assert (twist.vy_m_s, twist.yaw_rate_rad_s) == pytest.approx((0.0, 0.0), abs=1e-6)
    drive_on(world, (0.0, 0.0, 0.0), 1.0)
    assert world.body("blue/0").twist.speed_m_s < 1e-3 * speed


@pytest.mark.parametrize("league", MODELS, indirect=True, ids=" ".join)
def test_a_robot_turns_on_the_spot_as_it_is_told(league):
    robot = league.robot
    lever_m = robot.wheel_base_m / 2.0 if robot.drive == DIFFERENTIAL else robot.hub_radius_m
    turn = 0.3 * robot.max_speed_m_s / lever_m
    state = driven(league, (0.0, 0.0, turn), 1.0).body("blue/0")
    assert state.twist.yaw_rate_rad_s == pytest.approx(turn, rel=0.01)
    assert math.dist(state.pose[:2], (-0.3 * league.rink.length_m, 0.0)) < 0.02 * robot.length_m


@pytest.mark.parametrize("league", [(name, DYNAMIC) for name in PRESETS], indirect=True, ids=PRESETS)
def test_motors_reach_the_leagues_top_speed_and_pull_away_as_the_kinematic_model_may(league):
    """Each preset's motors fit its other numbers: top speed to 5 %, and no weaker than half of the wheels' limit."""
    robot = league.robot
    forward = robot.make_drive().matrix[:, 0]
    top = robot.max_wheel_speed_rad_s / np.abs(forward).max()
    limit_m_s2 = robot.max_wheel_acceleration_rad_s2 / np.abs(forward).max()
    world = driven(league, (top, 0.0, 0.0), 0.02)
    assert world.body("blue/0").twist.vx_m_s / 0.02 > 0.5 * limit_m_s2
    seconds = 0.5 * league.rink.length_m / top
    drive_on(world, (top, 0.0, 0.0), min(1.5, seconds))
    assert world.body("blue/0").twist.vx_m_s == pytest.approx(top, rel=0.05)


@pytest.mark.parametrize(
    "league", [("mixed_reality", motion) for motion in (KINEMATIC, DYNAMIC, WHEEL_TRAJECTORY)], indirect=True
)
def test_every_code_of_table_1_is_a_speed_that_the_robot_drives(league):
    for code_m_s in league.robot.wheel_speed_codes_m_s[1::6]:
        world = driven(league, (code_m_s, 0.0, 0.0), 0.6)
        assert world.body("blue/0").twist.vx_m_s == pytest.approx(code_m_s, rel=0.01)
