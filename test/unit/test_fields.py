"""Potential fields: each of Chen's equations, their superposition, and a minimum that is one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from views import HOCKEY, view_of

from robohockey_core.geometry import Point, distance
from robohockey_strategy.fields import (
    Base,
    Destination,
    FieldPlanner,
    Personal,
    Sight,
    Zone,
    defense,
    goal_scoring,
    goal_tending,
    offense,
)

SCENE = {"blue_0": (-0.9, 0.0), "blue_1": (-0.2, 0.1), "blue_2": (-0.4, -0.3), "red_0": (0.9, 0.0), "red_1": (0.3, 0.05)}


@pytest.fixture
def planner() -> FieldPlanner:
    planner = FieldPlanner(HOCKEY)
    planner.look(view_of((0.0, 0.0), **SCENE))
    return planner


def at(planner: FieldPlanner, term, x: float, y: float) -> float:
    return planner.potential(1, (term,), Point(x, y))


def test_base_grows_with_the_distance_from_their_goal(planner):  # eq 1
    assert at(planner, Base(2.0), 1.0, 0.0) == 0.0
    assert at(planner, Base(2.0), 0.4, 0.8) == pytest.approx(2.0 * 1.0)


def test_destination_grows_with_the_distance_from_it(planner):  # eq 2
    assert at(planner, Destination(0.2, -0.1, 3.0), 0.2, -0.1) == 0.0
    assert at(planner, Destination(0.2, -0.1, 3.0), 0.5, 0.3) == pytest.approx(3.0 * 0.5)


def test_a_zone_is_free_inside_and_costs_outside(planner):  # eq 3, a centre: a quarter of the width to either side
    quarter_m = HOCKEY.rink.width_m / 4.0
    centre = Zone(-quarter_m, quarter_m, gain=4.0)
    assert [at(planner, centre, 0.0, y) for y in (0.0, quarter_m, -quarter_m, 0.31, -0.31)] == [0.0, 0.0, 0.0, 4.0, 4.0]


def test_who_is_behind_an_opponent_does_not_see_the_puck(planner):  # eq 4
    shadow = Sight(5.0)
    assert at(planner, shadow, 0.6, 0.1) == 5.0
    assert at(planner, shadow, 0.15, 0.025) == 0.0, "before the opponent"
    assert at(planner, shadow, 0.6, 0.5) == 0.0, "beside it"
    assert at(planner, shadow, -0.6, -0.1) == 0.0, "on the other side of the puck"
    assert at(planner, shadow, -0.5, 0.25) == 0.0, "behind a mate"


def test_the_region_around_other_robots_costs_but_not_ones_own(planner):  # eq 5
    personal = Personal(6.0)
    assert at(planner, personal, 0.3 + 0.9 * planner.personal_m, 0.05) == 6.0
    assert at(planner, personal, 0.3 + 1.1 * planner.personal_m, 0.05) == 0.0
    assert at(planner, personal, -0.4, -0.3) == 6.0
    assert at(planner, personal, -0.2, 0.1) == 0.0


SETS = {
    "offense": lambda view: offense(view, Zone(-0.6, 0.0)),
    "defense": lambda view: defense(view, Zone(0.0, 0.6)),
    "goal scoring": goal_scoring,
    "goal tending": goal_tending,
}


@pytest.mark.parametrize("name", SETS)
def test_grid_and_point_agree_and_the_waypoint_is_the_minimum(name):
    planner, random = FieldPlanner(HOCKEY), np.random.default_rng(5)
    for _ in range(10):
        places = {robot: tuple(random.uniform((-0.9, -0.5), (0.9, 0.5))) for robot in SCENE}
        view = view_of(tuple(random.uniform((-0.9, -0.5), (0.9, 0.5))), **places)
        planner.look(view)
        terms = SETS[name](view)
        grid = planner.grid(1, terms)
        for _ in range(20):
            i, j = random.integers(len(planner.xs)), random.integers(len(planner.ys))
            assert grid[i, j] == pytest.approx(planner.potential(1, terms, Point(planner.xs[i], planner.ys[j])))
        place = planner.waypoint(1, terms)
        lowest = planner.potential(1, terms, place)
        assert lowest <= grid.min() + 1e-12
        around = [Point(place.x_m + 0.001 * a, place.y_m + 0.001 * b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
        inside = [p for p in around if abs(p.x_m) <= planner.xs[-1] and abs(p.y_m) <= planner.ys[-1]]
        assert lowest <= min(planner.potential(1, terms, p) for p in inside) + 1e-12


def test_a_waypoint_is_refined_below_the_grid(planner):
    goal = Point(0.1234, -0.2345)
    assert distance(planner.waypoint(1, (Destination(*goal),)), goal) < 0.001


def test_tending_stays_before_the_goal_on_the_pucks_side():
    planner = FieldPlanner(HOCKEY)
    for y in (-0.4, 0.0, 0.4):
        view = view_of((-0.3, y), **SCENE)
        planner.look(view)
        place = planner.waypoint(0, goal_tending(view))
        assert place.x_m < -0.85 and abs(place.y_m) <= 0.2
        assert place.y_m * y >= 0.0 and (abs(place.y_m) > 0.01) == (y != 0.0)
        assert math.isfinite(planner.potential(0, goal_tending(view), place))


def test_a_picture_is_the_field_that_a_waypoint_came_from_and_turns_with_the_team(planner):
    view = view_of((0.1, 0.2), **SCENE)
    planner.look(view)
    assert planner.picture(1) is None
    place = planner.waypoint(1, goal_scoring(view))
    picture = planner.picture(1)
    column, row = np.unravel_index(picture.values.argmin(), picture.values.shape)
    lowest = Point(picture.x_m + (column + 0.5) * picture.cell_m, picture.y_m + (row + 0.5) * picture.cell_m)
    assert distance(lowest, place) < 2.0 * picture.cell_m
    mirrored = picture.mirrored()
    column, row = np.unravel_index(mirrored.values.argmin(), mirrored.values.shape)
    assert mirrored.x_m + (column + 0.5) * mirrored.cell_m == pytest.approx(-lowest.x_m)
    assert mirrored.y_m + (row + 0.5) * mirrored.cell_m == pytest.approx(-lowest.y_m)
