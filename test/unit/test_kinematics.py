"""Kinematics against the papers' equations: Chen eq 7, 15-20; Minho eq 2-5 and section 4.3."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robohockey_core.kinematics import FORWARD, LEFT, TURN, arc_step, differential_drive, omni_drive, turning_radius_m

WHEEL_RADIUS_M, WHEEL_BASE_M, HUB_RADIUS_M = 0.02, 0.068, 0.2
DIFFERENTIAL = differential_drive(WHEEL_RADIUS_M, WHEEL_BASE_M)
MINHO = omni_drive(0.05, HUB_RADIUS_M, tuple(map(math.radians, (60.0, -60.0, 180.0))))
FOUR_WHEELS = omni_drive(0.027, 0.08, tuple(map(math.radians, (45.0, 135.0, -135.0, -45.0))))
DRIVES = pytest.mark.parametrize("drive", [DIFFERENTIAL, MINHO, FOUR_WHEELS], ids=["differential", "three omni", "four omni"])

speeds = st.floats(-5.0, 5.0)
yaw_rates = st.floats(-30.0, 30.0)
angles = st.floats(-math.pi, math.pi)
twists = st.tuples(speeds, speeds, yaw_rates).map(np.array)


def test_chen_7_turn_rate_is_the_difference_of_the_rims_over_the_base():
    v_left, v_right = 0.3, 0.5
    twist = DIFFERENTIAL.body_twist(np.array([v_left, v_right]) / WHEEL_RADIUS_M)
    assert twist[TURN] == pytest.approx((v_right - v_left) / WHEEL_BASE_M)
    assert twist[FORWARD] == pytest.approx((v_right + v_left) / 2.0)
    assert twist[LEFT] == 0.0


def test_chen_15_20_straight():
    assert arc_step(1.0, 2.0, math.pi / 2.0, 0.5, 0.0, 0.0, 0.2) == pytest.approx((1.0, 2.1, math.pi / 2.0))


def test_chen_15_20_spin_on_the_spot():
    assert arc_step(1.0, 2.0, 0.3, 0.0, 0.0, 4.0, 0.25) == pytest.approx((1.0, 2.0, 1.3))


@pytest.mark.parametrize(("turn", "y_m"), [(1.0, 1.0), (-1.0, -1.0)])
def test_chen_15_20_quarter_arc_of_radius_one(turn, y_m):
    x, y, yaw = arc_step(0.0, 0.0, 0.0, 1.0, 0.0, turn, math.pi / 2.0)
    assert (x, y, yaw) == pytest.approx((1.0, y_m, turn * math.pi / 2.0))


def test_chen_17_chord_of_a_backward_arc_mirrors_the_forward_one():
    """Eq 19 would add half a turn for one turning sense, and drive this robot forwards."""
    ahead = arc_step(0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 0.1)
    back = arc_step(0.0, 0.0, 0.0, -1.0, 0.0, -0.5, 0.1)
    assert back == pytest.approx((-ahead[0], ahead[1], -ahead[2]))


@given(x=speeds, y=speeds, yaw=angles, forward=speeds, left=speeds, turn=yaw_rates, dt=st.floats(0.0, 0.1))
def test_two_half_steps_equal_one_step(x, y, yaw, forward, left, turn, dt):
    whole = arc_step(x, y, yaw, forward, left, turn, dt)
    half = arc_step(*arc_step(x, y, yaw, forward, left, turn, dt / 2.0), forward, left, turn, dt / 2.0)
    assert half == pytest.approx(whole, rel=0.0, abs=1e-12)


@given(forward=speeds, left=speeds, sign=st.sampled_from([-1.0, 1.0]))
def test_no_jump_where_the_series_takes_over(forward, left, sign):
    """Below half angles of 1e-4 the sinc is a series; both sides must meet."""
    series, sine = (arc_step(0.0, 0.0, 0.0, forward, left, sign * phi, 1.0) for phi in (1.999999e-4, 2.000001e-4))
    assert series == pytest.approx(sine, rel=0.0, abs=5e-9)


def printed_chen_16(v_left: float, v_right: float) -> float:
    return WHEEL_BASE_M / 2.0 * (v_right - v_left) / (v_right + v_left)


def test_chen_16_is_printed_upside_down():
    """Straight on the centre of rotation is infinitely far, on the spot it is at the robot's own centre."""
    assert turning_radius_m(1.0, 1.0, WHEEL_BASE_M) == math.inf
    assert printed_chen_16(1.0, 1.0) == 0.0
    assert turning_radius_m(-1.0, 1.0, WHEEL_BASE_M) == 0.0
    assert turning_radius_m(0.0, 1.0, WHEEL_BASE_M) == pytest.approx(WHEEL_BASE_M / 2.0)


