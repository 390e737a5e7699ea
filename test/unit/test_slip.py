"""Collisions by wheel slip (MR-Simulator Table 2, eq 1-13, Figs 6 and 7), as functions and in the world."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from headless import alone, body, put, robots_depth_m

from robohockey_core.checked import InputError
from robohockey_core.commands import WheelCommand
from robohockey_core.league import SLIP, League, load_league
from robohockey_core.names import BLUE, RED, RobotId
from robohockey_sim.slip import bumped_slip, parallel_speeds, perpendicular_slips
from robohockey_sim.world import World

QUARTER = math.pi / 4.0
HOCKEY = load_league("micro_hockey")
BLUE_0, RED_0 = RobotId(BLUE, 0), RobotId(RED, 0)
SIDE_M = HOCKEY.robot.length_m
WHEEL_M = HOCKEY.robot.wheel_radius_m


@pytest.mark.parametrize(
    ("beta", "sigma", "slip_y", "slip_other"),
    [(-QUARTER, -1, 1, 0), (0, -1, 1.5, 0.5), (QUARTER, -1, 2, 1), (-QUARTER, 1, 1, 2), (0, 1, 0.5, 1.5), (QUARTER, 1, 0, 1)],
)
def test_the_six_cases_of_fig_6(beta, sigma, slip_y, slip_other):
    assert perpendicular_slips(float(beta), float(sigma)) == pytest.approx((slip_y, slip_other))


@pytest.mark.parametrize(("beta", "slip"), [(QUARTER, 1.0), (2 * QUARTER, 1 / 3), (3 * QUARTER, 0.0), (-2 * QUARTER, 1 / 3)])
def test_the_three_angles_of_fig_7(beta, slip):
    assert bumped_slip(beta) == pytest.approx(slip, abs=1e-12)


@pytest.mark.parametrize(("forward", "after"), [(0.5, 0.25), (-0.5, 0.25), (0.5, 0.5), (0.0, 0.3), (0.5, -0.1)])
def test_a_push_through_the_middle_leaves_the_common_velocity(forward, after):
    assert parallel_speeds(forward, after, 0.0) == pytest.approx((after, after))


def test_torque_slows_the_wheel_on_the_side_that_was_hit():
    right, left = parallel_speeds(0.5, 0.25, 0.4)
    assert right < 0.25 < left
    assert 0.5 * (right + left) == pytest.approx(0.25)


def slipping() -> League:
    return replace(HOCKEY, robot=replace(HOCKEY.robot, collisions=SLIP))


def drive(world: World, **speeds_m_s: float) -> None:
    for name, speed in speeds_m_s.items():
        robot = BLUE_0 if name == "blue" else RED_0
        world.command(robot, WheelCommand((speed / WHEEL_M, speed / WHEEL_M)))


def meeting(blue, red, blue_m_s: float, red_m_s: float) -> World:
    """Two robots at speed, one of which will meet the other; stepped until just after they touch."""
    world = alone(slipping())
    put(world, blue_0=blue, red_0=red, puck=body(0.0, -0.5))
    drive(world, blue=blue_m_s, red=red_m_s)
    before = world.body("blue/0").twist
    for _ in range(500):
        world.step(1)
        after = world.body("blue/0").twist
        if max(abs(a - b) for a, b in zip(after, before, strict=True)) > 0.05:
            return world
        before = after
    raise AssertionError("they never met")


def test_head_on_at_equal_speed_both_stop():
    world = meeting(body(-0.06, 0.0, vx=0.4), body(0.06, 0.0, math.pi, vx=-0.4), 0.4, 0.4)
    assert world.body("blue/0").twist.speed_m_s == pytest.approx(0.0, abs=0.02)
    assert world.body("red/0").twist.speed_m_s == pytest.approx(0.0, abs=0.02)


def test_from_behind_both_go_on_with_the_mean():
    world = meeting(body(-0.06, 0.0, vx=0.4), body(0.04, 0.0), 0.4, 0.0)
    assert world.body("blue/0").twist.vx_m_s == pytest.approx(0.2, abs=0.02)
    assert world.body("red/0").twist.vx_m_s == pytest.approx(0.2, abs=0.02)


@pytest.mark.parametrize("offset_m", [0.03, -0.03])
def test_off_the_middle_both_turn_towards_the_side_that_was_hit(offset_m):
    world = meeting(body(-0.06, 0.0, vx=0.4), body(0.06, offset_m, math.pi, vx=-0.4), 0.4, 0.4)
    # Blue was hit on the side where red is, and is stopped there: it turns that way. In the mirror, so does red.
    assert world.body("blue/0").twist.yaw_rate_rad_s * offset_m > 0.0
    assert world.body("red/0").twist.yaw_rate_rad_s * offset_m > 0.0


@pytest.mark.parametrize("red_m_s", [0.4, -0.4])
def test_a_robot_that_runs_into_a_side_turns_along_with_the_other(red_m_s):
    """Red drives across before blue's front; blue turns the way red goes (Fig 5)."""
    yaw = math.pi / 2.0
    world = meeting(body(-0.08, 0.0, vx=0.4), body(0.02, -0.06 * math.copysign(1.0, red_m_s), yaw, vy=red_m_s), 0.4, red_m_s)
    assert world.body("blue/0").twist.yaw_rate_rad_s * red_m_s > 0.0


def test_robots_that_push_for_seconds_neither_sink_nor_gain():
    world = alone(slipping())
    put(world, blue_0=body(-0.1, 0.0), red_0=body(0.1, 0.02, math.pi), puck=body(0.0, -0.5))
    drive(world, blue=0.5, red=0.5)
    for _ in range(3000):
        world.step(1)
        blue, red = world.body("blue/0"), world.body("red/0")
        assert robots_depth_m(HOCKEY, blue, red) < 1e-6
        assert max(blue.twist.speed_m_s, red.twist.speed_m_s) < 0.55


def test_slip_needs_two_wheels(tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text("extends: msl_omni\nrobot: {collisions: slip}\n")
    with pytest.raises(InputError, match=r"robot\.collisions = 'slip': wheel slip is known for a differential drive only"):
        load_league(str(path))
