"""This project's simulator, through the calls that any user of `World` has."""

from __future__ import annotations

import platform

import numba
import numpy as np

from bench.engines import Engine
from bench.scenes import Start
from robohockey_core.joints import JointSample, bodies_sample
from robohockey_core.kinematics import FloatArray
from robohockey_core.league import League
from robohockey_core.names import PUCK, body_joints
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_sim.world import World


class OurEngine(Engine):
    settings = f"numba {numba.__version__} on Python {platform.python_version()}; the preset as it is, 20 steps in a call"

    def __init__(self, league: League, start: Start) -> None:
        super().__init__(league, start)
        self._world = World(league)
        self._robots = league.robots()
        poses = zip(map(str, self._robots), start.poses.tolist(), strict=True)
        bodies = {robot: BodyState(Pose2D(*pose)) for robot, pose in poses}
        x_m, y_m, vx_m_s, vy_m_s = start.puck.tolist()
        bodies[PUCK] = BodyState(Pose2D(x_m, y_m), Twist2D(vx_m_s, vy_m_s))
        self._world.set_state(bodies_sample(0.0, bodies))
        self._commands = np.zeros((len(self.poses), len(self._world.wheel_names)))

    def read(self) -> None:
        self.poses[:] = self._world.poses
        self.puck[:] = self._world.puck[:4]

    def drive(self, commands: FloatArray) -> None:
        self._commands = commands

    def step(self, steps: int) -> None:
        self._world.step(steps, self._commands)

    def put_puck(self, x_m: float, y_m: float) -> None:
        self._world.set_state(JointSample(0.0, body_joints(PUCK), np.array([x_m, y_m, 0.0]), np.zeros(3)))
