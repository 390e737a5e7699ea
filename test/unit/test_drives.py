"""Motion models against Chen's arcs and MR-Simulator's trajectory model; what every model holds and refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from free_robot import DIFFERENTIAL, GRAVITY_M_S2, OMNI, Robot, dynamic, orders
from hypothesis import given, settings
from hypothesis import strategies as st

from robohockey_core.checked import InputError
from robohockey_core.kinematics import arc_step
from robohockey_core.league import RobotSpec, load_league
from robohockey_sim.drive_parameters import drive_parameters

FOUR_WHEELS = RobotSpec(drive="omni", wheel_angles_rad=(0.8, 2.2, -2.2, -0.8))


@pytest.mark.parametrize("spec", [DIFFERENTIAL, OMNI, FOUR_WHEELS], ids=["differential", "three omni", "four omni"])
def test_kinematic_wheels_reach_their_commands_at_the_limit_of_acceleration(spec):
    robot = Robot(spec)
    command = np.linspace(-4.0, 3.0, len(robot.wheel_speed))
    robot.step(command, 0.01)
    limit = spec.max_wheel_acceleration_rad_s2 * 0.01
    assert robot.wheel_speed == pytest.approx(np.clip(command, -limit, limit), rel=1e-14)
    robot.run(command, 0.01, 5)
    assert np.array_equal(robot.wheel_speed, command)
    assert robot.twist == pytest.approx(spec.make_drive().body_twist(command), abs=1e-15)


def trajectory(**changes) -> RobotSpec:
    return RobotSpec(motion="wheel_trajectory", **changes)


def model_wheels(left, right, v_left, v_right, base_m, share, dt_s):
    """One step of the model on wheel positions, as complex numbers: predict, then pull together along the axle."""
    ahead = (right - left) * 1j / base_m
    left, right = left + v_left * ahead * dt_s, right + v_right * ahead * dt_s
    axle = right - left
    excess = (abs(axle) - base_m) * axle / abs(axle)
    return left + (1.0 - share) * excess, right - share * excess


BOTH = pytest.mark.parametrize("by_speed", [False, True], ids=["fixed f", "by speed"])


@BOTH
@pytest.mark.parametrize("substeps", [1, 4])
@pytest.mark.parametrize("yaw", [0.0, math.pi / 4.0, -2.0])
@pytest.mark.parametrize("rims", [(0.4, 0.9), (1.0, 1.0), (0.0, 0.8), (-0.5, 0.5), (-0.3, -0.8)])
def test_the_arc_lands_where_the_models_wheels_are(by_speed, substeps, yaw, rims):
    spec = trajectory(trajectory_correction=0.3, trajectory_correction_by_speed=by_speed, trajectory_substeps=substeps)
    robot = Robot(spec, pose=(0.3, -0.2, yaw))
    half = 0.5 * spec.wheel_base_m * np.exp(1j * (yaw + math.pi / 2.0))
    left, right = 0.3 - 0.2j + half, 0.3 - 0.2j - half
    share = abs(rims[1]) / (abs(rims[0]) + abs(rims[1])) if by_speed else 0.3
    for _ in range(3):
        robot.step(np.array(rims) / spec.wheel_radius_m, 0.01)
        for _ in range(substeps):
            left, right = model_wheels(left, right, *rims, spec.wheel_base_m, share, 0.01 / substeps)
    assert abs(right - left) == pytest.approx(spec.wheel_base_m, rel=1e-14)
    centre = 0.5 * (left + right)
    assert robot.pose[:2] == pytest.approx([centre.real, centre.imag], abs=1e-13)
    heading = (right - left) * 1j / spec.wheel_base_m
    assert np.exp(1j * robot.pose[2]) == pytest.approx(heading, abs=1e-12)


@BOTH
def test_trajectory_error_shrinks_with_either_time_scale(by_speed):
    rims, seconds = (0.3, 0.5), 0.4
    base_m = RobotSpec().wheel_base_m
    exact = np.array(arc_step(0.0, 0.0, 0.5, 0.4, 0.0, 0.2 / base_m, seconds))

    def error(steps: int, substeps: int) -> float:
        spec = trajectory(trajectory_correction_by_speed=by_speed, trajectory_substeps=substeps)
        robot = Robot(spec, pose=(0.0, 0.0, 0.5)).run(np.array(rims) / spec.wheel_radius_m, seconds / steps, steps)
        return float(np.linalg.norm(robot.pose - exact))

    assert orders([error(n, 1) for n in (100, 200, 400, 800)]) == pytest.approx([1.0] * 3, abs=0.1)
    assert error(20, 10) == pytest.approx(error(200, 1), rel=1e-9)


def test_by_speed_the_wheel_that_stands_is_the_pivot():
    spec = trajectory(trajectory_correction_by_speed=True)
    robot = Robot(spec).run([0.0, 40.0], 0.005, 40)
    x, y, yaw = robot.pose
    pivot = (x - spec.wheel_base_m / 2.0 * math.sin(yaw), y + spec.wheel_base_m / 2.0 * math.cos(yaw))
    assert pivot == pytest.approx((0.0, spec.wheel_base_m / 2.0), abs=1e-14)


@BOTH
def test_a_spin_stays_on_the_spot_and_standing_stands(by_speed):
    spec = trajectory(trajectory_correction_by_speed=by_speed)
    robot = Robot(spec).run([-30.0, 30.0], 0.002, 50)
    assert robot.pose[:2] == pytest.approx([0.0, 0.0], abs=1e-15)
    assert robot.pose[2] == pytest.approx(50 * math.atan(1.2 * 0.002 / spec.wheel_base_m))
    still = robot.pose.copy()
    assert np.array_equal(robot.run([0.0, 0.0], 0.002, 3).pose, still)


def test_the_printed_correction_is_wrong_at_45_degrees():
    """The reason for leaving the printed signs: they take e_a from x and from y, and the axle comes out short."""
    base_m, dt_s, v_left, v_right = 0.068, 0.01, 0.2, 0.8
    left, right = np.zeros(2), base_m * np.array([-1.0, 1.0]) / math.sqrt(2.0)
    ahead = np.array([(right - left)[1], -(right - left)[0]]) / base_m
    left, right = left + v_left * dt_s * ahead, right + v_right * dt_s * ahead
    e = right - left
    excess = np.linalg.norm(e) - base_m
    printed = e - np.sign(e) * excess
    assert np.linalg.norm(printed) - base_m == pytest.approx((1.0 - math.sqrt(2.0)) * excess, rel=0.05)


@settings(max_examples=150, deadline=None)
@given(
    motion=st.sampled_from(["kinematic", "dynamic", "wheel_trajectory"]),
    twist=st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0), st.floats(-40.0, 40.0)),
    commands=st.lists(st.tuples(st.floats(-60.0, 60.0), st.floats(-60.0, 60.0)), min_size=1, max_size=20),
    offset_m=st.floats(-0.03, 0.03),
    dt_s=st.sampled_from([0.0005, 0.001, 0.005]),
)
def test_nothing_runs_away(motion, twist, commands, offset_m, dt_s):
    spec = RobotSpec(motion=motion, mass_centre_offset_m=offset_m)
    robot = Robot(spec, twist=twist)
    start = robot.energy_j
    work_limit = 0.0
    for command in commands:
        work_limit += 2.0 * spec.motor_stall_torque_n_m * max(60.0, float(np.abs(robot.wheel_speed).max())) * 20 * dt_s
        robot.run(command, dt_s, 20)
        assert np.all(np.isfinite(robot.pose)) and np.all(np.isfinite(robot.twist)) and np.all(np.isfinite(robot.wheel_speed))
        if motion == "dynamic":
            assert robot.energy_j <= 1.05 * start + 2.0 * work_limit


def test_a_motor_beyond_simulation_is_refused():
    with pytest.raises(InputError, match="must take at least 1e-05 s"):
        drive_parameters(dynamic(motor_stall_torque_n_m=1e4), GRAVITY_M_S2)


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        ("{motion: flying}", "must be one of kinematic, dynamic, wheel_trajectory"),
        ("{motion: dynamic, wheel_mass_kg: 0.3}", "robot.wheel_mass_kg = 0.3: must be below 0.25"),
        ("{motion: dynamic, mass_centre_offset_m: -0.04}", "robot.mass_centre_offset_m = -0.04: must lie inside the body"),
        ("{motion: dynamic, tyre_traction: .nan}", "tyre_traction = nan: must be finite"),
        ("{motion: dynamic, motor_stall_torque_n_m: 0}", "motor_stall_torque_n_m = 0: must be above 0"),
        ("{motion: wheel_trajectory, drive: omni}", "needs robot.drive = differential"),
        ("{motion: wheel_trajectory, max_wheel_speed_rad_s: 2000}", "timing.physics_dt_s = 0.001: must be at most"),
        ("{motion: wheel_trajectory, trajectory_correction: 1.5}", "trajectory_correction = 1.5: must be at most 1"),
    ],
)
def test_numbers_that_a_model_cannot_use_are_refused(tmp_path, robot, words):
    path = tmp_path / "mine.yaml"
    path.write_text(f"robot: {robot}\n")
    with pytest.raises(InputError) as refused:
        load_league(str(path))
    assert words in str(refused.value)
