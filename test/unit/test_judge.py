"""The referee through a match: phases, clock, ends, extra time, shoot-out, pauses, cards, explanations."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from judge_bench import (
    HOCKEY,
    IN_BLUE_NET,
    IN_RED_NET,
    LEAGUE,
    RESTART_S,
    STEP_S,
    Bench,
    foul,
    only_pushing,
    playing,
    shoot_out,
    short,
    suggesting,
)

from robohockey_core.match_state import ASK, BREAK, FACE_OFF, OVER, PAUSE, PLACE, PLAY, RESUME, MatchState
from robohockey_core.names import BLUE, PUCK, RED
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_referee.judge import Judge


def test_a_match_begins_with_turns_placement_and_a_countdown():
    bench = Bench(Judge(LEAGUE))
    state = bench.judge.state
    assert (state.phase, state.restart, state.turn, state.period) == (PLACE, FACE_OFF, BLUE, "half_1")
    assert bench.look() == ["match_start"]
    bench.run(HOCKEY.restarts.turn_s)
    assert bench.judge.state.turn == RED and set(bench.judge.state.places) == {"blue/0", "blue/1", "blue/2"}
    bench.run(HOCKEY.restarts.turn_s)
    (placed,) = bench.placed
    assert set(placed) == {*map(str, LEAGUE.robots()), PUCK} and placed[PUCK].pose == Pose2D(0.0, 0.0)
    assert bench.judge.state.countdown_s == pytest.approx(HOCKEY.restarts.countdown_s)
    assert bench.run(HOCKEY.restarts.countdown_s - STEP_S) == []
    assert bench.judge.state.countdown_s == pytest.approx(STEP_S)
    assert bench.run(STEP_S) == ["play"]
    assert (bench.judge.state.phase, bench.judge.state.clock_s) == (PLAY, 0.0)


@pytest.mark.parametrize(("net", "score"), [(IN_RED_NET, (1, 0)), (IN_BLUE_NET, (0, 1))])
def test_a_goal_is_counted_once_and_told_with_its_numbers(net, score):
    bench = playing()
    assert bench.puck(*net) == ["goal"]
    event = bench.events[-1]
    state = bench.judge.state
    assert (state.score_blue, state.score_red) == score
    assert state.phase == PLACE and state.next == event.next == "Face off at (0.00, 0.00)"
    assert event.evidence["over_line_m"] == pytest.approx(0.04) and event.place == net
    assert "40 mm over the line" in event.explanation and event.explanation.endswith(event.next)
    assert bench.run(0.3) == []
    assert (state.score_blue, state.score_red) == score


def test_the_clock_runs_in_play_only():
    bench = playing()
    bench.run(2.0)
    bench.puck(*IN_RED_NET)
    clock_s = bench.judge.state.clock_s
    assert clock_s == pytest.approx(2.0 + STEP_S)
    bench.run(RESTART_S - 0.1)
    assert bench.judge.state.clock_s == clock_s
    bench.until(PLAY)
    bench.run(1.0)
    assert bench.judge.state.clock_s == pytest.approx(clock_s + 1.0)
    assert bench.judge.state.remaining_s == pytest.approx(LEAGUE.match.half_duration_s - clock_s - 1.0)


def test_halves_a_break_and_a_change_of_ends():
    bench = playing(short())
    assert bench.run(4.0) == ["period_over"]
    assert bench.judge.state.phase == BREAK and not bench.judge.state.ends_swapped
    assert bench.run(1.0) == ["period_start"]
    assert bench.judge.state.ends_swapped and bench.judge.state.period == "half_2"
    bench.until(PLAY)
    places = bench.placed[-1]
    assert all(places[f"blue/{n}"].pose.x_m > 0.0 and places[f"red/{n}"].pose.x_m < 0.0 for n in range(3))
    # The goal at +x is blue's now.
    assert bench.puck(*IN_RED_NET) == ["goal"]
    assert (bench.judge.state.score_blue, bench.judge.state.score_red) == (0, 1)
    bench.until(PLAY)
    bench.run(4.0)
    assert bench.judge.state.phase == OVER and "blue 0 : 1 red" in bench.judge.state.explanation
    assert bench.judge.state.clock_s == pytest.approx(8.0)


def test_a_profile_may_keep_the_ends():
    bench = playing(short(change_ends=False))
    bench.until(BREAK)
    bench.until(PLAY)
    assert not bench.judge.state.ends_swapped


def test_a_goal_with_the_whistle_counts():
    bench = playing(short(halves=1))
    bench.run(4.0 - STEP_S)
    assert bench.puck(*IN_RED_NET) == ["goal", "final_whistle"]
    assert bench.judge.state.score_blue == 1


@pytest.mark.parametrize("stays", [True, False])
def test_the_whistle_waits_until_a_puck_in_the_net_is_sure(stays):
    bench = playing(short(halves=1))
    bench.run(4.0 - STEP_S)
    assert bench.puck(*IN_RED_NET, sigma_m=0.05) == []
    if stays:
        assert bench.puck(*IN_RED_NET, sigma_m=0.05) == []
        assert bench.puck(*IN_RED_NET, sigma_m=0.05) == ["goal", "final_whistle"]
    else:
        assert bench.puck(0.9) == ["final_whistle"]
    assert bench.judge.state.score_blue == stays


def test_an_attempt_waits_for_it_too():
    bench = playing(short(halves=1, shoot_out_rounds=1, attempt_s=2.0))
    bench.until(PLACE)
    bench.until(PLAY)
    bench.run(2.0 - STEP_S)
    looks = [bench.puck(*IN_RED_NET, sigma_m=0.05) for _ in range(3)]
    assert looks == [[], [], ["shoot_out_goal"]]


def test_an_attempt_that_ends_in_the_shooters_own_goal_is_told_so():
    bench = playing(short(halves=1, shoot_out_rounds=1, attempt_s=2.0))
    bench.until(PLACE)
    bench.until(PLAY)
    assert bench.puck(*IN_BLUE_NET) == ["shoot_out_miss"]
    assert "into the goal of blue, whose attempt it is" in bench.judge.state.explanation


def test_the_final_whistle_ends_it_for_good():
    bench = playing(short(halves=1))
    assert bench.run(4.0) == ["final_whistle"]
    bench.judge.pause()
    bench.judge.start()
    assert bench.puck(*IN_RED_NET) == [] and bench.run(10.0) == []
    assert bench.judge.state.phase == OVER


def test_extra_time_only_after_a_draw():
    led = playing(short(halves=1, extra_halves=1, extra_half_s=3.0))
    led.puck(*IN_RED_NET)
    led.until(OVER)
    assert led.judge.state.score_blue == 1
    drawn = playing(short(halves=1, extra_halves=2, extra_half_s=3.0))
    drawn.until(BREAK)
    drawn.until(PLAY)
    assert drawn.judge.state.period == "extra_1"
    drawn.puck(*IN_RED_NET)
    drawn.until(PLAY)
    drawn.until(BREAK)  # without a golden goal the second period is played too
    drawn.until(OVER)
    assert drawn.judge.state.period == "extra_2"


def test_a_draw_is_a_draw_unless_there_must_be_a_winner():
    bench = playing(short(halves=1, extra_halves=1, shoot_out_rounds=3, knock_out=False))
    assert bench.run(4.0) == ["final_whistle"]


def test_a_golden_goal_ends_extra_time():
    bench = playing(short(halves=1, extra_halves=2, extra_half_s=3.0, golden_goal=True))
    bench.until(BREAK)
    bench.until(PLAY)
    assert bench.puck(*IN_BLUE_NET) == ["goal", "final_whistle"]
    assert bench.judge.state.phase == OVER and "Golden goal" in bench.judge.state.explanation


def test_a_shoot_out_ends_when_nobody_can_catch_up():
    bench = playing(short(halves=1, shoot_out_rounds=3, attempt_s=2.0))
    bench.until(PLACE)
    state = bench.judge.state
    assert (state.period, state.restart, state.restart_team) == ("shoot_out", "shoot_out", BLUE)
    assert set(state.off) == {"blue/0", "blue/2", "red/1", "red/2"}
    bench.until(PLAY)
    assert set(bench.placed[-1]) == {"blue/1", "red/0", PUCK}
    shoot_out(bench, True, False)
    assert set(bench.judge.state.off) == {"blue/0", "blue/1", "red/1", "red/2"}  # the next shooter is blue/2
    shoot_out(bench, True, False)
    assert bench.judge.state.phase == OVER
    assert (bench.judge.state.shoot_out_blue, bench.judge.state.shoot_out_red) == (2, 0)
    assert (bench.judge.state.score_blue, bench.judge.state.score_red) == (0, 0)
    assert "shoot-out 2 : 0" in bench.judge.state.explanation


def test_sudden_death_goes_on_in_pairs_until_one_decides():
    bench = playing(short(halves=1, shoot_out_rounds=1, attempt_s=2.0))
    bench.until(PLACE)
    shoot_out(bench, True, True)
    assert "sudden death" in bench.judge.state.explanation
    shoot_out(bench, False, False, True)
    assert bench.judge.state.phase == PLACE  # red may still answer
    shoot_out(bench, False)
    assert bench.judge.state.phase == OVER
    assert (bench.judge.state.shoot_out_blue, bench.judge.state.shoot_out_red) == (2, 1)


def test_sudden_death_has_an_end():
    bench = playing(short(halves=1, shoot_out_rounds=1, sudden_death_rounds=1, attempt_s=2.0))
    bench.until(PLACE)
    shoot_out(bench, False, False, False, False)
    assert bench.judge.state.phase == OVER and bench.judge.state.shoot_out_blue == bench.judge.state.shoot_out_red == 0


def test_a_pause_keeps_the_match_and_a_resume_the_velocities():
    bench = playing()
    bench.run(1.0)
    moving = BodyState(Pose2D(0.3, 0.2), Twist2D(0.7, -0.4, 2.0))
    robot = BodyState(Pose2D(-0.3, 0.3, 1.0), Twist2D(0.2, 0.5, -1.0))
    bench.bodies |= {PUCK: moving, "blue/2": robot}
    bench.time_s += STEP_S
    bench.look()
    clock_s = bench.judge.state.clock_s
    bench.judge.pause()
    assert bench.judge.state.phase == PAUSE
    bench.bodies[PUCK] = BodyState(Pose2D(*IN_RED_NET))  # it rolls on while nobody plays
    assert bench.run(30.0) == ["pause"]
    assert (bench.judge.state.clock_s, bench.judge.state.score_blue) == (clock_s, 0)
    bench.judge.start()
    assert bench.judge.state.phase == RESUME and bench.judge.state.playing
    bench.placed.clear()
    assert bench.run(2 * STEP_S) == ["resume"]  # the puck in the net was of the pause
    assert bench.judge.state.phase == PLAY
    assert bench.placed[0][PUCK] == moving and bench.placed[0]["blue/2"] == robot
    assert bench.run(1.0) == [] and bench.judge.state.clock_s == pytest.approx(clock_s + 1.0)


def test_a_pause_in_a_countdown_goes_on_counting():
    bench = Bench(Judge(LEAGUE))
    bench.run(1.0)
    bench.judge.pause()
    bench.run(30.0)
    bench.judge.start()
    assert bench.judge.state.phase == PLACE
    assert "play" not in bench.run(RESTART_S - 1.0 - 2 * STEP_S)
    assert "play" in bench.run(4 * STEP_S)


def test_pausing_twice_and_starting_twice_is_harmless():
    bench = playing()
    for act in (bench.judge.pause, bench.judge.pause, bench.judge.start, bench.judge.start):
        act()
    bench.run(2 * STEP_S)
    assert bench.judge.state.phase == PLAY


def test_what_a_tracker_sees_one_inside_the_other_is_set_apart_on_resume():
    bench = playing()
    bench.bodies |= {
        "blue/1": BodyState(Pose2D(0.3, 0.3)),
        "red/1": BodyState(Pose2D(0.37, 0.3)),
        PUCK: BodyState(Pose2D(0.3, 0.36)),
    }
    bench.run(STEP_S)
    bench.judge.pause()
    bench.judge.start()
    placed = bench.judge.placements
    assert placed["red/1"].pose.x_m == pytest.approx(0.375, abs=1e-4)  # two bodies of 75 mm side by side
    assert placed["red/1"].pose.y_m == pytest.approx(0.3, abs=1e-3)
    assert placed[PUCK].pose.y_m == pytest.approx(0.3625, abs=1e-4)


def test_a_stuck_puck_in_a_pause_is_not_stuck():
    bench = playing()
    bench.bodies[PUCK] = BodyState(Pose2D(0.3, 0.1))
    bench.run(3.0)
    bench.judge.pause()
    bench.run(60.0)
    bench.judge.start()
    assert bench.run(2.9) == ["resume"]
    assert "puck_stuck" in bench.run(3.5)


def test_reset_is_a_new_match():
    bench = playing()
    bench.puck(*IN_RED_NET)
    bench.judge.reset()
    state = bench.judge.state
    assert (state.phase, state.score_blue, state.clock_s, state.turn) == (PLACE, 0, 0.0, BLUE)


def test_a_clock_that_jumps_takes_no_time_back():
    bench = playing()
    bench.run(1.0)
    clock_s = bench.judge.state.clock_s
    bench.time_s = 0.0
    bench.look()
    assert bench.judge.state.clock_s == clock_s
    bench.run(1.0)
    assert bench.judge.state.clock_s == pytest.approx(clock_s + 1.0)


def test_a_puck_out_of_sight_is_called_lost():
    bench = playing()
    del bench.bodies[PUCK]
    assert "puck_out" not in bench.run(1.9)
    assert "puck_out" in bench.run(0.3)
    assert "nobody has seen it" in bench.judge.state.explanation


def test_a_send_off_takes_a_robot_out_and_brings_it_back():
    bench = playing(only_pushing("minor"))
    bench.run(0.5)
    assert foul(bench) == ["pushing"]
    state = bench.judge.state
    assert state.off == ("red/1",) and state.robot == "red/1" and state.fouls_red == 1
    assert "Minor penalty for red/1, off for 20 s" in state.explanation
    assert state.evidence["closing_m_s"] == pytest.approx(1.0) and state.evidence["crash_m_s"] == 0.8
    bench.until(PLAY)
    assert "red/1" not in bench.placed[-1] and "red/2" in bench.placed[-1]
    bench.run(19.9)
    assert bench.judge.state.off == ("red/1",)
    assert "back" in bench.run(0.2)
    assert bench.judge.state.off == ()
    place = bench.placed[-1]["red/1"].pose
    assert place.x_m > 0.0 and abs(place.y_m) < 0.6


def test_a_human_sends_a_robot_off_and_on_again():
    bench = playing()
    assert bench.judge.send("blue/1", off=True)
    assert bench.judge.state.off == ("blue/1",)
    assert "sent_off" in bench.run(0.1)
    bench.run(30.0)
    assert bench.judge.state.off == ("blue/1",)
    assert bench.judge.send("blue/1", off=False)
    assert "back" in bench.run(0.2)
    assert bench.judge.state.off == ()


@pytest.mark.parametrize(("robot", "off"), [("blue/9", True), ("blue/1", False), ("", True)])
def test_orders_that_make_no_sense_change_nothing(robot, off):
    bench = playing()
    before = bench.judge.state
    assert not bench.judge.send(robot, off=off)
    assert bench.judge.state == before


def test_cards_add_up():
    bench = playing(only_pushing("none", fouls_per_yellow=2, yellow_s=30.0))
    shown = []
    for _ in range(4):
        foul(bench)
        shown.append(bench.judge.state.explanation)
        bench.until(PLAY)
        bench.run(31.0)
    assert "yellow" not in shown[0] and "Yellow card for red/1, off for 30 s" in shown[1]
    assert "yellow" not in shown[2] and "Red card for red/1, off for the rest of the match" in shown[3]
    assert bench.judge.state.off == ("red/1",)


def test_a_team_keeps_its_last_robot():
    league = replace(LEAGUE, match=replace(LEAGUE.match, players=1))
    bench = Bench(Judge(league, HOCKEY))
    bench.bodies = {name: body for name, body in bench.bodies.items() if name in ("blue/0", "red/0", PUCK)}
    bench.until(PLAY)
    foul(bench, "red/0")
    assert bench.judge.state.off == () and "no robot to spare" in bench.judge.state.explanation


def dawdle(bench: Bench) -> list[str]:
    """Blue keeps the puck in its half, moving, until that is called."""
    rules = []
    while "one_side" not in rules:
        x_m = -0.5 + 0.3 * math.sin(bench.time_s / 2.0)
        bench.bodies |= {PUCK: BodyState(Pose2D(x_m, -0.4)), "blue/2": BodyState(Pose2D(x_m - 0.063, -0.4))}
        if bench.judge.state.phase == PLAY and round(bench.time_s / 0.5) % 5 == 0:
            bench.bodies["blue/2"] = BodyState(Pose2D(x_m - 0.1, -0.4))  # lets it go now and then
        rules += bench.run(STEP_S)
        assert bench.time_s < 500.0
    bench.until(PLAY)
    return rules


def test_three_times_too_long_on_one_side_cost_a_goal():
    bench = playing()
    dawdle(bench)
    dawdle(bench)
    assert bench.judge.state.score_red == 0
    dawdle(bench)
    assert bench.judge.state.score_red == 1
    call = [event for event in bench.events if event.rule == "one_side"][-1]
    assert "Every 3 cost a goal: goal for red" in call.explanation and call.next == "Face off at (0.00, 0.00)"


def test_suggest_asks_and_a_human_confirms():
    bench = suggesting()
    assert bench.puck(*IN_RED_NET) == ["goal"]
    state = bench.judge.state
    assert (state.phase, state.score_blue, state.countdown_s) == (ASK, 0, 5.0)
    assert "A human decides" in state.explanation and "match/confirm" in state.next
    bench.run(1.0)
    assert bench.judge.state.countdown_s == pytest.approx(4.0)
    assert bench.judge.confirm()
    assert (bench.judge.state.phase, bench.judge.state.score_blue) == (PLACE, 1)


def test_suggest_a_human_overrules_a_goal():
    bench = suggesting()
    bench.puck(*IN_RED_NET)
    assert bench.judge.overrule()
    state = bench.judge.state
    assert (state.phase, state.restart, state.score_blue) == (PLACE, FACE_OFF, 0)
    bench.until(PLAY)
    assert bench.placed[-1][PUCK].pose.x_m == LEAGUE.rink.face_off_x_m
    assert bench.run(1.0) == []


def test_suggest_a_human_overrules_a_foul_and_play_goes_on_as_it_was():
    bench = suggesting()
    foul(bench)
    moment = dict(bench.bodies)
    bench.bodies[PUCK] = BodyState(Pose2D(0.7, 0.2))
    bench.run(1.0)
    assert bench.judge.overrule()
    assert bench.judge.state.phase == RESUME and bench.judge.placements["red/1"] == moment["red/1"]
    bench.run(2 * STEP_S)
    assert bench.judge.state.phase == PLAY and bench.judge.state.fouls_red == 0
    assert bench.bodies[PUCK].pose.point == pytest.approx(moment[PUCK].pose.point, abs=0.02)


def test_suggest_stands_without_an_answer():
    bench = suggesting()
    bench.puck(*IN_RED_NET)
    bench.run(5.1)
    assert bench.judge.state.score_blue == 1


def test_nothing_to_decide():
    bench = playing()
    assert not bench.judge.confirm() and not bench.judge.overrule()


def test_a_call_of_the_autonomous_referee_can_be_overruled_until_play_goes_on():
    bench = playing()
    bench.puck(*IN_RED_NET)
    assert bench.judge.state.score_blue == 1
    assert bench.judge.overrule()
    assert bench.judge.state.score_blue == 0 and bench.judge.state.phase == PLACE
    assert not bench.judge.overrule()  # there is nothing more to take back
    bench.until(PLAY)
    assert foul(bench) == ["pushing"] and bench.judge.state.off == ("red/1",)
    assert bench.judge.overrule()
    assert bench.judge.state.off == () and bench.judge.state.phase == RESUME
    foul(bench)
    bench.until(PLAY)
    assert not bench.judge.overrule()


def test_match_states_travel_as_text():
    state = MatchState(
        phase=ASK,
        ends_swapped=True,
        off=("blue/1", "red/2"),
        places={"blue/0": Pose2D(-0.5, 0.25, 1.5)},
        place=(0.25, -0.5),
        evidence={"speed_m_s": 1.25, "limit_m_s": 1.0},
        score_red=3,
        next="Face off at (0.00, 0.00)",
    )
    assert MatchState.from_values(state.to_values()) == state
    assert MatchState.from_values(MatchState().to_values()) == MatchState()
    for key, text in (("ends_swapped", "yes"), ("place", "1"), ("places", "blue/0=1,2"), ("clock_s", "soon")):
        with pytest.raises(ValueError):
            MatchState.from_values({key: text})
