"""Roles by number of players, changes of role without dithering, and the teams built on them in play."""

from __future__ import annotations

import math

import pytest
from views import HOCKEY, view_of

from robohockey_core.actions import target_of
from robohockey_core.geometry import Point, Segment, clearance, distance
from robohockey_match.run_command import match_league
from robohockey_match.series import Tally, play_series
from robohockey_strategy.roles import (
    DEFENDER,
    FORWARD,
    GOALKEEPER,
    SECOND_FORWARD,
    pick_forward,
    pick_keeper,
    roles_for,
    share_out,
)
from robohockey_strategy.skills import Skills
from robohockey_strategy.team import BUILT_IN, load_strategy
from robohockey_strategy.teams.roles import Roles

FOUR = {"blue_0": (-0.9, 0.0), "blue_1": (-0.2, 0.0), "blue_2": (-0.5, 0.3), "blue_3": (0.3, -0.3), "red_0": (0.9, 0.0)}


def test_roles_come_in_minhos_order():
    assert roles_for(1) == (GOALKEEPER,)
    assert roles_for(2) == (GOALKEEPER, FORWARD)
    assert roles_for(3) == (GOALKEEPER, FORWARD, DEFENDER)
    assert roles_for(4) == (GOALKEEPER, FORWARD, DEFENDER, SECOND_FORWARD)
    assert len(roles_for(11)) == 11 and roles_for(11).count(GOALKEEPER) == roles_for(11).count(FORWARD) == 1


def test_the_forward_changes_only_when_another_is_clearly_sooner():
    assert pick_forward({1: 1.0, 2: 1.2}, None) == 1
    assert pick_forward({1: 1.0, 2: 0.9}, 1) == 1
    assert pick_forward({1: 1.0, 2: 0.5}, 1) == 2
    assert pick_forward({2: 0.9}, 1) == 2, "the present one was sent off"


def test_another_keeps_goal_when_the_keeper_is_sent_off():
    places = {0: Point(-0.9, 0.0), 1: Point(0.0, 0.0), 2: Point(-0.6, 0.2)}
    goal = Point(-1.0, 0.0)
    assert pick_keeper(places, goal, 2.0, None) == 0
    assert pick_keeper({1: places[1], 2: places[2]}, goal, 2.0, 0) == 1
    far = {**places, 0: Point(0.8, 0.0)}
    assert pick_keeper(far, goal, 2.0, 0) == 2


def test_places_are_shared_out_without_crossing_ways():
    here = {1: Point(0.0, 0.5), 2: Point(0.0, -0.5)}
    assert share_out([1, 2], here, [Point(0.5, -0.5), Point(0.5, 0.5)]) == {1: Point(0.5, 0.5), 2: Point(0.5, -0.5)}


def go_for_the_puck(view, orders) -> list[int]:
    """Whose way to where it is ordered meets the puck."""
    reach_m = HOCKEY.robot.circumradius_m + HOCKEY.puck.radius_m
    ways = {n: Segment(view.us[n].pose.point, target_of(order).pose.point) for n, order in orders.items()}
    return [number for number, way in ways.items() if clearance(way, view.puck.pose.point) < reach_m]


def test_only_one_goes_for_the_puck_and_roles_adapt_to_a_robot_sent_off():
    team = Roles()
    orders = team.decide(view := view_of((0.0, 0.0), **FOUR))
    assert set(orders) == {0, 1, 2, 3}
    assert go_for_the_puck(view, orders) == [1], "the nearest"
    assert sorted(team.roles.values()) == [DEFENDER, SECOND_FORWARD]
    three = {name: place for name, place in FOUR.items() if name != "blue_1"}
    orders = team.decide(view := view_of((0.0, 0.0), **three))
    assert set(orders) == {0, 2, 3}
    assert len(go_for_the_puck(view, orders)) == 1
    assert list(team.roles.values()) == [DEFENDER]
    alone = team.decide(view_of((0.0, 0.0), blue_2=(-0.5, 0.3), red_0=(0.9, 0.0)))
    assert set(alone) == {2} and team.roles == {}


