"""Calls that a human decides on or takes back: suggest mode, overruling, pauses, and what is told beside calls."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    playing,
    short,
    suggesting,
    through_json,
)

from robohockey_core.match_state import ASK, BREAK, OVER, PAUSE, PLACE, PLAY, RESUME
from robohockey_core.names import BLUE, PUCK, RED
from robohockey_core.state import BodyState, Pose2D
from robohockey_referee.calls import Call
from robohockey_referee.judge import Judge, JudgeSettings
from robohockey_referee.rules import Rule

# Suggest mode asks about everything that a rule finds.


def goal_with_the_whistle(mode: str, **clock) -> Bench:
    bench = playing(short(halves=1, mode=mode, **clock))
    bench.run(4.0 - STEP_S)
    bench.puck(*IN_RED_NET)
    return bench


@pytest.mark.parametrize("stands", [True, False])
def test_suggest_asks_about_a_goal_with_the_whistle(stands):
    bench = goal_with_the_whistle("suggest")
    assert (bench.judge.state.phase, bench.judge.state.score_blue) == (ASK, 0)
    assert "end the period without it" in bench.judge.state.next
    assert bench.judge.confirm() if stands else bench.judge.overrule()
    assert bench.run(STEP_S) == [*(["goal"] if stands else ["overruled"]), "final_whistle"]
    assert (bench.judge.state.phase, bench.judge.state.score_blue) == (OVER, int(stands))


def test_a_goal_with_the_whistle_can_be_overruled_after_it():
    bench = goal_with_the_whistle("autonomous")
    assert (bench.judge.state.phase, bench.judge.state.score_blue) == (OVER, 1)
    assert bench.judge.overrule()
    assert bench.run(STEP_S) == ["overruled", "final_whistle"]
    assert (bench.judge.state.phase, bench.judge.state.score_blue) == (OVER, 0)
    assert "blue 0 : 0 red" in bench.judge.state.explanation and not bench.judge.overrule()


def test_a_goal_that_is_overruled_in_the_break_may_lead_to_a_shoot_out():
    bench = goal_with_the_whistle("autonomous", shoot_out_rounds=1, attempt_s=2.0)
    assert bench.judge.state.phase == OVER
    assert bench.judge.overrule()
    assert bench.judge.state.phase == PLACE and bench.judge.state.period == "shoot_out"


def test_a_whistle_without_a_call_has_nothing_to_overrule():
    bench = playing(short())
    bench.until(BREAK)
    assert not bench.judge.overrule() and bench.judge.state.phase == BREAK


def attempt(mode: str) -> Bench:
    bench = playing(short(halves=1, mode=mode, shoot_out_rounds=2, attempt_s=2.0))
    bench.until(PLACE)
    bench.until(PLAY)
    return bench


@pytest.mark.parametrize("stands", [True, False])
def test_suggest_asks_about_a_goal_of_the_shoot_out(stands):
    bench = attempt("suggest")
    assert bench.puck(*IN_RED_NET) == ["goal"]
    assert (bench.judge.state.phase, bench.judge.state.shoot_out_blue) == (ASK, 0)
    assert bench.judge.confirm() if stands else bench.judge.overrule()
    assert bench.run(STEP_S) == ["shoot_out_goal" if stands else "overruled"]
    state = bench.judge.state
    assert (state.phase, state.shoot_out_blue, state.restart_team) == (PLACE, int(stands), RED)


def test_a_miss_that_was_none_is_taken_again():
    bench = attempt("suggest")
    assert bench.puck(*IN_BLUE_NET) == ["goal"] and bench.judge.state.phase == ASK
    assert bench.judge.overrule()
    assert bench.judge.state.restart_team == BLUE and "taken again" in bench.judge.state.explanation
    bench.until(PLAY)
    bench.puck(*IN_RED_NET)
    bench.judge.confirm()
    assert (bench.judge.state.shoot_out_blue, bench.judge.state.restart_team) == (1, RED)


def test_an_attempt_can_be_overruled_until_the_next_one():
    bench = attempt("autonomous")
    bench.puck(*IN_RED_NET)
    assert bench.judge.state.shoot_out_blue == 1
    assert bench.judge.overrule()
    assert (bench.judge.state.shoot_out_blue, bench.judge.state.restart_team) == (0, RED)
    bench.until(PLAY)
    assert not bench.judge.overrule()
    bench.run(2.0)
    assert bench.judge.state.last_event == "shoot_out_miss"
    assert bench.judge.overrule()
    assert bench.judge.state.restart_team == RED  # once more


def golden(mode: str = "autonomous") -> Bench:
    bench = playing(short(halves=1, mode=mode, extra_halves=1, extra_half_s=3.0, golden_goal=True))
    bench.until(BREAK)
    bench.until(PLAY)
    bench.puck(*IN_RED_NET)
    return bench


def test_a_golden_goal_can_be_overruled():
    bench = golden()
    assert bench.judge.state.phase == OVER
    assert bench.judge.overrule()
    assert (bench.judge.state.phase, bench.judge.state.score_red) == (PLACE, 0)
    bench.until(PLAY)
    assert bench.judge.state.period == "extra_1" and bench.judge.state.clock_s < 4.5


def test_suggest_asks_about_a_golden_goal():
    bench = golden("suggest")
    assert bench.judge.state.phase == ASK
    assert bench.judge.confirm() and bench.judge.state.phase == OVER


def test_an_attempt_that_is_paused_keeps_its_time():
    bench = attempt("autonomous")
    bench.run(1.0)
    bench.judge.pause()
    bench.run(5.0)
    bench.judge.start()
    assert "shoot_out_miss" not in bench.run(0.9)
    assert "shoot_out_miss" in bench.run(0.3)


# Pauses.


def in_ask() -> Bench:
    bench = suggesting()
    bench.puck(*IN_RED_NET)
    return bench


def in_place() -> Bench:
    bench = playing()
    bench.puck(*IN_RED_NET)
    bench.run(STEP_S)
    return bench


def in_break() -> Bench:
    bench = playing(short())
    bench.until(BREAK)
    return bench


def waiting() -> Bench:
    bench = Bench(Judge(LEAGUE), obeys=False)
    bench.run(RESTART_S + 1.0)
    assert bench.judge.state.waiting_for
    return bench


@pytest.mark.parametrize("make", [in_ask, in_place, in_break, waiting])
@pytest.mark.parametrize("killed", [False, True])
def test_a_pause_keeps_what_was_told(make, killed):
    bench = make()
    before = bench.judge.state
    bench.judge.pause()
    assert bench.judge.state.phase == PAUSE
    bench.run(10.0)
    if killed:
        fresh = short() if make is in_break else Judge(LEAGUE, settings=JudgeSettings(mode="suggest"))
        bench.judge = through_json(bench.judge, fresh)
    bench.judge.start()
    after = bench.judge.state
    assert after == before or killed
    told = ("phase", "explanation", "next", "robot", "last_event", "waiting_for", "restart")
    assert [getattr(after, key) for key in told] == [getattr(before, key) for key in told]
    assert after.countdown_s == pytest.approx(before.countdown_s, abs=1e-3)
    assert after.evidence == pytest.approx(before.evidence, rel=1e-3)
    assert bench.run(STEP_S) == ["resume"]


@pytest.mark.parametrize("stands", [True, False])
def test_a_human_may_decide_in_a_pause(stands):
    bench = in_ask()
    bench.judge.pause()
    assert bench.judge.confirm() if stands else bench.judge.overrule()
    assert bench.judge.state.phase == PAUSE and bench.judge.state.score_blue == stands
    bench.judge.start()
    assert bench.judge.state.phase == PLACE
    assert bench.judge.state.last_event == ("goal" if stands else "overruled")
    bench.until(PLAY)


def test_a_foul_that_is_overruled_in_a_pause_is_played_on_as_it_was():
    bench = suggesting()
    foul(bench)
    moment = dict(bench.bodies)
    bench.judge.pause()
    bench.bodies[PUCK] = BodyState(Pose2D(0.7, 0.2))
    bench.run(1.0)
    assert bench.judge.overrule() and bench.judge.state.phase == PAUSE
    bench.placed.clear()
    bench.run(1.0)
    assert bench.placed == []
    bench.judge.start()
    assert bench.judge.state.phase == RESUME and bench.judge.placements["red/1"] == moment["red/1"]


@pytest.mark.parametrize("make", [in_place, waiting, playing])
def test_in_a_pause_with_nothing_to_decide_on_nothing_changes(make):
    bench = make()
    bench.judge.pause()
    state = bench.judge.state
    assert not bench.judge.confirm() and bench.judge.state == state


# Who is off has no place.


def test_a_robot_that_is_sent_off_in_a_pause_is_not_put_back():
    bench = playing()
    bench.run(0.1)
    bench.judge.pause()
    bench.judge.send("blue/1", off=True)
    bench.judge.start()
    assert "blue/1" not in bench.judge.placements and "blue/2" in bench.judge.placements


def test_an_overruled_call_does_not_bring_back_who_was_sent_off_by_hand():
    bench = playing()
    bench.puck(*IN_RED_NET)
    bench.judge.send("blue/1", off=True)
    assert bench.judge.overrule()
    assert bench.judge.state.off == ("blue/1",) and bench.judge.state.score_blue == 0


# What is told.


def test_an_own_rule_that_fails_is_switched_off_and_named():
    @dataclass
    class Broken(Rule):
        name = "broken"
        watched = 0

        def watch(self, scene):
            Broken.watched += 1
            raise ZeroDivisionError("by 0")

    @dataclass
    class Vague(Rule):
        name = "vague"

        def watch(self, scene):
            return Call(self.name, "something") if scene.time_s > 1.0 else None

    bench = playing(Judge(LEAGUE, replace(HOCKEY, rules=(Broken(), Vague(), *HOCKEY.rules))))
    assert bench.run(0.5) == ["rule_failed"]
    assert "broken is switched off" in bench.events[-1].explanation and "by 0" in bench.events[-1].explanation
    assert bench.run(1.0) == ["rule_failed"] and "vague" in bench.events[-1].explanation
    assert Broken.watched == 1
    assert bench.puck(*IN_RED_NET) == ["goal"]
