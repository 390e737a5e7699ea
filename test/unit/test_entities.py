"""Robots and puck as a simulator's user finds and moves them."""

from __future__ import annotations

import math

import pytest
from headless import body, put

from robohockey_core.checked import InputError
from robohockey_core.league import load_league
from robohockey_core.names import PUCK
from robohockey_core.state import Pose2D, Twist2D
from robohockey_sim.entities import Box, Entities, Query, Sphere, box, planar_twist, refuse_off_plane, sphere
from robohockey_sim.world import World

HOCKEY = load_league("micro_hockey")
ROBOT, RADIUS_M, HEIGHT_M = HOCKEY.robot, HOCKEY.puck.radius_m, HOCKEY.robot.height_m
BLUE, RED = ["blue/0", "blue/1", "blue/2"], ["red/0", "red/1", "red/2"]


@pytest.fixture
def world() -> World:
    return World(HOCKEY, owned=[*BLUE, "red/0", "red/1", PUCK])


@pytest.mark.parametrize(
    ("query", "names"),
    [
        (Query(), [*BLUE, *RED, PUCK]),
        (Query("blue"), BLUE),
        (Query("^(red/[01]|puck)$"), ["red/0", "red/1", PUCK]),
        (Query("green"), []),
        (Query(kinds=frozenset({True})), [*BLUE, *RED]),
        (Query(kinds=frozenset({False})), [PUCK]),
        (Query(kinds=frozenset({True, False})), [*BLUE, *RED, PUCK]),
        (Query(tags=frozenset({"tracked", PUCK})), ["red/2", PUCK]),
        (Query(tags=frozenset({"red", "simulated"}), all_tags=True), ["red/0", "red/1"]),
        (Query("0", frozenset({True}), frozenset({"blue"})), ["blue/0"]),
    ],
)
def test_a_query_finds_what_fits_all_of_it(world, query, names):
    assert Entities(world).found(query) == names


def test_a_robot_that_is_off_the_rink_is_not_found(world):
    world.take_off("blue/1")
    entities = Entities(world)
    assert entities.found(Query("blue")) == ["blue/0", "blue/2"]
    assert "blue/1" not in entities
    world.put_on("blue/1", body(0.3, 0.3))
    assert "blue/1" in entities


def test_a_bad_pattern_is_told(world):
    with pytest.raises(InputError, match=r"filter = '\(': no regular expression"):
        Entities(world).found(Query("("))


@pytest.mark.parametrize(
    ("gap_m", "yaw_rad", "meets"), [(1e-6, 0.0, False), (-1e-6, 0.0, True), (1e-6, math.pi / 4.0, True), (-1.0, 0.3, True)]
)
def test_a_sphere_meets_a_robots_box_as_it_is_turned(world, gap_m, yaw_rad, meets):
    """A square on its tip reaches out further than one on its side."""
    put(world, blue_0=body(0.3, 0.2, yaw_rad))
    center = (0.3 + ROBOT.length_m / 2.0 + 0.1 + max(gap_m, -0.1), 0.2, HEIGHT_M / 2.0)
    assert ("blue/0" in Entities(world).found(Query(region=Sphere(center, 0.1)))) == meets


@pytest.mark.parametrize(
    ("z_m", "meets"), [(HEIGHT_M + 0.099, True), (HEIGHT_M + 0.101, False), (-0.099, True), (-0.101, False)]
)
def test_a_sphere_above_or_below_a_body_meets_it_by_its_height(world, z_m, meets):
    put(world, blue_0=body(0.3, 0.2))
    assert ("blue/0" in Entities(world).found(Query(region=Sphere((0.3, 0.2, z_m), 0.1)))) == meets


def test_regions_meet_the_puck_as_a_disc(world):
    put(world, puck=body(0.3, 0.2))
    entities, diagonal_m = Entities(world), RADIUS_M / math.sqrt(2.0)

    def found(region) -> bool:
        return PUCK in entities.found(Query(region=region))

    assert found(Sphere((0.3 + diagonal_m + 0.01, 0.2 + diagonal_m, 0.0), 0.011))
    assert not found(Sphere((0.3 + RADIUS_M, 0.2 + RADIUS_M, 0.0), 0.3 * RADIUS_M))
    assert found(Box((0.3 + 0.99 * diagonal_m, 0.2 + 0.99 * diagonal_m, 0.0), (1.0, 1.0, 1.0)))
    assert not found(Box((0.3 + 1.01 * diagonal_m, 0.2 + 1.01 * diagonal_m, 0.0), (1.0, 1.0, 1.0)))
    assert not found(Box((0.0, 0.0, HOCKEY.puck.height_m + 1e-6), (1.0, 1.0, 1.0)))


