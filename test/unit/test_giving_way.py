"""Mates that block each other: who gives way, when, and where to."""

from __future__ import annotations

import pytest
from views import view_of

from robohockey_strategy.giving_way import ASIDE_S, LATELY_S, PATIENCE_S, GivingWay

RIGHTS = [0, 1, 2]
APART = {"blue_0": (-0.9, 0.0), "blue_1": (-0.2, 0.0), "blue_2": (0.3, 0.3)}
WEDGED = {**APART, "blue_1": (0.0, 0.2), "blue_2": (0.0, 0.31)}


def places_over(giving_way: GivingWay, robots: dict, seconds: float, start_s: float = 0.0) -> dict[float, dict]:
    return {
        round(start_s + 0.1 * k, 1): giving_way.places(view_of((0.5, 0.0), time_s=start_s + 0.1 * k, **robots), RIGHTS)
        for k in range(round(seconds / 0.1) + 1)
    }


def test_nobody_gives_way_who_is_in_nobodys_way():
    assert not any(places_over(GivingWay(), APART, 3.0).values())


def test_the_one_with_the_lesser_right_drives_away_after_a_while():
    told = places_over(GivingWay(), WEDGED, PATIENCE_S + 0.1)
    assert not any(places for time_s, places in told.items() if time_s < PATIENCE_S)
    (number, place), *others = told[round(PATIENCE_S + 0.1, 1)].items()
    assert number == 2 and not others
    assert place == pytest.approx((0.15, 0.31)) or place == pytest.approx((-0.15, 0.31)), "straight on or back"


def test_it_plays_on_after_a_moment():
    giving_way = GivingWay()
    places_over(giving_way, WEDGED, PATIENCE_S + 0.1)
    later_s = PATIENCE_S + 0.2 + ASIDE_S
    assert giving_way.places(view_of((0.5, 0.0), time_s=later_s, **APART), RIGHTS) == {}


def test_when_that_does_not_help_the_other_one_gives_way():
    told = places_over(GivingWay(), WEDGED, LATELY_S)
    assert {number for places in told.values() for number in places} == {1, 2}


def test_a_look_that_a_noisy_camera_spoils_does_not_start_it_anew():
    giving_way = GivingWay()
    for k in range(9):
        robots = APART if k == 4 else WEDGED
        places = giving_way.places(view_of((0.5, 0.0), time_s=0.1 * k, **robots), RIGHTS)
    assert set(places) == {2}


def test_who_is_wedged_against_the_boards_drives_away_from_the_mate():
    robots = {**APART, "blue_1": (0.0, 0.44, 1.57), "blue_2": (0.0, 0.55, 1.57)}
    told = places_over(GivingWay(), robots, PATIENCE_S + 0.1)
    place = told[round(PATIENCE_S + 0.1, 1)][2]
    assert abs(place.y_m) < 0.6 - 0.04
