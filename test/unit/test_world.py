"""The simulated rink: friction, bounces, arcs, goals, and what never happens whatever the wheels do."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace

import numpy as np
import pytest
from headless import alone, body, box, over_boards_m, puck_depth_m, put, robots_depth_m

from robohockey_core.checked import InputError
from robohockey_core.commands import WheelCommand
from robohockey_core.kinematics import arc_step
from robohockey_core.league import load_league
from robohockey_core.names import BLUE, PUCK, RED, RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_sim.world import World

GRAVITY_M_S2 = 9.81
HOCKEY = load_league("micro_hockey")
SQUARE = replace(HOCKEY, rink=replace(HOCKEY.rink, corner_radius_m=0.0))
BLUE_0 = RobotId(BLUE, 0)
RED_0 = RobotId(RED, 0)
DT_S = HOCKEY.timing.physics_dt_s
HALF_LENGTH_M = HOCKEY.rink.length_m / 2.0
HALF_WIDTH_M = HOCKEY.rink.width_m / 2.0
RADIUS_M = HOCKEY.puck.radius_m
FRONT_M = HOCKEY.robot.length_m / 2.0
FULL_RAD_S = HOCKEY.robot.max_wheel_speed_rad_s


@pytest.mark.parametrize("speed", [0.1, 0.3, 0.5])
def test_chen_27_the_puck_stops_after_v2_over_2_mu_g_and_exactly(speed):
    world = alone(HOCKEY)
    put(world, puck=body(-0.6, 0.3, vx=speed))
    deceleration = HOCKEY.puck.sliding_friction * GRAVITY_M_S2
    world.step(round(speed / deceleration / DT_S) + 2)
    stopped = world.body(PUCK)
    # The speed changes at the start of each step: half a step of travel is the accuracy.
    assert stopped.pose.x_m + 0.6 == pytest.approx(speed**2 / (2.0 * deceleration), abs=speed * DT_S)
    assert stopped.twist == Twist2D(0.0, 0.0)
    world.step(1000)
    assert world.body(PUCK) == stopped


def test_klancar_16_damping_is_exponential():
    league = load_league("mirosot_5v5")
    world = alone(league)
    put(world, puck=body(-0.5, 0.3, vx=0.5))
    world.step(1000)
    assert world.body(PUCK).twist.vx_m_s == pytest.approx(0.5 * math.exp(-league.puck.rolling_damping_per_s), rel=1e-9)


@pytest.mark.parametrize(("vx", "vy", "axis"), [(0.3, 1.0, 1), (-0.3, -1.0, 1), (1.0, 0.2, 0), (-1.0, 0.2, 0)])
def test_chen_21_23_wall_bounce_keeps_the_tangent_and_a_share_of_the_normal(vx, vy, axis):
    league = replace(SQUARE, puck=replace(HOCKEY.puck, sliding_friction=0.0, wall_friction=0.0))
    world = alone(league)
    start = (0.0, math.copysign(0.55, vy)) if axis == 1 else (math.copysign(0.95, vx), 0.3)
    put(world, puck=body(*start, vx=vx, vy=vy))
    world.step(60)
    after = world.body(PUCK).twist
    keeps = HOCKEY.puck.wall_restitution
    expected = (vx, -keeps * vy) if axis == 1 else (-keeps * vx, vy)
    assert (after.vx_m_s, after.vy_m_s) == pytest.approx(expected)


def test_a_rounded_corner_turns_the_puck_back_along_its_diagonal():
    world = alone(replace(HOCKEY, puck=replace(HOCKEY.puck, sliding_friction=0.0)))
    corner_m = HOCKEY.rink.corner_radius_m
    x, y = HALF_LENGTH_M - corner_m, HALF_WIDTH_M - corner_m
    put(world, puck=body(x, y, vx=0.5, vy=0.5))
    world.step(400)
    after = world.body(PUCK)
    assert after.twist.vx_m_s == pytest.approx(-0.5 * HOCKEY.puck.wall_restitution, rel=1e-6)
    assert after.twist.vy_m_s == pytest.approx(after.twist.vx_m_s, rel=1e-6)


def test_a_puck_between_the_posts_enters_the_net_and_stays():
    world = alone(HOCKEY)
    put(world, puck=body(0.8, 0.1, vx=1.5))
    world.step(1000)
    scored = world.body(PUCK).pose
    assert HALF_LENGTH_M + RADIUS_M <= scored.x_m <= HALF_LENGTH_M + HOCKEY.rink.goal_depth_m - RADIUS_M + 1e-9
    assert abs(scored.y_m) <= HOCKEY.rink.goal_width_m / 2.0 - RADIUS_M + 1e-9


def test_a_post_deflects():
    """A puck whose inner third meets the post turns away from the goal's side and does not go in."""
    world = alone(HOCKEY)
    post_m = HOCKEY.rink.goal_width_m / 2.0
    put(world, puck=body(0.8, post_m - RADIUS_M / 3.0, vx=1.0))
    deepest_m = 0.0
    for _ in range(400):
        world.step(1)
        deepest_m = max(deepest_m, world.body(PUCK).pose.x_m)
    after = world.body(PUCK)
    assert deepest_m < HALF_LENGTH_M
    assert after.twist.vx_m_s < 0.0
    assert after.twist.vy_m_s < -0.1


