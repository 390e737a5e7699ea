"""Friction spins the puck at a wall, and slows its spin on the ice: worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from headless import alone, put

from robohockey_core.league import load_league
from robohockey_core.names import PUCK
from robohockey_core.state import BodyState, Pose2D, Twist2D

GRAVITY_M_S2 = 9.81
HOCKEY = load_league("micro_hockey")
DT_S = HOCKEY.timing.physics_dt_s
HALF_WIDTH_M, RADIUS_M = HOCKEY.rink.width_m / 2.0, HOCKEY.puck.radius_m


def off_the_wall(vx: float, vy: float, friction: float, spin: float = 0.0, **changes) -> Twist2D:
    world = alone(replace(HOCKEY, puck=replace(HOCKEY.puck, sliding_friction=0.0, wall_friction=friction, **changes)))
    put(world, puck=BodyState(Pose2D(0.0, 0.5), Twist2D(vx, vy, spin)))
    world.step(math.ceil((HALF_WIDTH_M - RADIUS_M - 0.5) / vy / DT_S) + 1)
    return world.body(PUCK).twist


def test_friction_at_a_wall_stops_the_sliding_of_a_disc_at_two_thirds_of_its_speed():
    """J/m slows the centre and J r/(m r^2/2) spins it: the rim stands still when J = m v/3; then spin r = 2/3 v."""
    after = off_the_wall(0.3, 1.0, friction=0.5)
    expected = Twist2D(0.2, -HOCKEY.puck.wall_restitution, 0.2 / RADIUS_M)
    assert after == pytest.approx(expected, abs=1e-9)


def test_friction_at_a_wall_stops_the_sliding_of_a_ball_at_five_sevenths_of_its_speed():
    after = off_the_wall(0.3, 1.0, friction=0.5, shape="ball")
    assert (after.vx_m_s, after.yaw_rate_rad_s * RADIUS_M) == pytest.approx((0.3 * 5.0 / 7.0, 0.3 * 5.0 / 7.0), abs=1e-9)


def test_coulomb_limit_at_a_wall_is_friction_times_the_push():
    friction, vy, restitution = 0.05, 1.0, HOCKEY.puck.wall_restitution
    after = off_the_wall(2.0, vy, friction)
    slower = friction * (1.0 + restitution) * vy
    assert after == pytest.approx(Twist2D(2.0 - slower, -restitution * vy, 2.0 * slower / RADIUS_M), abs=1e-9)


def test_a_spinning_puck_leaves_the_wall_sideways():
    """Spin alone: the rim's speed s = -spin r is shared one third to the centre, until it rolls."""
    spin = 8.0
    after = off_the_wall(0.0, 1.0, friction=0.5, spin=spin)
    assert after.vx_m_s == pytest.approx(spin * RADIUS_M / 3.0, abs=1e-9)
    assert after.yaw_rate_rad_s == pytest.approx(spin / 3.0, abs=1e-9)


def test_a_disc_that_turns_on_the_spot_loses_4_mu_g_over_3_r_of_its_spin_a_second():
    """The moment of friction under an even disc is 2/3 mu m g r, its inertia m r^2 / 2."""
    world = alone(HOCKEY)
    put(world, puck=BodyState(Pose2D(0.0, 0.3), Twist2D(0.0, 0.0, 10.0)))
    world.step(500)
    slower = 4.0 * HOCKEY.puck.sliding_friction * GRAVITY_M_S2 / (3.0 * HOCKEY.puck.radius_m) * 0.5
    assert world.body(PUCK).twist == pytest.approx(Twist2D(0.0, 0.0, 10.0 - slower), abs=1e-9)
