"""The dynamic model against Klancar eq 1-10, a multiplier solution of its own, and plain mechanics."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from free_robot import GRAVITY_M_S2, OMNI, Robot, dynamic, orders

from robohockey_core.league import RobotSpec
from robohockey_sim.drive_parameters import drive_parameters
from robohockey_sim.drives import motor_torque, rolling_torque

# A body whose inertia, mass lean and wheels all matter, on a floor on which it never slips.
LEANING = RobotSpec(
    motion="dynamic",
    mass_centre_offset_m=0.02,
    wheel_mass_kg=0.06,
    wheel_inertia_kg_m2=4e-5,
    body_inertia_kg_m2=3e-4,
    tyre_traction=5.0,
)


def test_straight_acceleration_is_force_over_mass_with_the_wheels_inertia():
    spec = dynamic(wheel_inertia_kg_m2=4e-5, tyre_traction=5.0)
    robot, dt_s = Robot(spec), 1e-6
    robot.step([60.0, 60.0], dt_s)
    effective_kg = spec.mass_kg + 2.0 * 4e-5 / spec.wheel_radius_m**2
    force_n = 2.0 * spec.motor_stall_torque_n_m / spec.wheel_radius_m
    assert robot.twist[0] / dt_s == pytest.approx(force_n / effective_kg, rel=1e-5)
    assert robot.twist[1] == robot.twist[2] == 0.0


def test_turning_in_place_feels_body_and_wheels():
    spec = dynamic(wheel_inertia_kg_m2=4e-5, wheel_mass_kg=0.05, tyre_traction=5.0)
    robot, dt_s = Robot(spec), 1e-7
    robot.step([-60.0, 60.0], dt_s)
    r, b = spec.wheel_radius_m, spec.wheel_base_m / 2.0
    body = 0.4 * (spec.length_m**2 + spec.width_m**2) / 12.0
    inertia = body + 2.0 * (0.05 * r**2 / 4.0 + 0.05 * b**2) + 2.0 * b**2 * 4e-5 / r**2
    moment = 2.0 * spec.motor_stall_torque_n_m * b / r
    assert robot.twist[2] / dt_s == pytest.approx(moment / inertia, rel=1e-5)
    assert robot.twist[:2] == pytest.approx(0.0, abs=1e-15)


def test_top_speed_is_where_the_torque_line_meets_the_damping():
    spec = dynamic(wheel_damping_n_m_s=1e-4)
    robot = Robot(spec).run([500.0, 500.0], 0.001, 10_000)
    stall, no_load = spec.motor_stall_torque_n_m, spec.motor_no_load_speed_rad_s
    assert robot.wheel_speed == pytest.approx(no_load / (1.0 + 1e-4 * no_load / stall), rel=1e-9)


def test_a_command_within_reach_is_held_without_error():
    robot = Robot(dynamic()).run([30.0, 42.0], 0.001, 3000)
    assert robot.wheel_speed == pytest.approx([30.0, 42.0], rel=1e-9)


def test_small_errors_fade_with_the_given_time_constant():
    spec = dynamic(wheel_control_time_s=0.05)
    start = 0.2
    robot = Robot(spec, twist=(start, 0.0, 0.0)).run([start / 0.02 + 1.0] * 2, 0.0005, 100)
    assert robot.twist[0] == pytest.approx(start + 0.02 * (1.0 - math.exp(-1.0)), abs=1e-6)


def test_without_lean_driving_and_turning_do_not_touch_each_other():
    straight = Robot(dynamic(tyre_traction=5.0), twist=(0.55, 0.0, 0.0)).run([30.0, 30.0], 0.001, 20)
    turning = Robot(dynamic(tyre_traction=5.0), twist=(0.55, 0.0, 1.0)).run([30.0, 30.0], 0.001, 20)
    assert turning.twist[0] == pytest.approx(straight.twist[0], rel=1e-12)
    assert turning.twist[2] < 1.0


def test_mass_in_front_pulls_a_spinning_robot_forward_and_calms_its_turn():
    """m_c d w^2 > 0 on v; -m_c d v w on w: a robot that leans forward straightens, backward it turns in faster."""
    free = {"motor_stall_torque_n_m": 1e-9, "wheel_damping_n_m_s": 0.0}
    front = Robot(dataclasses.replace(LEANING, **free), twist=(0.5, 0.0, 4.0)).run([0.0, 0.0], 0.001, 50)
    assert front.twist[0] > 0.5 and 0.0 < front.twist[2] < 4.0
    back = Robot(dataclasses.replace(LEANING, mass_centre_offset_m=-0.02, **free), twist=(0.5, 0.0, 4.0)).run(
        [0.0, 0.0], 0.001, 50
    )
    assert back.twist[0] < 0.5 and back.twist[2] > 4.0


def constrained_acceleration(spec: RobotSpec, q, dq, torques):
    """Three bodies in maximal coordinates, tied by Lagrange multipliers; no reduced equation is used.

    q = body (x, y, angle), then per wheel, left first, (x, y, angle, roll). The mass matrix is constant and
    diagonal, so every Coriolis term comes out of the constraints (Klancar eq 1, 7 and 9).
    """
    d, b, r, m_k = spec.mass_centre_offset_m, spec.wheel_base_m / 2.0, spec.wheel_radius_m, spec.wheel_mass_kg
    wheel = [m_k, m_k, m_k * r**2 / 4.0, spec.wheel_inertia_kg_m2]
    body_kg = spec.mass_kg - 2.0 * m_k
    mass = np.diag([body_kg, body_kg, spec.body_inertia_kg_m2, *wheel, *wheel])

    def constraints(q):
        cos, sin = math.cos(q[2]), math.sin(q[2])
        rows = []
        for first, side in ((3, b), (7, -b)):
            # The hub sits at (-d, side) from the body's mass centre; it turns and moves with the body.
            x = np.zeros(11)
            x[[0, 2, first]] = 1.0, d * sin - side * cos, -1.0
            y = np.zeros(11)
            y[[1, 2, first + 1]] = 1.0, -d * cos - side * sin, -1.0
            angle = np.zeros(11)
            angle[[2, first + 2]] = 1.0, -1.0
            roll = np.zeros(11)
            roll[[first, first + 1, first + 3]] = cos, sin, -r
            rows += [x, y, angle, roll]
        no_slide = np.zeros(11)
        no_slide[[3, 4]] = -sin, cos
        return np.array([*rows, no_slide])

    a = constraints(q)
    h = 1e-6
    a_rate = (constraints(q + h * dq) - constraints(q - h * dq)) / (2.0 * h)
    force = np.zeros(11)
    force[[6, 10]] = torques
    count = len(a)
    system = np.block([[mass, a.T], [a, np.zeros((count, count))]])
    return np.linalg.solve(system, np.concatenate([force, -a_rate @ dq]))[:11]


def maximal_rates(spec: RobotSpec, v: float, w: float, yaw: float):
    d, b, r = spec.mass_centre_offset_m, spec.wheel_base_m / 2.0, spec.wheel_radius_m
    cos, sin = math.cos(yaw), math.sin(yaw)
    wheels = [[speed * cos, speed * sin, w, speed / r] for speed in (v - b * w, v + b * w)]
    return np.array([v * cos - d * w * sin, v * sin + d * w * cos, w, *wheels[0], *wheels[1]])


@pytest.mark.parametrize("offset_m", [0.02, -0.02])
def test_motion_agrees_with_a_lagrange_multiplier_solution(offset_m):
    spec = dataclasses.replace(LEANING, mass_centre_offset_m=offset_m)
    command, v0, w0, yaw0, seconds = [25.0, 8.0], 0.4, 9.0, 0.7, 0.1
    p = drive_parameters(spec, GRAVITY_M_S2)
    robot = Robot(spec, twist=(v0, 0.0, w0)).run(command, seconds / 2000, 2000)

    q, dq = np.zeros(11), maximal_rates(spec, v0, w0, yaw0)
    q[[2, 5, 9]] = yaw0

    def rate(state):
        torques = [rolling_torque(p, state[11 + wheel], command[i]) for i, wheel in enumerate((6, 10))]
        return np.concatenate([state[11:], constrained_acceleration(spec, state[:11], state[11:], torques)])

    state, steps = np.concatenate([q, dq]), 200
    h = seconds / steps
    for _ in range(steps):
        k1 = rate(state)
        k2 = rate(state + h / 2.0 * k1)
        k3 = rate(state + h / 2.0 * k2)
        k4 = rate(state + h * k3)
        state = state + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    rolls = state[[17, 21]]
    assert robot.wheel_speed == pytest.approx(rolls, rel=2e-6)
    assert robot.twist[2] == pytest.approx(state[13], rel=2e-6)
    # The lean matters here: without it the turn would end up elsewhere by far more than the tolerance.
    plain = Robot(dataclasses.replace(spec, mass_centre_offset_m=0.0), twist=(v0, 0.0, w0)).run(command, 1e-3, 100)
    assert abs(plain.twist[2] - robot.twist[2]) > 0.05


@pytest.mark.parametrize(
    "spec", [LEANING, dynamic(OMNI, mass_centre_offset_m=0.01, tyre_traction=5.0)], ids=["differential", "omni"]
)
def test_order_of_convergence_is_two(spec):
    start = Robot(spec, twist=(0.4, 0.0, 6.0))
    command = start.wheel_speed * 0.8 + 1.0

    def end(steps: int):
        return Robot(spec, twist=(0.4, 0.0, 6.0)).run(command, 0.1 / steps, steps).twist

    exact = end(12_800)
    assert orders([np.linalg.norm(end(n) - exact) for n in (25, 50, 100, 200)]) == pytest.approx([2.0] * 3, abs=0.25)


@pytest.mark.parametrize(
    "spec", [LEANING, dynamic(OMNI, mass_centre_offset_m=0.01, tyre_traction=5.0)], ids=["differential", "omni"]
)
def test_work_of_the_motors_is_kinetic_energy_and_damping(spec):
    spec = dataclasses.replace(spec, wheel_damping_n_m_s=2e-4)

    def imbalance(steps: int) -> tuple[float, float]:
        robot = Robot(spec, twist=(0.1, 0.0, 5.0))
        command = np.linspace(20.0, 45.0, len(robot.wheel_speed))
        dt_s, start = 0.2 / steps, robot.energy_j

        def powers():
            torques = [motor_torque(robot.p, w, c) for w, c in zip(robot.wheel_speed, command, strict=True)]
            return np.array([torques @ robot.wheel_speed, 2e-4 * robot.wheel_speed @ robot.wheel_speed])

        total, before = np.zeros(2), powers()
        for _ in range(steps):
            robot.step(command, dt_s)
            after = powers()
            total += 0.5 * dt_s * (before + after)
            before = after
        work, lost = total
        assert lost > 0.01 * work > 0.0
        return abs(work - lost - (robot.energy_j - start)), work

    (coarse, work), (fine, _) = imbalance(400), imbalance(1600)
    assert coarse < 2e-4 * work
    assert fine < coarse / 8.0


def test_coasting_without_losses_keeps_its_energy():
    spec = dataclasses.replace(LEANING, motor_stall_torque_n_m=1e-12, wheel_damping_n_m_s=0.0)
    robot = Robot(spec, twist=(0.2, 0.0, 8.0))
    start = robot.energy_j
    robot.run([0.0, 0.0], 0.001, 1000)
    assert robot.energy_j == pytest.approx(start, rel=1e-5)
    # The last rest of a leaning robot's turn goes into driving forward.
    assert robot.twist[0] == pytest.approx(math.sqrt(2.0 * start / robot.p.m_vv), rel=1e-2)


def test_a_slippery_floor_limits_acceleration():
    spec = dynamic(tyre_traction=0.1)
    robot = Robot(spec).run([60.0, 60.0], 0.001, 100)
    limit = 0.1 * GRAVITY_M_S2 * spec.mass_kg / robot.p.m_vv
    assert robot.twist[0] / 0.1 == pytest.approx(limit, rel=1e-9)
    assert limit < 0.1 * GRAVITY_M_S2


def test_a_leaning_body_takes_load_off_the_wheels():
    level, leaning = (drive_parameters(dynamic(mass_centre_offset_m=d, wheel_mass_kg=0.0), GRAVITY_M_S2) for d in (0.0, -0.01))
    assert level.traction_torque_n_m == pytest.approx(0.8 * GRAVITY_M_S2 * 0.25 * 0.02)
    assert leaning.traction_torque_n_m / level.traction_torque_n_m == pytest.approx(1.0 - 0.01 / 0.0375)


def test_a_curve_within_grip_is_driven_and_a_faster_one_slides_outward():
    spec = dynamic(tyre_traction=0.5)
    grip_m_s2 = 0.5 * GRAVITY_M_S2

    def after(turn_rad_s: float) -> Robot:
        robot = Robot(spec, twist=(0.8, 0.0, turn_rad_s))
        return robot.run(robot.wheel_speed.copy(), 0.001, 20)

    inside, outside = after(0.95 * grip_m_s2 / 0.8), after(1.2 * grip_m_s2 / 0.8)
    assert inside.twist[1] == 0.0
    # Turning left needs 20 % more than the floor gives: the robot drifts to its right by the difference.
    assert outside.twist[1] == pytest.approx(-0.2 * grip_m_s2 * 0.02, rel=0.05)


@pytest.mark.parametrize("offset_m", [0.02, -0.02])
@pytest.mark.parametrize(("share", "slides"), [(1.02, False), (0.98, True)])
def test_a_leaning_robot_slides_when_the_axle_must_push_more_than_the_floor_gives(offset_m, share, slides):
    """The side force is taken from the multiplier solution: all masses times their acceleration to the left."""
    spec = dataclasses.replace(LEANING, mass_centre_offset_m=offset_m)
    v, w = 0.6, 5.0
    q_rate = constrained_acceleration(spec, np.zeros(11), maximal_rates(spec, v, w, 0.0), [0.0, 0.0])
    body_kg = spec.mass_kg - 2.0 * spec.wheel_mass_kg
    needed_n = body_kg * q_rate[1] + spec.wheel_mass_kg * (q_rate[4] + q_rate[8])
    load_n = GRAVITY_M_S2 * (spec.mass_kg - body_kg * abs(offset_m) / (spec.length_m / 2.0))
    robot = Robot(dataclasses.replace(spec, tyre_traction=share * needed_n / load_n), twist=(v, 0.0, w))
    robot.step(robot.wheel_speed.copy(), 1e-5)
    assert (robot.twist[1] != 0.0) == slides
    assert abs(needed_n - spec.mass_kg * v * w) > 0.1 * needed_n


def test_a_sideways_push_stops_after_v_squared_over_two_mu_g():
    robot, dt_s, speed = Robot(dynamic(tyre_traction=0.5), twist=(0.0, 0.6, 0.0)), 0.0005, 0.6
    way_m, energy = 0.0, robot.energy_j
    while robot.twist[1] != 0.0:
        before = robot.twist[1]
        robot.step([0.0, 0.0], dt_s)
        way_m += 0.5 * (before + robot.twist[1]) * dt_s
        assert robot.energy_j < energy
        energy = robot.energy_j
    assert way_m == pytest.approx(speed**2 / (2.0 * 0.5 * GRAVITY_M_S2), rel=1e-5)


@pytest.mark.parametrize("offset_m", [0.02, -0.015])
def test_gripping_again_never_makes_energy(offset_m):
    spec = dynamic(mass_centre_offset_m=offset_m, motor_stall_torque_n_m=1e-12, wheel_damping_n_m_s=0.0)
    robot = Robot(spec, twist=(0.3, 0.5, -6.0))
    for _ in range(400):
        energy = robot.energy_j
        robot.step([0.0, 0.0], 0.001)
        assert robot.energy_j <= energy * (1.0 + 1e-6)
    assert robot.twist[1] == 0.0


def test_omni_pushes_as_its_wheels_point():
    """Driving forward, wheels at +-60 degrees take cos 30 of the speed each and the rear one none (Minho eq 3-5)."""
    spec = dynamic(OMNI, wheel_mass_kg=0.0, tyre_traction=5.0)
    robot, dt_s = Robot(spec), 1e-6
    robot.step([-60.0, 60.0, 0.0], dt_s)
    force_n = 2.0 * math.cos(math.pi / 6.0) * spec.motor_stall_torque_n_m / spec.wheel_radius_m
    assert robot.twist / dt_s == pytest.approx([force_n / spec.mass_kg, 0.0, 0.0], rel=1e-4, abs=1e-6)


def test_an_omni_robot_without_motors_flies_straight_however_it_leans():
    """Newton in the rink's frame: the mass centre keeps its velocity and the body its turn, whatever the robot's frame says."""
    spec = dynamic(OMNI, wheel_mass_kg=0.0, wheel_damping_n_m_s=0.0, motor_stall_torque_n_m=1e-12, mass_centre_offset_m=0.02)
    robot = Robot(spec, twist=(0.5, -0.3, 7.0), pose=(0.0, 0.0, 0.4))

    def mass_centre_velocity() -> complex:
        v, u, w = robot.twist
        return complex((v + 1j * (u + 0.02 * w)) * np.exp(1j * robot.pose[2]))

    start = mass_centre_velocity()
    robot.run([0.0, 0.0, 0.0], 0.0005, 1000)
    assert mass_centre_velocity() == pytest.approx(start, abs=1e-4)
    assert robot.twist[2] == pytest.approx(7.0, abs=1e-4)


def test_a_strong_motor_on_a_light_robot_stays_calm_at_a_long_step():
    spec = dynamic(
        mass_kg=0.02,
        wheel_mass_kg=0.001,
        wheel_radius_m=0.005,
        wheel_base_m=0.022,
        wheel_control_time_s=0.005,
        tyre_traction=5.0,
    )
    robot = Robot(spec)
    for _ in range(200):
        robot.step([20.0, 26.0], 0.02)
        assert np.all(np.abs(robot.wheel_speed) < 200.0)
    assert robot.wheel_speed == pytest.approx([20.0, 26.0], rel=1e-6)


def test_a_robot_that_is_told_to_stop_stands_still_in_the_end():
    robot = Robot(LEANING, twist=(1.0, 0.0, 5.0)).run([0.0, 0.0], 0.001, 3000)
    assert np.array_equal(robot.twist, np.zeros(3))
    assert np.array_equal(robot.wheel_speed, np.zeros(2))
