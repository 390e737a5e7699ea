"""Every rule by scenes: some that it must call, some that it must not, just on either side of each threshold."""

from __future__ import annotations

import math

import pytest
from edge_tables import GOALS, OWN_GOALS, SCENES
from rule_scenes import LINE_M, POST_M, RADIUS_M, Play, call_in

from robohockey_core.league import load_league
from robohockey_referee.rules import RULES


@pytest.mark.parametrize(("thresholds", "play", "scorer"), [s[1:] for s in GOALS], ids=[s[0] for s in GOALS])
def test_goal(thresholds, play, scorer):
    call = call_in(RULES["goal"](**thresholds), play)
    assert (call.goal_for if call else None) == scorer


@pytest.mark.parametrize(("thresholds", "play", "robot"), [s[1:] for s in OWN_GOALS], ids=[s[0] for s in OWN_GOALS])
def test_own_goal(thresholds, play, robot):
    call = call_in(RULES["own_goal"](**thresholds), play)
    assert (str(call.robot) if call else None) == robot
    if call:
        assert call.goal_for != call.robot.team


@pytest.mark.parametrize(
    ("rule", "thresholds", "play", "expected"), [s[1:] for s in SCENES], ids=[f"{s[1]}: {s[0]}" for s in SCENES]
)
def test_rule(rule, thresholds, play, expected):
    call = call_in(RULES[rule](**thresholds), play)
    found = (str(call.robot), call.against, call.restart.kind, call.restart.team) if call else None
    assert found == expected, call


def test_every_rule_has_scenes_on_both_sides():
    tables = [("goal", *s[1:]) for s in GOALS] + [("own_goal", *s[1:]) for s in OWN_GOALS]
    expectations = [(name, e) for name, _, _, e in tables] + [(s[1], s[4]) for s in SCENES]
    for rule in RULES:
        calls = sum(name == rule and e is not None for name, e in expectations)
        quiet = sum(name == rule and e is None for name, e in expectations)
        assert calls >= 3 and quiet >= 3, (rule, calls, quiet)


@pytest.mark.parametrize(("rule", "thresholds", "play"), [s[1:4] for s in SCENES if s[4] is not None])
def test_a_call_says_what_where_and_by_which_numbers(rule, thresholds, play):
    call = call_in(RULES[rule](**thresholds), play)
    assert call.rule == rule and call.place is not None
    assert call.evidence and all(math.isfinite(value) for value in call.evidence.values())
    assert any(character.isdigit() for character in call.why)
    if call.robot is not None:
        assert str(call.robot) in call.why


def test_rules_forget():
    rule = RULES["puck_stuck"](stuck_s=6.0)
    assert call_in(rule, Play(5.9, (0.0, 0.0))) is None
    assert call_in(rule, Play(5.9, (0.0, 0.0))) is None


def test_behind_the_goals_is_in_play_where_there_is_room():
    league = load_league("micro_hockey_rod")
    end_m = LINE_M + league.rink.room_behind_goals_m
    for x_m, y_m, out in ((LINE_M + 0.2, 0.0, False), (end_m - 0.01, 0.3, False), (end_m + 2 * RADIUS_M, 0.3, True)):
        assert (call_in(RULES["puck_out"](), Play(0.1, (x_m, y_m)), league) is not None) == out
    round_the_goal = Play(2.0, lambda t: (LINE_M - 0.1 + 0.2 * min(t, 1.0), POST_M + 0.1 - max(0.0, t - 1.0) * 0.3))
    assert call_in(RULES["goal"](), round_the_goal, league) is None
    behind = {"red/1": (-LINE_M - 0.2, 0.1), "red/2": (-LINE_M - 0.2, -0.1)}
    assert call_in(RULES["attackers_in_area"](with_puck=False), Play(0.1, (0.0, 0.0), behind), league) is None
