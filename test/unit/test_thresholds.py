"""No threshold may drift unseen: moved by a few percent either way, each one changes what becomes of a scene of its rule."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from edge_tables import GOALS, OWN_GOALS, SCENES
from rule_scenes import LEAGUE, RADIUS_M, STEP_S, TOUCH_M, Play, call_in

from robohockey_core.names import RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState
from robohockey_referee.calls import Call
from robohockey_referee.ground import Ground
from robohockey_referee.rules import RULES, Rule
from robohockey_referee.scene import LookSettings, Watcher

MOVED = 0.04
"""A threshold that is a number is moved by this share; a count by one."""
EXCEPTIONS = {("one_side", "strikes_per_goal"): "the rule passes it on, and the judge counts: see test_judge.py"}
"""Thresholds that no scene of a rule can show, and why."""

TABLES = [
    *[("goal", *scene[1:]) for scene in GOALS],
    *[("own_goal", *scene[1:]) for scene in OWN_GOALS],
    *[scene[1:] for scene in SCENES],
]


def outcome(rule: Rule, call: Call | None) -> Any:
    """What a table says about a call."""
    if call is None:
        return None
    if rule.name == "goal":
        return call.goal_for
    if rule.name == "own_goal":
        return str(call.robot)
    assert call.restart is not None
    return str(call.robot), call.against, call.restart.kind, call.restart.team


THRESHOLDS = [
    (name, field.name)
    for name, kind in RULES.items()
    for field in fields(kind)
    if isinstance(getattr(kind(), field.name), int | float) and not isinstance(getattr(kind(), field.name), bool)
]


def flips(name: str, threshold: str, way: int) -> bool:
    for rule_name, thresholds, play, expected in TABLES:
        if rule_name != name:
            continue
        rule = RULES[name](**thresholds)
        value = getattr(rule, threshold)
        moved = max(0, value + way) if isinstance(value, int) else value * (1.0 + way * MOVED)
        if moved != value and outcome(rule, call_in(replace(rule, **{threshold: moved}), play)) != expected:
            return True
    return False


@pytest.mark.parametrize("way", [1, -1], ids=["up", "down"])
@pytest.mark.parametrize(("name", "threshold"), THRESHOLDS)
def test_a_threshold_that_moves_changes_what_becomes_of_a_scene(name, threshold, way):
    found = flips(name, threshold, way)
    assert found == ((name, threshold) not in EXCEPTIONS)


def test_settings_that_are_no_numbers_have_scenes_for_each_value():
    for name, kind in RULES.items():
        for field in fields(kind):
            default = getattr(kind(), field.name)
            if isinstance(default, bool):
                used = {getattr(RULES[name](**thresholds), field.name) for rule, thresholds, _, _ in TABLES if rule == name}
                assert used == {True, False}, (name, field.name)


# What counts as a touch, a contact and a deflection.


def sees_touch(settings: LookSettings, gap_m: float) -> bool:
    watcher, ground = Watcher(LEAGUE, settings), Ground(LEAGUE)
    (world,) = Play(0.0, (TOUCH_M + gap_m, 0.0), {"blue/1": (0.0, 0.0)}).moments()
    return bool(watcher.look(world, ground, 0.0, STEP_S).touching)


def sees_contact(settings: LookSettings, gap_m: float) -> bool:
    watcher, ground = Watcher(LEAGUE, settings), Ground(LEAGUE)
    (world,) = Play(0.0, None, {"blue/1": (0.0, 0.0), "red/1": (LEAGUE.robot.length_m + gap_m, 0.0)}).moments()
    return bool(watcher.look(world, ground, 0.0, STEP_S).contacts)


def sees_deflection(settings: LookSettings, change_m_s: float) -> bool:
    """A fast puck a little too far away for a touch loses so much of its speed."""
    watcher, ground = Watcher(LEAGUE, settings), Ground(LEAGUE)
    away_m = TOUCH_M + settings.touch_radii * RADIUS_M + 0.005
    for number, speed_m_s in enumerate((1.0, 1.0 - change_m_s)):
        puck = BodyState(Pose2D(away_m, 0.0), Twist2D(0.0, speed_m_s))
        scene = watcher.look(WorldState(number * STEP_S, ROBOT, puck), ground, number * STEP_S, STEP_S)
    return bool(scene.touching)


ROBOT = {RobotId("blue", 1): BodyState(Pose2D(0.0, 0.0))}
LOOKS = [
    ("touch_radii", sees_touch, 0.2 * RADIUS_M, -1),
    ("contact_lengths", sees_contact, 0.05 * LEAGUE.robot.length_m, -1),
    ("deflection_m_s", sees_deflection, 0.15, 1),
]


def test_every_look_setting_is_here():
    assert [name for name, *_ in LOOKS] == [field.name for field in fields(LookSettings)]


@pytest.mark.parametrize(("name", "sees", "limit", "sign"), LOOKS, ids=[look[0] for look in LOOKS])
def test_a_look_sees_just_within_its_limit_and_not_just_beyond(name, sees, limit, sign):
    settings = LookSettings()
    within, beyond = limit * (1.0 + 0.01 * sign), limit * (1.0 - 0.01 * sign)
    assert sees(settings, within) and not sees(settings, beyond)
    moved = {way: replace(settings, **{name: getattr(settings, name) * (1.0 + way * MOVED)}) for way in (1, -1)}
    assert not sees(moved[sign], within) and sees(moved[-sign], beyond)
