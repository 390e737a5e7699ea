"""Robots that meet robots and boards: momentum, energy, restitution and friction of a hit, and what pushing ends in."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from headless import alone, body, box, over_boards_m, put, robots_depth_m

from robohockey_core.commands import WheelCommand
from robohockey_core.league import League, load_league
from robohockey_core.names import BLUE, PUCK, RED, RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_sim.world import World

HOCKEY = load_league("micro_hockey")
BLUE_0, RED_0 = RobotId(BLUE, 0), RobotId(RED, 0)
DT_S = HOCKEY.timing.physics_dt_s
HALF_WIDTH_M = HOCKEY.rink.width_m / 2.0
SIDE_M, ROBOT_KG = HOCKEY.robot.length_m, HOCKEY.robot.mass_kg
ROBOT_KG_M2 = ROBOT_KG * (HOCKEY.robot.length_m**2 + HOCKEY.robot.width_m**2) / 12.0
FULL_RAD_S = HOCKEY.robot.max_wheel_speed_rad_s
DEEPEST_M = 1e-6
# Contacts are solved in rounds until the speeds are right to this much.
SOLVED_M_S = 1e-3


def gliding(league: League = HOCKEY, **robot) -> League:
    """Robots on tyres that hold nothing: only contacts act."""
    return replace(league, robot=replace(league.robot, tyre_traction=1e-12, **robot))


def moving(x, y, yaw=0.0, vx=0.0, vy=0.0, turn=0.0) -> BodyState:
    return BodyState(Pose2D(x, y, yaw), Twist2D(vx, vy, turn))


def until_they_meet(world: World) -> tuple[list[BodyState], list[BodyState]]:
    """States of both robots before and after the step of their impact."""
    for _ in range(2000):
        before = [world.body("blue/0"), world.body("red/0")]
        world.step(1)
        after = [world.body("blue/0"), world.body("red/0")]
        if max(abs(a - b) for a, b in zip(after[1].twist, before[1].twist, strict=True)) > 1e-6:
            return before, after
    raise AssertionError("they never met")


def momentum(states) -> np.ndarray:
    """Linear momentum, and angular momentum about the centre of the rink."""
    total = np.zeros(3)
    for state in states:
        (x, y, _), (vx, vy, turn) = state.pose, state.twist
        total += [ROBOT_KG * vx, ROBOT_KG * vy, ROBOT_KG * (x * vy - y * vx) + ROBOT_KG_M2 * turn]
    return total


def energy_j(states) -> float:
    return sum(
        0.5 * ROBOT_KG * (vx**2 + vy**2) + 0.5 * ROBOT_KG_M2 * turn**2 for vx, vy, turn in (state.twist for state in states)
    )


HITS = {
    "head-on": (moving(-0.2, 0.1, vx=0.8), moving(0.1, 0.1, math.pi, vx=-0.5)),
    "head-on, one at rest": (moving(-0.2, 0.1, vx=1.0), moving(0.1, 0.1)),
    "shifted": (moving(-0.2, 0.1, vx=1.0), moving(0.1, 0.15)),
    "oblique": (moving(-0.2, 0.1, vx=1.0, vy=0.3), moving(0.1, 0.2, vx=-0.2)),
    "corner on side": (moving(-0.2, 0.1, math.pi / 4.0, vx=1.0), moving(0.1, 0.12)),
    "corner on side, turning": (moving(-0.2, 0.1, 0.3, vx=1.0, turn=0.0), moving(0.1, 0.13, 0.0, vx=-0.3)),
    "corner on corner": (moving(-0.2, 0.1, 0.7, vx=1.0), moving(0.1, 0.15, 0.6, vx=-0.5)),
}


# --- Klancar eq 26-27: impulses between two robots


@pytest.mark.parametrize("hit", HITS.values(), ids=HITS)
@pytest.mark.parametrize(("restitution", "friction"), [(0.1, 0.3), (0.0, 0.0), (1.0, 0.0), (0.5, 1.0)])
def test_klancar_26_a_hit_keeps_momentum_and_makes_no_energy(hit, restitution, friction):
    world = alone(gliding(robot_restitution=restitution, robot_friction=friction))
    put(world, blue_0=hit[0], red_0=hit[1])
    before, after = until_they_meet(world)
    assert momentum(after) == pytest.approx(momentum(before), abs=1e-9)
    assert energy_j(after) <= energy_j(before) + 1e-9
    if restitution == 1.0:
        assert energy_j(after) == pytest.approx(energy_j(before), rel=5e-3)


@pytest.mark.parametrize("restitution", [0.0, 0.1, 0.5, 1.0])
def test_head_on_equal_robots_part_at_the_restitution_given(restitution):
    world = alone(gliding(robot_restitution=restitution))
    put(world, blue_0=moving(-0.2, 0.1, vx=0.8), red_0=moving(0.1, 0.1, math.pi, vx=-0.5))
    _, (blue, red) = until_they_meet(world)
    # v1' = V - e u / 2 and v2' = V + e u / 2 with V = 0.15 the common and u = 1.3 the relative speed.
    assert blue.twist.vx_m_s == pytest.approx(0.15 - restitution * 0.65, abs=SOLVED_M_S)
    assert red.twist.vx_m_s == pytest.approx(0.15 + restitution * 0.65, abs=SOLVED_M_S)
    assert (blue.twist.yaw_rate_rad_s, red.twist.yaw_rate_rad_s) == pytest.approx((0.0, 0.0), abs=0.05)


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_klancar_27_a_corner_on_a_side_parts_at_the_restitution_given(restitution):
    """A square on its tip, 10 mm beside the other's centre: J = (1 + e) v / (2/m + s^2/I), lever s on the side hit."""
    world = alone(gliding(robot_restitution=restitution, robot_friction=0.0))
    aside = 0.01
    put(world, blue_0=moving(-0.2, 0.1 + aside, math.pi / 4.0, vx=1.0), red_0=moving(0.1, 0.1))
    _, (blue, red) = until_they_meet(world)
    push = (1.0 + restitution) / (2.0 / ROBOT_KG + aside**2 / ROBOT_KG_M2)
    assert blue.twist == pytest.approx(Twist2D(1.0 - push / ROBOT_KG), abs=SOLVED_M_S)
    assert red.twist == pytest.approx(Twist2D(push / ROBOT_KG, 0.0, -aside * push / ROBOT_KG_M2), abs=2.0 * SOLVED_M_S)


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.3])
def test_friction_between_robots_is_at_most_its_share_of_the_push(friction):
    """One slides along the other's front: the impulse across is `friction` times the one along the normal."""
    world = alone(gliding(robot_friction=friction))
    put(world, blue_0=moving(-0.2, 0.1, vx=1.0, vy=1.0), red_0=moving(0.1, 0.1 + 0.225))
    before, after = until_they_meet(world)
    along, across = (ROBOT_KG * (after[0].twist[k] - before[0].twist[k]) for k in (0, 1))
    assert along < -0.1 * ROBOT_KG
    assert across == pytest.approx(friction * along, abs=1e-9)


