"""The baseline team plays: it scores against robots that stand, on its own, from either side."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import groupby

import pytest
from headless import goal_for

from robohockey_core.actions import Go, Kick
from robohockey_core.geometry import Point, Segment, clearance
from robohockey_core.joints import bodies_sample
from robohockey_core.league import load_league
from robohockey_core.match_state import PLAY, MatchState
from robohockey_core.names import BLUE, RED, RobotId, opponent
from robohockey_core.noise_spec import NOISE_PRESETS
from robohockey_core.state import BodyState, Pose2D, WorldState
from robohockey_match.engine import Engine, OpenPlay
from robohockey_strategy.teams.chaser import Chaser, chase
from robohockey_strategy.teams.idle import Idle
from robohockey_strategy.view import make_view

HOCKEY = load_league("micro_hockey")
STARTS = 5


@pytest.mark.parametrize(("name", "limit_s"), [("micro_hockey", 60.0), ("mirosot_5v5", 60.0), ("msl_omni", 120.0)])
@pytest.mark.parametrize("team", [BLUE, RED])
def test_scores_against_idle_soon(name, limit_s, team):
    """Within a minute, most of the time; on a field six times as long, at no more speed, within two.

    A little noise makes the starts different. Without any, one match tells of one way through a chaos that may lead nowhere.
    """
    league = replace(load_league(name), noise=NOISE_PRESETS["friendly"])
    scored = own_goals = 0
    for seed in range(1, STARTS + 1):
        game = Engine(league, {team: Chaser(), opponent(team): Idle()}, seed)
        scored += game.play_until(lambda _, game=game: game.state.score(team) > 0, limit_s)
        own_goals += game.state.score(opponent(team))
    assert scored >= 0.6 * STARTS
    assert own_goals <= 1


@pytest.mark.parametrize(
    ("x", "y"),
    [(0.0, 0.57), (-0.97, 0.3), (0.97, -0.3), (-0.9, -0.5), (0.9, 0.5)],
    ids=["side board", "own end board", "their end board", "own corner", "their corner"],
)
def test_gets_a_puck_off_the_boards(x, y):
    game = Engine(HOCKEY, {BLUE: Chaser(), RED: Idle()}, referee=OpenPlay())
    game.rink.world.set_state(bodies_sample(0.0, {"puck": BodyState(Pose2D(x, y))}))
    assert game.play_until(lambda seen: math.dist(seen.puck.pose[:2], (x, y)) > 0.4 or goal_for(HOCKEY, seen) == BLUE, 20.0)


def test_keeps_the_referee_idle():
    """In a minute of play against itself the puck is hardly ever stuck."""
    game = Engine(HOCKEY, {BLUE: Chaser(), RED: Chaser()})
    for _ in game.ticks(60.0):
        pass
    assert [event.rule for event in game.events].count("puck_stuck") <= 2
    assert game.state.clock_s > 30.0


def orders(chaser: Chaser, world: WorldState):
    return chaser.decide(make_view(HOCKEY, BLUE, world, MatchState(phase=PLAY)))


def scene(puck: Pose2D, **robots: Pose2D) -> WorldState:
    states = {RobotId(*name.split("_")): BodyState(pose) for name, pose in robots.items()}
    numbered = {RobotId(robot.team, int(robot.number)): state for robot, state in states.items()}
    return WorldState(0.0, numbered, BodyState(puck))


def chasers(given) -> list[int]:
    """Who was given a sequence of actions; keepers and waiting robots have one place to go."""
    return [number for number, order in given.items() if not isinstance(order, Go)]


def places(order) -> tuple[float, float]:
    go = order if isinstance(order, Go) else next(action for action in order if isinstance(action, Go))
    return go.x_m, go.y_m


def test_only_one_robot_chases():
    game = Engine(HOCKEY, {BLUE: Chaser(), RED: Idle()}, referee=OpenPlay())
    chaser = Chaser()
    for tick, seen in enumerate(game.ticks(20.0)):
        if tick % 5 == 0 and seen.puck is not None:
            given = orders(chaser, seen)
            assert set(given) == {0, 1, 2}
            assert len(chasers(given)) == 1


def test_the_nearer_robot_takes_over_only_when_clearly_nearer():
    chaser = Chaser()
    near_1 = scene(Pose2D(0.0, 0.0), blue_0=Pose2D(-0.9, 0.0), blue_1=Pose2D(-0.3, 0.0), blue_2=Pose2D(-0.5, 0.0))
    near_2 = scene(Pose2D(0.0, 0.0), blue_0=Pose2D(-0.9, 0.0), blue_1=Pose2D(-0.3, 0.0), blue_2=Pose2D(-0.25, 0.0))
    much_nearer_2 = scene(Pose2D(0.0, 0.0), blue_0=Pose2D(-0.9, 0.0), blue_1=Pose2D(-0.3, 0.0), blue_2=Pose2D(-0.15, 0.0))
    assert [chasers(orders(chaser, seen)) for seen in (near_1, near_2, much_nearer_2)] == [[1], [1], [2]]


def test_a_puck_beside_the_keeper_is_its_own():
    beside = scene(Pose2D(-0.9, 0.1), blue_0=Pose2D(-0.92, 0.0), blue_1=Pose2D(-0.85, 0.1), blue_2=Pose2D(0.0, 0.0))
    assert chasers(orders(Chaser(), beside)) == [0]


def test_without_a_puck_nobody_moves():
    assert orders(Chaser(), WorldState(0.0, {RobotId(BLUE, 1): BodyState(Pose2D(0.0, 0.0))}, None)) == {}


def test_a_robot_on_its_own_chases():
    assert chasers(orders(Chaser(), scene(Pose2D(0.0, 0.0), blue_0=Pose2D(-0.5, 0.0)))) == [0]


def test_nobody_in_sight_is_no_error():
    assert orders(Chaser(), WorldState(0.0, {}, BodyState(Pose2D(0.0, 0.0)))) == {}


def asked(puck: Pose2D, robot: Pose2D, **others: Pose2D):
    world = scene(puck, blue_1=robot, **others)
    return chase(make_view(HOCKEY, BLUE, world, MatchState(phase=PLAY)), BodyState(robot), BodyState(puck))


def test_behind_the_puck_it_drives_on_and_kicks():
    go, kick = asked(Pose2D(0.0, 0.0), Pose2D(-0.2, 0.0))
    assert isinstance(kick, Kick)
    assert go.x_m > 0.05 and go.arrive_vx_m_s > 0.5


def test_it_does_not_kick_where_the_shot_would_miss():
    assert len(asked(Pose2D(0.0, 0.0), Pose2D(-0.2, 0.0, 0.6))) == 1


def test_it_does_not_kick_at_an_opponent_right_before_the_puck():
    free = asked(Pose2D(0.0, 0.0), Pose2D(-0.2, 0.0), red_1=Pose2D(0.5, 0.4))
    blocked = asked(Pose2D(0.0, 0.0), Pose2D(-0.2, 0.0), red_1=Pose2D(0.08, 0.0))
    assert [any(isinstance(action, Kick) for action in order) for order in (free, blocked)] == [True, False]


def test_a_puck_at_the_end_board_is_driven_along_it():
    puck, robot = Pose2D(0.975, -0.386), Pose2D(0.947, -0.52)
    (go,) = asked(puck, robot)
    assert go.arrive_vy_m_s > 0.9 * HOCKEY.robot.max_speed_m_s
    assert go.x_m == pytest.approx(robot.x_m, abs=0.01)


def test_it_drives_round_an_opponent_in_the_way():
    way = Segment(Point(-0.5, 0.0), Point(*places(asked(Pose2D(0.3, 0.0), Pose2D(-0.5, 0.0), red_1=Pose2D(-0.2, 0.01)))))
    assert clearance(way, Point(-0.2, 0.01)) > HOCKEY.robot.width_m


def test_a_pinned_puck_is_swept_out_then_left_for_a_new_try():
    """At the end board nothing moves: push, spin on the spot towards the goal, back off, push again."""
    chaser, robot = Chaser(), Pose2D(0.9, -0.35)
    pinned = scene(Pose2D(0.975, -0.35), blue_0=Pose2D(-0.9, 0.0), blue_1=robot)
    given = [orders(chaser, replace(pinned, stamp_s=tick / 10.0))[1][0] for tick in range(40)]
    kinds = ["spin" if (go.x_m, go.y_m) == robot[:2] else "back" if go.yaw_rad is None else "chase" for go in given]
    assert [kind for kind, _ in groupby(kinds)][:4] == ["chase", "spin", "back", "chase"]
    assert 4 <= kinds.index("spin") <= 13
    assert all(go.yaw_rad > math.radians(90.0) for go, kind in zip(given, kinds, strict=True) if kind == "spin")
    assert all(go.x_m < robot.x_m for go, kind in zip(given, kinds, strict=True) if kind == "back")


def test_a_puck_that_moves_is_not_pinned():
    chaser, robot = Chaser(), Pose2D(-0.1, 0.0)
    for tick in range(40):
        moving = scene(Pose2D(0.002 * tick * 10, 0.0), blue_0=Pose2D(-0.9, 0.0), blue_1=Pose2D(robot.x_m + 0.02 * tick, 0.0))
        go = orders(chaser, replace(moving, stamp_s=tick / 10.0))[1][0]
        assert go.arrive_vx_m_s > 0.5


def test_before_the_puck_it_goes_round_and_not_through_it():
    puck = Pose2D(0.0, 0.0)
    robot = Pose2D(0.2, 0.02)
    (go,) = asked(puck, robot)
    assert math.hypot(go.x_m, go.y_m) > HOCKEY.robot.length_m / 2.0 + HOCKEY.puck.radius_m
    assert math.atan2(go.y_m, go.x_m) > math.radians(45.0)


def test_it_aims_past_a_keeper_in_the_middle():
    go, *_ = asked(Pose2D(0.5, 0.0), Pose2D(0.3, 0.0), red_0=Pose2D(0.9, 0.0))
    assert abs(go.yaw_rad) > math.radians(5.0)


def test_the_keeper_stays_between_the_posts():
    for y in (-0.5, 0.0, 0.5):
        x_m, y_m = places(orders(Chaser(), scene(Pose2D(-0.5, y), blue_0=Pose2D(-0.9, 0.0), blue_1=Pose2D(0.0, 0.0)))[0])
        assert abs(y_m) <= HOCKEY.rink.goal_width_m / 2.0
        assert x_m < -0.9 and y_m * y >= 0.0
