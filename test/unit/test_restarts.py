"""Placement: whatever teams propose, everybody stands legally, and as near to the proposal as can be."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest
from headless import PRESETS

from robohockey_core.geometry import Point, distance
from robohockey_core.joints import bodies_sample
from robohockey_core.league import load_league
from robohockey_core.match_state import (
    FACE_OFF,
    FREE_BALL,
    FREE_KICK,
    GOAL_KICK,
    KICK_OFF,
    PENALTY,
    RESTARTS,
    SHOOT_OUT,
    THROW_IN,
)
from robohockey_core.names import BLUE, PUCK, RED, RobotId, opponent, parse_robot
from robohockey_core.state import BodyState, Pose2D
from robohockey_referee.calls import Restart
from robohockey_referee.ground import CENTRE, Ground
from robohockey_referee.placement import proposal_of
from robohockey_referee.profile import RestartSettings
from robohockey_referee.restarts import Placing, bench_place, bodies_at, first_to_place
from robohockey_sim.world import World

SETTINGS = RestartSettings()
HOCKEY = load_league("micro_hockey")
REACH_M = 1.05 * HOCKEY.robot.circumradius_m
WORLDS = {name: World(load_league(name)) for name in PRESETS}


def restarts(ground: Ground) -> list[Restart]:
    places = [CENTRE, Point(ground.half_length_m, ground.half_width_m), Point(-0.3 * ground.half_length_m, 0.0)]
    found = [Restart(FACE_OFF, CENTRE)]
    for kind in RESTARTS:
        teams = ("",) if kind in (FACE_OFF, FREE_BALL) else (BLUE, RED)
        found += [ground.restart(kind, near, team) for near in places for team in teams]
    return list(dict.fromkeys(found))


def settle(ground, restart, proposals, robots=None):
    """Both teams in their order; returns places, corrections, and who goes to the puck."""
    robots = ground.league.robots() if robots is None else robots
    placing = Placing(ground, SETTINGS, restart, robots)
    places, corrections = {}, []
    first = first_to_place(restart, ground)
    for team in (first, opponent(first)):
        more, wrong = placing.settle(team, proposals.get(team, {}), places)
        places |= more
        corrections += wrong
    return placing, places, corrections


def complaints(placing, places, takers):
    return [
        f"{name}: {wrong}"
        for name, pose in places.items()
        if (wrong := placing.complaint(parse_robot(name), pose.point, places, name in takers))
    ]


def takers_of(places):
    """The first robot that a team settles goes to the puck, where its team takes part."""
    return {team: next(name for name in places if name.startswith(team)) for team in (BLUE, RED)}


def all_legal(ground, restart, proposals):
    robots = ground.league.robots()
    if restart.kind == SHOOT_OUT:
        robots = (RobotId(restart.team, 1), RobotId(opponent(restart.team), 0))
    placing, places, corrections = settle(ground, restart, proposals, robots)
    firsts = takers_of(places)
    takers = [name for team, name in firsts.items() if restart.team in ("", team)]
    assert complaints(placing, places, takers) == [], restart
    assert set(places) == set(map(str, robots))
    if restart.kind != SHOOT_OUT:
        # The simulator has the last word: nobody outside, nobody in another.
        WORLDS[ground.league.name].set_state(bodies_sample(0.0, bodies_at(places, restart.spot)))
    return places, corrections


@pytest.mark.parametrize(("preset", "swapped"), [*((name, False) for name in PRESETS), ("micro_hockey", True)])
def test_defaults_are_legal_for_every_restart(preset, swapped):
    ground = Ground(load_league(preset), swapped)
    for restart in restarts(ground):
        _, corrections = all_legal(ground, restart, {})
        assert corrections == []


def hostile(chance: random.Random, league) -> dict[object, object]:
    """Outside, overlapping, NaN, missing, too many, not poses at all."""
    far = 2.0 * league.rink.length_m
    same = (chance.uniform(-1, 1), chance.uniform(-1, 1), 0.0)
    kinds = (
        lambda: Pose2D(chance.uniform(-far, far), chance.uniform(-far, far), chance.uniform(-9, 9)),
        lambda: same,
        lambda: (math.nan, 0.0, 0.0),
        lambda: (0.0, math.inf, 0.0),
        lambda: (1e300, -1e300, math.nan),
        lambda: (0.0, 0.0),
        lambda: (0.1,),
        lambda: None,
        lambda: "somewhere",
        lambda: Pose2D(chance.gauss(0, 0.1), chance.gauss(0, 0.1), math.nan),
    )
    numbers = [*range(-1, league.match.players + 3), "0", None, 1.5]
    return {number: chance.choice(kinds)() for number in numbers if chance.random() < 0.8}


@pytest.mark.parametrize("preset", PRESETS)
def test_hostile_proposals_are_corrected_to_legal_ones(preset):
    league = load_league(preset)
    chance = random.Random(preset)
    for round_number in range(4):
        ground = Ground(league, round_number % 2 == 1)
        for restart in chance.sample(restarts(ground), 5):
            all_legal(ground, restart, {team: hostile(chance, league) for team in (BLUE, RED)})


@pytest.mark.parametrize("preset", ["micro_hockey", "mirosot_5v5"])
def test_legal_proposals_are_taken_as_they_are(preset):
    """What was settled once is proposed again, and nobody is moved."""
    league = load_league(preset)
    chance = random.Random(7)
    ground = Ground(league)
    for restart in (restart for restart in restarts(ground) if restart.kind != SHOOT_OUT):
        wild = {
            team: {
                n: Pose2D(chance.uniform(-1, 1), chance.uniform(-1, 1), chance.uniform(-3, 3))
                for n in range(league.match.players)
            }
            for team in (BLUE, RED)
        }
        _, places, _ = settle(ground, restart, wild)
        bodies = {name: BodyState(pose) for name, pose in places.items()}
        _, again, corrections = settle(ground, restart, {team: proposal_of(team, bodies) for team in (BLUE, RED)})
        assert again == places and corrections == [], restart


def one(robot: str, wanted: Pose2D, restart: Restart, ground: Ground | None = None):
    """Where one proposed robot is put, and the words for it."""
    who = parse_robot(robot)
    _, places, corrections = settle(ground or Ground(HOCKEY), restart, {who.team: {who.number: wanted}})
    return places[robot].point, next((c.why for c in corrections if str(c.robot) == robot), "")


LEAST = [
    # proposed, restart, where the nearest legal place is, why
    ("beyond the end boards", (-3.0, 0.3), Restart(FACE_OFF, CENTRE), (-1.0 + REACH_M, 0.3), "outside the boards"),
    ("beyond the side boards", (-0.5, 2.0), Restart(FACE_OFF, CENTRE), (-0.5, 0.6 - REACH_M), "outside the boards"),
    ("in the other half", (0.4, 0.4), Restart(FACE_OFF, CENTRE), (-REACH_M, 0.4), "wrong side"),
    ("in the circle", (-0.1, 0.1), Restart(FACE_OFF, CENTRE), None, "too near the puck"),
    ("too near a kick-off", (0.1, 0.05), Restart(KICK_OFF, CENTRE, RED), None, "wrong half"),
    ("in the area of a goal kick", (0.8, 0.4), Restart(GOAL_KICK, Point(0.8, 0.0), RED), (0.8, 0.4 + REACH_M), "big area"),
    ("before a penalty", (0.5, 0.4), Restart(PENALTY, Point(0.65, 0.0), BLUE), (-REACH_M, 0.4), "half of the penalty"),
    ("in the quadrant", (0.4, 0.4), Restart(FREE_BALL, Point(0.55, 0.32)), (-REACH_M, 0.4), "quadrant"),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "restart", "nearest", "why"), [c[1:] for c in LEAST], ids=[c[0] for c in LEAST])
def test_a_correction_is_the_least_that_it_takes(wanted, restart, nearest, why):
    # Another blue robot goes to the puck.
    taker = {1: Pose2D(restart.spot.x_m - 0.09, restart.spot.y_m, 0.0)}
    _, places, corrections = settle(Ground(HOCKEY), restart, {BLUE: {2: Pose2D(*wanted, 0.5), **taker}})
    correction = next(c for c in corrections if str(c.robot) == "blue/2")
    assert why in correction.why
    place = places["blue/2"]
    assert place.yaw_rad == 0.5
    assert correction.moved_m == pytest.approx(distance(place.point, Point(*wanted)))
    if nearest is not None:
        assert place.point == pytest.approx(nearest, abs=1e-3)


def test_nothing_nearer_is_legal():
    """Against a fine search around the proposal: no legal place is clearly nearer than the one that was given."""
    ground, chance = Ground(HOCKEY), random.Random(3)
    for restart in restarts(ground)[:14]:
        wanted = Pose2D(chance.uniform(-1.1, 1.1), chance.uniform(-0.7, 0.7), 0.0)
        placing, places, corrections = settle(ground, restart, {BLUE: {2: wanted}})
        moved = next((c for c in corrections if str(c.robot) == "blue/2"), None)
        if moved is None:
            continue
        takes_it = restart.team in ("", BLUE) and takers_of(places)[BLUE] == "blue/2"
        earlier = dict(list(places.items())[: list(places).index("blue/2") + 1])
        for radius_m in (0.98 * moved.moved_m, 0.9 * moved.moved_m, 0.5 * moved.moved_m):
            for step in range(720):
                angle = step * math.pi / 360.0
                near = Point(wanted.x_m + radius_m * math.cos(angle), wanted.y_m + radius_m * math.sin(angle))
                assert placing.complaint(RobotId(BLUE, 2), near, earlier, takes_it), (restart, near)


def test_who_is_proposed_nearest_to_the_puck_takes_it():
    places, _ = all_legal(Ground(HOCKEY), Restart(FACE_OFF, CENTRE), {BLUE: {2: Pose2D(-0.1, 0.0), 1: Pose2D(-0.5, 0.3)}})
    assert abs(places["blue/2"].x_m) < 0.15 and places["blue/1"].point == (-0.5, 0.3)


def test_the_goalkeeper_takes_goal_kicks_and_keeps_the_line_at_penalties():
    ground = Ground(HOCKEY)
    places, _ = all_legal(ground, ground.restart(GOAL_KICK, CENTRE, BLUE), {})
    assert -1.0 < places["blue/0"].x_m < -0.8
    places, _ = all_legal(ground, ground.restart(PENALTY, CENTRE, RED), {BLUE: {0: Pose2D(0.3, 0.3)}})
    assert places["blue/0"].x_m < -1.0 + 2.0 * REACH_M and abs(places["blue/0"].y_m) <= HOCKEY.rink.goal_width_m / 2.0
    others = [pose for name, pose in places.items() if name not in ("blue/0", takers_of(places)[RED])]
    assert all(pose.x_m > 0.0 for pose in others)


def test_robots_that_are_off_have_no_place():
    ground = Ground(HOCKEY)
    on = [robot for robot in HOCKEY.robots() if str(robot) not in ("blue/1", "blue/0")]
    _, places, _ = settle(ground, ground.restart(GOAL_KICK, CENTRE, BLUE), {BLUE: {0: Pose2D(0.0, 0.0)}}, on)
    assert set(places) == {"blue/2", "red/0", "red/1", "red/2"}
    assert places["blue/2"].x_m < -0.8  # somebody must take it


@pytest.mark.parametrize(
    ("kind", "team", "first"),
    [
        (KICK_OFF, RED, RED),
        (GOAL_KICK, RED, RED),
        (PENALTY, RED, BLUE),
        (FREE_KICK, RED, BLUE),
        (THROW_IN, BLUE, RED),
        (SHOOT_OUT, BLUE, RED),
    ],
)
def test_whose_turn_is_first(kind, team, first):
    ground = Ground(HOCKEY)
    assert first_to_place(ground.restart(kind, CENTRE, team), ground) == first


def test_at_a_dot_the_defenders_place_first():
    assert first_to_place(Restart(FREE_BALL, Point(0.55, 0.3)), Ground(HOCKEY)) == RED
    assert first_to_place(Restart(FREE_BALL, Point(0.55, 0.3)), Ground(HOCKEY, ends_swapped=True)) == BLUE


def test_the_four_quadrants():
    ground = Ground(load_league("mirosot_5v5"))
    spots = [ground.restart(FREE_BALL, Point(x, y), "").spot for x, y in ((0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1))]
    assert spots == [(0.55, 0.6), (-0.55, 0.6), (-0.55, -0.6), (0.55, -0.6)]
    assert ground.restart(PENALTY, CENTRE, BLUE).spot == (0.725, 0.0)


def test_a_robot_that_comes_back_finds_a_free_place_at_the_boards_of_its_half():
    ground = Ground(HOCKEY)
    bodies = {PUCK: BodyState(Pose2D(0.0, 0.0))}
    taken = []
    for number in range(6):
        pose = bench_place(ground, RobotId(RED, 2), bodies)
        assert pose.x_m > 0.0 and ground.outside_m(pose.point) < -HOCKEY.robot.circumradius_m
        bodies[f"blue/{number}"] = BodyState(pose)
        taken.append(pose.point)
    assert all(distance(a, b) > 2.0 * HOCKEY.robot.circumradius_m for a, b in pairwise(taken))
