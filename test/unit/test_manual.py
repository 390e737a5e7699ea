"""A hand on the stick outranks the strategy, and hands back."""

from __future__ import annotations

import math

import numpy as np
import pytest

from robohockey_core.actions import Target
from robohockey_core.league import load_league
from robohockey_core.names import BLUE, RobotId
from robohockey_core.state import BodyState, Pose2D, WorldState
from robohockey_strategy.manual import GIVE_UP_S, HAND_BACK_S, Pilot
from robohockey_strategy.motion import Motion, MotionSettings
from robohockey_strategy.scheduler import ScheduledMotion

LEAGUE = load_league("micro_hockey")
ROBOT, MATE = RobotId(BLUE, 1), RobotId(BLUE, 2)
HERE = BodyState(Pose2D(0.0, 0.0))
AHEAD, BEHIND = Target(Pose2D(0.5, 0.0)), Target(Pose2D(-0.5, 0.0))


class Aiming(Motion):
    """Tells whom it obeys: what a robot does with a target is tried elsewhere."""

    def commands(self, asked, now_s):
        return {robot: target for robot, _, target in asked}


MOTION = Aiming(LEAGUE)
STILL = Target()
TIMEOUT_S = 0.35


def command(pilot, robot, state, now_s):
    """What one robot is told that alone is in sight."""
    return pilot.commands(WorldState(now_s, {robot: state}, None))[robot]


@pytest.fixture
def pilot() -> Pilot:
    return Pilot(MOTION, TIMEOUT_S, (ROBOT, MATE))


def test_without_any_order_a_robot_stands(pilot):
    assert command(pilot, ROBOT, HERE, 0.0) == STILL


def test_the_strategy_drives_until_it_falls_silent(pilot):
    pilot.set_targets({ROBOT: AHEAD}, 1.0)
    assert command(pilot, ROBOT, HERE, 1.0 + TIMEOUT_S - 0.01) == AHEAD
    assert command(pilot, ROBOT, HERE, 1.0 + TIMEOUT_S + 0.01) == STILL


def test_a_manual_twist_outranks_and_hands_back_after_half_a_second(pilot):
    assert HAND_BACK_S == 0.5
    twist = np.array([0.3, 0.0, 1.0])
    pilot.drive(ROBOT, twist, 10.0)
    for now_s in (10.0, 10.2, 10.5):
        pilot.set_targets({ROBOT: AHEAD}, now_s)
        assert command(pilot, ROBOT, HERE, now_s) == MOTION.manual(twist)
    pilot.set_targets({ROBOT: AHEAD}, 10.51)
    assert command(pilot, ROBOT, HERE, 10.51) == AHEAD


def test_team_mates_are_not_affected(pilot):
    pilot.set_targets({ROBOT: AHEAD, MATE: AHEAD}, 0.0)
    pilot.drive(ROBOT, np.zeros(3), 0.0)
    assert command(pilot, ROBOT, HERE, 0.0) == MOTION.manual(np.zeros(3))
    assert command(pilot, MATE, HERE, 0.0) == AHEAD


def test_a_goal_pose_holds_until_reached_and_a_little_longer(pilot):
    goal = Pose2D(0.5, 0.0, 0.0)
    there, going = BodyState(goal), Target(goal, face=True)
    assert pilot.send_to(ROBOT, goal, 0.0)
    for now_s, x_m in ((0.0, 0.0), (2.0, 0.1), (4.0, 0.2), (6.0, 0.49)):
        assert obeyed(pilot, BodyState(Pose2D(x_m, 0.0)), now_s) == going
    for now_s, driven in ((6.4, going), (6.5, going), (6.51, BEHIND)):
        assert obeyed(pilot, there, now_s) == driven


def obeyed(pilot, state, now_s):
    """Whom the robot obeys, with a strategy that wants it behind."""
    pilot.set_targets({ROBOT: BEHIND}, now_s)
    return command(pilot, ROBOT, state, now_s)


def test_a_goal_is_not_reached_before_its_yaw_is(pilot):
    goal = Pose2D(0.5, 0.0, 2.0)
    pilot.send_to(ROBOT, goal, 0.0)
    for tick in range(20):
        yaw_rad = 0.1 * tick
        assert obeyed(pilot, BodyState(Pose2D(0.5, 0.0, yaw_rad)), 0.1 * tick) == Target(goal, face=True)
    assert obeyed(pilot, BodyState(goal), 1.9 + HAND_BACK_S) == Target(goal, face=True)
    assert obeyed(pilot, BodyState(goal), 1.92 + HAND_BACK_S) == BEHIND


def test_a_goal_that_cannot_be_reached_is_given_up(pilot):
    """Jitter of what is seen is no progress."""
    goal = Pose2D(0.5, 0.0)
    pilot.send_to(ROBOT, goal, 0.0)
    for tick in range(20):
        driven = obeyed(pilot, BodyState(Pose2D(0.3 + 0.002 * (tick % 2), 0.0)), 0.2 * tick)
        assert driven == (Target(goal, face=True) if 0.2 * tick <= GIVE_UP_S else BEHIND)
    pilot.send_to(ROBOT, goal, 9.0)
    assert obeyed(pilot, HERE, 9.1) == Target(goal, face=True), "asked for again, it is tried again"


def test_the_open_loop_is_there_however_it_faces():
    motion = ScheduledMotion(LEAGUE, MotionSettings(controller="scheduled"))
    assert motion.off(HERE, Pose2D(0.0, 0.0, 2.0)) == (0.0, 0.0)
    assert Motion(LEAGUE).off(HERE, Pose2D(0.3, 0.4, -2.0)) == pytest.approx((0.5, 2.0))


def test_a_twist_ends_an_earlier_goal(pilot):
    pilot.send_to(ROBOT, Pose2D(0.5, 0.0), 0.0)
    pilot.drive(ROBOT, np.zeros(3), 0.1)
    pilot.set_targets({ROBOT: BEHIND}, 1.0)
    assert command(pilot, ROBOT, HERE, 1.0) == BEHIND


def test_a_goal_after_a_twist_takes_over_when_the_stick_is_let_go(pilot):
    pilot.drive(ROBOT, np.array([0.1, 0.0, 0.0]), 0.0)
    pilot.send_to(ROBOT, Pose2D(0.5, 0.0), 0.1)
    assert command(pilot, ROBOT, HERE, 1.0) == Target(Pose2D(0.5, 0.0), face=True)


NOWHERE = [(math.nan, 0.0), (0.0, math.inf), (0.0, 0.0, math.nan), (100.0, 0.0), (-1.01, 0.0), (0.0, 0.61)]


@pytest.mark.parametrize("goal", NOWHERE)
def test_a_goal_that_is_no_place_on_the_rink_does_not_take_the_robot(pilot, goal):
    pilot.set_targets({ROBOT: AHEAD}, 0.0)
    assert not pilot.send_to(ROBOT, Pose2D(*goal), 0.0)
    assert command(pilot, ROBOT, HERE, 0.0) == AHEAD
    assert pilot.refused_goals == 1 and pilot.last_refusal.startswith("blue/1: there is no place (")


def test_a_clock_that_jumps_back_ends_the_hand_on_the_stick(pilot):
    pilot.drive(ROBOT, np.array([0.3, 0.0, 0.0]), 100.0)
    pilot.set_targets({ROBOT: AHEAD}, 1.0)
    assert command(pilot, ROBOT, HERE, 1.0) == AHEAD
