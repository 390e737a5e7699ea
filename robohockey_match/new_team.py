"""`robohockey new-team`: a commented strategy to start from, and a test for it that passes."""

from __future__ import annotations

import argparse
import keyword
import re
from pathlib import Path
from typing import Any

from robohockey_core.checked import InputError

_STRATEGY = '''"""My team: one class with decide(view). Save this file during a match, and it plays on with what you changed.

Try it:
    robohockey run --blue {file}:{name} --red chaser --duration 120
    robohockey match --blue {file}:{name}
"""

from __future__ import annotations

from robohockey_core.geometry import Point, bearing
from robohockey_strategy.skills import Skills


class {name}:
    def __init__(self):
        self.skills = None

    def decide(self, view):
        """Return orders by robot number. You always attack +x; view.us and view.them hold robots by number."""
        if view.puck is None:  # nobody sees the puck: all stand
            return {{}}
        if self.skills is None:
            self.skills = Skills(view.league)
        skills = self.skills
        skills.look(view)

        orders = {{}}
        # Robot 0 keeps the goal.
        if 0 in view.us:
            orders[0] = skills.block(0)

        # Whoever is first at the puck shoots. meeting(n) tells when and where robot n can be at the puck.
        players = [number for number in view.us if number != 0]
        if players:
            first = min(players, key=lambda number: skills.meeting(number).time_s)
            orders[first] = skills.shoot(first)
            players.remove(first)

        # The others wait between the puck and our goal, facing the puck.
        for number in players:
            x_m = (view.our_goal.x_m + view.puck.pose.x_m) / 2.0
            place = skills.inside(Point(x_m, view.puck.pose.y_m / 2.0))
            orders[number] = skills.go(number, place, bearing(place, view.puck.pose.point))
        return orders
'''

_TEST = '''"""Tests of my team: run them with `pytest {test}`."""

from pathlib import Path

from robohockey_match.engine import Engine
from robohockey_match.run_command import match_league
from robohockey_strategy.team import load_strategy

TEAM = f"{{Path(__file__).parent / '{file}'}}:{name}"


def play(opponent, duration_s, seed=1):
    league = match_league("micro_hockey", "realistic", duration_s)
    engine = Engine(league, {{"blue": load_strategy(TEAM), "red": load_strategy(opponent)}}, seed)
    state = engine.play()
    assert engine.faults["blue"] == 0, engine.events
    return state.score_blue, state.score_red


def test_it_plays_without_errors_and_beats_a_team_that_stands():
    ours, theirs = play("idle", 60.0)
    assert ours > theirs
'''


def add_new_team(commands: Any) -> None:
    """Add the command to the parser's."""
    new_team = commands.add_parser("new-team", help="write a strategy to start from, with a test")
    new_team.add_argument("name", help="name of the team, such as my_team: a file my_team.py with a class MyTeam")
    new_team.add_argument("--folder", type=Path, default=Path(), help="where to write it (default: here)")
    new_team.set_defaults(run=_new_team)


def _new_team(options: argparse.Namespace) -> int:
    strategy, test = write_team(options.name, options.folder)
    class_name = _class_name(options.name)
    print(f"wrote {strategy} and {test}; try: robohockey run --blue {strategy}:{class_name} --red chaser --duration 120")
    return 0


def write_team(name: str, folder: Path) -> tuple[Path, Path]:
    """Write the starter and its test. Raises InputError; nothing is written over."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise InputError(f"new-team {name}: must be lower-case letters, digits and _, such as my_team")
    if not folder.is_dir():
        raise InputError(f"new-team: there is no folder {folder}")
    strategy, test = folder / f"{name}.py", folder / f"test_{name}.py"
    for path in (strategy, test):
        if path.exists():
            raise InputError(f"new-team: {path} is there already; choose another name or folder")
    fill = {"name": _class_name(name), "file": strategy.name, "test": test.name}
    strategy.write_text(_STRATEGY.format(**fill), encoding="utf-8")
    test.write_text(_TEST.format(**fill), encoding="utf-8")
    return strategy, test


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
