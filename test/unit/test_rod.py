"""The kicker rod, hinged at the front-left corner (Chen Fig 11, eq 13, 25, 26), against geometry and numbers by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from headless import alone, body, put

from robohockey_core.commands import WheelCommand
from robohockey_core.league import ROD, League, load_league
from robohockey_core.names import BLUE, PUCK, RobotId
from robohockey_sim.world import World

HOCKEY = load_league("micro_hockey")
BLUE_0 = RobotId(BLUE, 0)
DT_S = HOCKEY.timing.physics_dt_s
HALF_M, RADIUS_M = HOCKEY.robot.length_m / 2.0, HOCKEY.puck.radius_m
RESTITUTION = HOCKEY.puck.robot_restitution
LENGTH_M, SWING_RAD, SPEED_RAD_S = 0.07, 1.2, 25.0
# Where the robot stands: the hinge is its front-left corner.
X_M, Y_M = -0.3, 0.0
HINGE_X_M, HINGE_Y_M = X_M + HALF_M, Y_M + HALF_M


def rods(**changes) -> League:
    """Robots with rods, too heavy to feel a puck, on a rink that does not slow it."""
    kicker = replace(
        HOCKEY.kicker, kind=ROD, rod_length_m=LENGTH_M, rod_swing_rad=SWING_RAD, rod_speed_rad_s=SPEED_RAD_S, **changes
    )
    puck = replace(HOCKEY.puck, sliding_friction=0.0, wall_friction=0.0, robot_friction=0.0)
    return replace(HOCKEY, kicker=kicker, puck=puck, robot=replace(HOCKEY.robot, mass_kg=1e6))


def place(distance_m: float, angle_rad: float) -> tuple[float, float]:
    """A place by its distance from the hinge and its angle from the rod's home, which points to the right."""
    return HINGE_X_M + distance_m * math.sin(angle_rad), HINGE_Y_M - distance_m * math.cos(angle_rad)


def world_with_puck(x: float, y: float, speed_m_s: float = 0.0) -> World:
    world = alone(rods())
    put(world, blue_0=body(X_M, Y_M, vx=speed_m_s), puck=body(x, y))
    return world


def kick(world: World, wheel_rad_s: float = 0.0, power: float = 1.0) -> None:
    world.command(BLUE_0, WheelCommand((wheel_rad_s, wheel_rad_s), kick_power=power))


def rod_angle_rad(world: World) -> float:
    states = world.wheel_states()
    return float(states.position[states.names.index("blue/0/kicker")])


def test_out_and_home_take_the_time_of_eq_13():
    world = world_with_puck(0.5, -0.4)
    kick(world)
    turn_steps = round(SWING_RAD / SPEED_RAD_S / DT_S)
    world.step(turn_steps)
    assert rod_angle_rad(world) == pytest.approx(SWING_RAD, abs=SPEED_RAD_S * DT_S)
    world.step(turn_steps + 2)
    assert rod_angle_rad(world) == 0.0


@pytest.mark.parametrize(("power", "share"), [(1.0, 1.0), (0.5, 0.5), (0.01, 0.0)])
def test_the_power_goes_in_levels(power, share):
    world = world_with_puck(0.5, -0.4)
    kick(world, power=power)
    world.step(10)
    assert rod_angle_rad(world) == pytest.approx(10 * DT_S * SPEED_RAD_S * share)


# The pie that a swinging rod sweeps: pucks at all sides of it, in and out.
PIE = [(d, a) for d in (0.045, 0.06, 0.085, 0.1) for a in (0.6, 1.0, 1.4, 1.8, 2.4)]


def sweeps(x: float, y: float, forward_m_s: float) -> bool:
    """Whether the rod, on its way out, comes nearer to a point than the puck's radius: by looking often."""
    time_s = np.linspace(0.0, SWING_RAD / SPEED_RAD_S, 4001)
    angle = SPEED_RAD_S * time_s
    ux, uy = np.sin(angle), -np.cos(angle)
    dx, dy = x - HINGE_X_M - forward_m_s * time_s, y - HINGE_Y_M
    along = np.clip(dx * ux + dy * uy, 0.0, LENGTH_M)
    return bool((np.hypot(dx - along * ux, dy - along * uy) < RADIUS_M).any())


