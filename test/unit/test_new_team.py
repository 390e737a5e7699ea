"""A team of one's own: the starter, its test, and placements."""

from __future__ import annotations

import subprocess
import sys

import pytest
from views import HOCKEY

from robohockey_core.checked import InputError
from robohockey_core.match_state import FACE_OFF, MatchState
from robohockey_core.names import BLUE, RED, RobotId
from robohockey_core.state import Pose2D, WorldState
from robohockey_match.cli import main
from robohockey_match.new_team import write_team
from robohockey_strategy.team import Coach


def test_the_starters_own_test_passes(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["new-team", "night_owls", "--folder", str(tmp_path)])
    assert ended.value.code == 0
    assert f"{tmp_path / 'night_owls.py'}:NightOwls" in capsys.readouterr().out
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("name", ["My-Team", "class", "1st", "../up", ""])
def test_a_name_that_is_no_module_is_refused(tmp_path, name):
    with pytest.raises(InputError, match="must be lower-case letters"):
        write_team(name, tmp_path)


def test_nothing_is_written_over(tmp_path):
    write_team("owls", tmp_path)
    with pytest.raises(InputError, match=r"owls\.py is there already"):
        write_team("owls", tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        write_team("owls", tmp_path / "nowhere")


class Placing:
    def decide(self, view):
        return {}

    def place(self, view):
        return {1: Pose2D(-0.3, 0.2, 0.1), 2: (-0.5, 0.1), 7: Pose2D(0.0, 0.0)}


def test_a_team_may_say_where_it_wants_its_robots():
    before = MatchState(phase=FACE_OFF)
    world = WorldState(0.0, {}, None)
    blue = Coach(HOCKEY, BLUE, Placing()).placement(world, before)
    assert blue == {RobotId(BLUE, 1): Pose2D(-0.3, 0.2, 0.1), RobotId(BLUE, 2): Pose2D(-0.5, 0.1)}
    red = Coach(HOCKEY, RED, Placing()).placement(world, before)
    assert red[RobotId(RED, 1)][:2] == (0.3, -0.2)