def test_newton_1_a_robot_without_grip_glides_straight_while_it_spins():
    world = alone(gliding())
    put(world, blue_0=moving(-0.4, 0.1, vx=0.5, turn=10.0))
    world.step(500)
    glided = world.body("blue/0")
    assert tuple(glided.twist) == pytest.approx((0.5, 0.0, 10.0), abs=1e-6)
    assert glided.pose[:2] == pytest.approx((-0.15, 0.1), abs=1e-6)


def test_a_push_that_is_passed_on_to_a_third_robot_sinks_into_nobody():
    """Three in a row: the middle one is hit, and the last one stands 0.4 mm behind it."""
    world = World(replace(HOCKEY, match=replace(HOCKEY.match, players=2)))
    put(world, puck=body(0.0, -0.5), blue_1=body(-0.5, -0.5), red_1=body(0.5, -0.5))
    put(world, red_0=body(0.0, 0.1), red_1=body(SIDE_M + 4e-4, 0.1), blue_0=moving(-SIDE_M - 0.01, 0.1, vx=1.2))
    world.command(BLUE_0, WheelCommand((FULL_RAD_S, FULL_RAD_S)))
    for _ in range(100):
        world.step(1)
        states = [world.body(name) for name in ("blue/0", "red/0", "red/1")]
        for a, b in (states[:2], states[1:]):
            assert robots_depth_m(HOCKEY, a, b) < DEEPEST_M, world.time_s


def test_a_light_robot_that_a_fast_puck_throws_sinks_into_nobody():
    """3 g at 20 m/s throw 20 g at over 3 m/s, many times what its wheels can."""
    league = load_league("mixed_reality")
    world, length_m = alone(league), league.robot.length_m
    put(world, blue_0=body(0.0, 0.1), red_0=body(length_m + 1e-3, 0.1), puck=body(-0.1, 0.1, vx=20.0))
    for _ in range(50):
        world.step(1)
        assert robots_depth_m(league, world.body("blue/0"), world.body("red/0")) < DEEPEST_M, world.time_s


