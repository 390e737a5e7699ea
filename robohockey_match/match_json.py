"""A match on a command line: how a launch file or a runner hands it to the composed process."""

from __future__ import annotations

import json

from robohockey_core.match_file import Match, match_from_values, match_values


def match_to_json(match: Match) -> str:
    return json.dumps(match_values(match))


def match_from_json(text: str) -> Match:
    return match_from_values(json.loads(text), "match:")
