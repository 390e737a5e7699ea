"""Simulated time keeps step with the wall."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robohockey_sim.pacing import Pacer

TICK_S = 0.02


def test_the_first_look_only_starts_the_clock():
    assert Pacer(TICK_S, 1.0).ticks_due(123.0) == 0


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0])
def test_one_tick_per_period_at_any_factor(factor):
    pacer = Pacer(TICK_S, factor)
    due = [pacer.ticks_due(10.0 + k * TICK_S / factor) for k in range(200)]
    assert due == [0] + [1] * 199


def test_a_timer_that_fires_a_little_early_skips_no_beat():
    pacer = Pacer(TICK_S, 1.0)
    pacer.ticks_due(0.0)
    early_and_late = [pacer.ticks_due(k * TICK_S + (0.004 if k % 2 else -0.004)) for k in range(1, 101)]
    assert early_and_late == [1] * 100


def test_a_stall_is_caught_up_a_little_and_the_rest_let_go():
    pacer = Pacer(TICK_S, 1.0)
    pacer.ticks_due(0.0)
    assert pacer.ticks_due(10.0) == 5
    assert pacer.ticks_due(10.0) == 0
    assert pacer.ticks_due(10.0 + TICK_S) == 1


def test_a_short_stall_is_caught_up_in_full():
    pacer = Pacer(TICK_S, 1.0)
    pacer.ticks_due(0.0)
    assert pacer.ticks_due(4 * TICK_S) == 4


@given(st.lists(st.floats(-1.0, 1.0), max_size=50))
def test_never_negative_whatever_the_clock_does(steps):
    pacer, wall_s = Pacer(TICK_S, 1.0), 100.0
    for step_s in steps:
        wall_s += step_s
        assert 0 <= pacer.ticks_due(wall_s) <= 5


@given(st.lists(st.floats(0.0, 0.05), min_size=1, max_size=200))
def test_ticks_follow_the_wall_within_one(steps):
    """While no stall is longer than the catch-up, no time is lost and none is gained."""
    pacer, wall_s = Pacer(TICK_S, 1.0), 0.0
    ticks = pacer.ticks_due(0.0)
    for step_s in steps:
        wall_s += step_s
        ticks += pacer.ticks_due(wall_s)
        assert abs(ticks * TICK_S - wall_s) <= 0.5 * TICK_S + 1e-9


def test_the_factor_held_is_measured_between_questions():
    pacer = Pacer(TICK_S, 2.0)
    assert pacer.real_time_factor_held() == 0.0
    for k in range(101):
        pacer.ticks_due(k * 0.01)
    assert pacer.real_time_factor_held() == pytest.approx(2.0)
    assert pacer.real_time_factor_held() == 0.0


@pytest.mark.parametrize("edge_s", [0.001, 0.010, 0.019])
def test_the_factor_held_does_not_depend_on_where_between_two_ticks_it_is_asked_for(edge_s):
    pacer, asked = Pacer(TICK_S, 1.0), []
    for k in range(200):
        pacer.ticks_due(k * TICK_S)
        if k % 50 == round(50 * edge_s):
            asked.append(pacer.real_time_factor_held())
    assert asked[1:] == pytest.approx([1.0] * 3)


def test_a_pause_is_no_loss_of_pace():
    pacer = Pacer(TICK_S, 1.0)
    for start_s in (0.0, 30.0):
        for k in range(51):
            pacer.ticks_due(start_s + k * TICK_S)
        assert pacer.real_time_factor_held() == pytest.approx(1.0)
        pacer.rest()


def test_the_latest_tick_is_told_once():
    pacer = Pacer(TICK_S, 1.0)
    for k in range(10):
        pacer.ticks_due(k * TICK_S + (0.007 if k == 5 else 0.0))
    assert pacer.latest_s() == pytest.approx(0.007)
    assert pacer.latest_s() == 0.0


def test_time_that_passes_at_rest_is_not_caught_up_with():
    pacer = Pacer(0.02, 1.0)
    pacer.ticks_due(0.0)
    assert pacer.ticks_due(0.02) == 1
    pacer.rest()
    assert pacer.ticks_due(10.0) == 0
    assert pacer.ticks_due(10.02) == 1
