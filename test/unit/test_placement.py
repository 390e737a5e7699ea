"""Placements go out together where they can, one by one beside real bodies."""

from __future__ import annotations

from robohockey_core.state import BodyState, Pose2D
from robohockey_referee.placement import EVERYTHING, placement_groups

PLACES = {name: BodyState(Pose2D(x, 0.0)) for x, name in enumerate(("blue/0", "red/0", "puck"))}


def test_everything_moves_at_once():
    assert placement_groups(PLACES, [EVERYTHING]) == [PLACES]
    assert placement_groups(PLACES, ["puck", "red/0", "blue/0"]) == [PLACES]


def test_beside_real_bodies_each_moves_alone_the_puck_first():
    groups = placement_groups(PLACES, ["red/0", "puck"])
    assert [list(group) for group in groups] == [["puck"], ["red/0"]]


def test_nothing_moves_where_nothing_is_simulated_or_asked_for():
    assert placement_groups(PLACES, []) == []
    assert placement_groups({}, [EVERYTHING]) == []
