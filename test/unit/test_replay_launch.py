"""What `replay.launch.py` starts. The launch system is not on PyPI: stand-ins take down what the file asks of it."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from recorded import write

from robohockey_core.league import load_league

FILE = Path(__file__).resolve().parents[2] / "launch" / "replay.launch.py"
NAMES = {
    "launch": ("LaunchDescription",),
    "launch.actions": ("DeclareLaunchArgument", "IncludeLaunchDescription", "OpaqueFunction"),
    "launch.conditions": ("IfCondition",),
    "launch.substitutions": ("LaunchConfiguration", "PathJoinSubstitution"),
    "launch_ros": (),
    "launch_ros.actions": ("Node",),
    "launch_ros.substitutions": ("FindPackageShare",),
}


class Asked(SimpleNamespace):
    """A launch action, as it was made."""

    def __init__(self, *values, **named):
        super().__init__(values=values, **named)

    def items(self):
        return self.__dict__.items()


@pytest.fixture
def launch_file(monkeypatch):
    for name, classes in NAMES.items():
        module = ModuleType(name)
        for made in classes:
            setattr(module, made, type(made, (Asked,), {}))
        monkeypatch.setitem(sys.modules, name, module)
    return runpy.run_path(str(FILE))


def defaults(launch_file, **given):
    (actions,) = launch_file["generate_launch_description"]().values
    declared = {a.values[0]: getattr(a, "default_value", None) for a in actions if type(a).__name__ == "DeclareLaunchArgument"}
    assert given.keys() <= declared.keys()
    return SimpleNamespace(launch_configurations={**declared, **given})


def test_every_node_gets_the_numbers_that_were_recorded(launch_file, tmp_path):
    folder = write(tmp_path / "bag", frames=3)
    context = defaults(launch_file, folder=str(folder), host="0.0.0.0", namespace="again", speed="2.0")
    replay, view, _ = launch_file["start_replay"](context)
    assert (replay.executable, replay.namespace) == ("replay", "again")
    assert replay.parameters == [{"folder": str(folder), "speed": 2.0, "loop": False}]
    (parameters,) = view.parameters
    assert view.executable == "web_view" and parameters["host"] == "0.0.0.0"
    recorded, preset = load_league(parameters["league"]), load_league("micro_hockey")
    assert (recorded.rink, recorded.robot, recorded.match) == (preset.rink, preset.robot, preset.match)
    assert len(launch_file["start_replay"](defaults(launch_file, folder=str(folder), headless="true"))) == 2


def test_a_wrong_folder_is_one_line_and_exit_code_2(launch_file, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        launch_file["start_replay"](defaults(launch_file, folder=str(tmp_path)))
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "holds no .mcap file" in said and len(said.strip().splitlines()) == 1
