"""From a robot's description to the numbers that the compiled motion models in `drives` need.

Written with the body twist q = (forward, left, turn) of the geometric centre in the robot's frame.
The subscripts v, u, w below stand for these three.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robohockey_core.checked import InputError
from robohockey_core.kinematics import FORWARD, LEFT, TURN
from robohockey_core.league import DYNAMIC, KINEMATIC, OMNI, WHEEL_TRAJECTORY, RobotSpec

KINEMATIC_MODEL, DYNAMIC_MODEL, WHEEL_TRAJECTORY_MODEL = 0, 1, 2
"""How `drives.free_step` is told which model to use."""

# Of the fastest settling time of the wheels; Heun's method is good to some percent of a step's change there.
_LONGEST_STEP_SHARE = 0.5
_SHORTEST_SETTLING_S = 1e-5

_MODELS = {KINEMATIC: KINEMATIC_MODEL, DYNAMIC: DYNAMIC_MODEL, WHEEL_TRAJECTORY: WHEEL_TRAJECTORY_MODEL}


class DriveParameters(NamedTuple):
    """Numbers of one kind of robot, the same for all models."""

    max_wheel_acceleration_rad_s2: float
    wheel_radius_m: float
    # What all parts weigh together, their moment mass * offset in front of the geometric centre, and
    # their inertia about that centre; wheels count as lumps that do not spin.
    mass_kg: float
    mass_moment_kg_m: float
    yaw_inertia_kg_m2: float
    # Inertia that the twist feels while the wheels roll: the lumps and the spin of the wheels.
    m_vv: float
    m_uw: float
    m_ww: float
    # The inverse of that inertia.
    n_vv: float
    n_vu: float
    n_vw: float
    n_uu: float
    n_uw: float
    n_ww: float
    # J^T J of the drive matrix J. The models get its pseudo-inverse W, and J = W^T (J^T J).
    g_vv: float
    g_vu: float
    g_vw: float
    g_uu: float
    g_uw: float
    g_ww: float
    stall_torque_n_m: float
    line_slope_n_m_s: float
    wheel_damping_n_m_s: float
    control_gain_n_m_s: float
    traction_torque_n_m: float
    longest_step_s: float
    grips_sideways: bool
    wheel_base_m: float
    correction: float
    correction_by_speed: bool
    substeps: int


def model_of(motion: str) -> int:
    """The model's number for `drives.free_step`."""
    return _MODELS[motion]


