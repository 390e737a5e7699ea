"""A robot in somebody's hand: limits and the deadman; the last seconds seen again."""

from __future__ import annotations

import math

import pytest

from robohockey_core.hand_drive import HandDrive, HandSettings
from robohockey_core.league import League
from robohockey_core.state import WorldState
from robohockey_viz.instant_replay import LENGTH_S, InstantReplay


def test_full_stick_is_the_share_of_the_top_speed_that_is_allowed():
    league = League()
    hand = HandDrive(league, HandSettings(speed_share=0.5, turn_rad_s=4.0))
    hand.push(2.0, -0.5, -1.0, 10.0)
    top = league.robot.max_speed_m_s
    assert hand.twist(10.1) == pytest.approx([0.5 * top, -0.25 * top, -4.0])


def test_a_hand_that_lets_go_stops_the_robot():
    hand = HandDrive(League(), HandSettings(deadman_s=0.3))
    assert not hand.twist(0.0).any()
    hand.push(1.0, 0.0, 0.0, 5.0)
    hand.dribble(0.7)
    assert hand.twist(5.3).any() and hand.dribble_strength(5.3) == 0.7
    assert not hand.twist(5.31).any() and hand.dribble_strength(5.31) == 0.0
    assert not hand.twist(4.9).any()  # a clock that jumped back


def test_a_button_may_count_for_less_than_a_key():
    hand = HandDrive(League(), HandSettings(deadman_s=0.6))
    hand.push(1.0, 0.0, 0.0, 5.0, 0.2)
    assert hand.twist(5.19).any() and not hand.twist(5.21).any()
    hand.push(1.0, 0.0, 0.0, 6.0)
    assert hand.twist(6.59).any()


def test_what_is_no_number_is_no_wish():
    hand = HandDrive(League(), HandSettings())
    hand.push(math.nan, math.inf, -math.inf, 1.0)
    assert not hand.twist(1.0).any()


def test_a_kick_lasts_a_moment():
    hand = HandDrive(League(), HandSettings())
    hand.kick(1.7, 3.0)
    assert hand.kick_power(3.1) == 1.0 and hand.kick_power(3.5) == 0.0


def world(stamp_s):
    return WorldState(stamp_s, {}, None)


def test_the_instant_replay_shows_the_last_seconds_and_then_is_live_again():
    replay = InstantReplay()
    for i in range(3001):
        replay.keep(world(0.02 * i), {})
    replay.start(100.0)
    assert replay.due(100.0).world.stamp_s == pytest.approx(60.0 - LENGTH_S)
    replay.keep(world(60.02), {})  # the match goes on
    assert replay.due(110.0).world.stamp_s == pytest.approx(50.0)
    assert replay.due(100.0 + LENGTH_S).world.stamp_s == pytest.approx(60.0)
    assert replay.due(200.0) is None and not replay.running


def test_the_instant_replay_can_be_slow_and_can_be_stopped():
    replay = InstantReplay()
    for i in range(1001):
        replay.keep(world(0.02 * i), {})
    replay.start(0.0, speed=0.5)
    assert replay.due(10.0).world.stamp_s == pytest.approx(5.0, abs=0.021)
    replay.stop()
    assert replay.due(11.0) is None


def test_waiting_in_a_pause_takes_nothing_away_from_the_instant_replay():
    replay = InstantReplay()
    for i in range(501):
        replay.keep(world(0.02 * i), {})
    for i in range(5000):
        replay.keep(world(10.0 + 0.02 * i), {}, held=True)
    replay.keep(world(110.02), {})
    replay.start(0.0)
    assert replay.due(0.0).world.stamp_s == 0.0
    assert replay.due(10.1).world.stamp_s == 110.02


def test_a_time_that_was_set_back_does_not_stop_the_instant_replay():
    replay = InstantReplay()
    for i in range(2001):
        replay.keep(world(0.02 * i), {})
    for i in range(2001):
        replay.keep(world(0.02 * i), {})
    replay.start(0.0)
    assert replay.due(0.0).world.stamp_s == pytest.approx(40.0 - LENGTH_S)


def test_a_match_that_runs_faster_than_pictures_come_keeps_no_more_of_them():
    replay = InstantReplay()
    for i in range(20001):
        replay.keep(world(0.001 * i), {})
    assert len(replay._kept) < LENGTH_S / 0.014
