"""Advantage: fouls wait while the other team has the puck, and none is lost."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from judge_bench import (
    HOCKEY,
    IN_RED_NET,
    LEAGUE,
    STEP_S,
    Bench,
    advantage_bench,
    short,
    through_json,
)

from robohockey_core.match_state import ASK, BREAK, PLACE, PLAY, RESUME
from robohockey_core.names import RED, RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_referee.calls import Call
from robohockey_referee.judge import Judge, JudgeSettings
from robohockey_referee.rules import Rule


def test_advantage_a_foul_waits_while_the_other_team_has_the_puck():
    bench = advantage_bench()
    bench.bodies["red/1"] = BodyState(Pose2D(-0.5, 0.0))
    assert bench.run(1.1) == ["advantage_played"]
    assert (bench.judge.state.phase, bench.judge.state.fouls_red, bench.judge.state.off) == (PLAY, 1, ("red/1",))


def test_advantage_a_goal_stands():
    bench = advantage_bench()
    assert bench.puck(*IN_RED_NET) == ["goal"]
    assert bench.judge.state.score_blue == 1


def test_advantage_ends_when_the_offenders_get_the_puck():
    bench = advantage_bench()
    bench.bodies["blue/1"] = BodyState(Pose2D(-0.2, 0.3))
    bench.bodies["red/2"] = BodyState(Pose2D(0.2 + 2 * 0.0625, 0.3))
    assert bench.run(STEP_S) == ["pushing"]
    assert bench.judge.state.phase == PLACE


def keeps(bench: Bench) -> None:
    """Red/1 is out of the way, and blue/1 still has the puck."""
    bench.bodies["red/1"] = BodyState(Pose2D(-0.5, 0.0))


def second_foul(bench: Bench, robot: str = "red/2") -> list[str]:
    """Another opponent runs into the goalkeeper."""
    keeps(bench)
    bench.bodies[robot] = BodyState(Pose2D(-0.9, 0.09, -1.57), Twist2D(0.0, -1.0))
    bench.time_s += STEP_S
    told = bench.look()
    bench.bodies[robot] = BodyState(Pose2D(-0.9, 0.0755, -1.57), Twist2D(0.0, -0.2))
    bench.time_s += STEP_S
    told += bench.look()
    bench.bodies[robot] = BodyState(Pose2D(0.5, 0.5))
    return told


def test_advantage_says_what_comes_next_and_which_card_was_shown():
    bench = advantage_bench()
    assert (
        bench.judge.state.next.startswith("Face off at (")
        and "if red get the puck, else play goes on" in bench.judge.state.next
    )
    keeps(bench)
    assert bench.run(1.1) == ["advantage_played"]
    state = bench.judge.state
    assert "Minor penalty for red/1, off for 20 s" in state.explanation and state.next == "Play goes on"
    assert state.robot == "red/1" and state.evidence["closing_m_s"] == pytest.approx(1.0)


def test_advantage_a_second_foul_waits_too():
    bench = advantage_bench()
    assert second_foul(bench) == ["advantage"]
    assert bench.run(1.0) == ["advantage_played"]
    assert bench.judge.state.off == ("red/1", "red/2") and bench.judge.state.fouls_red == 2
    assert "Minor penalty for red/2" in bench.judge.state.explanation


def lost_to_red(bench: Bench) -> list[str]:
    bench.bodies["blue/1"] = BodyState(Pose2D(-0.2, 0.3))
    bench.bodies["red/2"] = BodyState(Pose2D(0.2 + 2 * 0.0625, 0.3))
    return bench.run(STEP_S)


def out_of_the_rink(bench: Bench) -> list[str]:
    return bench.puck(0.3, 0.9)


def goal(bench: Bench) -> list[str]:
    return bench.puck(*IN_RED_NET)


@pytest.mark.parametrize(
    ("ends", "rule"), [(goal, "goal"), (out_of_the_rink, "puck_out"), (lost_to_red, "pushing")], ids=["goal", "out", "lost"]
)
def test_advantage_the_foul_is_booked_however_it_ends(ends, rule):
    bench = advantage_bench()
    keeps(bench)
    assert ends(bench) == [rule]
    state = bench.judge.state
    assert (state.phase, state.fouls_red, state.off) == (PLACE, 1, ("red/1",))
    assert "Pushing: red/1 ran into blue/0" in state.explanation and "Minor penalty for red/1" in state.explanation
    assert state.score_blue == (rule == "goal")


@pytest.mark.parametrize("also_goal", [True, False])
def test_advantage_the_foul_is_booked_when_the_period_ends(also_goal):
    bench = advantage_bench(short(half_s=1.0))
    while bench.judge.state.remaining_s > 1.5 * STEP_S:
        keeps(bench)
        assert bench.run(STEP_S) == []
    rules = goal(bench) if also_goal else bench.run(2 * STEP_S)
    assert rules == ["goal" if also_goal else "pushing", "period_over"]
    assert bench.judge.state.phase == BREAK and bench.judge.state.off == ("red/1",)
    assert bench.judge.overrule()
    assert bench.judge.state.score_blue == 0
    # The goal was none; the foul before it still was one.
    assert bench.judge.state.off == (("red/1",) if also_goal else ())


def test_advantage_a_goal_that_is_overruled_leaves_the_foul():
    bench = advantage_bench()
    goal(bench)
    assert bench.judge.overrule()
    state = bench.judge.state
    assert (state.score_blue, state.last_event, state.off) == (0, "pushing", ("red/1",))
    assert bench.run(STEP_S) == ["overruled", "pushing"]


def test_advantage_a_strike_that_costs_a_goal_is_a_goal():
    rules = tuple(replace(rule) for rule in HOCKEY.rules)

    @dataclass
    class Strike(Rule):
        name = "strike"

        def watch(self, scene):
            if scene.time_s > 0.5:
                return None
            restart = scene.ground.restart("face_off", scene.puck.pose.point, "")
            return Call(self.name, "It was 1 too many", restart=restart, against=RED, robot=RobotId(RED, 2), strikes_per_goal=1)

    bench = Bench(Judge(LEAGUE, replace(HOCKEY, rules=(Strike(), *rules))))
    bench.until(PLAY)
    bench.bodies["blue/1"] = BodyState(Pose2D(0.2, 0.3))
    assert bench.puck(0.2 + 0.0625, 0.3) == ["advantage"]
    assert "advantage_played" in bench.run(1.5)
    assert bench.judge.state.score_blue == 1 and bench.judge.state.restart == "face_off"
    assert "goal for blue" in bench.judge.state.explanation and bench.judge.state.next == "Face off at (0.00, 0.00)"


def test_advantage_survives_a_restart_of_the_referee():
    bench = advantage_bench()
    keeps(bench)
    second_foul(bench)
    bench.judge = through_json(bench.judge)
    assert "advantage_played" in bench.run(1.2)
    assert bench.judge.state.off == ("red/1", "red/2")


@pytest.mark.parametrize("stands", [True, False])
def test_suggest_asks_before_a_foul_after_an_advantage_is_booked(stands):
    bench = advantage_bench(Judge(LEAGUE, settings=JudgeSettings(mode="suggest", ask_s=5.0)))
    keeps(bench)
    assert bench.run(1.1) == ["pushing"]
    assert (bench.judge.state.phase, bench.judge.state.off) == (ASK, ())
    held = bench.bodies["red/1"]
    assert bench.judge.confirm() if stands else bench.judge.overrule()
    assert bench.judge.state.phase == RESUME
    assert bench.judge.state.off == (("red/1",) if stands else ())
    assert ("red/1" in bench.judge.placements) != stands
    assert stands or bench.judge.placements["red/1"] == held
    assert bench.run(STEP_S)[-1] == ("advantage_played" if stands else "overruled")
    bench.until(PLAY)


def test_a_foul_that_was_booked_while_play_went_on_can_be_taken_back():
    bench = advantage_bench()
    keeps(bench)
    bench.run(1.1)
    assert bench.judge.state.off == ("red/1",)
    assert bench.judge.send("blue/2", off=True)
    assert bench.judge.overrule()
    bench.run(STEP_S)
    assert (bench.judge.state.phase, bench.judge.state.fouls_red, bench.judge.state.off) == (PLAY, 0, ("blue/2",))
    assert not bench.judge.overrule()


def test_what_was_booked_in_a_period_stays_booked_when_it_is_over():
    bench = advantage_bench(short(half_s=3.0))
    keeps(bench)
    bench.until(BREAK)
    assert bench.judge.state.off == ("red/1",)
    assert not bench.judge.overrule() and bench.judge.state.phase == BREAK
