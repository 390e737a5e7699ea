"""Detections of any number of cameras, and odometry, to poses and velocities: one Kalman filter a joint, all in one go.

Every joint has its own 2x2 covariance under constant velocity; the filters are independent, so the arithmetic runs over
arrays with one entry a joint. `estimate` predicts to the moment it is asked for, which takes the camera's delay out of what
the strategy sees, with the wheels' word on what a robot did since. Cameras may be late by different times: what comes after a
newer sight is carried forward to it. Names that cameras mix up are put right before (`robohockey_core.identities`).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robohockey_core.angles import TWO_PI
from robohockey_core.checked import limited
from robohockey_core.identities import Identities, Known
from robohockey_core.joints import FloatArray, JointSample
from robohockey_core.kinematics import FORWARD, LEFT, TURN
from robohockey_core.names import BODY_JOINTS, PUCK, body_joints, split_joint

# A first sight says nothing about speed: these standard deviations cover any that a league allows.
_UNKNOWN_SPEED_M_S = 10.0
_UNKNOWN_YAW_RATE_RAD_S = 30.0
# A detection within this many standard deviations of the prediction may be the body's own motion.
_OWN_MOTION_SIGMAS = 3.0
# Wheels that say something this unlikely slip, or the robot is pushed.
_SLIP_SIGMAS = 3.0
# What cameras say of their own noise is believed within these limits.
_BEST_SIGMA, _WORST_SIGMA = 1e-4, 2.0
_ODOMETRY_KEPT = 50
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
    hidden_s: float = limited(1.5, "the same for a puck last seen beside a robot: it may be hidden, and goes with it", low=0.0)
    cover_m: float = limited(0.09, "a puck this near to a robot's centre is beside it", low=0.0)
    late_s: float = limited(0.1, "how much older than the newest sight another camera's may be", low=0.0)
    odometry_sigma_m_s: float = limited(0.2, "noise of the speed that wheels measure, slip included", above=0.0)
    odometry_sigma_rad_s: float = limited(1.0, "noise of the turn rate that wheels measure", above=0.0)
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
        self._odometry_variance = np.where(self._is_yaw, s.odometry_sigma_rad_s**2, s.odometry_sigma_m_s**2)
        self._jump = np.where(self._is_yaw, s.jump_rad, s.jump_m)
        self._position = np.zeros(count)
        self._velocity = np.zeros(count)
        self._p00, self._p01, self._p11 = np.zeros(count), np.zeros(count), np.zeros(count)
        self._stamp_s = np.full(count, -math.inf)
        self._measured = np.full(count, math.nan)
        self._bodies = tuple(dict.fromkeys(body for body, _ in parts))
        self._identities = Identities(self._bodies)
        self._rolled: dict[int, deque[tuple[float, FloatArray]]] = {}
        self._cover: tuple[int, FloatArray] | None = None
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
        names = self._identities.resolve(sample, self._known(sample.stamp_s)) if len(sample.names) else ()
        known = [(self._index.get(name, -1), k) for k, name in enumerate(names)]
        pairs = np.array([(i, k) for i, k in known if i >= 0], dtype=int).reshape(-1, 2)
        self.ignored_count += len(known) - len(pairs)
        joints, measured = pairs[:, 0], sample.position[pairs[:, 1]]
        noise = self._noise_variance[joints]
        if len(sample.effort) == len(sample.names):
            said = sample.effort[pairs[:, 1]]
            noise = np.where(np.isfinite(said) & (said > 0.0), np.clip(said, _BEST_SIGMA, _WORST_SIGMA) ** 2, noise)
        usable = np.abs(measured) < _FARTHEST
        newer = usable & (sample.stamp_s > self._stamp_s[joints])
        late = usable & ~newer & (self._stamp_s[joints] - sample.stamp_s <= self._settings.late_s)
        self.ignored_count += int(len(usable) - newer.sum() - late.sum())
        if newer.any():
            self._roll_to(joints[newer], sample.stamp_s)
            self._update(joints[newer], measured[newer], noise[newer], sample.stamp_s)
        if late.any():
            self._update_late(joints[late], measured[late], noise[late], sample.stamp_s)
        self._watch_cover(sample.stamp_s)

    def roll(self, body: str, body_twist: FloatArray, stamp_s: float) -> None:
        """Take what a robot's wheels measure: forward and left m/s, turn rad/s, in its own frame."""
        first = self._index.get(f"{body}/{BODY_JOINTS[0]}")
        if first is None or not np.isfinite(body_twist).all():
            self.ignored_count += 1
            return
        rolled = self._rolled.setdefault(first, deque(maxlen=_ODOMETRY_KEPT))
        if not rolled or stamp_s > rolled[-1][0]:
            rolled.append((stamp_s, body_twist))

    def reset(self) -> None:
        """Forget everything that was seen."""
        self._stamp_s[:] = -math.inf
        self._rolled.clear()
        self._cover = None
        self._identities.forget()

    def estimate(self, now_s: float) -> JointSample:
        """Poses, velocities and standard deviations predicted to `now_s`, of every body still in sight."""
        age_s = now_s - self._stamp_s
        fresh = (np.abs(age_s) <= self._keep_s(age_s)).nonzero()[0]
        kept = [values.copy() for values in (self._position, self._velocity, self._p00, self._p01, self._p11, self._stamp_s)]
        self._roll_to(fresh, now_s)
        older_s = np.maximum(0.0, now_s - self._stamp_s[fresh])
        ahead_s = np.minimum(older_s, self._settings.max_prediction_s)
        position = self._position[fresh] + self._velocity[fresh] * ahead_s
        velocity = self._velocity[fresh].copy()
        # A body that nobody sees moves on for a while only; how unsure its place is grows on.
        p00, _, _ = self._predicted_covariance(fresh, older_s)
        self._position, self._velocity, self._p00, self._p01, self._p11, self._stamp_s = kept
        self._follow_cover(fresh, position, velocity, age_s)
        position = np.where(self._is_yaw[fresh], _wrap(position), position)
        return JointSample(now_s, tuple(self.names[i] for i in fresh), position, velocity, np.sqrt(p00))

    def _keep_s(self, age_s: FloatArray) -> FloatArray:
        """How long each joint is reported without being seen."""
        keep_s = np.full(len(age_s), self._settings.forget_s)
        if self._cover is not None:
            robot, _ = self._cover
            robot_is_seen = abs(age_s[robot]) <= self._settings.forget_s
            keep_s[self._body == self._body[self._puck_joint()]] = self._settings.hidden_s if robot_is_seen else keep_s[0]
        return keep_s

    def _puck_joint(self) -> int:
        return self._index[body_joints(PUCK)[0]]

    def _watch_cover(self, now_s: float) -> None:
        """Note beside which robot the puck was seen last, and where from it."""
        if body_joints(PUCK)[0] not in self._index:
            return
        puck = self._puck_joint()
        if self._stamp_s[puck] != now_s:
            return
        firsts = np.arange(0, len(self.names), len(BODY_JOINTS))
        robots = firsts[(firsts != puck) & (np.abs(self._stamp_s[firsts] - now_s) <= self._settings.forget_s)]
        self._cover = None
        if len(robots):
            dx, dy = self._position[puck] - self._position[robots], self._position[puck + 1] - self._position[robots + 1]
            nearest = int(np.argmin(np.hypot(dx, dy)))
            if math.hypot(dx[nearest], dy[nearest]) < self._settings.cover_m:
                robot = int(robots[nearest])
                self._cover = robot, _turned(dx[nearest], dy[nearest], -self._position[robot + 2])

    def _follow_cover(self, fresh: _IndexArray, position: FloatArray, velocity: FloatArray, age_s: FloatArray) -> None:
        """A puck that vanished beside a robot is taken to be hidden by it, and to go where it goes."""
        if self._cover is None or age_s[self._puck_joint()] <= self._settings.max_prediction_s:
            return
        robot, offset = self._cover
        place = {int(joint): k for k, joint in enumerate(fresh)}
        puck = self._puck_joint()
        if puck not in place or puck + 1 not in place or robot + 2 not in place:
            return
        for axis, part in enumerate(_turned(offset[0], offset[1], position[place[robot + 2]])):
            position[place[puck + axis]] = position[place[robot + axis]] + part
            velocity[place[puck + axis]] = velocity[place[robot + axis]]

    def _known(self, now_s: float) -> dict[str, Known]:
        """Where each body that is still in sight is thought to be, and how surely."""
        age_s = now_s - self._stamp_s
        ahead_s = np.clip(age_s, 0.0, self._settings.max_prediction_s)
        place = (self._position + self._velocity * ahead_s).reshape(-1, len(BODY_JOINTS)).tolist()
        p00, _, _ = self._predicted_covariance(np.arange(len(self.names)), ahead_s)
        p00 = p00.reshape(-1, len(BODY_JOINTS))[:, :2].max(axis=1)
        gate_m = np.maximum(self._settings.jump_m, _OWN_MOTION_SIGMAS * np.sqrt(p00)).tolist()
        fresh = np.abs(age_s[:: len(BODY_JOINTS)]) <= self._settings.forget_s
        return {self._bodies[i]: Known(place[i][0], place[i][1], gate_m[i]) for i in fresh.nonzero()[0].tolist()}

    def _roll_to(self, joints: _IndexArray, until_s: float) -> None:
        """Carry robots along what their wheels measured since they were seen, up to a moment."""
        for first in np.unique(joints - joints % len(BODY_JOINTS)).tolist():
            body = np.arange(first, first + len(BODY_JOINTS))
            for moment_s, twist in self._rolled.get(first, ()):
                dt_s = moment_s - self._stamp_s[body]
                if moment_s > until_s or not (dt_s > 0.0).all() or not (dt_s <= self._settings.forget_s).all():
                    continue
                p00, p01, p11 = self._predicted_covariance(body, dt_s)
                place = self._position[body] + self._velocity[body] * dt_s
                forward, left, turn = (float(twist[i]) for i in (FORWARD, LEFT, TURN))
                innovation = np.append(_turned(forward, left, place[2]), turn) - self._velocity[body]
                spread = p11 + self._odometry_variance[body]
                believed = np.all(np.abs(innovation) < _SLIP_SIGMAS * np.sqrt(spread))
                gain0, gain1 = (p01 / spread, p11 / spread) if believed else (np.zeros(3), np.zeros(3))
                self._position[body] = place + gain0 * innovation
                self._velocity[body] += gain1 * innovation
                self._p00[body], self._p01[body], self._p11[body] = p00 - gain0 * p01, p01 - gain0 * p11, p11 - gain1 * p11
                self._stamp_s[body] = moment_s

    def _predicted_covariance(self, joints: _IndexArray, dt_s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Covariance after dt under white acceleration that changes the speed by about acceleration * dt.

        Were it held constant over the interval, a place off by d would mean a speed off by 2 d / dt, twice
        what a kick does: with a good camera the velocity would overshoot after each kick and ring on.
        """
        p00, p01, p11 = self._p00[joints], self._p01[joints], self._p11[joints]
        push = self._acceleration[joints] * dt_s
        predicted_p00 = p00 + dt_s * (2.0 * p01 + dt_s * p11) + (push * dt_s) ** 2 / 3.0
        return predicted_p00, p01 + dt_s * p11 + 0.5 * push * push * dt_s, p11 + push * push

    def _update_late(self, joints: _IndexArray, measured: FloatArray, noise: FloatArray, stamp_s: float) -> None:
        """Take the sight of a slower camera: carried forward to the newest one, and less sure by what may have changed.

        It corrects, but it moves nobody: a place that motion does not explain is old news. So is the same sight once more.
        """
        lag_s = self._stamp_s[joints] - stamp_s
        innovation = measured + self._velocity[joints] * lag_s - self._position[joints]
        innovation = np.where(self._is_yaw[joints], _wrap(innovation), innovation)
        spread = self._p00[joints] + noise + lag_s**2 * self._p11[joints] + (self._acceleration[joints] * lag_s**2) ** 2 / 3.0
        bodies = self._body[joints]
        new = (lag_s != 0.0) | (measured != self._measured[joints])
        doubted = np.abs(innovation) >= np.maximum(self._jump[joints], _OWN_MOTION_SIGMAS * np.sqrt(spread))
        believed = np.isin(bodies, bodies[new]) & ~np.isin(bodies, bodies[doubted])
        self.ignored_count += int(len(believed) - believed.sum())
        joints, innovation, spread = joints[believed], innovation[believed], spread[believed]
        gain0, gain1 = self._p00[joints] / spread, self._p01[joints] / spread
        self._position[joints] += gain0 * innovation
        self._velocity[joints] += gain1 * innovation
        self._p11[joints] -= gain1 * self._p01[joints]
        self._p01[joints] *= 1.0 - gain0
        self._p00[joints] *= 1.0 - gain0

    def _update(self, joints: _IndexArray, measured: FloatArray, noise: FloatArray, stamp_s: float) -> None:
        age_s = stamp_s - self._stamp_s[joints]
        known = age_s <= self._settings.forget_s
        dt_s = np.where(known, age_s, 0.0)
        predicted = self._position[joints] + self._velocity[joints] * dt_s
        innovation = measured - predicted
        innovation = np.where(self._is_yaw[joints], _wrap(innovation), innovation)
        p00, p01, p11 = self._predicted_covariance(joints, dt_s)
        spread = p00 + noise
        gain0, gain1 = p00 / spread, p01 / spread
        started_anew = ~known | self._moved_by_hand(joints, np.abs(innovation), np.sqrt(spread))
        velocity = self._velocity[joints] + gain1 * innovation
        self._position[joints] = np.where(started_anew, measured, predicted + gain0 * innovation)
        self._velocity[joints] = np.where(started_anew, 0.0, velocity)
        self._p00[joints] = np.where(started_anew, noise, (1.0 - gain0) * p00)
        self._p01[joints] = np.where(started_anew, 0.0, (1.0 - gain0) * p01)
        self._p11[joints] = np.where(started_anew, self._unknown_velocity_variance[joints], p11 - gain1 * p01)
        self._stamp_s[joints], self._measured[joints] = stamp_s, measured

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


def _turned(x: float, y: float, angle_rad: float) -> FloatArray:
    cos, sin = math.cos(angle_rad), math.sin(angle_rad)
    return np.array([cos * x - sin * y, sin * x + cos * y])
