"""Rule profiles: the shipped ones load, and a user's mistake is one clear line."""

from __future__ import annotations

import sys

import pytest
import yaml

from robohockey_core.checked import InputError
from robohockey_core.league import load_league, preset_files
from robohockey_referee.profile import load_profile, profile_files, profile_values
from robohockey_referee.rules import RULES, Rule

OWN_RULE = """
from dataclasses import dataclass
from robohockey_core.checked import limited
from robohockey_referee.calls import Call
from robohockey_referee.rules import Rule

@dataclass
class Noon(Rule):
    name = "noon"
    at_s: float = limited(12.0, "time of play at which it calls", low=0.0)

    def watch(self, scene):
        if scene.time_s < self.at_s:
            return None
        restart = scene.ground.restart("face_off", scene.puck.pose.point, "")
        return Call(self.name, f"It is {scene.time_s:.1f} s", restart=restart)
"""


def test_the_three_profiles_are_there_and_leagues_name_them():
    assert {"hockey", "fira", "vss"} <= set(profile_files())
    assert {load_league(name).match.rules for name in preset_files()} == {"hockey", "fira", "vss"}


def test_every_rule_is_played_by_somebody():
    played = {rule.name for name in profile_files() for rule in load_profile(name).rules}
    assert played == set(RULES)


@pytest.mark.parametrize("name", ["hockey", "fira", "vss"])
def test_own_goals_are_named_before_goals_count(name):
    names = [rule.name for rule in load_profile(name).rules]
    assert names.index("own_goal") < names.index("goal")


@pytest.mark.parametrize("name", ["hockey", "fira", "vss"])
def test_a_printed_profile_reads_back_the_same(name, tmp_path):
    path = tmp_path / f"{name}.yaml"
    path.write_text(yaml.safe_dump(profile_values(load_profile(name))))
    assert load_profile(str(path)) == load_profile(name)


def test_a_profile_extends_another(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("extends: fira\nclock: {break_s: 1.0}\n")
    mine, fira = load_profile(str(path)), load_profile("fira")
    assert (mine.name, mine.clock.break_s, mine.clock.extra_halves) == ("mine", 1.0, fira.clock.extra_halves)
    assert mine.rules == fira.rules


def test_rules_of_a_match_remember_nothing_of_another():
    profile = load_profile("hockey")
    one, two = profile.fresh_rules(), profile.fresh_rules()
    assert one == two and all(a is not b for a, b in zip(one, two, strict=True))


def test_a_rule_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "noon_rules.py").write_text(OWN_RULE)
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "mine.yaml"
    path.write_text("extends: vss\nrules:\n  - rule: goal\n  - rule: noon_rules:Noon\n    at_s: 3\n")
    noon = load_profile(str(path)).rules[1]
    assert isinstance(noon, Rule) and (noon.name, noon.at_s) == ("noon", 3.0)
    path.write_text("rules:\n  - rule: noon_rules:Noon\n    at: 3\n")
    with pytest.raises(InputError, match=r"rules\[0\].at: unknown key; did you mean at_s\?"):
        load_profile(str(path))
    sys.modules.pop("noon_rules")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("rules: []\n", "rules: must be a list of at least one rule"),
        ("rules: goal\n", "rules = 'goal': must be a list"),
        ("rules:\n  - goal\n", r"rules\[0\] = 'goal': must be a table with a key rule"),
        ("rules:\n  - rule: gaol\n", r"rules\[0\].rule = 'gaol': unknown rule; did you mean goal\?"),
        ("rules:\n  - rule: goal\n    over_line: 1\n", r"rules\[0\].over_line: unknown key; did you mean over_line_radii\?"),
        ("rules:\n  - rule: puck_stuck\n    stuck_s: -1\n", r"rules\[0\].stuck_s = -1: must be above 0"),
        ("rules:\n  - rule: pushing\n    restart: kick\n", r"rules\[0\].restart = 'kick': must be one of face_off"),
        (
            "rules:\n  - rule: goal\n  - rule: pushing\n    card: pink\n",
            r"rules\[1\].card = 'pink': must be one of none, minor",
        ),
        ("rules:\n  - rule: no_such_module:Thing\n", "does not load: ModuleNotFoundError"),
        ("rules:\n  - rule: math:pi\n", "must be a class made from robohockey_referee.rules.Rule"),
        ("extends: fira\nclock: {half: 3}\n", "clock.half: unknown key"),
        ("extends: fira\nclock: {break_s: long}\n", "clock.break_s = 'long': must be a number"),
        ("extends: fria\n", r"extends = 'fria': unknown rules; did you mean fira\?"),
        ("extends: 3\n", "extends = 3: unknown rules"),
        ("extends: fira\nadvantage_s: .nan\n", "advantage_s = nan: must be finite"),
        ("- goal\n", "must be a table of keys"),
    ],
)
def test_a_mistake_is_one_clear_line(tmp_path, text, complaint):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=complaint) as error:
        load_profile(str(path))
    assert "\n" not in str(error.value) and str(path) in str(error.value)


def test_an_unknown_profile_names_the_known_ones():
    with pytest.raises(InputError, match=r"unknown rules hokey; did you mean hockey\? \(or a path"):
        load_profile("hokey")
