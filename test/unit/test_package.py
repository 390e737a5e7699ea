"""What is written in two formats says the same: package.xml, setup.py, the launch plan, the changelog."""

from __future__ import annotations

import ast
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from robohockey_core.launch_plan import NODE_CLASSES

ROOT = Path(__file__).resolve().parents[2]


def setup_constant(name):
    tree = ast.parse((ROOT / "setup.py").read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == name:
            return ast.literal_eval(node.value)
    raise AssertionError(name)


def test_every_node_class_is_installed_as_an_executable():
    installed = setup_constant("NODES")
    for executable, target in NODE_CLASSES.items():
        assert installed[executable] == target.partition(":")[0]
    assert installed.keys() - NODE_CLASSES.keys() == {"composed"}


def test_versions_agree():
    package_version = ElementTree.parse(ROOT / "package.xml").getroot().findtext("version")
    setup_version = re.search(r'version="([^"]+)"', (ROOT / "setup.py").read_text())[1]
    changelog_version = re.search(r"^(\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.rst").read_text(), re.MULTILINE)[1]
    assert package_version == setup_version == changelog_version


def test_every_room_says_what_it_is_for():
    rooms = sorted(ROOT.glob("robohockey_*"))
    assert len(rooms) == 8
    for package in (*rooms, *(room / "nodes" for room in rooms if (room / "nodes").is_dir())):
        assert ast.get_docstring(ast.parse((package / "__init__.py").read_text())), package