@pytest.mark.parametrize(("distance_m", "angle_rad"), PIE)
def test_a_rod_that_swings_meets_what_lies_in_its_pie(distance_m, angle_rad):
    x, y = place(distance_m, angle_rad)
    world = world_with_puck(x, y)
    kick(world)
    world.step(round(SWING_RAD / SPEED_RAD_S / DT_S))
    assert (world.body(PUCK).twist.speed_m_s > 0.0) == sweeps(x, y, 0.0)


def test_the_pies_are_of_both_kinds():
    assert {sweeps(*place(d, a), 0.0) for d, a in PIE} == {True, False}


@pytest.mark.parametrize(("distance_m", "angle_rad"), [(0.05, 1.2), (0.06, 1.0), (0.065, 0.8)])
def test_the_puck_leaves_with_the_speed_of_eq_25_at_the_exact_time(distance_m, angle_rad):
    """It touches when it is a radius off the rod's line, at `foot_m` along the rod."""
    x, y = place(distance_m, angle_rad)
    world = world_with_puck(x, y)
    kick(world)
    steps = round(SWING_RAD / SPEED_RAD_S / DT_S)
    world.step(steps)
    hit_rad = angle_rad - math.asin(RADIUS_M / distance_m)
    foot_m = math.sqrt(distance_m**2 - RADIUS_M**2)
    speed_m_s = (1.0 + RESTITUTION) * SPEED_RAD_S * foot_m
    puck = world.body(PUCK)
    assert puck.twist.speed_m_s == pytest.approx(speed_m_s, rel=1e-6)
    flown_s = math.dist(puck.pose[:2], (x, y)) / speed_m_s
    assert steps * DT_S - flown_s == pytest.approx(hit_rad / SPEED_RAD_S, abs=1e-7)


def test_body_and_rod_add_up_as_in_eq_26():
    distance_m, angle_rad, forward_m_s = 0.055, 1.3, 0.4
    x, y = place(distance_m, angle_rad)
    assert sweeps(x, y, forward_m_s)
    world = world_with_puck(x, y, forward_m_s)
    kick(world, forward_m_s / HOCKEY.robot.wheel_radius_m)
    for _ in range(round(SWING_RAD / SPEED_RAD_S / DT_S)):
        world.step(1)
        if world.body(PUCK).twist.speed_m_s > 0.0:
            break
    vx, vy, _ = world.body(PUCK).twist
    # The puck leaves along the rod's normal, which tells where the rod was.
    hit_rad = math.atan2(vy, vx)
    nx, ny = math.cos(hit_rad), math.sin(hit_rad)
    hit_s = hit_rad / SPEED_RAD_S
    dx, dy = x - HINGE_X_M - forward_m_s * hit_s, y - HINGE_Y_M
    foot_m = dx * ny - dy * nx
    assert dx * nx + dy * ny == pytest.approx(RADIUS_M, abs=1e-7)
    speed_m_s = (1.0 + RESTITUTION) * (SPEED_RAD_S * foot_m + forward_m_s * nx)
    assert math.hypot(vx, vy) == pytest.approx(speed_m_s, rel=1e-5)


def test_a_rod_at_home_is_the_front_of_the_robot():
    flat, with_rod = (alone(replace(rods(), kicker=replace(rods().kicker, kind=kind))) for kind in ("solenoid", ROD))
    for world in (flat, with_rod):
        put(world, blue_0=body(X_M, Y_M), puck=body(X_M + 0.2, Y_M + 0.01, vx=-1.0))
        world.step(400)
    assert flat.body(PUCK) == with_rod.body(PUCK)


def test_a_rod_does_not_crush_a_puck_against_the_boards():
    world = alone(rods())
    top_m = HOCKEY.rink.width_m / 2.0 - RADIUS_M
    # The rod swings the puck up against the boards, where it has no way.
    put(world, blue_0=body(-0.3, top_m - 0.075, math.pi / 2.0), puck=body(-0.29, top_m - 1e-4))
    kick(world)
    for _ in range(200):
        world.step(1)
        x, y, _ = world.body(PUCK).pose
        assert y <= top_m + 1e-6
        angle = rod_angle_rad(world)
        hx, hy = -0.3 - HALF_M, top_m - 0.075 + HALF_M
        ux, uy = math.cos(angle), math.sin(angle)
        along = min(LENGTH_M, max(0.0, (x - hx) * ux + (y - hy) * uy))
        assert math.hypot(x - hx - along * ux, y - hy - along * uy) >= RADIUS_M - 1e-6 or angle == 0.0
