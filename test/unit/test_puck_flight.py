"""How the puck slows down on its own: the closed forms, their inverse, and the same through a whole world."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from headless import alone, body, put
from hypothesis import given, settings
from hypothesis import strategies as st

from robohockey_core.league import League, load_league
from robohockey_core.names import PUCK
from robohockey_core.state import Twist2D
from robohockey_sim.flight import fly, stop_time_s, time_to_cover_s

GRAVITY_M_S2 = 9.81
HOCKEY = load_league("micro_hockey")
LARGE = replace(HOCKEY, rink=replace(HOCKEY.rink, length_m=40.0, width_m=20.0))
EXACT_M = 1e-9

# The first call compiles, which takes its time.
UNHURRIED = settings(deadline=None)

speeds = st.floats(0.01, 20.0)
frictions = st.floats(0.01, 10.0)
dampings = st.floats(0.01, 5.0)


def ice(league: League, friction: float, damping_per_s: float, dt_s: float = 0.001) -> League:
    return replace(
        league,
        puck=replace(league.puck, sliding_friction=friction, rolling_damping_per_s=damping_per_s),
        timing=replace(league.timing, physics_dt_s=dt_s),
    )


def slid(league: League, speed_m_s: float, steps: int, heading_rad: float = 0.0) -> tuple[float, float]:
    """Distance along its way and speed left of a puck after some steps on an empty rink."""
    world = alone(league)
    cos, sin = math.cos(heading_rad), math.sin(heading_rad)
    put(world, puck=body(0.0, 0.0, vx=speed_m_s * cos, vy=speed_m_s * sin))
    world.step(steps)
    state = world.body(PUCK)
    assert state.pose.y_m * cos - state.pose.x_m * sin == pytest.approx(0.0, abs=EXACT_M)
    return state.pose.x_m * cos + state.pose.y_m * sin, math.hypot(*state.twist[:2])


def marched(speed_m_s: float, friction_m_s2: float, damping_per_s: float, time_s: float) -> tuple[float, float]:
    """The equation of motion dv/dt = -a - k v by the classic Runge-Kutta method, in small steps."""
    steps = 2000
    h = time_s / steps

    def slope(v: float) -> float:
        return -friction_m_s2 - damping_per_s * v

    distance = 0.0
    for _ in range(steps):
        k1 = slope(speed_m_s)
        k2 = slope(speed_m_s + h / 2.0 * k1)
        k3 = slope(speed_m_s + h / 2.0 * k2)
        k4 = slope(speed_m_s + h * k3)
        distance += h * (speed_m_s + h / 6.0 * (k1 + k2 + k3))
        speed_m_s += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return distance, speed_m_s


# --- closed forms


@UNHURRIED
@given(speeds, frictions)
def test_chen_27_stop_distance_is_v2_over_2_mu_g(speed, friction):
    distance, left = fly(speed, friction, 0.0, 1e6)
    assert distance == pytest.approx(speed**2 / (2.0 * friction), rel=1e-12)
    assert left == 0.0
    assert stop_time_s(speed, friction, 0.0) == pytest.approx(speed / friction, rel=1e-12)


@UNHURRIED
@given(speeds, dampings, st.floats(0.0, 3.0))
def test_klancar_16_damping_alone_is_exponential(speed, damping, time_s):
    distance, left = fly(speed, 0.0, damping, time_s)
    assert left == pytest.approx(speed * math.exp(-damping * time_s), rel=1e-12)
    assert distance == pytest.approx(speed * -math.expm1(-damping * time_s) / damping, rel=1e-12)
    assert stop_time_s(speed, 0.0, damping) == math.inf


@UNHURRIED
@given(speeds, frictions, dampings)
def test_friction_and_damping_together_stop_at_the_logarithm_of_their_ratio(speed, friction, damping):
    """v(t) = (v + a/k) exp(-k t) - a/k is zero at t = ln(1 + k v / a) / k, after (v - a t) / k."""
    stop_s = math.log(1.0 + damping * speed / friction) / damping
    assert stop_time_s(speed, friction, damping) == pytest.approx(stop_s, rel=1e-9)
    distance, left = fly(speed, friction, damping, 2.0 * stop_s)
    assert left == 0.0
    assert distance == pytest.approx((speed - friction * stop_s) / damping, abs=1e-9, rel=1e-9)


@pytest.mark.parametrize(("friction", "damping"), [(0.2, 0.0), (0.0, 0.35), (0.2, 0.35), (2.0, 3.0), (0.2, 1e-8)])
def test_the_closed_form_solves_the_equation_of_motion(friction, damping):
    expected = marched(2.0, friction, damping, 0.3)
    assert fly(2.0, friction, damping, 0.3) == pytest.approx(expected, abs=1e-9)


def test_a_vanishing_damping_changes_nothing():
    """To first order in k, damping takes k (v t^2 / 2 - a t^3 / 6) off the way."""
    for damping in (0.0, 1e-12, 0.999e-9, 1.001e-9, 1e-8, 1e-6, 1e-5):
        distance, _ = fly(1.5, 0.2, damping, 0.8)
        expected = 1.5 * 0.8 - 0.1 * 0.8**2 - damping * (1.5 * 0.8**2 / 2.0 - 0.2 * 0.8**3 / 6.0)
        assert distance == pytest.approx(expected, abs=1e-9), damping


@UNHURRIED
@given(speeds, frictions, st.one_of(st.just(0.0), dampings), st.floats(0.001, 0.98))
def test_time_to_cover_is_the_inverse_of_fly(speed, friction, damping, share):
    time_s = share * stop_time_s(speed, friction, damping)
    distance, _ = fly(speed, friction, damping, time_s)
    assert time_to_cover_s(distance, speed, friction, damping) == pytest.approx(time_s, abs=1e-9)


@UNHURRIED
@given(speeds, frictions, st.one_of(st.just(0.0), dampings), st.floats(0.0, 2.0), st.floats(0.0, 2.0))
def test_two_flights_are_one(speed, friction, damping, first_s, second_s):
    whole_m, whole_left = fly(speed, friction, damping, first_s + second_s)
    part_m, part_left = fly(speed, friction, damping, first_s)
    rest_m, rest_left = fly(part_left, friction, damping, second_s)
    assert part_m + rest_m == pytest.approx(whole_m, abs=1e-9, rel=1e-12)
    assert rest_left == pytest.approx(whole_left, abs=1e-9)


def test_a_puck_at_rest_stays():
    assert fly(0.0, 0.2, 0.35, 1.0) == (0.0, 0.0)
    assert stop_time_s(0.0, 0.0, 0.0) == 0.0
    assert time_to_cover_s(0.0, 1.0, 0.2, 0.3) == 0.0


# --- through a world


@pytest.mark.parametrize("dt_s", [0.0005, 0.001, 0.004, 0.02])
@pytest.mark.parametrize("speed", [0.05, 0.5, 2.0])
def test_chen_27_in_a_world_the_stop_distance_does_not_depend_on_the_step(speed, dt_s):
    friction = 0.2
    deceleration = friction * GRAVITY_M_S2
    steps = math.ceil(speed / deceleration / dt_s) + 1
    distance, left = slid(ice(LARGE, friction, 0.0, dt_s), speed, steps, heading_rad=0.7)
    assert distance == pytest.approx(speed**2 / (2.0 * deceleration), abs=EXACT_M)
    assert left == 0.0


@pytest.mark.parametrize(("friction", "damping"), [(0.0, 0.35), (0.02, 0.35), (0.02, 0.0), (0.0, 0.0)])
@pytest.mark.parametrize("dt_s", [0.001, 0.01])
def test_in_a_world_a_second_of_flight_is_the_closed_form(friction, damping, dt_s):
    expected = fly(3.0, friction * GRAVITY_M_S2, damping, 1.0)
    assert slid(ice(LARGE, friction, damping, dt_s), 3.0, round(1.0 / dt_s), heading_rad=-2.0) == pytest.approx(
        expected, abs=EXACT_M
    )


def test_a_stopped_puck_never_creeps():
    world = alone(ice(HOCKEY, 0.02, 0.35))
    put(world, puck=body(-0.6, 0.3, vx=0.2))
    world.step(3000)
    stopped = world.body(PUCK)
    assert stopped.twist == Twist2D()
    world.step(1000)
    assert world.body(PUCK) == stopped