def test_wide_of_the_post_is_a_wall():
    world = alone(HOCKEY)
    put(world, puck=body(0.8, HOCKEY.rink.goal_width_m / 2.0 + 0.001, vx=1.0))
    world.step(250)
    after = world.body(PUCK)
    assert after.pose.x_m < HALF_LENGTH_M - RADIUS_M
    assert after.twist.vx_m_s == pytest.approx(-0.8, abs=0.05)


# --- robots and wheels


@pytest.mark.parametrize("name", ["micro_hockey", "msl_omni"])
def test_a_free_robot_drives_the_exact_arc_of_its_wheels(name):
    league = load_league(name)
    drive = league.robot.make_drive()
    twist = np.array([0.3, 0.2 if drive.holonomic else 0.0, 1.1])
    world = alone(league)
    put(world, blue_0=body(-0.2 * league.rink.length_m, 0.1 * league.rink.width_m, 0.4))
    world.command(BLUE_0, WheelCommand(tuple(drive.wheel_speeds(twist))))
    world.step(500)  # more than the wheels need to come up to speed
    before = world.body("blue/0")
    world.step(400)
    assert world.body("blue/0").pose == pytest.approx(arc_step(*before.pose, *twist, 400 * DT_S), abs=1e-9)
    speed = math.hypot(twist[0], twist[1])
    assert (before.twist.speed_m_s, before.twist.yaw_rate_rad_s) == pytest.approx((speed, 1.1), rel=1e-3)


def test_wheels_change_speed_no_faster_than_they_can_and_then_hold_it():
    world = alone(HOCKEY)
    world.command(BLUE_0, WheelCommand((FULL_RAD_S, -10.0)))
    step_rad_s = HOCKEY.robot.max_wheel_acceleration_rad_s2 * DT_S
    world.step(20)
    assert world.wheel_states().velocity[:2] == pytest.approx([20 * step_rad_s, -20 * step_rad_s])
    world.step(1000)
    assert world.wheel_states().velocity[:2] == pytest.approx([FULL_RAD_S, -10.0])


def test_wheel_states_tell_angles_that_add_up():
    world = alone(HOCKEY)
    world.command(BLUE_0, WheelCommand((2.0, 2.0)))
    world.step(1000)
    sample = world.wheel_states()
    assert sample.names[:2] == ("blue/0/left_wheel", "blue/0/right_wheel")
    assert sample.position[0] == pytest.approx(2.0, abs=2.0 * 2.0 / HOCKEY.robot.max_wheel_acceleration_rad_s2)


def test_a_robot_pushes_the_puck_and_not_faster_than_a_bounce():
    world = alone(HOCKEY)
    put(world, blue_0=body(-0.5, 0.3), puck=body(-0.5 + FRONT_M + RADIUS_M + 0.01, 0.3))
    world.command(BLUE_0, WheelCommand((10.0, 10.0)))
    world.step(1000)
    assert world.body(PUCK).pose.x_m >= world.body("blue/0").pose.x_m + FRONT_M + RADIUS_M - 1e-9
    assert world.body(PUCK).twist.vx_m_s <= 0.2 * (1.0 + HOCKEY.puck.robot_restitution) + 1e-9


# --- what never happens


