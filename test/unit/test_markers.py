"""RViz shapes: the right ones, in the right place, and taken away when a body is gone."""

from __future__ import annotations

import math

import pytest

from robohockey_core.league import League, load_league, preset_files
from robohockey_core.names import RobotId
from robohockey_core.state import BodyState, Pose2D, WorldState
from robohockey_viz import palette
from robohockey_viz.markers import CUBE, CYLINDER, SPHERE, TRIANGLES, placed_bodies, rink_markers, world_markers

BLUE_0 = RobotId("blue", 0)


def world(robots=None, puck=None):
    bodies = {robot: BodyState(pose) for robot, pose in (robots or {}).items()}
    return WorldState(0.0, bodies, BodyState(puck) if puck else None)


@pytest.mark.parametrize("name", sorted(preset_files()))
def test_names_are_unique_so_that_no_marker_replaces_another(name):
    league = load_league(name)
    poses = {robot: Pose2D(0.1 * robot.number, 0.0) for robot in league.robots()}
    markers = [*rink_markers(league), *world_markers(league, world(poses, Pose2D(0.0, 0.0)))]
    assert len({(m.namespace, m.number) for m in markers}) == len(markers)
    assert not any(m.deleted for m in markers)


def test_the_rink_is_whole_triangles_within_the_arena():
    league = League()
    for marker in rink_markers(league):
        assert marker.kind == TRIANGLES and len(marker.points) % 3 == 0 and marker.points
        assert all(abs(x) < league.rink.length_m and abs(y) < league.rink.width_m for x, y, _ in marker.points)


def test_a_robot_is_a_box_in_team_colour_with_its_front_forward():
    league = League()
    markers = {(m.namespace, m.number): m for m in world_markers(league, world({BLUE_0: Pose2D(0.5, 0.2, math.pi / 2.0)}))}
    body, front, plate = (markers["blue/0", number] for number in range(3))
    assert body.kind == CUBE and body.scale == (0.075, 0.075, 0.075) and body.yaw_rad == math.pi / 2.0
    assert body.position == pytest.approx((0.5, 0.2, 0.0375))
    assert body.rgba == (*palette.TEAM["blue"].unit, 1.0)
    assert front.position[:2] == pytest.approx((0.5, 0.2 + 0.42 * 0.075))
    assert plate.text == "0"


def test_a_missing_or_unplaced_body_is_taken_away():
    shown = world_markers(League(), world({BLUE_0: Pose2D(math.nan, 0.0)}))
    assert shown and all(marker.deleted for marker in shown)


def test_the_shape_follows_the_league():
    msl = load_league("msl_omni")
    markers = {m.namespace: m for m in world_markers(msl, world({BLUE_0: Pose2D(0.0, 0.0)}, Pose2D(1.0, 1.0))) if m.number == 0}
    assert markers["blue/0"].kind == CYLINDER
    assert markers["puck"].kind == SPHERE and markers["puck"].position == pytest.approx((1.0, 1.0, 0.11))
    puck = world_markers(League(), world(puck=Pose2D(0.0, 0.0)))[-1]
    assert puck.kind == CYLINDER and puck.scale == pytest.approx((0.05, 0.05, 0.01))


def test_frames_are_those_of_the_bodies_that_are_there():
    frames = placed_bodies(world({BLUE_0: Pose2D(0.1, 0.2, 0.3), RobotId("red", 1): Pose2D(math.inf, 0.0)}, Pose2D(1.0, 0.0)))
    assert frames == {"blue/0/base_link": Pose2D(0.1, 0.2, 0.3), "puck": Pose2D(1.0, 0.0)}
    assert placed_bodies(world()) == {}
