"""Calls that a human decides on, takes back or hears of late: suggest mode, overruling, advantage, pauses, another referee."""

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
    advantage_bench,
    foul,
    playing,
    short,
    suggesting,
    through_json,
)

from robohockey_core.checked import InputError
from robohockey_core.geometry import distance
from robohockey_core.match_state import ASK, BREAK, OVER, PAUSE, PLACE, PLAY, RESUME
from robohockey_core.names import BLUE, PUCK, RED, RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_referee.calls import Call
from robohockey_referee.judge import Judge, JudgeSettings
from robohockey_referee.memory import from_json, to_json
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


# Advantage.


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


@pytest.mark.parametrize("settled", [False, True])
def test_a_robot_that_is_sent_off_before_a_restart_is_not_placed_or_waited_for(settled):
    bench = Bench(Judge(LEAGUE), obeys=False)
    bench.run(RESTART_S + 1.0 if settled else HOCKEY.restarts.turn_s + STEP_S)
    assert "blue/1" in bench.judge.state.places
    assert bench.judge.send("blue/1", off=True)
    assert "blue/1" not in bench.judge.state.places
    still_there = bench.bodies["blue/1"]
    bench.placed.clear()
    for _ in range(round((RESTART_S + 2.0) / STEP_S)):
        bench.time_s += STEP_S
        world = bench.world()
        # A real robot must be lifted off, and stays in sight until it is.
        bench.events += bench.judge.watch(replace(world, robots={**world.robots, RobotId(BLUE, 1): still_there}))
        assert "blue/1" not in (bench.judge.placements or {})
    assert "blue/1" not in bench.judge.state.waiting_for and "red/1" in bench.judge.state.waiting_for


def test_a_robot_that_is_sent_off_in_a_pause_is_not_put_back():
    bench = playing()
    bench.run(0.1)
    bench.judge.pause()
    bench.judge.send("blue/1", off=True)
    bench.judge.start()
    assert "blue/1" not in bench.judge.placements and "blue/2" in bench.judge.placements


def test_who_takes_the_part_of_a_shooter_that_is_sent_off_gets_a_place():
    bench = playing(short(halves=1, shoot_out_rounds=2, attempt_s=2.0))
    bench.until(PLACE)
    bench.run(RESTART_S - 0.5)
    assert "blue/1" in bench.judge.state.places
    bench.judge.send("blue/1", off=True)
    assert "blue/2" not in bench.judge.state.off
    bench.placed.clear()
    bench.until(PLAY)
    assert set(bench.placed[-1]) == {"blue/2", "red/0", PUCK}


def test_an_overruled_call_does_not_bring_back_who_was_sent_off_by_hand():
    bench = playing()
    bench.puck(*IN_RED_NET)
    bench.judge.send("blue/1", off=True)
    assert bench.judge.overrule()
    assert bench.judge.state.off == ("blue/1",) and bench.judge.state.score_blue == 0


# Robots that drive stand before play goes on.


@pytest.mark.parametrize(
    ("twist", "turned_rad", "off_m", "stands"),
    [
        (Twist2D(0.29), 0.0, 0.0, True),
        (Twist2D(0.31), 0.0, 0.0, False),
        (Twist2D(0.0, 0.0, 0.99), 0.0, 0.0, True),
        (Twist2D(0.0, 0.0, -1.01), 0.0, 0.0, False),
        (Twist2D(), 0.49, 0.0, True),
        (Twist2D(), -0.51, 0.0, False),
        (Twist2D(), 0.0, 0.2 * LEAGUE.robot.length_m - 0.0005, True),
        (Twist2D(), 0.0, 0.2 * LEAGUE.robot.length_m + 0.0005, False),
    ],
)
def test_a_robot_stands_when_it_is_there_and_turned_and_still(twist, turned_rad, off_m, stands):
    bench = Bench(Judge(LEAGUE), obeys=False)
    bench.run(RESTART_S - 0.5)
    places = bench.judge.state.places
    bench.bodies |= {name: BodyState(pose) for name, pose in places.items()}
    there = places["blue/1"]
    # Its direction may be any number of turns away.
    pose = Pose2D(there.x_m + off_m, there.y_m, there.yaw_rad + turned_rad + 6.283185307179586)
    bench.bodies["blue/1"] = BodyState(pose, twist)
    bench.run(1.0)
    state = bench.judge.state
    assert (state.phase, state.waiting_for) == ((PLAY, ()) if stands else (PLACE, ("blue/1",)))


# Another referee.


def test_a_new_referee_announces_no_new_match():
    bench = playing()
    bench.puck(*IN_RED_NET)
    bench.judge = through_json(bench.judge)
    assert bench.run(0.5) == []


def test_a_referee_that_died_in_a_resume_puts_bodies_back():
    bench = playing()
    bench.bodies["blue/1"] = BodyState(Pose2D(-0.3, 0.3), Twist2D(0.4, 0.1))
    bench.run(STEP_S)
    moving = bench.bodies["blue/1"]
    bench.judge.pause()
    bench.judge.start()
    again = through_json(bench.judge)  # before anybody took the placements
    assert again.state.phase == RESUME and again.placements["blue/1"] == moving


@pytest.mark.parametrize(("league", "rules", "words"), [("other", "hockey", "other"), ("micro_hockey", "fira", "fira")])
def test_the_memory_of_another_match_is_refused(league, rules, words):
    judge = Judge(replace(LEAGUE, name=league), replace(HOCKEY, name=rules))
    memory = from_json(to_json(judge.memory()), "")
    fresh = Judge(LEAGUE)
    before = fresh.state
    with pytest.raises(InputError, match=rf"match\.json: is of a match of .*{words}.*remove it"):
        fresh.recall(memory, "match.json")
    assert fresh.state == before


# What is told.


def test_a_correction_names_a_robot_and_a_place_and_no_number_that_is_none():
    bench = Bench(Judge(LEAGUE))
    bench.look()
    bench.judge.propose(BLUE, {1: Pose2D(float("nan"), 0.0), 2: Pose2D(0.5, 0.0)})
    bench.run(HOCKEY.restarts.turn_s)
    event = next(event for event in bench.events if event.rule == "placement_corrected")
    assert event.robot == "blue/1" and event.place == bench.judge.state.places["blue/1"].point
    moved_m = distance(bench.judge.state.places["blue/2"].point, Pose2D(0.5, 0.0).point)
    assert event.evidence == {"blue/2": pytest.approx(moved_m)}
    assert bench.judge.state.last_event == "match_start"


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
