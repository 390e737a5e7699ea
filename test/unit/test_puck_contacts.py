"""The puck's impacts: their time, restitution, momentum, energy and spin, worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from headless import alone, body, put

from robohockey_core.commands import WheelCommand
from robohockey_core.league import League, load_league
from robohockey_core.names import BLUE, PUCK, RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_sim.world import World

GRAVITY_M_S2 = 9.81
HOCKEY = load_league("micro_hockey")
BLUE_0 = RobotId(BLUE, 0)
DT_S = HOCKEY.timing.physics_dt_s
HALF_LENGTH_M, HALF_WIDTH_M = HOCKEY.rink.length_m / 2.0, HOCKEY.rink.width_m / 2.0
CORNER_M, HALF_GOAL_M = HOCKEY.rink.corner_radius_m, HOCKEY.rink.goal_width_m / 2.0
RADIUS_M, PUCK_KG = HOCKEY.puck.radius_m, HOCKEY.puck.mass_kg
HALF_ROBOT_M, ROBOT_KG = HOCKEY.robot.length_m / 2.0, HOCKEY.robot.mass_kg
ROBOT_KG_M2 = ROBOT_KG * (HOCKEY.robot.length_m**2 + HOCKEY.robot.width_m**2) / 12.0
EXACT_S = 1e-9
SMOOTH = {"sliding_friction": 0.0, "wall_friction": 0.0, "robot_friction": 0.0}


def with_puck(league: League = HOCKEY, **changes) -> League:
    return replace(league, puck=replace(league.puck, **changes))


def impact_time_s(world: World, hit, after, total_s: float) -> float:
    """When the puck left `hit`, from where it is now: it flew with the velocity `after` since then."""
    state = world.body(PUCK)
    assert state.twist[:2] == pytest.approx(tuple(after), abs=1e-9)
    return total_s - float((np.array(state.pose[:2]) - hit) @ after) / float(np.dot(after, after))


def bounced(velocity, normal, restitution):
    """Chen eq 21-24, a wall at rest without friction."""
    return np.array(velocity) - (1.0 + restitution) * (np.array(velocity) @ normal) * np.array(normal)


# --- time of impact, against closed forms


@pytest.mark.parametrize("speed", [0.3, 2.0, 20.0])
@pytest.mark.parametrize("restitution", [0.3, 0.8, 1.0])
def test_time_of_impact_with_a_straight_wall(speed, restitution):
    world = alone(with_puck(**SMOOTH, wall_restitution=restitution))
    velocity = speed * np.array([0.6, 0.8])
    way_m = HALF_WIDTH_M - RADIUS_M - 0.5
    put(world, puck=body(0.0, 0.5, vx=velocity[0], vy=velocity[1]))
    expected_s = way_m / velocity[1]
    steps = math.ceil(expected_s / DT_S) + 3
    world.step(steps)
    hit = np.array([velocity[0] * expected_s, 0.5 + way_m])
    assert impact_time_s(world, hit, bounced(velocity, (0.0, -1.0), restitution), steps * DT_S) == pytest.approx(
        expected_s, abs=EXACT_S
    )


def test_time_of_impact_with_a_wall_under_coulomb_friction():
    """With friction the puck meets the wall after t = (v - sqrt(v^2 - 2 a s)) / a (Chen eq 27)."""
    world = alone(with_puck(sliding_friction=0.2, wall_friction=0.0))
    a, way_m, speed = 0.2 * GRAVITY_M_S2, HALF_WIDTH_M - RADIUS_M - 0.3, 1.5
    put(world, puck=body(0.0, 0.3, vy=speed))
    hit_speed = math.sqrt(speed**2 - 2.0 * a * way_m)
    hit_s = (speed - hit_speed) / a
    left_s = 0.25 - hit_s
    world.step(250)
    back = HOCKEY.puck.wall_restitution * hit_speed
    assert world.body(PUCK).twist.vy_m_s == pytest.approx(-(back - a * left_s), abs=1e-9)
    assert 0.3 + way_m - world.body(PUCK).pose.y_m == pytest.approx(back * left_s - a * left_s**2 / 2.0, abs=EXACT_S * speed)


@pytest.mark.parametrize("heading", [0.2, math.pi / 4.0, 1.2])
def test_time_of_impact_with_a_rounded_corner(heading):
    """The centre meets a circle about the corner's centre, smaller by the puck's radius."""
    world = alone(with_puck(**SMOOTH))
    centre, start = np.array([HALF_LENGTH_M - CORNER_M, HALF_WIDTH_M - CORNER_M]), np.array([0.01, -0.02])
    direction, speed = np.array([math.cos(heading), math.sin(heading)]), 2.5
    put(world, puck=body(*(centre + start), vx=speed * direction[0], vy=speed * direction[1]))
    along = start @ direction
    way_m = -along + math.sqrt(along**2 + (CORNER_M - RADIUS_M) ** 2 - start @ start)
    hit = start + way_m * direction
    after = bounced(speed * direction, -hit / (CORNER_M - RADIUS_M), HOCKEY.puck.wall_restitution)
    steps = math.ceil(way_m / speed / DT_S) + 4
    world.step(steps)
    assert impact_time_s(world, centre + hit, after, steps * DT_S) == pytest.approx(way_m / speed, abs=EXACT_S)


@pytest.mark.parametrize("offset", [-0.9, -0.4, -0.05])
def test_time_of_impact_with_a_goal_post(offset):
    """A post is a point: the centre meets a circle of the puck's radius about it."""
    world = alone(with_puck(**SMOOTH))
    speed, start_x = 3.0, HALF_LENGTH_M - 0.2
    aside = offset * RADIUS_M
    put(world, puck=body(start_x, HALF_GOAL_M + aside, vx=speed))
    before_post = math.sqrt(RADIUS_M**2 - aside**2)
    hit = np.array([HALF_LENGTH_M - before_post, HALF_GOAL_M + aside])
    after = bounced((speed, 0.0), np.array([-before_post, aside]) / RADIUS_M, HOCKEY.puck.wall_restitution)
    expected_s = (hit[0] - start_x) / speed
    steps = math.ceil(expected_s / DT_S) + 2
    world.step(steps)
    assert impact_time_s(world, hit, after, steps * DT_S) == pytest.approx(expected_s, abs=EXACT_S)


