"""Key-values of others: numbers that are none, nodes of other matches."""

from __future__ import annotations

import struct

import pytest

from robohockey_core import cdr
from robohockey_viz.heard import number, own_node, score
from robohockey_viz.latency import LatencyMeter


@pytest.mark.parametrize(
    ("text", "value"), [("0.98", 0.98), (" 2 ", 2.0), ("n/a", None), ("", None), ("nan", None), ("inf", None), (None, None)]
)
def test_a_number_is_finite_or_it_is_none(text, value):
    assert number(text) == value


def test_a_score_without_a_number_is_the_one_before():
    assert score({"score_red": "3"}, "red") == 3
    assert score({"score_red": "many"}, "red", before=2) == 2 and score({}, "red") == 0


@pytest.mark.parametrize(
    ("name", "namespace", "node"),
    [
        ("/physics", "/", "physics"),
        ("physics", "", "physics"),
        ("/rink_2/physics", "/rink_2", "physics"),
        ("/rink_2/physics", "/", None),
        ("/physics", "/rink_2", None),
        ("/rink_22/physics", "/rink_2", None),
        ("/rink_2/blue/robot_0/omni/omni_unwarp", "rink_2", "blue/robot_0/omni/omni_unwarp"),
    ],
)
def test_nodes_of_another_match_are_told_apart(name, namespace, node):
    assert own_node(name, namespace) == node


def test_a_stamp_is_read_from_the_bytes_of_a_message():
    assert cdr.stamp_s(b"\0\1\0\0" + struct.pack("<iI", 7, 250_000_000) + b"rest") == 7.25
    assert cdr.stamp_s(b"\0\0\0\0" + struct.pack(">iI", 7, 250_000_000)) == 7.25


def test_an_answer_is_measured_from_the_sight_behind_the_world_that_it_answers():
    meter = LatencyMeter()
    assert meter.track(1.0, 100.0) is None, "nothing was seen yet"
    meter.see(100.0)
    assert meter.track(1.0, 100.004) == pytest.approx(0.004)
    for i in range(1, 5):  # the camera goes on while a strategy thinks
        meter.see(100.0 + 0.02 * i)
        meter.track(1.0 + 0.02 * i, 100.005 + 0.02 * i)
    assert meter.answer("blue_strategy", 1.0, 100.09) == pytest.approx(0.09)
    assert meter.answer("blue_strategy", 1.02, 100.1) is None, "a graph needs few values"
    assert meter.answer("red_strategy", 5.0, 100.1) is None, "that world was never told"
