"""Whole short matches by every profile, as in bench/referee.py: to the final whistle, and in agreement with the truth."""

from __future__ import annotations

import pytest

from bench.referee import play
from robohockey_core.league import load_league
from robohockey_core.match_state import PLAY
from robohockey_core.names import PUCK, TEAMS
from robohockey_match.engine import Engine
from robohockey_referee.judge import Judge
from robohockey_strategy.team import load_strategy


@pytest.mark.parametrize(
    ("league", "profile", "seeds"),
    [
        ("micro_hockey", "hockey", (1, 2)),
        ("vss_3v3", "vss", (1, 2)),
        ("mirosot_5v5", "fira", (1, 2)),
        ("mirosot_11v11", "fira", (1,)),
    ],
)
def test_matches_run_to_the_final_whistle_unattended(league, profile, seeds):
    for seed in seeds:
        found = play(league, profile, seed, half_s=4.0)
        assert found.faults == []
        assert found.calls["final_whistle"] == 1


@pytest.mark.parametrize("seed", [8, 12], ids=["in the last looks of a period", "seen running on behind the net"])
def test_a_camera_that_is_late_and_noisy_costs_no_goal(seed):
    found = play("micro_hockey", "hockey", seed, noise="realistic")
    assert found.faults == []
    assert found.goals > 0


def test_a_phase_that_lasts_too_long_is_found_whatever_is_told_in_it(monkeypatch):
    class NeverReady(Judge):
        def _not_in_place(self, world):
            self._note("placement_corrected", "Once more")
            return (PUCK,)

    monkeypatch.setattr("bench.referee.Judge", NeverReady)
    (fault,) = play("micro_hockey", "hockey", 1).faults
    assert "place lasts" in fault


def test_a_robot_that_is_sent_off_before_a_restart_stays_off_the_rink():
    league = load_league("micro_hockey")
    judge = Judge(league)
    engine = Engine(league, {team: load_strategy("chaser") for team in TEAMS}, 1, judge)
    while PUCK not in judge.state.places:
        engine.tick()
    assert judge.send("blue/1", off=True)
    while judge.state.phase != PLAY:
        engine.tick()
        assert engine.rink.world.off == {"blue/1"}
        assert "blue/1" not in judge.state.waiting_for
    assert engine.time_s < 5.0
