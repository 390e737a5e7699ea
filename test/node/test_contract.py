"""The topic contract and its page tell the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from robohockey_core.names import RobotId
from robohockey_core.ros import topics

INTERFACES = (Path(__file__).resolve().parents[2] / "docs" / "interfaces.md").read_text()


def documented(name):
    return name.format(team="<team>", robot="<team>/robot_<n>")


@pytest.mark.parametrize("topic", topics.ALL_TOPICS, ids=lambda topic: topic.name)
def test_every_topic_is_documented_with_its_type(topic):
    rows = [line for line in INTERFACES.splitlines() if line.startswith(f"| `{documented(topic.name)}` |")]
    assert len(rows) == 1, f"{topic.name} needs one row in docs/interfaces.md"
    package = topic.type.__module__.split(".")[0]
    assert f"{package}/{topic.type.__name__}" in rows[0]


@pytest.mark.parametrize("service", topics.ALL_SERVICES, ids=lambda service: service.name)
def test_every_service_is_documented(service):
    assert f"| `{service.name}` |" in INTERFACES


def test_the_page_invents_no_topic():
    known = {documented(topic.name) for topic in (*topics.ALL_TOPICS, *topics.ALL_SERVICES)}
    told = set(re.findall(r"^\| `([^`]+)` \|", INTERFACES, re.MULTILINE))
    # /tf exists only where tf2_msgs does, so it is not in topics.py.
    assert told - known == {"/tf"}


def test_names_of_robots_are_legal_in_ros():
    for topic in topics.ALL_TOPICS:
        name = topic.of(team="blue", robot=RobotId("blue", 0)).name
        assert not re.search(r"(^|/)\d", name), name