def test_time_of_impact_with_the_back_net():
    """A net gives nothing back; the friction along it starts to slow the puck at the time of impact."""
    friction = 0.1
    world = alone(with_puck(sliding_friction=0.0, wall_friction=friction))
    vx, vy, start_x = 2.0, 1.0, HALF_LENGTH_M - 0.03
    put(world, puck=body(start_x, -0.1, vx=vx, vy=vy))
    back_m = HALF_LENGTH_M + HOCKEY.rink.goal_depth_m - RADIUS_M
    expected_s = (back_m - start_x) / vx
    total_s = 0.1
    world.step(round(total_s / DT_S))
    slower = vy - friction * vx  # below the third of vy at which the sliding would stop
    state = world.body(PUCK)
    assert state.twist[:2] == pytest.approx((0.0, slower), abs=1e-9)
    assert state.pose.x_m == pytest.approx(back_m, abs=1e-9)
    assert (state.pose.y_m + 0.1 - slower * total_s) / (vy - slower) == pytest.approx(expected_s, abs=EXACT_S)


def hit_by_hand(velocity, surface, normal, lever, restitution):
    """Klancar eq 23 with both masses, without friction: the puck's velocity after, and the impulse."""
    lever_n = lever[0] * normal[1] - lever[1] * normal[0]
    inverse = 1.0 / PUCK_KG + 1.0 / ROBOT_KG + lever_n**2 / ROBOT_KG_M2
    push = (1.0 + restitution) * ((np.array(surface) - velocity) @ normal) / inverse
    return np.array(velocity) + push / PUCK_KG * np.array(normal), push


@pytest.mark.parametrize("aside", [0.0, 0.02, -0.03])
@pytest.mark.parametrize("speed", [0.5, 5.0])
def test_time_of_impact_with_the_side_of_a_resting_robot(aside, speed):
    world = alone(with_puck(**SMOOTH))
    start = np.array([-0.4, 0.1 + aside])
    put(world, blue_0=body(0.0, 0.1), puck=body(*start, vx=speed))
    hit = np.array([-HALF_ROBOT_M - RADIUS_M, start[1]])
    after, _ = hit_by_hand((speed, 0.0), (0.0, 0.0), (-1.0, 0.0), (-HALF_ROBOT_M, aside), HOCKEY.puck.robot_restitution)
    expected_s = (hit[0] - start[0]) / speed
    steps = math.ceil(expected_s / DT_S) + 2
    world.step(steps)
    assert impact_time_s(world, hit, after, steps * DT_S) == pytest.approx(expected_s, abs=EXACT_S)


@pytest.mark.parametrize("inset", [0.3, 0.7])
def test_time_of_impact_with_the_corner_of_a_resting_robot(inset):
    """The puck passes the corner by a share of its radius: it meets a circle about the corner."""
    world = alone(with_puck(**SMOOTH))
    robot, speed, corner = np.array([0.0, 0.1]), 2.0, np.array([-HALF_ROBOT_M, HALF_ROBOT_M])
    over = inset * RADIUS_M
    ahead = math.sqrt(RADIUS_M**2 - over**2)
    hit = robot + corner + [-ahead, over]
    after, _ = hit_by_hand((speed, 0.0), (0.0, 0.0), np.array([-ahead, over]) / RADIUS_M, corner, HOCKEY.puck.robot_restitution)
    put(world, blue_0=body(*robot), puck=body(-0.4, hit[1], vx=speed))
    expected_s = (hit[0] + 0.4) / speed
    steps = math.ceil(expected_s / DT_S) + 2
    world.step(steps)
    assert impact_time_s(world, hit, after, steps * DT_S) == pytest.approx(expected_s, abs=EXACT_S)


