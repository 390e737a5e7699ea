"""How matches were played, by the true bodies: who idles, who is in whose way, who shoots at its own goal."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from headless import body

from robohockey_core.actions import Go, Kick, Orders
from robohockey_core.joints import bodies_sample
from robohockey_core.match_state import OVER, PLAY, MatchState
from robohockey_core.names import BLUE, RED
from robohockey_core.state import BodyState
from robohockey_match.conduct import Conduct
from robohockey_match.engine import Engine
from robohockey_match.run_command import match_league
from robohockey_match.series import Tally, play_series
from robohockey_strategy.team import load_strategy

LEAGUE = match_league("micro_hockey", "realistic", 60.0)


class Scorer:
    """A referee that lets play go on and counts pucks over the goal lines."""

    placements = None

    def __init__(self) -> None:
        self.state = MatchState(phase=PLAY)
        self.engine: Engine | None = None

    def watch(self, _world):
        x_m = self.engine.rink.world.body("puck").pose.x_m
        if abs(x_m) > LEAGUE.rink.length_m / 2.0 + LEAGUE.puck.radius_m:
            self.state = replace(self.state, score_blue=int(x_m > 0.0), score_red=int(x_m < 0.0))
        return ()


class Ordered:
    """A team that does what it is told."""

    def __init__(self, **orders) -> None:
        self._orders = {int(name.removeprefix("robot_")): order for name, order in orders.items()}

    def decide(self, _view) -> Orders:
        return self._orders


def played(seconds: float, blue: object, **places: BodyState) -> Conduct:
    referee = Scorer()
    engine = Engine(LEAGUE, {BLUE: blue, RED: load_strategy("idle")}, 1, referee)
    referee.engine = engine
    engine.rink.world.set_state(bodies_sample(0.0, {name.replace("_", "/"): state for name, state in places.items()}))
    conduct = Conduct(engine)
    for _ in engine.ticks(seconds):
        conduct.watch()
    return conduct


def test_who_stands_idles_however_much_the_camera_jitters():
    conduct = played(10.0, load_strategy("idle"))
    assert conduct.idlers == list(LEAGUE.robots())


def test_who_drives_about_does_not_idle():
    conduct = played(4.0, Ordered(robot_1=Go(-0.2, 0.45)), blue_1=body(-0.6, 0.45))
    assert [str(robot) for robot in conduct.idlers] == ["blue/0", "blue/2", "red/0", "red/1", "red/2"]


def test_two_mates_that_stand_close_are_in_each_others_way_all_the_time():
    conduct = played(10.0, load_strategy("idle"), blue_1=body(0.0, 0.2), blue_2=body(0.0, 0.32))
    assert conduct.longest_in_the_way_s[BLUE] == pytest.approx(9.98, abs=0.05)
    assert conduct.longest_in_the_way_s[RED] == 0.0


def test_mates_apart_and_a_keeper_with_a_mate_are_in_nobodys_way():
    apart = played(2.0, load_strategy("idle"), blue_1=body(0.0, 0.2), blue_2=body(0.0, 0.5))
    assert apart.longest_in_the_way_s[BLUE] == 0.0
    keeper = played(2.0, load_strategy("idle"), blue_0=body(-0.7, 0.0), blue_1=body(-0.58, 0.0), blue_2=body(0.3, 0.3))
    assert keeper.longest_in_the_way_s[BLUE] == 0.0


BEFORE_OWN_GOAL = body(-0.5, 0.0, math.pi)


def test_a_kick_at_ones_own_goal_is_an_aimed_own_goal():
    conduct = played(
        2.0,
        Ordered(robot_1=(Go(-0.55, 0.0, math.pi), Kick(1.0))),
        blue_1=BEFORE_OWN_GOAL,
        blue_0=body(-0.3, 0.4),
        puck=body(-0.58, 0.0),
    )
    assert (conduct.own_goals[BLUE], conduct.aimed_own_goals[BLUE]) == (1, 1)


def test_a_puck_driven_into_ones_own_goal_is_an_aimed_own_goal():
    conduct = played(
        4.0,
        Ordered(robot_1=Go(-0.9, 0.0, math.pi, -1.0, 0.0)),
        blue_1=BEFORE_OWN_GOAL,
        blue_0=body(-0.3, 0.4),
        puck=body(-0.6, 0.0),
    )
    assert (conduct.own_goals[BLUE], conduct.aimed_own_goals[BLUE]) == (1, 1)


def test_a_shot_that_the_keeper_fails_to_hold_is_not_aimed():
    # It grazes the keeper and goes on into the net.
    conduct = played(2.0, load_strategy("idle"), blue_0=body(-0.8, 0.062), puck=body(-0.3, 0.0, 0.0, -3.0, 0.0))
    assert (conduct.own_goals[BLUE], conduct.aimed_own_goals[BLUE]) == (1, 0)


def test_a_goal_that_nobody_of_the_team_touched_is_not_its_own():
    conduct = played(2.0, load_strategy("idle"), blue_0=body(-0.8, 0.3), puck=body(-0.3, 0.0, 0.0, -3.0, 0.0))
    assert conduct.own_goals[BLUE] == 0


def test_a_series_tells_of_both_teams():
    league = match_league("micro_hockey", "realistic", 8.0)
    tally = Tally.of(play_series(league, "idle", "chaser", 2))
    assert tally.manners.idlers == 2 * league.match.players
    assert tally.their_manners.idlers < tally.manners.idlers
    assert tally.matches == 2
    engine = Engine(league, {BLUE: load_strategy("idle"), RED: load_strategy("idle")})
    assert engine.play().phase == OVER
