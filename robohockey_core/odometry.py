"""Wheel speeds to body twists: what `joint_states` says of how robots move."""

from __future__ import annotations

import numpy as np

from robohockey_core.joints import FloatArray, JointSample
from robohockey_core.league import League
from robohockey_core.names import RobotId


class Odometry:
    """Reads the wheels of a league's robots."""

    def __init__(self, league: League) -> None:
        self._drive = league.robot.make_drive()
        self._wheels = {robot: [robot.joint(wheel) for wheel in self._drive.wheel_names] for robot in league.robots()}

    def twists(self, sample: JointSample) -> dict[RobotId, FloatArray]:
        """Forward and left m/s and turn rad/s, in its own frame, of every robot whose wheels are all there."""
        if len(sample.velocity) != len(sample.names):
            return {}
        speeds = dict(zip(sample.names, sample.velocity.tolist(), strict=True))
        return {
            robot: self._drive.body_twist(np.array([speeds[wheel] for wheel in wheels]))
            for robot, wheels in self._wheels.items()
            if all(wheel in speeds for wheel in wheels)
        }
