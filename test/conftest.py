"""Shared by all tests: the harness is importable, and ROS tests get a domain and a probe."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def domain():
    from harness import own_domain

    with own_domain() as number:
        yield number


@pytest.fixture
def ros_probe(domain):
    from harness import probe

    with probe(domain) as node:
        yield node


def pytest_collection_modifyitems(items):
    """Tests of real processes depend on a machine that may be busy: one that fails is run once more, and told as rerun."""
    for item in items:
        if {"node", "system"} & set(item.path.parts):
            item.add_marker(pytest.mark.flaky(reruns=1))