@pytest.mark.parametrize("offset", [0.0, 0.02])
@pytest.mark.parametrize("motion", ["kinematic", "dynamic"])
def test_two_robots_that_push_head_on_for_ten_seconds_stand(offset, motion):
    world = alone(replace(HOCKEY, robot=replace(HOCKEY.robot, motion=motion)))
    put(world, blue_0=body(-0.1, 0.1), red_0=body(0.1, 0.1 + offset, math.pi), puck=body(0.0, -0.5))
    for robot in (BLUE_0, RED_0):
        world.command(robot, WheelCommand((FULL_RAD_S, FULL_RAD_S)))
    world.step(1000)
    settled = [world.body("blue/0"), world.body("red/0")]
    for _ in range(9000):
        world.step(1)
        states = [world.body("blue/0"), world.body("red/0")]
        assert robots_depth_m(HOCKEY, *states) < DEEPEST_M, world.time_s
        if offset == 0.0:
            for state, then in zip(states, settled, strict=True):
                assert state.twist.speed_m_s < 0.02, world.time_s
                assert math.dist(state.pose[:2], then.pose[:2]) < 1e-3, world.time_s
            assert energy_j(states) <= energy_j(settled) + 0.5 * ROBOT_KG * 0.02**2


# --- robots at the boards (Klancar eq 17-21)


def at_board(yaw_rad: float, speed_rad_s: float, steps: int, league: League = HOCKEY) -> tuple[World, list[BodyState]]:
    """Drive at the upper board, 60 mm before it; every state on the way, none of them beyond it."""
    world = alone(league)
    put(world, blue_0=body(0.0, HALF_WIDTH_M - league.robot.circumradius_m - 0.06, yaw_rad), puck=body(0.0, -0.5))
    world.command(BLUE_0, WheelCommand((speed_rad_s, speed_rad_s)))
    states = []
    for _ in range(steps):
        world.step(1)
        states.append(world.body("blue/0"))
        assert all(over_boards_m(league, *corner) < DEEPEST_M for corner in box(league, states[-1]).corners()), world.time_s
    return world, states


def test_two_corners_at_the_board_stop_the_robot_flush():
    _, states = at_board(math.pi / 2.0, 30.0, 2000)
    end = states[-1]
    assert end.twist == pytest.approx(Twist2D(), abs=0.02)
    assert HALF_WIDTH_M - SIDE_M / 2.0 - end.pose.y_m == pytest.approx(0.0, abs=1e-4)
    assert end.pose.yaw_rad == pytest.approx(math.pi / 2.0, abs=1e-3)


@pytest.mark.parametrize("lean", [-0.35, -0.15, 0.15, 0.35])
def test_klancar_17_21_one_corner_at_the_board_turns_the_robot_about_it_until_it_is_flush(lean):
    _, states = at_board(math.pi / 2.0 + lean, 20.0, 4000)
    leans = np.array([state.pose.yaw_rad for state in states]) - math.pi / 2.0
    assert abs(leans[-1]) < 2e-3
    # It only turns one way, and not beyond flush by more than a bounce.
    assert (np.sign(lean) * leans > -0.02).all()
    assert HALF_WIDTH_M - SIDE_M / 2.0 - states[-1].pose.y_m == pytest.approx(0.0, abs=2e-4)
    assert states[-1].twist == pytest.approx(Twist2D(), abs=0.02)


@pytest.mark.parametrize("graze", [0.05, 0.15])
def test_at_a_grazing_angle_the_robot_slides_along_the_board(graze):
    _, states = at_board(graze, 20.0, 5000, replace(HOCKEY, rink=replace(HOCKEY.rink, length_m=6.0)))
    assert states[-1].twist.vx_m_s > 0.2
    assert abs(states[-1].twist.vy_m_s) < 0.02
    assert states[-1].pose.x_m > 0.5
    assert abs(states[-1].pose.yaw_rad) < 0.01


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_gliding_robot_leaves_the_board_at_the_restitution_given(restitution):
    league = gliding(wall_restitution=restitution)
    world = alone(league)
    put(world, blue_0=moving(0.0, 0.5, math.pi / 2.0, vy=1.0), puck=body(0.0, -0.5))
    world.step(100)
    vx, vy, turn = world.body("blue/0").twist
    assert (vx, vy, turn * SIDE_M) == pytest.approx((0.0, -restitution, 0.0), abs=2.0 * SOLVED_M_S)
    assert world.body(PUCK).twist == Twist2D()
