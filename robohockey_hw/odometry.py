"""Where a robot is by its own wheels: angles that wrap on the wire, counted on, and rolled along arcs."""

from __future__ import annotations

import numpy as np

from robohockey_core.angles import wrap
from robohockey_core.joints import FloatArray
from robohockey_core.kinematics import Drive, arc_step
from robohockey_core.state import Pose2D
from robohockey_hw.protocol import ANGLE_RANGE_RAD


class WheelOdometry:
    """One robot's wheel angles without wraps, and the pose that they lead to from where it was first heard."""

    def __init__(self, drive: Drive) -> None:
        self._drive = drive
        self._last: tuple[float, FloatArray] | None = None
        self.angles_rad = np.zeros(len(drive.wheel_names))
        self.pose = Pose2D(0.0, 0.0, 0.0)
        self.twist = np.zeros(3)

    def take(self, angles_rad: tuple[float, ...], speeds_rad_s: tuple[float, ...], now_s: float) -> None:
        """Take a telemetry. Between two, the wraps are those that the mean speed makes likely."""
        told, speeds = np.array(angles_rad), np.array(speeds_rad_s)
        self.twist = self._drive.body_twist(speeds)
        if self._last is None:
            self.angles_rad = told
        else:
            last_s, last_speeds = self._last
            likely = self.angles_rad + 0.5 * (last_speeds + speeds) * (now_s - last_s)
            angles = told + ANGLE_RANGE_RAD * np.round((likely - told) / ANGLE_RANGE_RAD)
            moved = self._drive.body_twist(angles - self.angles_rad)
            forward_m, left_m, turn_rad = moved.tolist()
            x_m, y_m, yaw_rad = arc_step(*self.pose, forward_m, left_m, turn_rad, 1.0)
            self.pose, self.angles_rad = Pose2D(x_m, y_m, wrap(yaw_rad)), angles
        self._last = now_s, speeds
