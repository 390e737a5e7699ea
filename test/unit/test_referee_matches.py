"""Whole short matches by every profile, as in bench/referee.py: to the final whistle, and in agreement with the truth."""

from __future__ import annotations

import pytest

from bench.referee import play
from robohockey_core.names import PUCK
from robohockey_referee.judge import Judge


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
