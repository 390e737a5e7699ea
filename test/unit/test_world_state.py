"""The simulated rink from outside: who owns what, moving bodies by hand, and the same again bit for bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from headless import alone, body, put

from robohockey_core.checked import InputError
from robohockey_core.commands import WheelCommand
from robohockey_core.joints import JointSample
from robohockey_core.league import load_league
from robohockey_core.names import PUCK, body_joints
from robohockey_sim.world import World

HOCKEY = load_league("micro_hockey")
HALF_LENGTH_M = HOCKEY.rink.length_m / 2.0
RADIUS_M = HOCKEY.puck.radius_m
FRONT_M = HOCKEY.robot.length_m / 2.0
FULL_RAD_S = HOCKEY.robot.max_wheel_speed_rad_s


def bits(world: World) -> bytes:
    truth, wheels = world.truth(), world.wheel_states()
    return b"".join(a.tobytes() for a in (truth.position, truth.velocity, wheels.position, wheels.velocity))


# --- bodies that others own


def test_a_body_that_is_not_owned_is_followed_and_pushes_owned_ones():
    world = World(HOCKEY, owned=[PUCK, "red/0"])
    put(world, red_0=body(0.5, 0.3, math.pi), puck=body(0.0, -0.3))
    # blue/0 comes in from a camera at 0.5 m/s, frame by frame.
    for frame in range(100):
        x = -0.2 + 0.5 * 0.02 * frame
        world.follow({"blue/0": body(x, 0.3, vx=0.5), "blue/1": body(x, -0.3, vx=0.5)})
        assert world.body("blue/0").pose.x_m == x
        world.step(20)
    assert world.body("blue/0").pose.x_m == pytest.approx(0.8)
    assert world.body("red/0").pose.x_m >= 0.8 + HOCKEY.robot.length_m - 1e-6
    assert world.body(PUCK).pose.x_m > 0.5
    assert set(world.detections().names) == {*body_joints("red/0"), *body_joints(PUCK)}
    assert {name.rpartition("/")[0] for name in world.wheel_states().names} == {"red/0"}


def test_owned_bodies_are_not_moved_by_what_a_camera_says():
    world = alone(HOCKEY)
    before = bits(world)
    world.follow({PUCK: body(0.1, 0.1), "blue/0": body(0.0, 0.0), "green/9": body(0.0, 0.0)})
    assert bits(world) == before


def test_a_puck_that_is_not_owned_glides_on_as_tracked():
    world = World(HOCKEY, owned=["blue/0"])
    world.follow({PUCK: body(0.0, 0.3, vx=0.5)})
    world.step(20)
    assert world.body(PUCK).pose.x_m == pytest.approx(0.01)


def test_a_followed_robot_that_leaves_the_picture_stops_then_goes_and_comes_back():
    world = World(HOCKEY, owned=[PUCK, "red/0"])
    put(world, red_0=body(0.7, -0.4), puck=body(-0.1, 0.3))
    world.follow({"blue/0": body(-0.4, 0.3, vx=0.3), "blue/1": body(-0.9, -0.3)})
    world.step(200)
    assert world.body("blue/0").twist.vx_m_s == pytest.approx(0.3)  # as long as it may be hidden, it goes on
    for _ in range(50):
        world.step(20)
    # It went no farther than it was hidden, and pushed nothing since.
    assert world.body("blue/0").pose.x_m == pytest.approx(-0.4 + 0.3 * 0.26, abs=0.01)
    assert world.body("blue/0").twist == (0.0, 0.0, 0.0)
    assert world.off == frozenset()
    world.follow({"blue/1": body(-0.9, -0.3)})
    for _ in range(50):
        world.step(20)
    assert world.off == {"blue/0"}  # and not blue/1, which was told of
    assert "blue/0/x" not in world.truth().names
    kept = world.snapshot()
    for state in (world, World(HOCKEY, owned=[PUCK, "red/0"])):
        state.restore(kept)
        state.follow({"blue/0": body(0.2, 0.1, vx=0.1)})
        assert state.off == frozenset()
        assert state.body("blue/0").pose.x_m == 0.2


def test_a_followed_puck_that_leaves_the_picture_lies_where_it_was_last():
    world = World(HOCKEY, owned=["blue/0"])
    world.follow({PUCK: body(0.0, 0.3, vx=0.5)})
    for _ in range(200):
        world.step(20)
    assert world.body(PUCK).pose.x_m == pytest.approx(0.13, abs=0.011)
    assert world.body(PUCK).twist == (0.0, 0.0, 0.0)


def test_who_was_sent_off_is_not_brought_back_by_a_camera():
    world = World(HOCKEY, owned=[PUCK, "red/0"])
    world.take_off("blue/0")
    world.follow({"blue/0": body(0.0, 0.3)})
    assert world.off == {"blue/0"}


def test_unknown_bodies_cannot_be_owned():
    with pytest.raises(InputError, match="blue/7: no such body in micro_hockey"):
        World(HOCKEY, owned=["blue/7"])


# --- moving by hand


def at(name: str, *values: float, velocity=()) -> JointSample:
    return JointSample(0.0, body_joints(name)[: len(values)], np.array(values), np.array(velocity))


def test_set_state_moves_what_it_names_and_nothing_else():
    world = World(HOCKEY)
    others = {name: world.body(name) for name in world.bodies if name != "blue/1"}
    put(world, blue_1=body(-0.1, 0.4, 1.0))
    assert world.body("blue/1") == body(-0.1, 0.4, 1.0)
    assert {name: world.body(name) for name in others} == others


def test_set_state_takes_its_own_truth_back():
    world = World(HOCKEY)
    for robot in world.robots:
        world.command(robot, WheelCommand((FULL_RAD_S, FULL_RAD_S)))
    for _ in range(40):
        world.step(50)
        if abs(world.body(PUCK).pose.x_m) < HALF_LENGTH_M - RADIUS_M:
            world.set_state(world.truth())


@pytest.mark.parametrize(
    ("sample", "told"),
    [
        (at("blue/0", math.nan, 0.0), "blue/0/x = nan: must be finite"),
        (at("blue/0", 0.0, math.inf), "blue/0/y = inf: must be finite"),
        (at("puck", 0.2, 0.0, 0.0, velocity=(math.nan, 0.0, 0.0)), "puck/x = nan: must be finite"),
        (at("blue/7", 0.0, 0.0), "blue/7/x: no joint of a body that is simulated here"),
        (JointSample(0.0, ("blue/0/left_wheel",), np.zeros(1)), "blue/0/left_wheel: no joint of a body"),
        (at("blue/0", 0.1), "blue/0: needs both x and y"),
        (JointSample(0.0, body_joints("puck"), velocity=np.zeros(3)), "puck: needs both x and y"),
        (JointSample(0.0, body_joints("puck"), np.zeros(2)), "3 names but 2 values in position"),
        (at("blue/0", 0.99, 0.0), "blue/0 at (0.99, 0) is 0.0275 m outside"),
        (at("puck", 0.0, -0.59), "puck at (0, -0.59) is 0.015 m outside; allowed: within 2 x 1.2 m"),
        (at("puck", 0.97, 0.57), "outside"),  # in the square of a rounded corner
        (at("blue/0", -0.18, 0.01), "blue/0 would overlap blue/1 by 0.065 m"),
        (at("blue/0", -0.18 + 0.08, 0.0, math.pi / 4.0), "blue/0 would overlap blue/1 by 0.0105"),
        (at("puck", -0.18 + FRONT_M + 0.01, 0.0), "puck would overlap blue/1 by 0.015 m"),
    ],
)
def test_set_state_refuses_and_leaves_everything_as_it_was(sample, told):
    world = World(HOCKEY)
    world.step(3)
    before = bits(world)
    with pytest.raises(InputError) as error:
        world.set_state(sample)
    assert told in str(error.value)
    assert "\n" not in str(error.value)
    assert bits(world) == before


def test_half_a_millimetre_of_overlap_is_refused():
    world = World(HOCKEY)
    with pytest.raises(InputError, match="overlap"):
        put(world, blue_0=body(-0.18 - 0.09, 0.0, math.pi / 4.0))


def test_one_bad_body_keeps_the_good_ones_from_moving():
    world = World(HOCKEY)
    before = bits(world)
    with pytest.raises(InputError):
        put(world, blue_0=body(-0.5, 0.0), blue_1=body(5.0, 0.0))
    assert bits(world) == before


# --- the same again


def drive_wildly(world: World, steps: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(steps // 20):
        for robot in world.robots:
            speeds = random.uniform(-FULL_RAD_S, FULL_RAD_S, 2)
            world.command(robot, WheelCommand(tuple(speeds.tolist()), float(random.random())))
        world.step(20)


def test_same_commands_same_bits():
    worlds = World(HOCKEY), World(HOCKEY)
    for world in worlds:
        drive_wildly(world, 3000, seed=1)
    assert bits(worlds[0]) == bits(worlds[1])


def test_how_steps_are_grouped_does_not_matter():
    worlds = World(HOCKEY), World(HOCKEY)
    for world in worlds:
        drive_wildly(world, 500, seed=1)
    worlds[0].step(60)
    for _ in range(60):
        worlds[1].step(1)
    assert bits(worlds[0]) == bits(worlds[1])


def test_restore_goes_on_bit_for_bit_and_a_snapshot_serves_twice():
    world = World(HOCKEY)
    drive_wildly(world, 1000, seed=2)
    snapshot = world.snapshot()
    drive_wildly(world, 1000, seed=3)
    first, time_s = bits(world), world.time_s
    for _ in range(2):
        world.restore(snapshot)
        drive_wildly(world, 1000, seed=3)
        assert (bits(world), world.time_s) == (first, time_s)


def test_reset_is_a_new_world():
    world = World(HOCKEY)
    fresh = bits(world)
    drive_wildly(world, 1000, seed=4)
    assert bits(world) != fresh
    world.reset()
    assert (bits(world), world.time_s) == (fresh, 0.0)
    drive_wildly(world, 1000, seed=5)
    again = World(HOCKEY)
    drive_wildly(again, 1000, seed=5)
    assert bits(world) == bits(again)
