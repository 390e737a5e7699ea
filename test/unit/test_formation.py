"""Face-off places: inside, in the own half, apart, and accepted by the simulator, in every preset."""

from __future__ import annotations

import math

import pytest
from headless import PRESETS, over_boards_m

from robohockey_core.formation import face_off_formation
from robohockey_core.geometry import OrientedBox
from robohockey_core.joints import bodies_sample
from robohockey_core.league import load_league
from robohockey_core.names import BLUE, PUCK
from robohockey_core.state import BodyState, Pose2D
from robohockey_sim.world import World

EVERY_PRESET = pytest.mark.parametrize("name", PRESETS)


@EVERY_PRESET
def test_inside_in_the_own_half_and_facing_the_opponent(name):
    league = load_league(name)
    formation = face_off_formation(league)
    assert tuple(formation) == league.robots()
    for robot, pose in formation.items():
        side = -1.0 if robot.team == BLUE else 1.0
        assert side * pose.x_m >= league.robot.circumradius_m, robot
        assert math.cos(pose.yaw_rad) == pytest.approx(-side)
        for corner in OrientedBox(pose.point, pose.yaw_rad, league.robot.length_m, league.robot.width_m).corners():
            assert over_boards_m(league, *corner) == 0.0, robot


@EVERY_PRESET
def test_teams_mirror_each_other(name):
    formation = face_off_formation(load_league(name))
    for robot, pose in formation.items():
        if robot.team == BLUE:
            assert formation[robot._replace(team="red")] == pose.mirrored()


@EVERY_PRESET
def test_nobody_touches_anybody(name):
    league = load_league(name)
    poses = list(face_off_formation(league).values())
    gaps = [math.dist(a[:2], b[:2]) for i, a in enumerate(poses) for b in poses[:i]]
    assert min(gaps) > 2.0 * league.robot.circumradius_m
    assert min(math.hypot(*pose[:2]) for pose in poses) > league.robot.circumradius_m + league.puck.radius_m


@EVERY_PRESET
def test_the_simulator_takes_it(name):
    league = load_league(name)
    bodies = {str(robot): BodyState(pose) for robot, pose in face_off_formation(league).items()}
    World(league).set_state(bodies_sample(0.0, {**bodies, PUCK: BodyState(Pose2D(0.0, 0.0))}))
