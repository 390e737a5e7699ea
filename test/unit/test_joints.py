"""States as named numbers and back, and what happens to samples that are not whole."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robohockey_core.actions import Target
from robohockey_core.joints import JointSample, bodies_of, bodies_sample, complaint, targets_of, targets_sample, world_of
from robohockey_core.names import BLUE, PUCK, RED, RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState

numbers = st.floats(-100.0, 100.0)
shares = st.floats(0.0, 1.0)
poses = st.builds(Pose2D, numbers, numbers, numbers)
robots = st.builds(RobotId, st.sampled_from((BLUE, RED)), st.integers(0, 10))
bodies = st.builds(BodyState, poses, st.builds(Twist2D, numbers, numbers, numbers), shares)
standing = st.builds(Target, kick_power=shares, dribble=shares)
going = st.builds(
    lambda pose, face, vx, vy, kick, dribble: Target(
        pose if face else Pose2D(pose.x_m, pose.y_m), face, Twist2D(vx, vy), kick, dribble
    ),
    poses, st.booleans(), numbers, numbers, shares, shares,
)  # fmt: skip


@given(st.dictionaries(st.one_of(robots.map(str), st.just(PUCK)), bodies))
def test_bodies_there_and_back(states):
    assert bodies_of(bodies_sample(1.5, states)) == states


@given(st.dictionaries(robots, bodies), st.one_of(st.none(), bodies))
def test_world_there_and_back(states, puck):
    named = {str(robot): state for robot, state in states.items()}
    if puck is not None:
        named[PUCK] = puck
    assert world_of(bodies_sample(2.5, named)) == WorldState(2.5, states, puck)


@given(st.dictionaries(robots, st.one_of(standing, going)))
def test_targets_there_and_back(targets):
    if targets:
        assert targets_of(targets_sample(1.0, targets)) == targets


def test_standing_still_travels_as_nan():
    sample = targets_sample(0.0, {RobotId(BLUE, 0): Target()})
    assert np.isnan(sample.position[:3]).all()


def sample(names=("puck/x", "puck/y", "puck/yaw"), position=(1.0, 2.0, 0.0), velocity=(), effort=()):
    return JointSample(0.0, tuple(names), np.array(position), np.array(velocity), np.array(effort))


def test_order_of_joints_does_not_matter_and_yaw_may_be_missing():
    read = bodies_of(sample(("puck/y", "blue/0/x", "puck/x"), (2.0, 9.0, 1.0)))
    assert read == {"puck": BodyState(Pose2D(1.0, 2.0, 0.0))}


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (sample(position=(1.0, 2.0)), "3 names but 2 values in position"),
        (sample(velocity=(1.0,)), "3 names but 1 values in velocity"),
        (sample(effort=(1.0,) * 4), "3 names but 4 values in effort"),
    ],
)
def test_lengths_that_do_not_match(broken, told):
    assert complaint(broken) == told
    assert bodies_of(broken) == {}
    with pytest.raises(ValueError, match=told):
        targets_of(broken)


def test_a_sample_without_positions_puts_nobody_at_the_origin():
    silent = sample(position=(), velocity=(0.0, 0.0, 0.0))
    assert complaint(silent) is None
    assert bodies_of(silent) == {}
    assert world_of(silent) == WorldState(0.0, {}, None)
    with pytest.raises(ValueError, match="without positions"):
        targets_of(silent)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("field", ["position", "velocity"])
@pytest.mark.parametrize("joint", [0, 1, 2])
def test_a_body_with_a_number_that_is_not_finite_is_not_seen(bad, field, joint):
    whole = bodies_sample(0.0, {"blue/0": BodyState(Pose2D(0.1, 0.2)), "puck": BodyState(Pose2D(0.3, 0.4))})
    values = getattr(whole, field).copy()
    values[joint] = bad
    assert list(bodies_of(replace(whole, **{field: values}))) == ["puck"]


def test_names_of_no_robot():
    read = world_of(bodies_sample(0.0, {"green/0": BodyState(Pose2D(0.0, 0.0)), "blue/00": BodyState(Pose2D(0.0, 0.0))}))
    assert read == WorldState(0.0, {}, None)
    with pytest.raises(ValueError, match="green/0/x is no robot's joint"):
        targets_of(sample(("green/0/x",), (0.0,)))


def test_targets_with_numbers_that_are_not_finite_stand_still():
    names = ("blue/0/x", "blue/0/y", "blue/0/yaw", "blue/0/kicker", "blue/0/dribbler")
    read = targets_of(sample(names, (math.inf, 0.0, 0.0, 0.0, 0.0), effort=(0.0, 0.0, 0.0, math.nan, 7.0)))
    assert read == {RobotId(BLUE, 0): Target(None, face=True, kick_power=0.0, dribble=1.0)}


def test_targets_may_leave_out_speed_and_kicker():
    read = targets_of(sample(("red/1/x", "red/1/y"), (1.0, 2.0)))
    assert read == {RobotId(RED, 1): Target(Pose2D(1.0, 2.0))}
