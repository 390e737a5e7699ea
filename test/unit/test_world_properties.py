"""What holds in every world, whatever is put where and however it moves: hypothesis looks for an exception."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace

import numpy as np
import pytest
from headless import PRESETS, alone, box, over_boards_m, puck_depth_m, put, robots_depth_m
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from robohockey_core.checked import InputError
from robohockey_core.commands import WheelCommand
from robohockey_core.joints import JointSample
from robohockey_core.league import League, load_league
from robohockey_core.names import PUCK, body_joints
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_sim.world import World

DEEPEST_M = 1e-6
LEAGUES = {name: load_league(name) for name in PRESETS}
HOCKEY = LEAGUES["micro_hockey"]

shares = st.floats(-1.0, 1.0)
speeds_m_s = st.one_of(st.floats(0.0, 2.0), st.sampled_from((5.0, 20.0)))
any_number = st.one_of(shares, st.floats())


@st.composite
def pucks(draw, league: League) -> BodyState:
    speed, way, spin = draw(speeds_m_s), math.pi * draw(shares), 50.0 * draw(shares)
    x, y = (0.5 * side * draw(shares) for side in (league.rink.length_m, league.rink.width_m))
    return BodyState(Pose2D(x, y), Twist2D(speed * math.cos(way), speed * math.sin(way), spin))


@st.composite
def robots(draw, league: League) -> BodyState:
    x, y = (0.5 * side * draw(shares) for side in (league.rink.length_m, league.rink.width_m))
    return BodyState(Pose2D(x, y, math.pi * draw(shares)))


def placed(world: World, **bodies: BodyState) -> None:
    """Put bodies where that is allowed; the others stay."""
    for name, state in bodies.items():
        with contextlib.suppress(InputError):
            put(world, **{name: state})


def deepest_m(world: World) -> float:
    """The worst overlap of any two bodies, or of a robot with the boards; NaN counts as endless."""
    league, puck = world.league, world.body(PUCK)
    states = [world.body(str(robot)) for robot in world.robots]
    depths = [puck_depth_m(league, state, puck) for state in states]
    depths += [over_boards_m(league, *corner) for state in states for corner in box(league, state).corners()]
    depths += [robots_depth_m(league, a, b) for i, a in enumerate(states) for b in states[:i]]
    return max(depths) if all(map(math.isfinite, depths)) else math.inf


def energy_j(world: World) -> float:
    league, puck = world.league, world.body(PUCK).twist
    factor = 0.5 if league.puck.shape == "puck" else 0.4
    total = 0.5 * league.puck.mass_kg * (puck.speed_m_s**2 + factor * (league.puck.radius_m * puck.yaw_rate_rad_s) ** 2)
    inertia = league.robot.mass_kg * (league.robot.length_m**2 + league.robot.width_m**2) / 12.0
    for robot in world.robots:
        twist = world.body(str(robot)).twist
        total += 0.5 * league.robot.mass_kg * twist.speed_m_s**2 + 0.5 * inertia * twist.yaw_rate_rad_s**2
    return total


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_nothing_overlaps_leaves_or_is_lost(data):
    league = LEAGUES[data.draw(st.sampled_from(PRESETS))]
    world = World(replace(league, match=replace(league.match, players=2)))
    placed(
        world,
        **{name: data.draw(robots(league)) for name in ("blue_0", "blue_1", "red_0", "red_1")},
        puck=data.draw(pucks(league)),
    )
    wheels = len(world.wheel_names)
    for _ in range(3):
        for robot in world.robots:
            speeds = tuple(league.robot.max_wheel_speed_rad_s * data.draw(shares) for _ in range(wheels))
            world.command(robot, WheelCommand(speeds, data.draw(st.sampled_from((0.0, 0.5, 1.0)))))
        for _ in range(10):
            world.step(5)
            assert deepest_m(world) <= DEEPEST_M, (league.name, world.time_s)
            x, y = world.body(PUCK).pose[:2]
            assert abs(x) <= league.rink.length_m / 2.0 + max(league.rink.goal_depth_m, league.rink.room_behind_goals_m)
            assert abs(y) <= league.rink.width_m / 2.0


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_where_nobody_drives_energy_only_falls(data):
    league = LEAGUES[data.draw(st.sampled_from(PRESETS))]
    world = alone(league)
    placed(world, blue_0=data.draw(robots(league)), red_0=data.draw(robots(league)), puck=data.draw(pucks(league)))
    left_j = energy_j(world)
    for _ in range(60):
        world.step(1)
        now_j = energy_j(world)
        assert now_j <= left_j * (1.0 + 1e-9) + 1e-15, (league.name, world.time_s)
        left_j = now_j


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_half_a_turn_of_the_rink_changes_nothing_for_the_puck(data):
    league = LEAGUES[data.draw(st.sampled_from(PRESETS))]
    start = data.draw(pucks(league))
    ends = []
    for state in (start, start.mirrored()):
        world = World(replace(league, match=replace(league.match, players=1)))
        placed(world, puck=state)
        world.step(100)
        ends.append(world.body(PUCK))
    # In the corner of a net two surfaces act at once, and a rounding decides which comes first.
    assume(all(abs(end.pose.x_m) < league.rink.length_m / 2.0 for end in ends))
    assert (*ends[1].pose[:2], *ends[1].twist) == pytest.approx(
        (*ends[0].mirrored().pose[:2], *ends[0].twist.mirrored()), abs=1e-9
    )


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(("blue/0", "red/0", PUCK)), st.lists(any_number, min_size=3, max_size=3), st.lists(any_number, max_size=4)
)
def test_set_state_takes_a_good_place_or_leaves_everything_as_it_was(name, position, velocity):
    world = alone(HOCKEY)
    before = world.truth()
    try:
        world.set_state(JointSample(0.0, body_joints(name), np.array(position), np.array(velocity)))
    except InputError as error:
        assert "\n" not in str(error)
        after = world.truth()
        assert (after.position.tobytes(), after.velocity.tobytes()) == (before.position.tobytes(), before.velocity.tobytes())
    else:
        assert deepest_m(world) <= DEEPEST_M
        assert np.isfinite(world.truth().velocity).all()


@settings(max_examples=30, deadline=None)
@given(st.data(), st.integers(1, 60), st.integers(1, 60))
def test_a_snapshot_goes_on_as_if_nothing_had_been(data, first, second):
    world, again = World(HOCKEY), World(HOCKEY)
    placed(world, puck=data.draw(pucks(HOCKEY)), blue_1=data.draw(robots(HOCKEY)))
    top = HOCKEY.robot.max_wheel_speed_rad_s
    for robot in world.robots:
        world.command(robot, WheelCommand((top * data.draw(shares), top * data.draw(shares))))
    world.step(first)
    again.restore(world.snapshot())
    for each in (world, again):
        each.step(second)
    one, other = world.truth(), again.truth()
    assert (one.position.tobytes(), one.velocity.tobytes()) == (other.position.tobytes(), other.velocity.tobytes())
