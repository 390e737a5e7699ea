"""The referee: goals by the millimetre, stuck pucks by the tick, face-offs, pauses and the clock."""

from __future__ import annotations

from dataclasses import replace

import pytest

from robohockey_core.league import load_league
from robohockey_core.match_state import FACE_OFF, OVER, PAUSE, PLAY
from robohockey_core.names import PUCK
from robohockey_core.state import BodyState, Pose2D, WorldState
from robohockey_referee.judge import Judge, JudgeSettings

LEAGUE = load_league("micro_hockey")
SETTINGS = JudgeSettings()
LINE_M = LEAGUE.rink.length_m / 2.0
RADIUS_M = LEAGUE.puck.radius_m
POST_M = LEAGUE.rink.goal_width_m / 2.0


def moment(stamp_s: float, x: float = 0.0, y: float = 0.0) -> WorldState:
    return WorldState(stamp_s, {}, BodyState(Pose2D(x, y)))


def rules(judge: Judge, *moments: WorldState) -> list[str]:
    return [event.rule for seen in moments for event in judge.watch(seen)]


@pytest.fixture
def judge() -> Judge:
    return Judge(LEAGUE)


@pytest.fixture
def playing(judge) -> Judge:
    """Play is on since 2.0 s."""
    assert rules(judge, moment(0.0), moment(SETTINGS.countdown_s)) == ["play"]
    judge.placements = None
    return judge


def test_a_match_begins_with_a_face_off_and_a_countdown(judge):
    assert judge.state.phase == FACE_OFF
    assert judge.placements is not None and judge.placements[PUCK].pose == Pose2D(0.0, 0.0)
    assert rules(judge, moment(5.0), moment(5.0 + SETTINGS.countdown_s - 0.01)) == []
    assert judge.state.phase == FACE_OFF
    assert rules(judge, moment(5.0 + SETTINGS.countdown_s)) == ["play"]
    assert (judge.state.phase, judge.state.clock_s) == (PLAY, 0.0)


@pytest.mark.parametrize(("side", "score"), [(1.0, (1, 0)), (-1.0, (0, 1))])
def test_a_goal_is_a_puck_wholly_over_the_line(playing, side, score):
    assert rules(playing, moment(2.1, side * (LINE_M + RADIUS_M - 0.0001))) == []
    assert rules(playing, moment(2.2, side * (LINE_M + RADIUS_M + 0.0001))) == ["goal"]
    assert (playing.state.score_blue, playing.state.score_red) == score
    assert playing.state.phase == FACE_OFF
    assert playing.placements is not None and playing.placements[PUCK].pose == Pose2D(0.0, 0.0)


def test_a_goal_counts_once(playing):
    scored = LINE_M + 2.0 * RADIUS_M
    assert rules(playing, *(moment(2.1 + 0.02 * k, scored) for k in range(50))) == ["goal"]


def test_wide_of_the_post_is_no_goal(playing):
    over_m = LINE_M + 2.0 * RADIUS_M
    assert rules(playing, moment(2.1, over_m, POST_M + 0.0001), moment(2.2, -over_m, -POST_M - 0.0001)) == []
    assert rules(playing, moment(2.3, over_m, -POST_M + 0.0001)) == ["goal"]


def test_no_goal_during_a_face_off(judge):
    assert rules(judge, moment(0.0, LINE_M + 0.1)) == []
    assert judge.state.score_blue == 0


def test_a_goal_says_why(playing):
    (event,) = playing.watch(moment(2.5, LINE_M + 0.03))
    assert (event.rule, event.time_s) == ("goal", 2.5)
    assert event.explanation == "Goal for blue: the puck is 30 mm over the line, more than its radius. Face-off at centre ice"
    assert playing.state.explanation == event.explanation


def test_a_stuck_puck_is_called_after_its_time_and_not_before(playing):
    assert rules(playing, moment(3.0, 0.5, 0.3), moment(3.0 + SETTINGS.stuck_s - 0.001, 0.5, 0.3)) == []
    assert rules(playing, moment(3.0 + SETTINGS.stuck_s, 0.5, 0.3)) == ["puck_stuck"]
    assert playing.placements is not None
    assert playing.placements[PUCK].pose[:2] == (LEAGUE.rink.face_off_x_m, LEAGUE.rink.face_off_y_m)