def test_the_second_forward_has_a_clear_line_to_goal_and_to_the_puck():
    """Minho Fig 11, with opponents that stand in many of the lines."""
    view = view_of((0.1, 0.2), **FOUR, red_1=(0.5, 0.0), red_2=(0.4, 0.3), red_3=(0.6, -0.2))
    team = Roles()
    team.decide(view)
    skills = Skills(HOCKEY)
    skills.look(view)
    (spot,) = team._second_forward_places(view, skills, 1)
    assert skills.shot_from(spot).open_rad > 0.0
    assert skills.lane_is_open(view.puck.pose.point, spot, 0.7 * skills.top_m_s)


def test_the_keeper_keeps_while_the_puck_trickles_in_and_clears_one_that_rests():
    others = {"blue_1": (0.0, 0.3), "blue_2": (0.2, -0.3), "red_0": (0.9, 0.0), "red_1": (0.5, 0.0)}
    keeper = (-0.93, 0.0, math.pi / 2.0)
    trickles = Roles()
    (stay,) = trickles.decide(view_of((-0.85, -0.1), (-0.2, -0.05), blue_0=keeper, **others))[0]
    assert abs(stay.yaw_rad) == pytest.approx(math.pi / 2.0), "it stays across the goal"
    assert stay.y_m < -0.1, "where the puck will cross"
    assert trickles._forward != 0
    rests = Roles()
    rests.decide(view_of((-0.8, -0.1), blue_0=keeper, **others))
    assert rests._forward == 0
    crowded = Roles()
    crowded.decide(view_of((-0.8, -0.1), blue_0=keeper, **others, red_2=(-0.68, -0.1)))
    assert crowded._forward != 0, "it would turn away with an opponent at the puck"


def test_a_defender_moves_up_while_the_puck_is_in_their_half():
    team, skills = Roles(), Skills(HOCKEY)
    places = []
    for puck_x_m in (-0.3, 0.6):
        view = view_of((puck_x_m, 0.2), **FOUR)
        skills.look(view)
        (place,) = team._defender_places(view, skills, 1)
        places.append(place)
    assert places[0].x_m < -0.5 < 0.0 < places[1].x_m < 0.6


def test_nobody_in_sight_and_no_puck_are_no_errors():
    for name in BUILT_IN:
        team = load_strategy(name)
        assert team.decide(view_of((0.0, 0.0))) == {}


@pytest.mark.parametrize("second", ["chaser", "potential_field"])
def test_roles_win_a_short_series(second, matches=6):
    """A small version of `python -m bench.matches`, which measures the marks over 200 matches.

    So few cannot tell 70 % of the points from 60 %, but they tell a team that wins from one that does not: most of the
    points, and twice as many goals.
    """
    tally = Tally.of(play_series(match_league("micro_hockey", "realistic", 60.0), "roles", second, matches, seed=501))
    assert tally.share > 0.5, tally
    assert tally.goals_for >= 2 * tally.goals_against, tally
    assert tally.goals_for >= matches / 2, tally
    assert tally.faults == tally.manners.idlers == tally.manners.aimed_own_goals == 0, tally
    assert tally.manners.matches_in_the_way == 0, tally


@pytest.mark.parametrize("league", ["mirosot_5v5", "mirosot_11v11", "msl_omni", "mixed_reality"])
@pytest.mark.parametrize("team", ["roles", "potential_field"])
def test_teams_play_in_every_league(league, team):
    (played,) = play_series(match_league(league, "realistic", 8.0), team, "chaser", 1)
    assert played.faults == 0


def test_in_a_dead_end_two_of_one_team_are_not_sent_to_one_place():
    view = view_of((0.0, 0.0), **FOUR)
    team = Roles()
    skills = Skills(HOCKEY)
    skills.look(view)
    team.decide(view)
    places = list(team._support(view, skills).values())
    assert all(distance(a, b) > 0.1 for i, a in enumerate(places) for b in places[i + 1 :])
