"""The tree builds with colcon, and everything lies where `ros2 run` and `ros2 launch` look."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from robohockey_core.launch_plan import NODE_CLASSES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The prefix of a fresh build."""
    space = tmp_path_factory.mktemp("colcon")
    folders = [f"--{kind}-base={space / kind}" for kind in ("build", "install")]
    built = subprocess.run(
        [sys.executable, "-m", "colcon", f"--log-base={space / 'log'}", "build", "--base-paths", str(ROOT), *folders],
        cwd=space,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return space / "install" / "robohockey"


def test_every_executable_is_where_ros2_run_looks(installed):
    names = {path.name for path in (installed / "lib" / "robohockey").iterdir()}
    assert names == {*NODE_CLASSES, "composed", "robohockey"}


def files_below(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


@pytest.mark.parametrize("folder", ["launch", "config", "rviz"])
def test_shared_files_are_where_ros2_launch_looks(installed, folder):
    in_tree = files_below(ROOT / folder)
    assert in_tree
    assert files_below(installed / "share" / "robohockey" / folder) == in_tree


def test_the_package_is_in_the_ament_index(installed):
    assert (installed / "share" / "ament_index" / "resource_index" / "packages" / "robohockey").is_file()
    assert (installed / "share" / "robohockey" / "package.xml").is_file()


def test_an_installed_league_is_found_outside_the_source_tree(installed, tmp_path):
    site = next((installed / "lib").glob("python3*/site-packages"))
    code = "from robohockey_core.league import preset_files; print(*preset_files().values(), sep='\\n')"
    environment = {"PYTHONPATH": str(site), "AMENT_PREFIX_PATH": str(installed), "PATH": "/usr/bin:/bin"}
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert all(Path(line).is_relative_to(installed) for line in shown.stdout.split())
