"""A match on a command line: how a launch file or a runner hands it to the composed process."""

from __future__ import annotations

import json
from dataclasses import fields

from robohockey_core.checked import to_plain
from robohockey_core.launch_plan import Match, match_from_values


def match_to_json(match: Match) -> str:
    values = {f.name: to_plain(getattr(match, f.name)) for f in fields(match) if f.name != "robots"}
    values["robots"] = {str(robot): to_plain(entry) for robot, entry in match.robots.items()}
    return json.dumps(values)


def match_from_json(text: str) -> Match:
    return match_from_values(json.loads(text), "match:")