@pytest.mark.parametrize("name", ["micro_hockey", "mirosot_5v5", "msl_omni"])
def test_whatever_the_wheels_do_nobody_leaves_and_nobody_overlaps(name):
    """20 000 steps of random full speed: nothing overlaps by more than a micrometre."""
    league = load_league(name)
    world, random = World(league), np.random.default_rng(7)
    rink, radius_m, reach_m = league.rink, league.puck.radius_m, league.robot.circumradius_m
    limit = league.robot.max_wheel_speed_rad_s
    straight = league.robot.make_drive().wheel_speeds(np.array([league.robot.max_speed_m_s, 0.0, 0.0]))
    names = [body for body in world.bodies if body != PUCK]
    for round_ in range(100):
        for robot in world.robots:
            wheels = straight if random.random() < 0.5 else random.uniform(-limit, limit, len(world.wheel_names))
            world.command(robot, WheelCommand(tuple(wheels), float(random.integers(0, 2))))
        if round_ % 10 == 0:  # keep the puck alive
            puck = world.body(PUCK)
            inside = np.clip(puck.pose.x_m, -rink.length_m / 2.0 + radius_m, rink.length_m / 2.0 - radius_m)
            velocity = random.uniform(-2.0, 2.0, 2)
            with contextlib.suppress(InputError):  # a robot may stand before the net that the puck lies in
                put(world, puck=BodyState(Pose2D(float(inside), puck.pose.y_m), Twist2D(*velocity.tolist())))
        for _ in range(50):
            world.step(4)
            puck = world.body(PUCK)
            x, y = abs(puck.pose.x_m), abs(puck.pose.y_m)
            in_net = y <= rink.goal_width_m / 2.0 and x <= rink.length_m / 2.0 + rink.goal_depth_m - radius_m + 1e-9
            in_rink = x <= rink.length_m / 2.0 - radius_m + 1e-9 and y <= rink.width_m / 2.0 - radius_m + 1e-9
            assert in_net or in_rink, (world.time_s, puck)
            states = [world.body(body) for body in names]
            for state in states:
                assert puck_depth_m(league, state, puck) < 1e-6, world.time_s
                for corner in box(league, state).corners():
                    assert over_boards_m(league, *corner) < 1e-6, (world.time_s, state)
            places = np.array([state.pose[:2] for state in states])
            gaps = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
            for i, j in zip(*np.nonzero(np.triu(gaps < 2.0 * reach_m, 1)), strict=True):
                assert robots_depth_m(league, states[i], states[j]) < 1e-6, (world.time_s, i, j)


def jam(**bodies: BodyState) -> World:
    world = alone(HOCKEY)
    put(world, **bodies)
    for robot in (BLUE_0, RED_0):
        world.command(robot, WheelCommand((FULL_RAD_S, FULL_RAD_S)))
    return world


@pytest.mark.parametrize(
    "bodies",
    [
        {"blue_0": body(0.0, 0.4, math.pi / 2.0), "puck": body(0.01, 0.5)},
        {"blue_0": body(-0.3, 0.2), "red_0": body(0.3, 0.2, math.pi), "puck": body(0.0, 0.2)},
        {"blue_0": body(0.75, 0.35, math.pi / 4.0), "puck": body(0.85, 0.45)},
    ],
    ids=["robot and board", "two robots", "robot and corner"],
)
def test_a_squeezed_puck_stops_the_robot_and_is_not_driven_over(bodies):
    world = jam(**bodies)
    for _ in range(1500):
        world.step(1)
        for name in ("blue/0", "red/0"):
            assert puck_depth_m(HOCKEY, world.body(name), world.body(PUCK)) < 1e-4
        assert over_boards_m(HOCKEY, *world.body(PUCK).pose[:2]) == 0.0


def test_two_robots_that_squeeze_the_puck_hold_each_other():
    """Neither team is stronger: the puck stays where it was caught."""
    world = jam(blue_0=body(-0.3, 0.2), red_0=body(0.3, 0.2, math.pi), puck=body(0.0, 0.2))
    world.step(2000)
    assert world.body(PUCK).pose.x_m == pytest.approx(0.0, abs=0.01)


# --- outlines


def test_a_notch_in_the_front_holds_the_puck_where_a_box_would_lose_it():
    half, lip, floor = HOCKEY.robot.length_m / 2.0, 0.0275, 0.0225
    back = ((half, half), (-half, half), (-half, -half), (half, -half))
    notch = (*back, (half, -lip), (floor, -lip), (floor, lip), (half, lip))
    ends = {}
    for kind, outline, ahead_m in (("box", (), 0.0626), ("notched", notch, 0.0476)):
        soft = replace(HOCKEY.puck, robot_restitution=0.0)
        world = alone(replace(HOCKEY, robot=replace(HOCKEY.robot, outline_m=outline), puck=soft))
        put(world, blue_0=body(0.0, 0.3, math.pi), puck=body(-ahead_m, 0.3))
        # On a curve the puck wants to go straight on, and leaves a flat front to the outside.
        world.command(BLUE_0, WheelCommand((30.0, 28.0)))
        world.step(900)
        ends[kind] = math.dist(world.body("blue/0").pose[:2], world.body(PUCK).pose[:2])
    assert ends["notched"] < 0.0375 + RADIUS_M
    assert ends["box"] > ends["notched"] + 0.02


@pytest.mark.parametrize(
    ("outline", "says"),
    [
        ([[0.03, 0.03], [0.03, -0.03], [-0.03, -0.03]], "counter-clockwise"),
        ([[0.03, 0.03], [-0.03, 0.03]], "counter-clockwise"),
        ([[0.5, 0.03], [-0.03, 0.03], [-0.03, -0.03]], "within robot.length_m"),
        ([[0.03, 0.03, 0.0], [-0.03, 0.03], [-0.03, -0.03]], "corners"),
    ],
)
def test_a_bad_outline_is_refused(tmp_path, outline, says):
    path = tmp_path / "bad.yaml"
    path.write_text(f"robot: {{outline_m: {outline}}}\n")
    with pytest.raises(InputError, match=says):
        load_league(str(path))