def drive_parameters(spec: RobotSpec, gravity_m_s2: float) -> DriveParameters:
    """Derive the numbers of a robot.

    Masses and inertias follow Klancar eq 4: a body whose mass centre is d in front of the geometric
    centre, and wheels that sit around that centre. What stands in no paper:

    * A differential drive rests on two wheels and a frictionless skid under that end of the body to
      which the mass leans, so mass leaning by d takes load off the wheels: d / (length/2) of the
      body's weight. Omni wheels carry everything. The wheels share their load equally.
    * The speed control's gain makes a wheel's speed error fade with `wheel_control_time_s` when
      driving straight. A motor whose own torque-speed line is faster than that is left alone.
    """
    drive = spec.make_drive()
    wheels = len(drive.wheel_names)
    omni = spec.drive == OMNI
    gram = drive.matrix.T @ drive.matrix

    body_kg = max(0.0, spec.mass_kg - wheels * spec.wheel_mass_kg)
    body_inertia = spec.body_inertia_kg_m2 or body_kg * (spec.length_m**2 + spec.width_m**2) / 12.0
    wheel_inertia = spec.wheel_inertia_kg_m2 or 0.5 * spec.wheel_mass_kg * spec.wheel_radius_m**2
    upright_wheel_inertia = 0.25 * spec.wheel_mass_kg * spec.wheel_radius_m**2  # a thin disc about its diameter
    wheel_distance_m = spec.hub_radius_m if omni else spec.wheel_base_m / 2.0
    wheels_in_front_m = spec.hub_radius_m * sum(map(math.cos, spec.wheel_angles_rad)) if omni else 0.0
    mass_moment = body_kg * spec.mass_centre_offset_m + spec.wheel_mass_kg * wheels_in_front_m
    yaw_inertia = (
        body_inertia
        + body_kg * spec.mass_centre_offset_m**2
        + wheels * (upright_wheel_inertia + spec.wheel_mass_kg * wheel_distance_m**2)
    )

    skid_kg = 0.0 if omni else body_kg * abs(spec.mass_centre_offset_m) / (spec.length_m / 2.0)
    wheel_load_n = gravity_m_s2 * (spec.mass_kg - skid_kg) / wheels
    mass = wheel_inertia * gram
    mass += np.array([[spec.mass_kg, 0.0, 0.0], [0.0, spec.mass_kg, mass_moment], [0.0, mass_moment, yaw_inertia]])
    inverse_mass = np.linalg.inv(mass)
    inertia_at_wheel = float(mass[FORWARD, FORWARD] / gram[FORWARD, FORWARD])
    line_slope = spec.motor_stall_torque_n_m / spec.motor_no_load_speed_rad_s
    gain = max(0.0, inertia_at_wheel / spec.wheel_control_time_s - line_slope - spec.wheel_damping_n_m_s)
    # How fast the wheels' torques, which fall by that much per rad/s, slow the fastest of the twist's three modes.
    torque_slope = line_slope + spec.wheel_damping_n_m_s + gain
    settling_s = 1.0 / (torque_slope * float(np.abs(np.linalg.eigvals(inverse_mass @ gram)).max()))
    if DYNAMIC in spec.motions and settling_s < _SHORTEST_SETTLING_S:
        raise InputError(
            f"robot: motor torque, damping and inertia let a wheel settle in {settling_s:.1e} s; "
            f"must take at least {_SHORTEST_SETTLING_S:g} s to be simulated"
        )
    return DriveParameters(
        max_wheel_acceleration_rad_s2=spec.max_wheel_acceleration_rad_s2,
        wheel_radius_m=spec.wheel_radius_m,
        mass_kg=spec.mass_kg,
        mass_moment_kg_m=mass_moment,
        yaw_inertia_kg_m2=yaw_inertia,
        m_vv=float(mass[FORWARD, FORWARD]),
        m_uw=float(mass[LEFT, TURN]),
        m_ww=float(mass[TURN, TURN]),
        n_vv=float(inverse_mass[FORWARD, FORWARD]),
        n_vu=float(inverse_mass[FORWARD, LEFT]),
        n_vw=float(inverse_mass[FORWARD, TURN]),
        n_uu=float(inverse_mass[LEFT, LEFT]),
        n_uw=float(inverse_mass[LEFT, TURN]),
        n_ww=float(inverse_mass[TURN, TURN]),
        g_vv=float(gram[FORWARD, FORWARD]),
        g_vu=float(gram[FORWARD, LEFT]),
        g_vw=float(gram[FORWARD, TURN]),
        g_uu=float(gram[LEFT, LEFT]),
        g_uw=float(gram[LEFT, TURN]),
        g_ww=float(gram[TURN, TURN]),
        stall_torque_n_m=spec.motor_stall_torque_n_m,
        line_slope_n_m_s=line_slope,
        wheel_damping_n_m_s=spec.wheel_damping_n_m_s,
        control_gain_n_m_s=gain,
        traction_torque_n_m=spec.tyre_traction * wheel_load_n * spec.wheel_radius_m,
        longest_step_s=_LONGEST_STEP_SHARE * settling_s,
        grips_sideways=not omni,
        wheel_base_m=spec.wheel_base_m,
        correction=spec.trajectory_correction,
        correction_by_speed=spec.trajectory_correction_by_speed,
        substeps=spec.trajectory_substeps,
    )
