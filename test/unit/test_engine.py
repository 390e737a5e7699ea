"""The headless engine: whole matches, repeatable bit by bit, and fair to a team that has to play with one that fails."""

from __future__ import annotations

import json
import sys

import pytest
from headless import PRESETS

from robohockey_core.league import load_league
from robohockey_core.match_state import OVER, PLAY
from robohockey_core.names import BLUE, RED
from robohockey_match.cli import main
from robohockey_match.engine import Engine
from robohockey_match.run_command import match_league
from robohockey_strategy.teams.chaser import Chaser
from robohockey_strategy.teams.idle import Idle


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["run", *arguments])
    return ended.value.code


@pytest.mark.parametrize("noise", ["none", "realistic"])
def test_the_same_seed_writes_the_same_file(tmp_path, noise):
    files = [tmp_path / f"{n}.json" for n in range(3)]
    for path, seed in zip(files, ("7", "7", "8"), strict=True):
        assert run("--noise", noise, "--seed", seed, "--duration", "10", "--output", str(path)) == 0
    first, again, other = (path.read_bytes() for path in files)
    assert first == again
    assert first != other
    result = json.loads(first)
    assert (result["seed"], result["league"], result["noise"]) == (7, "micro_hockey", noise)
    assert result["score"].keys() == {BLUE, RED}
    assert result["played_s"] == pytest.approx(10.0)
    assert [event["rule"] for event in result["events"]][-1] == "final_whistle"
    assert all(event["time_s"] >= 0.0 for event in result["events"])


@pytest.mark.parametrize("name", PRESETS)
def test_every_league_is_played_to_its_end(name):
    engine = Engine(match_league(name, "realistic", 3.0), {BLUE: Chaser(), RED: Chaser()})
    assert engine.play().phase == OVER
    assert engine.faults == {BLUE: 0, RED: 0}


def test_a_team_that_raises_costs_only_its_own_orders():
    class Broken:
        def decide(self, view):
            raise KeyError("no plan")

    league = match_league("micro_hockey", None, 60.0)
    engine = Engine(league, {BLUE: Broken(), RED: Chaser()})
    before = [engine.rink.world.body(f"blue/{n}").pose for n in range(1, 3)]
    engine.tick()
    state = engine.play()
    assert engine.faults[BLUE] > 100 and engine.faults[RED] == 0
    assert [event.rule for event in engine.events].count("strategy_error") == 1
    assert state.score_red > state.score_blue
    assert all(pose.x_m < 0.0 for pose in before)


def test_a_team_that_ends_its_program_costs_only_its_own_orders():
    class Quitter:
        def decide(self, view):
            sys.exit(3)

        place = decide

    engine = Engine(match_league("micro_hockey", None, 5.0), {BLUE: Quitter(), RED: Chaser()})
    assert engine.play().phase == OVER
    assert engine.faults[BLUE] > 10 and engine.faults[RED] == 0


def test_an_error_is_told_with_its_trace(tmp_path, capsys):
    path, result = tmp_path / "mine.py", tmp_path / "result.json"
    path.write_text(
        "class Mine:\n    def decide(self, view):\n        return self.plan()\n\n    def plan(self):\n        1 / 0\n"
    )
    assert run("--blue", f"{path}:Mine", "--duration", "5", "--output", str(result)) == 0
    told = capsys.readouterr().err
    faults = json.loads(result.read_text())["strategy_faults"][BLUE]
    assert told.startswith(f"robohockey: the strategy of blue raised {faults} times, first:\n")
    (event,) = [event for event in json.loads(result.read_text())["events"] if event["rule"] == "strategy_error"]
    for trace in (told, event["explanation"]):
        assert "in decide" in trace and "in plan" in trace and trace.endswith("ZeroDivisionError: division by zero\n")
        assert "engine.py" not in trace and "team.py" not in trace


def test_robots_without_orders_stand():
    engine = Engine(load_league("micro_hockey"), {BLUE: Idle(), RED: Idle()})
    engine.play_until(lambda _: engine.state.phase == PLAY, 10.0)
    start = [engine.rink.world.body(body).pose for body in engine.rink.world.bodies]
    for _ in engine.ticks(5.0):
        pass
    assert [engine.rink.world.body(body).pose for body in engine.rink.world.bodies] == start


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--blue", "chasr"], "did you mean chaser?"),
        (["--league", "nowhere"], "unknown league nowhere"),
        (["--duration", "-3"], "--duration -3: must be above 0"),
        (["--seed", "-1"], "seed = -1: must be at least 0"),
        (["--output", "no/such/folder/result.json"], "there is no folder"),
        (["--output", "/"], "--output /: is a folder; name a file in it"),
    ],
)
def test_a_mistake_is_one_line(capsys, arguments, told):
    assert run(*arguments) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1


def test_progress_is_shown_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run("--duration", "1") == 0
    out, err = capsys.readouterr()
    assert "100%" in err and "blue" in err
    assert "times real time" in out
