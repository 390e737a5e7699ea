"""Chen's open loop: inverse kinematics eq 6 to 14, Tables I and II, path split, detour, and the motion scheduler."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from robohockey_core.actions import Target
from robohockey_core.checked import InputError
from robohockey_core.commands import StateUpdate
from robohockey_core.geometry import Point, distance
from robohockey_core.joints import bodies_sample, world_of
from robohockey_core.kinematics import arc_step
from robohockey_core.league import load_league
from robohockey_core.names import BLUE, PUCK, RobotId
from robohockey_core.state import BodyState, Pose2D
from robohockey_sim.world import World
from robohockey_strategy.inverse_kinematics import (
    Room,
    TwoWheels,
    first_waypoint,
    kick,
    leg_to,
    navigate_and_kick,
    navigation,
    split_path,
)
from robohockey_strategy.manual import make_pilot
from robohockey_strategy.motion import MotionSettings
from robohockey_strategy.scheduler import Scheduler

ROBOT, MATE = RobotId(BLUE, 0), RobotId(BLUE, 1)
WHEELS = TwoWheels(0.02, 0.068, 60.0, kick_angle_rad=1.2, max_kicker_speed_rad_s=25.0)
ROOM = Room(1.0, 0.5)


def rows(updates: list[StateUpdate]) -> list[tuple[str, float, float, float]]:
    return [(u.part, u.omega_rad_s, u.alpha_rad_s2, u.start_s) for u in updates]


def test_speeds_of_a_robot():
    assert TwoWheels.of(load_league("micro_hockey_rod")) == WHEELS
    assert WHEELS.max_speed_m_s == pytest.approx(1.2)  # eq 8
    assert WHEELS.max_turn_rad_s == pytest.approx(2.0 * 1.2 / 0.068)  # eq 9
    assert WHEELS.kicking_s == pytest.approx(WHEELS.kick_angle_rad / WHEELS.max_kicker_speed_rad_s)  # eq 13


@pytest.mark.parametrize(("x", "y", "turn_deg"), [(1, 1, 45), (-1, 1, 135), (-1, -1, -135), (1, -1, -45), (0, 1, 90)])
def test_a_waypoint_in_any_quadrant_is_faced_by_the_shorter_turn(x, y, turn_deg):
    leg = leg_to(WHEELS, Pose2D(0.0, 0.0, 0.0), Point(x, y))
    assert leg.turning_rad == pytest.approx(math.radians(turn_deg))  # eq 6
    assert leg.turning_s == pytest.approx(abs(leg.turning_rad) / WHEELS.max_turn_rad_s)  # eq 10
    assert leg.forward_m == pytest.approx(math.hypot(x, y))  # eq 11
    assert leg.forward_s == pytest.approx(leg.forward_m / 1.2)  # eq 12


def test_table_1():
    leg = leg_to(WHEELS, Pose2D(0.0, 0.0, 0.0), Point(0.0, 0.6))
    turned_s, arrived_s = 5.0 + leg.turning_s, 5.0 + leg.turning_s + leg.forward_s
    assert rows(navigation(ROBOT, WHEELS, leg, 5.0)) == [
        ("left_wheel", -60.0, 0.0, 5.0),
        ("right_wheel", 60.0, 0.0, 5.0),
        ("left_wheel", 60.0, 0.0, turned_s),
        ("right_wheel", 60.0, 0.0, turned_s),
        ("left_wheel", 0.0, 0.0, arrived_s),
        ("right_wheel", 0.0, 0.0, arrived_s),
    ]


def test_table_2_follows_table_1():
    updates = navigate_and_kick(ROBOT, WHEELS, Pose2D(0.0, 0.0, 0.0), Point(0.6, 0.0), 1.0)
    there_s, swing_s, omega = 1.0 + 0.5, WHEELS.kicking_s, WHEELS.max_kicker_speed_rad_s
    assert rows(updates)[-3:] == [
        ("kicker", omega, 0.0, pytest.approx(there_s)),
        ("kicker", -omega, 0.0, pytest.approx(there_s + swing_s)),  # eq 14
        ("kicker", 0.0, 0.0, pytest.approx(there_s + 2.0 * swing_s)),
    ]


@pytest.mark.parametrize("goal", [(0.5, 0.2), (-0.5, 0.2), (-0.3, -0.4), (0.0, 0.3)])
def test_the_equations_lead_an_ideal_robot_to_its_waypoint(goal):
    """Forward kinematics (eq 15-20) undo inverse kinematics."""
    pose = Pose2D(0.1, -0.1, 0.7)
    leg = leg_to(WHEELS, pose, Point(*goal))
    turn_rad_s = math.copysign(WHEELS.max_turn_rad_s, leg.turning_rad)
    turned = arc_step(*pose, 0.0, 0.0, turn_rad_s, leg.turning_s)
    assert arc_step(*turned, WHEELS.max_speed_m_s, 0.0, 0.0, leg.forward_s)[:2] == pytest.approx(goal)


def test_a_path_is_split_by_the_sensing_range():
    ways = split_path(Point(0.0, 0.0), Point(1.0, 0.0), 0.3)
    assert [way.x_m for way in ways] == pytest.approx([0.3, 0.6, 0.9, 1.0])
    assert [way.x_m for way in split_path(Point(0.0, 0.0), Point(0.9, 0.0), 0.3)] == pytest.approx([0.3, 0.6, 0.9])
    assert split_path(Point(0.0, 0.0), Point(0.1, 0.0), 0.3) == [Point(0.1, 0.0)]
    assert split_path(Point(0.2, 0.1), Point(0.2, 0.1), 0.3) == [Point(0.2, 0.1)]


@pytest.mark.parametrize(
    ("other", "first"),
    [
        ((0.2, 0.05), (0.0, -0.3)),
        ((0.2, -0.05), (0.0, 0.3)),
        ((0.4, 0.0), (0.3, 0.0)),
        ((-0.1, 0.0), (0.3, 0.0)),
    ],
    ids=["on the left", "on the right", "out of range", "behind"],
)
def test_the_first_waypoint_turns_by_90_degrees_from_an_obstacle(other, first):
    assert first_waypoint(Point(0.0, 0.0), Point(1.0, 0.0), 0.3, [Point(*other)], ROOM) == pytest.approx(Point(*first))


def test_a_detour_does_not_lead_off_the_rink():
    way = first_waypoint(Point(0.0, -0.4), Point(1.0, -0.4), 0.3, [Point(0.2, -0.35)], ROOM)
    assert way == pytest.approx(Point(0.0, -0.1))


def test_a_detour_does_not_lead_into_an_end_board():
    other = Point(0.85, 0.2)  # ahead, on the side of centre ice
    way = first_waypoint(Point(0.9, 0.0), Point(0.9, 0.5), 0.24, [other], Room(0.95, 0.55))
    assert way == pytest.approx(Point(0.66, 0.0))


def test_a_detour_without_room_on_either_side_ends_at_the_boards():
    way = first_waypoint(Point(0.0, 0.0), Point(1.0, 0.0), 0.3, [Point(0.2, 0.05)], Room(1.0, 0.1))
    assert way == pytest.approx(Point(0.0, -0.1))


# --- the scheduler


def update(part: str, start_s: float, omega: float = 1.0, robot: RobotId = ROBOT) -> StateUpdate:
    return StateUpdate(robot, part, omega, 0.0, start_s)


def test_what_is_due_is_released_once_in_order():
    scheduler = Scheduler()
    scheduler.add([update("right_wheel", 2.0), update("left_wheel", 1.0), update("kicker", 3.0)])
    assert scheduler.due(0.9) == []
    assert [u.part for u in scheduler.due(2.0)] == ["left_wheel", "right_wheel"]
    assert scheduler.due(2.5) == []
    assert [u.part for u in scheduler.due(9.0)] == ["kicker"]
    assert scheduler.idle(ROBOT)


def test_robots_are_independent():
    scheduler = Scheduler()
    scheduler.add([update("left_wheel", 1.0), update("left_wheel", 1.0, robot=MATE)])
    scheduler.add([update("left_wheel", 0.5, 7.0)])
    assert [(u.robot, u.omega_rad_s) for u in scheduler.due(1.0)] == [(ROBOT, 7.0), (MATE, 1.0)]
    assert scheduler.idle(ROBOT) and scheduler.idle(MATE)


def test_a_new_order_replaces_what_it_supersedes_and_no_more():
    scheduler = Scheduler()
    scheduler.add([*navigation(ROBOT, WHEELS, leg_to(WHEELS, Pose2D(0, 0, 0), Point(0, 1)), 0.0), *kick(ROBOT, WHEELS, 2.0)])
    scheduler.due(0.4)
    scheduler.add([update("left_wheel", 0.5, 7.0), update("right_wheel", 0.5, 7.0)])
    left = scheduler.due(10.0)
    assert [u.omega_rad_s for u in left if u.part != "kicker"] == [7.0, 7.0]
    assert len([u for u in left if u.part == "kicker"]) == 3


def test_a_new_order_leaves_what_comes_before_it():
    scheduler = Scheduler()
    scheduler.add([update("left_wheel", 1.0, 0.0), update("left_wheel", 6.0, 3.0), update("kicker", 2.0)])
    scheduler.add([update("left_wheel", 7.0, 4.0), update("left_wheel", 5.0, 2.0), update("kicker", 2.0, 9.0)])
    told = [(u.part, u.start_s, u.omega_rad_s) for u in scheduler.due(10.0)]
    assert told == [("left_wheel", 1.0, 0.0), ("kicker", 2.0, 9.0), ("left_wheel", 5.0, 2.0), ("left_wheel", 7.0, 4.0)]


# --- the motion built on it


def test_the_open_loop_drives_a_robot_to_its_target_round_another():
    league = load_league("micro_hockey")
    # The paper's robots have their speed at once.
    league = replace(league, robot=replace(league.robot, max_wheel_acceleration_rad_s2=1e5, tyre_traction=5.0))
    world = World(league)
    others = {str(r): BodyState(Pose2D(-0.9 + 0.15 * i, -0.5)) for i, r in enumerate(league.robots()[2:])}
    moved = {
        str(ROBOT): BodyState(Pose2D(-0.5, 0.0)),
        str(MATE): BodyState(Pose2D(-0.2, 0.01)),
        **others,
        PUCK: BodyState(Pose2D(0.9, 0.5)),
    }
    world.set_state(bodies_sample(0.0, moved))
    pilot = make_pilot(league, BLUE, MotionSettings(controller="scheduled"))
    goal = Pose2D(0.4, 0.1)
    nearest_m = math.inf
    for _ in range(400):
        seen = world_of(world.truth())
        pilot.set_targets({ROBOT: Target(goal)}, seen.stamp_s)
        for robot, command in pilot.commands(seen).items():
            world.command(robot, command)
        world.step(league.physics_steps_per_control)
        nearest_m = min(nearest_m, distance(seen.robots[ROBOT].pose.point, seen.robots[MATE].pose.point))
    here = world.body(str(ROBOT)).pose.point
    assert distance(here, goal.point) < 0.5 * league.robot.length_m
    assert nearest_m > league.robot.length_m


def test_the_open_loop_needs_two_wheels():
    with pytest.raises(InputError, match="msl_omni has drive omni; it needs differential"):
        make_pilot(load_league("msl_omni"), BLUE, MotionSettings(controller="scheduled"))