@given(v_left=speeds, v_right=speeds)
def test_radius_is_speed_over_turn_rate(v_left, v_right):
    twist = DIFFERENTIAL.body_twist(np.array([v_left, v_right]) / WHEEL_RADIUS_M)
    if abs(v_right - v_left) > 1e-6:
        radius = turning_radius_m(v_left, v_right, WHEEL_BASE_M)
        assert radius == pytest.approx(twist[FORWARD] / twist[TURN], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("desired_deg", [0.0, 30.0, 90.0, 135.0, 180.0, -60.0, -90.0, 217.0])
def test_minho_3_4_5(desired_deg):
    velocity = 0.7
    desired = math.radians(desired_deg)
    rims = MINHO.wheel_speeds(np.array([velocity * math.cos(desired), velocity * math.sin(desired), 0.0])) * 0.05
    printed = [velocity * math.cos(math.radians(drive) - desired) for drive in (150.0, 30.0, 270.0)]
    assert rims == pytest.approx(printed)


def test_minho_4_2_pure_rotation_drives_all_wheels_alike_and_positive_is_left():
    rims = MINHO.wheel_speeds(np.array([0.0, 0.0, 1.5])) * 0.05
    assert rims == pytest.approx([1.5 * HUB_RADIUS_M] * 3)


@DRIVES
@given(twist=twists)
def test_forward_undoes_inverse(drive, twist):
    if not drive.holonomic:
        twist = twist * (1.0, 0.0, 1.0)
    assert drive.body_twist(drive.wheel_speeds(twist)) == pytest.approx(twist, rel=1e-9, abs=1e-9)


def test_rows_of_twists_at_once():
    rows = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert MINHO.wheel_speeds(rows) == pytest.approx(np.stack([MINHO.wheel_speeds(row) for row in rows]))


def test_only_omni_drives_are_holonomic():
    assert [drive.holonomic for drive in (DIFFERENTIAL, MINHO, FOUR_WHEELS)] == [False, True, True]


@DRIVES
@given(twist=twists, limit=st.floats(0.1, 100.0))
def test_saturation_never_exceeds_the_limit_and_keeps_turning_before_driving(drive, twist, limit):
    limited = drive.saturate(twist, limit)
    assert np.abs(drive.wheel_speeds(limited)).max() <= limit * (1.0 + 1e-9)
    turn_alone = np.abs(drive.matrix[:, TURN] * twist[TURN]).max()
    if turn_alone <= limit:
        assert limited[TURN] == twist[TURN]
    else:
        assert abs(limited[TURN]) == pytest.approx(abs(twist[TURN]) * limit / turn_alone)
    # The direction of travel is kept: driving is scaled as a whole, and never reversed.
    cross = limited[FORWARD] * twist[LEFT] - limited[LEFT] * twist[FORWARD]
    assert cross == pytest.approx(0.0, abs=1e-9)
    assert limited[:TURN] @ twist[:TURN] >= 0.0
    assert np.hypot(*limited[:TURN]) <= np.hypot(*twist[:TURN]) * (1.0 + 1e-12)


@DRIVES
@given(twist=twists)
def test_saturation_leaves_alone_what_fits(drive, twist):
    enough = float(np.abs(drive.wheel_speeds(twist)).max()) + float(np.abs(drive.matrix[:, TURN] * twist[TURN]).max())
    assert drive.saturate(twist, enough * 1.001 + 1e-9) == pytest.approx(twist)


def test_saturation_drives_as_fast_as_the_turn_allows():
    """Half of each wheel for turning leaves half for driving, and not less."""
    limited = DIFFERENTIAL.saturate(np.array([10.0, 0.0, 30.0 * WHEEL_RADIUS_M * 2.0 / WHEEL_BASE_M]), 60.0)
    assert DIFFERENTIAL.wheel_speeds(limited) == pytest.approx([0.0, 60.0])
