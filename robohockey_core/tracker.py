"""Detections to poses and velocities: one constant-velocity Kalman filter a joint, all in one go.

Every joint has its own 2x2 covariance; the filters are independent, so the arithmetic runs over
arrays with one entry a joint. `estimate` predicts to the moment it is asked for, which takes the
camera's delay out of what the strategy sees.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robohockey_core.angles import TWO_PI
from robohockey_core.checked import limited
from robohockey_core.joints import FloatArray, JointSample
from robohockey_core.names import BODY_JOINTS, PUCK, body_joints, split_joint

# A first sight says nothing about speed: these standard deviations cover any that a league allows.
_UNKNOWN_SPEED_M_S = 10.0
_UNKNOWN_YAW_RATE_RAD_S = 30.0
# A detection within this many standard deviations of the prediction may be the body's own motion.
_OWN_MOTION_SIGMAS = 3.0
# Beyond any rink, and small enough for its squares to stay finite.
_FARTHEST = 1e6

_IndexArray = NDArray[np.intp]


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
        count = len(self.names)
        parts = [split_joint(name) for name in self.names]
        self._is_yaw = np.array([axis == "yaw" for _, axis in parts])
        self._body = np.repeat(np.arange(count // len(BODY_JOINTS)), len(BODY_JOINTS))
        is_puck = np.array([body == PUCK for body, _ in parts])
        acceleration = np.where(is_puck, s.puck_acceleration_m_s2, s.robot_acceleration_m_s2)
        self._acceleration = np.where(self._is_yaw, s.robot_yaw_acceleration_rad_s2, acceleration)
        self._noise_variance = np.where(self._is_yaw, s.yaw_sigma_rad**2, s.position_sigma_m**2)
        self._unknown_velocity_variance = np.where(self._is_yaw, _UNKNOWN_YAW_RATE_RAD_S**2, _UNKNOWN_SPEED_M_S**2)
        self._jump = np.where(self._is_yaw, s.jump_rad, s.jump_m)
        self._position = np.zeros(count)
        self._velocity = np.zeros(count)
        self._p00, self._p01, self._p11 = np.zeros(count), np.zeros(count), np.zeros(count)
        self._stamp_s = np.full(count, -math.inf)
        self.ignored_count = 0

    def see(self, sample: JointSample, now_s: float = math.inf) -> None:
        """Take one camera's detections. Unknown names, old news, and values that are not finite or absurd are left out.

        So is a sample stamped further ahead of `now_s` than a camera's clock can be off: everything that
        comes after it would be old news.
        """
        from_the_future = not sample.stamp_s <= now_s + self._settings.forget_s
        if from_the_future or len(sample.position) != len(sample.names):
            self.ignored_count += len(sample.names)
            return
        known = [(self._index.get(name, -1), k) for k, name in enumerate(sample.names)]
        pairs = np.array([(i, k) for i, k in known if i >= 0], dtype=int).reshape(-1, 2)
        self.ignored_count += len(known) - len(pairs)
        joints, measured = pairs[:, 0], sample.position[pairs[:, 1]]
        usable = (np.abs(measured) < _FARTHEST) & (sample.stamp_s > self._stamp_s[joints])
        self.ignored_count += int(len(usable) - usable.sum())
        if usable.any():
            self._update(joints[usable], measured[usable], sample.stamp_s)

    def reset(self) -> None:
        """Forget everything that was seen."""
        self._stamp_s[:] = -math.inf

    def estimate(self, now_s: float) -> JointSample:
        """Poses, velocities and standard deviations predicted to `now_s`, of every body still in sight."""
        age_s = now_s - self._stamp_s
        fresh = (np.abs(age_s) <= self._settings.forget_s).nonzero()[0]
        ahead_s = np.clip(age_s[fresh], 0.0, self._settings.max_prediction_s)
        position = self._position[fresh] + self._velocity[fresh] * ahead_s
        position = np.where(self._is_yaw[fresh], _wrap(position), position)
        p00, _, _ = self._predicted_covariance(fresh, ahead_s)
        return JointSample(now_s, tuple(self.names[i] for i in fresh), position, self._velocity[fresh].copy(), np.sqrt(p00))

    def _predicted_covariance(self, joints: _IndexArray, dt_s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Covariance after dt under white acceleration that changes the speed by about acceleration * dt.

        Were it held constant over the interval, a place off by d would mean a speed off by 2 d / dt, twice
        what a kick does: with a good camera the velocity would overshoot after each kick and ring on.
        """
        p00, p01, p11 = self._p00[joints], self._p01[joints], self._p11[joints]
        push = self._acceleration[joints] * dt_s
        predicted_p00 = p00 + dt_s * (2.0 * p01 + dt_s * p11) + (push * dt_s) ** 2 / 3.0
        return predicted_p00, p01 + dt_s * p11 + 0.5 * push * push * dt_s, p11 + push * push

    def _update(self, joints: _IndexArray, measured: FloatArray, stamp_s: float) -> None:
        age_s = stamp_s - self._stamp_s[joints]
        known = age_s <= self._settings.forget_s
        dt_s = np.where(known, age_s, 0.0)
        predicted = self._position[joints] + self._velocity[joints] * dt_s
        innovation = measured - predicted
        innovation = np.where(self._is_yaw[joints], _wrap(innovation), innovation)
        p00, p01, p11 = self._predicted_covariance(joints, dt_s)
        noise = self._noise_variance[joints]
        spread = p00 + noise
        gain0, gain1 = p00 / spread, p01 / spread
        started_anew = ~known | self._moved_by_hand(joints, np.abs(innovation), np.sqrt(spread))
        velocity = self._velocity[joints] + gain1 * innovation
        self._position[joints] = np.where(started_anew, measured, predicted + gain0 * innovation)
        self._velocity[joints] = np.where(started_anew, 0.0, velocity)
        self._p00[joints] = np.where(started_anew, noise, (1.0 - gain0) * p00)
        self._p01[joints] = np.where(started_anew, 0.0, (1.0 - gain0) * p01)
        self._p11[joints] = np.where(started_anew, self._unknown_velocity_variance[joints], p11 - gain1 * p01)
        self._stamp_s[joints] = stamp_s

    def _moved_by_hand(self, joints: _IndexArray, surprise: FloatArray, sigma: FloatArray) -> NDArray[np.bool_]:
        """Which joints were put elsewhere: with x or y the whole body, for its old motion ended there.

        A fast puck also lands far from a prediction that knows nothing of its speed yet, so far alone is
        not enough: it must be more than the filter's own doubt.
        """
        jumped = surprise > np.maximum(self._jump[joints], _OWN_MOTION_SIGMAS * sigma)
        if not jumped.any():
            return jumped
        bodies = self._body[joints]
        return jumped | np.isin(bodies, bodies[jumped & ~self._is_yaw[joints]])


def _wrap(angle_rad: FloatArray) -> FloatArray:
    """To (-pi, pi], as `angles.wrap` does for one angle."""
    return angle_rad - TWO_PI * np.ceil((angle_rad - math.pi) / TWO_PI)
