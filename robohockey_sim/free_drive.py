"""A robot alone on endless ice: the simulator's own motion, driven by a list of commands. For identification."""

# numba's decorators carry no types.
# mypy: allow-untyped-decorators

from __future__ import annotations

import numpy as np

from robohockey_core.compiled import compiled, inlined
from robohockey_core.joints import FloatArray
from robohockey_core.kinematics import arc_step
from robohockey_sim.drive_parameters import DriveParameters
from robohockey_sim.drives import step_dynamic

_arc_step = inlined(arc_step)


@compiled
def drive_freely(
    p: DriveParameters, wheels_to_twist: FloatArray, first_speeds: FloatArray, commands: FloatArray, dt_s: float
) -> tuple[FloatArray, FloatArray]:
    """Wheel speeds and poses before the first and after every step, from the origin (dynamic model)."""
    steps, wheels = commands.shape
    speeds, poses = np.zeros((steps + 1, wheels)), np.zeros((steps + 1, 3))
    wheel_speed = first_speeds.copy()
    twist = wheels_to_twist @ wheel_speed
    speeds[0] = wheel_speed
    x, y, yaw = 0.0, 0.0, 0.0
    for i in range(steps):
        step_dynamic(p, poses[i], twist, wheel_speed, commands[i], wheels_to_twist, dt_s)
        x, y, yaw = _arc_step(x, y, yaw, twist[0], twist[1], twist[2], dt_s)
        speeds[i + 1] = wheel_speed
        poses[i + 1, 0], poses[i + 1, 1], poses[i + 1, 2] = x, y, yaw
    return speeds, poses
