"""A referee that goes on where another one was, and the file that it goes on from."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from judge_bench import (
    HOCKEY,
    IN_RED_NET,
    LEAGUE,
    STEP_S,
    foul,
    playing,
    shoot_out,
    short,
    through_json,
)

from robohockey_core.checked import InputError
from robohockey_core.match_state import ASK, BREAK, OVER, PAUSE, PHASES, PLACE, RESUME, MatchState
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_referee.judge import Judge
from robohockey_referee.memory import MemoryFile, from_json, to_json


@pytest.mark.parametrize("phase", [p for p in PHASES if p != OVER])
def test_a_new_referee_goes_on_where_the_old_one_was(phase):
    def judge_of_the_match():
        mode = "suggest" if phase == ASK else "autonomous"
        return short(shoot_out_rounds=1, sudden_death_rounds=1, attempt_s=2.0, mode=mode)

    judge = judge_of_the_match()
    bench = playing(judge)
    if phase in (PLACE, ASK):
        bench.puck(*IN_RED_NET)
    elif phase in (PAUSE, RESUME):
        bench.run(1.0)
        judge.pause()
        if phase == RESUME:
            judge.start()
    elif phase == BREAK:
        bench.until(BREAK)
    assert judge.state.phase == phase
    bench.judge = through_json(judge, judge_of_the_match())
    assert bench.judge.state == MatchState.from_values(judge.state.to_values())
    bench.time_s = 1e6  # another clock
    if phase == PAUSE:
        bench.judge.start()
    if phase == ASK:
        bench.judge.confirm()
    bench.look()
    assert bench.judge.state.clock_s == pytest.approx(judge.state.clock_s, abs=0.01)
    bench.until(OVER, 200.0)


def test_sentences_and_the_shoot_out_are_remembered():
    bench = playing()
    foul(bench)
    again = through_json(bench.judge)
    assert again.state.off == ("red/1",) and again.memory().discipline == bench.judge.memory().discipline
    bench = playing(short(halves=1, shoot_out_rounds=3, attempt_s=2.0))
    bench.until(PLACE)
    shoot_out(bench, True)
    bench.judge = through_json(bench.judge, short(halves=1, shoot_out_rounds=3, attempt_s=2.0))
    shoot_out(bench, False, True, False)
    assert bench.judge.state.phase == OVER and bench.judge.state.shoot_out_blue == 2


def test_the_memory_file_is_whole_or_refused(tmp_path):
    path = tmp_path / "deep" / "match.json"
    file = MemoryFile(path)
    assert file.read() is None
    bench = playing()
    file.write(bench.judge.memory())
    assert file.read() == from_json(to_json(bench.judge.memory()), "")
    assert [p.name for p in path.parent.iterdir()] == ["match.json"]
    path.write_text(path.read_text()[:100])
    with pytest.raises(InputError, match=r"match\.json: is no memory of a match"):
        file.read()
    path.write_text(json.dumps({"state": {}}))
    with pytest.raises(InputError, match="is no memory of a match"):
        file.read()


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