def test_a_box_meets_robots_inside_and_on_its_edge(world):
    put(world, blue_0=body(0.3, 0.4), blue_1=body(0.3 + 0.6 * ROBOT.length_m, -0.4), blue_2=body(0.6, 0.4))
    found = Entities(world).found(Query("blue", region=box([(0.3, 0.6, 0.01), (0.2, -0.6, 0.0)])))
    assert found == ["blue/0"]


@pytest.mark.parametrize("points", [[], [(0.0, 0.0, 0.0)], [(0.0, 0.0, 0.0), (math.nan, 0.0, 0.0)]])
@pytest.mark.parametrize("shape", [sphere, box])
def test_bounds_that_are_not_two_points_are_refused(shape, points):
    with pytest.raises(InputError, match=r"bounds = .* must be two points"):
        shape(points)


def test_what_is_known_of_a_body(world):
    entities = Entities(world)
    assert entities["blue/1"].tags == ("robot", "blue", "simulated")
    assert entities["red/2"].tags == ("robot", "red", "tracked")
    assert entities[PUCK].size_m == (2.0 * RADIUS_M, 2.0 * RADIUS_M, HOCKEY.puck.height_m)
    assert "blue/9" not in entities


def test_pose_and_velocity_are_set_one_without_the_other(world):
    entities = Entities(world)
    entities.move(PUCK, Pose2D(0.3, 0.2), Twist2D(1.0, 0.5))
    entities.move(PUCK, Pose2D(0.1, 0.4), None)
    assert world.body(PUCK).twist == Twist2D(1.0, 0.5)
    entities.move(PUCK, None, Twist2D(0.0, 0.2))
    assert world.body(PUCK).pose == Pose2D(0.1, 0.4)
    assert world.body(PUCK).twist == Twist2D(0.0, 0.2)


@pytest.mark.parametrize(
    ("name", "pose", "twist", "told"),
    [
        ("blue/0", Pose2D(9.0, 0.0), None, "blue/0 at .* outside"),
        (PUCK, None, Twist2D(math.inf, 0.0), "puck/x = inf: must be finite"),
        ("red/2", Pose2D(0.1, 0.4), None, "red/2/x: no joint of a body that is simulated here"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(world, name, pose, twist, told):
    before = [world.body(each) for each in world.bodies]
    with pytest.raises(InputError, match=told):
        Entities(world).move(name, pose, twist)
    assert [world.body(each) for each in world.bodies] == before


@pytest.mark.parametrize(
    ("z_m", "rotation", "told"),
    [
        (0.5, (0.0, 0.0, 0.0, 1.0), "position.z = 0.5"),
        (math.nan, (0.0, 0.0, 0.0, 1.0), "position.z = nan"),
        (0.0, (0.0, 0.0, 0.0, 0.0), "length 1"),
        (0.0, (0.0, 0.0, math.nan, 1.0), "length 1"),
        (0.0, (0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5)), "upright axis"),
    ],
)
def test_poses_off_the_ice_are_refused(z_m, rotation, told):
    with pytest.raises(InputError, match=told):
        refuse_off_plane(z_m, rotation)


def test_poses_and_velocities_on_the_ice_pass():
    refuse_off_plane(1e-4, (0.0, 0.0, math.sin(1.0), math.cos(1.0)))
    refuse_off_plane(0.0, (0.0, 0.0, 0.0, -1.0))
    assert planar_twist((1.0, 2.0, 0.0), (0.0, -0.0, 3.0)) == Twist2D(1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    ("linear", "angular", "told"),
    [
        ((0.0, 0.0, 0.1), (0.0, 0.0, 0.0), "linear.z.* = 0.1, 0, 0: must be 0"),
        ((0.0, 0.0, 0.0), (0.0, math.nan, 0.0), "angular.y = 0, 0, nan: must be 0"),
        ((0.0, math.inf, 0.0), (0.0, 0.0, 0.0), "linear.y.* = 0, inf, 0: must be finite"),
    ],
)
def test_velocities_off_the_ice_are_refused(linear, angular, told):
    with pytest.raises(InputError, match=told):
        planar_twist(linear, angular)
