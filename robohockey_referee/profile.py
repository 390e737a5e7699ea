"""Rule profiles: which rules a match is played by, with which thresholds, and how it is timed and restarted."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from robohockey_core.checked import InputError, build, did_you_mean, limited, to_plain
from robohockey_core.files import read_yaml, share_directories
from robohockey_core.match_state import FACE_OFF, KICK_OFF
from robohockey_referee.discipline import CardSettings
from robohockey_referee.match_clock import ClockSettings
from robohockey_referee.rules import RULES, Rule
from robohockey_referee.scene import LookSettings

DEFAULT_PROFILE = "hockey"


@dataclass(frozen=True)
class RestartSettings:
    kick_off: str = limited(FACE_OFF, "how periods begin, and play after a goal", choices=(FACE_OFF, KICK_OFF))
    turn_s: float = limited(0.2, "time for each team's placement proposal", low=0.0, high=60.0)
    countdown_s: float = limited(2.0, "from the placement to play", low=0.0, high=60.0)
    place_limit_s: float = limited(20.0, "longest wait for robots that are not in their places", low=0.0)
    robot_tolerance_lengths: float = limited(0.2, "how near its place a robot must stand, in robot lengths", above=0.0)
    yaw_tolerance_rad: float = limited(0.5, "how near its direction a robot must stand", above=0.0)
    still_m_s: float = limited(0.3, "a robot stands when it is no faster; noisy cameras see speeds where none are", above=0.0)
    still_rad_s: float = limited(1.0, "and when it turns no faster than this", above=0.0)
    puck_tolerance_radii: float = limited(2.0, "how near its spot the puck must lie, in puck radii", above=0.0)
    free_ball_lengths: float = limited(3.0, "distance of both robots from a free ball, in robot lengths", above=0.0)


@dataclass(frozen=True)
class Profile:
    """All that a match is refereed by."""

    name: str = limited(DEFAULT_PROFILE, "name of the profile")
    description: str = limited("", "one line for people")
    advantage_s: float = limited(0.0, "how long a foul waits while the other team has the puck; 0: none", low=0.0, high=30.0)
    clock: ClockSettings = ClockSettings()
    restarts: RestartSettings = RestartSettings()
    cards: CardSettings = CardSettings()
    look: LookSettings = LookSettings()
    rules: tuple[Rule, ...] = ()

    def fresh_rules(self) -> tuple[Rule, ...]:
        """Rules that remember nothing: the profile's own are never played with."""
        return tuple(replace(rule) for rule in self.rules)


def load_profile(name_or_path: str) -> Profile:
    """Load a profile by name, or a YAML file by path. Raises InputError in one line."""
    if name_or_path.endswith((".yaml", ".yml")):
        return _load(Path(name_or_path), ())
    return _load(_found(name_or_path, f"unknown rules {name_or_path}", " (or a path that ends in .yaml)"), ())


def profile_files() -> dict[str, Path]:
    """Every profile by name."""
    files: dict[str, Path] = {}
    for share in share_directories():
        for path in sorted((share / "config" / "rules").glob("*.yaml")):
            files.setdefault(path.stem, path)
    return files


def profile_values(profile: Profile) -> dict[str, Any]:
    """Every number of a profile, ready to be written as YAML."""
    values = to_plain(replace(profile, rules=()))
    rules = [{"rule": rule.name, **to_plain(rule)} for rule in profile.rules]
    return {**values, "rules": rules}


def _found(name: object, what: str, more: str = "") -> Path:
    files = profile_files()
    if not isinstance(name, str) or name not in files:
        raise InputError(f"{what}{did_you_mean(str(name), files)}{more}")
    return files[name]


def _load(path: Path, seen: tuple[Path, ...]) -> Profile:
    if path in seen:
        raise InputError(f"{path}: extends itself through {' -> '.join(p.stem for p in seen)}")
    values = read_yaml(path)
    parent = values.pop("extends", None)
    entries = values.pop("rules", None)
    base = Profile()
    if parent is not None:
        base = _load(_found(parent, f"{path}: extends = {parent!r}: unknown rules"), (*seen, path))
    profile = build(Profile, {"name": path.stem, **values}, f"{path}:", base=base)
    if entries is not None:
        profile = replace(profile, rules=_rules(entries, str(path)))
    if not profile.rules:
        raise InputError(f"{path}: rules: must be a list of at least one rule such as - rule: goal")
    return profile


def _rules(entries: object, where: str) -> tuple[Rule, ...]:
    if not isinstance(entries, list):
        raise InputError(f"{where}: rules = {entries!r}: must be a list such as - rule: goal")
    return tuple(_rule(entry, f"{where}: rules[{number}]") for number, entry in enumerate(entries))


def _rule(entry: object, where: str) -> Rule:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("rule"), str):
        raise InputError(f"{where} = {entry!r}: must be a table with a key rule{did_you_mean('', RULES)}")
    name = entry["rule"]
    kind = _own_rule(name, where) if ":" in name else RULES.get(name)
    if kind is None:
        raise InputError(f"{where}.rule = {name!r}: unknown rule{did_you_mean(name, RULES)} (or module:Class)")
    thresholds = {key: value for key, value in entry.items() if key != "rule"}
    try:
        return build(kind, thresholds, where)
    except InputError:
        raise
    except Exception as error:  # foreign code
        raise InputError(f"{where}.rule = {name!r}: cannot be made: {type(error).__name__}: {error}") from error


def _own_rule(name: str, where: str) -> type[Rule]:
    """A user's own rule, from `module:Class`."""
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception as error:
        raise InputError(f"{where}.rule = {name!r}: does not load: {type(error).__name__}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Rule)):
        raise InputError(f"{where}.rule = {name!r}: must be a class made from robohockey_referee.rules.Rule")
    return found
