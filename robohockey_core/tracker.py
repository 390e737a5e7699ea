"""Detections to poses and velocities: one constant-velocity Kalman filter a joint, all in one go.

Every joint has its own 2x2 covariance; the filters are independent, rows of one array, and their arithmetic is
compiled (`joint_filter`). `estimate` predicts to the moment it is asked for, which takes the
camera's delay out of what the strategy sees.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robohockey_core.checked import limited
from robohockey_core.joint_filter import (
    ACCELERATION,
    BODY,
    IS_YAW,
    JUMP,
    NOISE_VARIANCE,
    STAMP_S,
    UNKNOWN_VELOCITY_VARIANCE,
    estimate,
    update,
)
from robohockey_core.joints import JointSample
from robohockey_core.names import BODY_JOINTS, PUCK, body_joints, split_joint

# A first sight says nothing about speed: these standard deviations cover any that a league allows.
_UNKNOWN_SPEED_M_S = 10.0
_UNKNOWN_YAW_RATE_RAD_S = 30.0
# So many ways of naming joints are remembered, each a set of bodies that a frame showed.
_MOST_NAMINGS = 1000


@dataclass(frozen=True)
class TrackerSettings:
    position_sigma_m: float = limited(0.001, "noise of a detected position", above=0.0, high=0.5)
    yaw_sigma_rad: float = limited(0.01, "noise of a detected heading", above=0.0, high=1.0)
    robot_acceleration_m_s2: float = limited(6.0, "how hard robots change speed", above=0.0)
    robot_yaw_acceleration_rad_s2: float = limited(120.0, "how hard robots change their turn rate", above=0.0)
    puck_acceleration_m_s2: float = limited(40.0, "how hard the puck changes speed, bounces included", above=0.0)
    jump_m: float = limited(0.15, "a place this far from any that motion explains is a move by hand: start anew", above=0.0)
    jump_rad: float = limited(1.0, "the same for a heading, which then starts anew by itself", above=0.0)
    forget_s: float = limited(0.5, "a body unseen for this long is no longer reported", above=0.0)
    max_prediction_s: float = limited(0.2, "longest extrapolation beyond the last detection", low=0.0)


class Tracker:
    """Tracks the body joints of a fixed set of bodies."""

    def __init__(self, bodies: Iterable[str], settings: TrackerSettings | None = None) -> None:
        self._settings = s = settings or TrackerSettings()
        self.names = tuple(joint for body in bodies for joint in body_joints(body))
        self._index = {name: i for i, name in enumerate(self.names)}
        self._known_joints: dict[tuple[str, ...], NDArray[np.intp]] = {}
        count = len(self.names)
        parts = [split_joint(name) for name in self.names]
        is_yaw = np.array([axis == "yaw" for _, axis in parts])
        is_puck = np.array([body == PUCK for body, _ in parts])
        acceleration = np.where(is_puck, s.puck_acceleration_m_s2, s.robot_acceleration_m_s2)
        self._fixed = np.empty((count, 6))
        self._fixed[:, ACCELERATION] = np.where(is_yaw, s.robot_yaw_acceleration_rad_s2, acceleration)
        self._fixed[:, NOISE_VARIANCE] = np.where(is_yaw, s.yaw_sigma_rad**2, s.position_sigma_m**2)
        self._fixed[:, UNKNOWN_VELOCITY_VARIANCE] = np.where(is_yaw, _UNKNOWN_YAW_RATE_RAD_S**2, _UNKNOWN_SPEED_M_S**2)
        self._fixed[:, JUMP] = np.where(is_yaw, s.jump_rad, s.jump_m)
        self._fixed[:, IS_YAW] = is_yaw
        self._fixed[:, BODY] = np.arange(count) // len(BODY_JOINTS)
        self._filters = np.zeros((count, 6))
        self.ignored_count = 0
        self.reset()

    def see(self, sample: JointSample, now_s: float = math.inf) -> None:
        """Take one camera's detections. Unknown names, old news, and values that are not finite or absurd are left out.

        So is a sample stamped further ahead of `now_s` than a camera's clock can be off: everything that
        comes after it would be old news.
        """
        from_the_future = not sample.stamp_s <= now_s + self._settings.forget_s
        if from_the_future or len(sample.position) != len(sample.names):
            self.ignored_count += len(sample.names)
            return
        joints = self._joints_of(sample.names)
        measured = np.ascontiguousarray(sample.position, dtype=np.float64)
        forget_s = self._settings.forget_s
        self.ignored_count += update(self._filters, self._fixed, joints, measured, float(sample.stamp_s), forget_s)

    def reset(self) -> None:
        """Forget everything that was seen."""
        self._filters[:, STAMP_S] = -math.inf

    def estimate(self, now_s: float) -> JointSample:
        """Poses, velocities and standard deviations predicted to `now_s`, of every body still in sight."""
        s, out = self._settings, np.empty((4, len(self.names)))
        count = estimate(self._filters, self._fixed, float(now_s), s.forget_s, s.max_prediction_s, out)
        rows, position, velocity, sigma = out[:, :count]
        names = self.names if count == len(self.names) else tuple(self.names[int(i)] for i in rows)
        return JointSample(now_s, names, position, velocity, sigma)

    def _joints_of(self, names: tuple[str, ...]) -> NDArray[np.intp]:
        """Rows of the joints that a sample names, -1 for strangers; a camera names the same ones again and again."""
        joints = self._known_joints.get(names)
        if joints is None:
            if len(self._known_joints) >= _MOST_NAMINGS:
                self._known_joints.clear()
            joints = np.array([self._index.get(name, -1) for name in names], dtype=np.intp)
            self._known_joints[names] = joints
        return joints