def test_a_puck_that_moves_is_not_stuck(playing):
    step_m = SETTINGS.stuck_m * 1.01
    assert rules(playing, *(moment(3.0 + k, step_m * (k // 5)) for k in range(30))) == []


def test_a_puck_that_only_trembles_is_stuck(playing):
    tremble_m = SETTINGS.stuck_m * 0.9
    assert "puck_stuck" in rules(playing, *(moment(3.0 + k, tremble_m * (k % 2)) for k in range(8)))


def test_a_puck_out_of_sight_changes_nothing_but_the_clock(playing):
    assert playing.watch(WorldState(12.0, {}, None)) == []
    assert playing.state.clock_s == pytest.approx(10.0)


def test_the_clock_runs_in_play_only(playing):
    seen = [moment(3.0), moment(4.0, LINE_M + 0.1), moment(5.0), moment(7.0), moment(7.5, 0.1)]
    assert rules(playing, *seen) == ["goal", "play"]
    assert playing.state.clock_s == pytest.approx(2.5)  # from 2 to 4, and from 7 to 7.5


def test_a_pause_keeps_phase_clock_and_score(playing):
    rules(playing, moment(3.0, 0.1))
    before = playing.state
    playing.pause()
    assert playing.state.phase == PAUSE
    assert rules(playing, moment(50.0, LINE_M + 0.1), moment(100.0, 0.1)) == []
    playing.start()
    assert replace(playing.state, last_event=before.last_event, explanation=before.explanation) == before
    rules(playing, moment(100.5, 0.2))
    assert playing.state.clock_s == pytest.approx(before.clock_s + 0.5)


def test_a_pause_does_not_count_as_being_stuck(playing):
    rules(playing, moment(3.0, 0.1))
    playing.pause()
    rules(playing, moment(60.0, 0.1))
    playing.start()
    assert rules(playing, moment(60.1, 0.1), moment(66.0, 0.1)) == []
    assert rules(playing, moment(66.2, 0.1)) == ["puck_stuck"]


def test_a_pause_in_a_countdown_counts_down_anew(judge):
    rules(judge, moment(0.0), moment(1.0))
    judge.pause()
    rules(judge, moment(30.0))
    judge.start()
    assert rules(judge, moment(30.1), moment(30.1 + SETTINGS.countdown_s - 0.01)) == []
    assert rules(judge, moment(30.1 + SETTINGS.countdown_s)) == ["play"]


def test_pausing_twice_and_starting_twice_is_harmless(playing):
    playing.pause()
    playing.pause()
    playing.start()
    playing.start()
    assert playing.state.phase == PLAY


def test_the_final_whistle_ends_it_for_good(playing):
    duration_s = LEAGUE.match.halves * LEAGUE.match.half_duration_s
    assert rules(playing, moment(2.0 + duration_s - 0.01, 0.3)) == []
    assert rules(playing, moment(2.0 + duration_s, 0.3)) == ["final_whistle"]
    assert (playing.state.phase, playing.state.clock_s) == (OVER, duration_s)
    playing.pause()
    playing.start()
    assert rules(playing, moment(9999.0, LINE_M + 0.1)) == []
    assert playing.state.phase == OVER


def test_reset_is_a_new_match(playing):
    rules(playing, moment(3.0, LINE_M + 0.1))
    playing.reset()
    assert (playing.state.phase, playing.state.score_blue, playing.state.clock_s) == (FACE_OFF, 0, 0.0)
    assert playing.placements is not None


def test_a_clock_that_jumps_back_takes_no_time_and_forgets_the_wait(playing):
    rules(playing, moment(10.0, 0.3))
    clock_s = playing.state.clock_s
    assert rules(playing, moment(0.0, 0.3)) == []
    assert playing.state.clock_s == clock_s
    assert rules(playing, moment(SETTINGS.stuck_s - 0.01, 0.3)) == []
    assert rules(playing, moment(SETTINGS.stuck_s, 0.3)) == ["puck_stuck"]
    assert rules(playing, moment(100.0)) == []
    assert rules(playing, moment(1.0)) == []  # back again, in the countdown
    assert rules(playing, moment(1.0 + SETTINGS.countdown_s)) == ["play"]


def test_where_nobody_can_place_bodies_the_judge_waits_for_the_puck():
    judge = Judge(LEAGUE, can_place=False)
    off_m = SETTINGS.placed_m + 0.001
    assert rules(judge, moment(0.0, off_m), moment(60.0, off_m), WorldState(61.0, {}, None)) == []
    assert judge.state.explanation == "Waiting for the puck at (0.00, 0.00)"
    assert rules(judge, moment(62.0, SETTINGS.placed_m - 0.001)) == ["play"]


def test_who_stands_on_the_dot_makes_room_on_his_own_side(playing):
    rules(playing, moment(3.0, 0.5, 0.3), moment(3.0 + SETTINGS.stuck_s, 0.5, 0.3))
    assert playing.placements is not None
    spot = playing.placements[PUCK].pose
    for name, state in playing.placements.items():
        if name != PUCK:
            away = ((state.pose.x_m - spot.x_m) ** 2 + (state.pose.y_m - spot.y_m) ** 2) ** 0.5
            assert away > LEAGUE.robot.circumradius_m + RADIUS_M, name
