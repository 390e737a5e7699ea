"""One free robot for tests of the motion models."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise

import numpy as np

from robohockey_core.kinematics import arc_step
from robohockey_core.league import RobotSpec
from robohockey_sim.drive_parameters import drive_parameters, model_of
from robohockey_sim.drives import free_step

GRAVITY_M_S2 = 9.81
DIFFERENTIAL = RobotSpec()
OMNI = RobotSpec(drive="omni")


class Robot:
    """One free robot: a model, its arrays, and the exact arc behind it."""

    def __init__(self, spec: RobotSpec, twist=(0.0, 0.0, 0.0), pose=(0.0, 0.0, 0.0)) -> None:
        drive = spec.make_drive()
        self.matrix = drive.matrix
        self.model, self.p = model_of(spec.motion), drive_parameters(spec, GRAVITY_M_S2)
        self.pose, self.twist = np.array(pose, dtype=float), np.array(twist, dtype=float)
        self.wheel_speed = drive.wheel_speeds(self.twist)
        self._wheels_to_twist = np.ascontiguousarray(drive.inverse)

    def step(self, command, dt_s: float) -> None:
        command = np.array(command, dtype=float)
        before = self.pose.copy()
        free_step(self.model, self.p, self.pose, self.twist, self.wheel_speed, command, self._wheels_to_twist, dt_s)
        assert np.array_equal(self.pose, before), "a model leaves the pose to the arc"
        self.pose[:] = arc_step(*self.pose, *self.twist, dt_s)

    def run(self, command, dt_s: float, steps: int) -> Robot:
        for _ in range(steps):
            self.step(command, dt_s)
        return self

    @property
    def energy_j(self) -> float:
        p = self.p
        inverse = np.array([[p.n_vv, p.n_vu, p.n_vw], [p.n_vu, p.n_uu, p.n_uw], [p.n_vw, p.n_uw, p.n_ww]])
        mass = np.linalg.inv(inverse)
        return float(0.5 * self.twist @ mass @ self.twist)


def dynamic(spec: RobotSpec = DIFFERENTIAL, **changes) -> RobotSpec:
    return dataclasses.replace(spec, motion="dynamic", **changes)


def orders(errors: list[float]) -> list[float]:
    return [math.log2(a / b) for a, b in pairwise(errors)]