def driving(league: League, speed_m_s: float, **puck) -> World:
    """A robot that drives along x through the origin's surroundings at a steady speed, and a puck."""
    world = alone(league)
    put(world, blue_0=BodyState(Pose2D(-0.3, 0.1), Twist2D(speed_m_s, 0.0)), puck=body(0.2, 0.1, **puck))
    wheels = speed_m_s / league.robot.wheel_radius_m
    world.command(BLUE_0, WheelCommand((wheels, wheels)))
    return world


@pytest.mark.parametrize("puck_speed", [0.0, -1.0, -4.0, 0.3])
def test_time_of_impact_with_a_robot_that_drives(puck_speed):
    robot_speed = 0.6
    world = driving(with_puck(**SMOOTH), robot_speed, vx=puck_speed)
    expected_s = (0.5 - HALF_ROBOT_M - RADIUS_M) / (robot_speed - puck_speed)
    hit = np.array([0.2 + puck_speed * expected_s, 0.1])
    after, _ = hit_by_hand(
        (puck_speed, 0.0), (robot_speed, 0.0), (1.0, 0.0), (HALF_ROBOT_M, 0.0), HOCKEY.puck.robot_restitution
    )
    steps = math.ceil(expected_s / DT_S) + 2
    world.step(steps)
    assert impact_time_s(world, hit, after, steps * DT_S) == pytest.approx(expected_s, abs=EXACT_S)


# --- restitution, momentum, energy


def around_impact(world: World, name: str = "blue/0"):
    """States of puck and robot before and after the step in which they meet."""
    for _ in range(3000):
        before = world.body(PUCK), world.body(name)
        world.step(1)
        after = world.body(PUCK), world.body(name)
        if after[0].twist != before[0].twist:
            return before, after
    raise AssertionError("they never met")


def momentum(states) -> np.ndarray:
    puck, robot = states
    return PUCK_KG * np.array(puck.twist[:2]) + ROBOT_KG * np.array(robot.twist[:2])


def energy_j(states) -> float:
    (vx, vy, spin), (rx, ry, turn) = (state.twist for state in states)
    puck = PUCK_KG * (vx**2 + vy**2) + PUCK_KG * RADIUS_M**2 / 2.0 * spin**2
    return 0.5 * (puck + ROBOT_KG * (rx**2 + ry**2) + ROBOT_KG_M2 * turn**2)


@pytest.mark.parametrize("restitution", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("robot_speed", [0.0, 0.6])
def test_klancar_23_restitution_as_given_and_momentum_kept_at_a_robot(restitution, robot_speed):
    world = driving(with_puck(**SMOOTH, robot_restitution=restitution), robot_speed, vx=-1.0)
    before, after = around_impact(world)
    apart = after[0].twist.vx_m_s - after[1].twist.vx_m_s
    assert apart == pytest.approx(restitution * (1.0 + robot_speed), abs=1e-9)
    assert momentum(after) == pytest.approx(momentum(before), abs=1e-12)
    assert energy_j(after) <= energy_j(before) + 1e-12
    if restitution == 1.0:
        assert energy_j(after) == pytest.approx(energy_j(before), rel=1e-9)


@pytest.mark.parametrize("friction", [0.0, 0.2, 2.0])
@pytest.mark.parametrize("speed", [0.0, 0.6])
@pytest.mark.parametrize(("vx", "vy", "spin"), [(-1.0, 0.2, 0.0), (-2.0, -0.2, 40.0), (-3.0, 0.15, -90.0)])
def test_klancar_23_an_oblique_impact_keeps_momentum_and_makes_no_energy(friction, speed, vx, vy, spin):
    world = alone(with_puck(sliding_friction=0.0, robot_friction=friction))
    place = Pose2D(0.2, 0.1 - vy * 0.4 / (speed - vx))
    put(world, blue_0=BodyState(Pose2D(-0.2, 0.1), Twist2D(speed, 0.0)), puck=BodyState(place, Twist2D(vx, vy, spin)))
    wheels = speed / HOCKEY.robot.wheel_radius_m
    world.command(BLUE_0, WheelCommand((wheels, wheels)))
    before, after = around_impact(world)
    assert momentum(after) == pytest.approx(momentum(before), abs=1e-12)
    assert energy_j(after) <= energy_j(before) + 1e-12


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_chen_24_relative_to_a_moving_surface(restitution):
    """A robot that no puck can slow: the puck leaves with V + e (V - v)."""
    heavy = replace(HOCKEY, robot=replace(HOCKEY.robot, mass_kg=1e9))
    world = driving(with_puck(heavy, **SMOOTH, robot_restitution=restitution), 0.5, vx=-1.5, vy=0.0)
    around_impact(world)
    assert world.body(PUCK).twist.vx_m_s == pytest.approx(0.5 + restitution * 2.0, abs=1e-6)
