"""Who may import what: a pure core, thin nodes, and rooms that do not know their neighbours."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE, MATCH = "robohockey_core", "robohockey_match"
ROOMS = tuple(sorted(path.name for path in ROOT.glob("robohockey_*") if (path / "__init__.py").is_file()))
MODULES = tuple(sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py")))


def imports(path: Path) -> set[str]:
    """Every module that a file imports, also inside functions, by its full name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = path.relative_to(ROOT).with_suffix("").parts
            package = ".".join(parts[: len(parts) - node.level]) + "." if node.level else ""
            found.add(package + (node.module or ""))
    return found


def needs_ros(top: str) -> bool:
    return top in (
        "rclpy",
        "std_srvs",
        "rcl_interfaces",
        "builtin_interfaces",
        "simulation_interfaces",
        "tf2_ros",
    ) or top.endswith("_msgs")


def in_ros_folder(path: Path) -> bool:
    inside = path.relative_to(ROOT).parts
    return inside[1] == "nodes" or inside[:2] == (CORE, "ros")


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


ONLY_IN = {"serial": "robohockey_hw", "viser": "robohockey_viz"}


def complaint(path: Path, module: str) -> str | None:
    room, top = path.relative_to(ROOT).parts[0], module.partition(".")[0]
    if needs_ros(top) and not in_ros_folder(path):
        return "ROS belongs in nodes/ and robohockey_core/ros/"
    if top in ("launch", "launch_ros"):
        return "launch packages belong in launch/"
    if top in ONLY_IN and room != ONLY_IN[top]:
        return f"{top} belongs in {ONLY_IN[top]}"
    if top == "numba" and module_name(path) != f"{CORE}.compiled":
        return "numba belongs in robohockey_core/compiled.py, whose cache sees every change"
    if top == "cv2" and not (room == "robohockey_vision" or (room == "robohockey_sim" and "camera" in path.stem)):
        return "cv2 belongs in robohockey_vision and the simulated cameras"
    if top in ROOMS and top not in (CORE, room) and room != MATCH:
        return "a room imports only robohockey_core and itself"
    if room == CORE and module.startswith(f"{CORE}.ros") and not in_ros_folder(path):
        return "the pure core does not lean on its ROS side"
    if ".nodes" in module and not in_ros_folder(path):
        return "nothing but nodes leans on nodes"
    return None


def test_the_walk_finds_the_suite():
    assert {CORE, MATCH, "robohockey_sim", "robohockey_strategy", "robohockey_referee"} <= set(ROOMS)
    assert len(MODULES) > 50


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_of(path):
    wrong = {module: why for module in imports(path) if (why := complaint(path, module))}
    assert wrong == {}


@pytest.mark.parametrize(
    ("place", "module"),
    [
        ("robohockey_sim/world.py", "rclpy.node"),
        ("robohockey_core/league.py", "sensor_msgs.msg"),
        ("robohockey_core/league.py", "robohockey_core.ros.topics"),
        ("robohockey_core/league.py", "robohockey_sim.world"),
        ("robohockey_sim/nodes/physics.py", "robohockey_strategy.motion"),
        ("robohockey_sim/world.py", "cv2"),
        ("robohockey_viz/scene.py", "serial"),
        ("robohockey_match/cli.py", "viser"),
        ("robohockey_match/cli.py", "launch.actions"),
        ("robohockey_strategy/motion.py", "numba"),
        ("robohockey_sim/kernel.py", "numba"),
    ],
)
def test_what_the_walk_would_catch(place, module):
    assert complaint(ROOT / place, module) is not None
