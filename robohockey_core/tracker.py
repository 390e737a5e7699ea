"""Detections of any number of cameras, and odometry, to poses and velocities: one Kalman filter a joint.

Every joint has its own 2x2 covariance under constant velocity; the filters are independent, rows of one array, and their
arithmetic is compiled (`joint_filter`). `estimate` predicts to the moment it is asked for, which takes the camera's delay out
of what the strategy sees, with the wheels' word on what a robot did since. Cameras may be late by different times: what comes
after a newer sight is carried forward to it. Names that cameras mix up are put right before (`identities`).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from robohockey_core.checked import limited
from robohockey_core.identities import ANONYMOUS, Identities, Known
from robohockey_core.joint_filter import (
    ACCELERATION,
    BODY,
    FILTER_COLUMNS,
    FIXED_COLUMNS,
    IS_YAW,
    JUMP,
    NOISE_VARIANCE,
    ODOMETRY_VARIANCE,
    OWN_MOTION_SIGMAS,
    STAMP_S,
    UNKNOWN_VELOCITY_VARIANCE,
    estimate,
    find_cover,
    find_jumps,
    roll,
    update,
)
from robohockey_core.joints import FloatArray, JointSample
from robohockey_core.league import League
from robohockey_core.names import BODY_JOINTS, PUCK, body_joints, split_joint

# A first sight says nothing about speed: these standard deviations cover any that a league allows.
_UNKNOWN_SPEED_M_S = 10.0
_UNKNOWN_YAW_RATE_RAD_S = 30.0
# So many ways of naming joints are remembered, each a set of bodies that a frame showed.
_MOST_NAMINGS = 1000
# What cameras say of their own noise is believed within these limits.
_BEST_SIGMA, _WORST_SIGMA = 1e-4, 2.0
_ODOMETRY_KEPT = 50
_NOBODY = -1


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
    cover_m: float = limited(0.0, "a puck this near to a robot's centre is beside it; 0: as large as the league's are", low=0.0)
    late_s: float = limited(0.1, "how much older than the newest sight another camera's may be", low=0.0)
    odometry_sigma_m_s: float = limited(0.1, "noise of the speed that wheels measure, slip included", above=0.0)
    odometry_sigma_rad_s: float = limited(0.5, "noise of the turn rate that wheels measure", above=0.0)
    max_prediction_s: float = limited(0.2, "longest extrapolation beyond the last detection", low=0.0)


def settings_for(league: League, settings: TrackerSettings) -> TrackerSettings:
    """The same settings with what is 0 taken from the league: how near a puck beside a robot is."""
    beside_m = league.robot.circumradius_m + 1.5 * league.puck.radius_m
    return replace(settings, cover_m=settings.cover_m or beside_m)


@lru_cache(maxsize=256)
def _somebody_is_nameless(names: tuple[str, ...]) -> bool:
    return any(ANONYMOUS in name for name in names)


class Tracker:
    """Tracks the body joints of a fixed set of bodies."""

    def __init__(self, bodies: Iterable[str], settings: TrackerSettings | None = None) -> None:
        self._settings = s = settings or TrackerSettings()
        self._bodies = tuple(bodies)
        self.names = tuple(joint for body in self._bodies for joint in body_joints(body))
        self._index = {name: i for i, name in enumerate(self.names)}
        self._known_joints: dict[tuple[str, ...], NDArray[np.intp]] = {}
        count = len(self.names)
        parts = [split_joint(name) for name in self.names]
        is_yaw = np.array([axis == "yaw" for _, axis in parts])
        is_puck = np.array([body == PUCK for body, _ in parts])
        acceleration = np.where(is_puck, s.puck_acceleration_m_s2, s.robot_acceleration_m_s2)
        self._fixed = np.empty((count, FIXED_COLUMNS))
        self._fixed[:, ACCELERATION] = np.where(is_yaw, s.robot_yaw_acceleration_rad_s2, acceleration)
        self._fixed[:, NOISE_VARIANCE] = np.where(is_yaw, s.yaw_sigma_rad**2, s.position_sigma_m**2)
        self._fixed[:, UNKNOWN_VELOCITY_VARIANCE] = np.where(is_yaw, _UNKNOWN_YAW_RATE_RAD_S**2, _UNKNOWN_SPEED_M_S**2)
        self._fixed[:, JUMP] = np.where(is_yaw, s.jump_rad, s.jump_m)
        self._fixed[:, IS_YAW] = is_yaw
        self._fixed[:, BODY] = np.arange(count) // len(BODY_JOINTS)
        self._fixed[:, ODOMETRY_VARIANCE] = np.where(is_yaw, s.odometry_sigma_rad_s**2, s.odometry_sigma_m_s**2)
        self._filters = np.zeros((count, FILTER_COLUMNS))
        self._noise_of, self._usual_noise = np.empty(0, dtype=np.intp), np.empty(0)
        self._jumped = np.zeros(len(self._bodies))
        self._identities = Identities(self._bodies)
        self._rolled: dict[int, deque[tuple[float, FloatArray]]] = {}
        self._puck = self._index.get(body_joints(PUCK)[0], _NOBODY)
        self._keep_s = np.full(count, s.forget_s)
        self._offset_m = np.zeros(2)
        self.ignored_count = 0
        self.reset()

    def see(self, sample: JointSample, now_s: float = math.inf) -> None:
        """Take one camera's detections. Unknown names, old news, and values that are not finite or absurd are left out.

        So is a sample stamped further ahead of `now_s` than a camera's clock can be off: everything that
        comes after it would be old news. `effort`, where it is given, is the standard deviation of each value.
        """
        from_the_future = not sample.stamp_s <= now_s + self._settings.forget_s
        if from_the_future or len(sample.position) != len(sample.names):
            self.ignored_count += len(sample.names)
            return
        s, stamp_s = self._settings, float(sample.stamp_s)
        measured = np.ascontiguousarray(sample.position, dtype=np.float64)
        joints = self._joints_of(sample.names)
        for first, rolled in self._rolled.items():
            self._roll_to(first, stamp_s)
            while rolled and rolled[0][0] <= self._filters[first, STAMP_S]:
                rolled.popleft()
        noise = self._noise(joints, sample)
        strays = find_jumps(self._filters, self._fixed, joints, measured, noise, stamp_s, s.forget_s, self._jumped)
        if strays or self._identities.doubts or _somebody_is_nameless(sample.names):
            joints = self._joints_of(self._identities.resolve(sample, self._known(stamp_s)))
            noise = self._noise(joints, sample)
            find_jumps(self._filters, self._fixed, joints, measured, noise, stamp_s, s.forget_s, self._jumped)
        self.ignored_count += update(
            self._filters, self._fixed, joints, measured, noise, stamp_s, s.forget_s, s.late_s, self._jumped
        )
        if self._puck != _NOBODY and self._filters[self._puck, STAMP_S] == stamp_s:
            self._cover = find_cover(self._filters, self._puck, s.forget_s, s.cover_m, self._offset_m)

    def roll(self, body: str, body_twist: FloatArray, stamp_s: float) -> None:
        """Take what a robot's wheels measure: forward and left m/s, turn rad/s, in its own frame."""
        first = self._index.get(f"{body}/{BODY_JOINTS[0]}")
        if first is None or not np.isfinite(body_twist).all():
            self.ignored_count += 1
            return
        rolled = self._rolled.setdefault(first, deque(maxlen=_ODOMETRY_KEPT))
        if not rolled or stamp_s > rolled[-1][0]:
            rolled.append((stamp_s, np.ascontiguousarray(body_twist, dtype=np.float64)))

    def reset(self) -> None:
        """Forget everything that was seen."""
        self._filters[:, STAMP_S] = -math.inf
        self._rolled.clear()
        self._cover = _NOBODY
        self._identities.forget()

    def estimate(self, now_s: float) -> JointSample:
        """Poses, velocities and standard deviations predicted to `now_s`, of every body still in sight."""
        s, out = self._settings, np.empty((4, len(self.names)))
        seen = self._filters
        if self._rolled:
            # What the wheels say of the time after the last sight is the camera's to correct: on a copy.
            self._filters = seen.copy()
            for first in self._rolled:
                self._roll_to(first, now_s)
        if self._puck != _NOBODY:
            self._keep_s[self._puck : self._puck + len(BODY_JOINTS)] = self._keep_puck_s(now_s)
        count = estimate(self._filters, self._fixed, float(now_s), self._keep_s, s.max_prediction_s, out)
        self._filters = seen
        rows, position, velocity, sigma = out[:, :count]
        if self._cover != _NOBODY and now_s - seen[self._puck, STAMP_S] > s.max_prediction_s:
            self._follow_cover(rows.astype(int).tolist(), position, velocity)
        names = self.names if count == len(self.names) else tuple(self.names[int(i)] for i in rows)
        return JointSample(now_s, names, position, velocity, sigma)

    def _keep_puck_s(self, now_s: float) -> float:
        """A puck that vanished beside a robot is taken to be hidden by it, as long as that one is seen."""
        s = self._settings
        hidden = self._cover != _NOBODY and abs(now_s - self._filters[self._cover, STAMP_S]) <= s.forget_s
        return max(s.forget_s, s.hidden_s) if hidden else s.forget_s

    def _follow_cover(self, rows: list[int], position: FloatArray, velocity: FloatArray) -> None:
        """A hidden puck goes where the robot goes that hides it."""
        place = {row: k for k, row in enumerate(rows)}
        robot, puck = self._cover, self._puck
        if not {puck, puck + 1, robot, robot + 1, robot + 2} <= place.keys():
            return
        yaw_rad = float(position[place[robot + 2]])
        cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
        x_m, y_m = self._offset_m.tolist()
        for axis, offset_m in enumerate((cos * x_m - sin * y_m, sin * x_m + cos * y_m)):
            position[place[puck + axis]] = position[place[robot + axis]] + offset_m
            velocity[place[puck + axis]] = velocity[place[robot + axis]]

    def _roll_to(self, first: int, until_s: float) -> None:
        """Carry a robot along what its wheels measured since it was seen, before a moment."""
        for moment_s, twist in self._rolled[first]:
            if moment_s < until_s:
                roll(self._filters, self._fixed, first, twist, moment_s, self._settings.forget_s)

    def _noise(self, joints: NDArray[np.intp], sample: JointSample) -> FloatArray:
        """Variance of each value: as the camera says, or as the settings do."""
        if joints is not self._noise_of:
            self._noise_of, self._usual_noise = joints, self._fixed[joints, NOISE_VARIANCE]
        noise = self._usual_noise
        if len(sample.effort) != len(sample.names):
            return noise
        said = np.isfinite(sample.effort) & (sample.effort > 0.0)
        return np.where(said, np.clip(sample.effort, _BEST_SIGMA, _WORST_SIGMA) ** 2, noise)

    def _known(self, now_s: float) -> dict[str, Known]:
        """Where each body that is still in sight should be by now, and how far from there a sight of it may be."""
        s, out = self._settings, np.empty((4, len(self.names)))
        keep_s = np.full(len(self.names), s.forget_s)
        count = estimate(self._filters, self._fixed, now_s, keep_s, s.max_prediction_s, out)
        known: dict[int, list[tuple[float, float]]] = {}
        for row, position, _, sigma in out[:, :count].T.tolist():
            known.setdefault(int(row) // len(BODY_JOINTS), []).append((position, sigma))
        gates = {body: max(s.jump_m, OWN_MOTION_SIGMAS * max(xy[0][1], xy[1][1])) for body, xy in known.items() if len(xy) > 1}
        return {self._bodies[body]: Known(known[body][0][0], known[body][1][0], gate_m) for body, gate_m in gates.items()}

    def _joints_of(self, names: tuple[str, ...]) -> NDArray[np.intp]:
        """Rows of the joints that a sample names, -1 for strangers; a camera names the same ones again and again."""
        joints = self._known_joints.get(names)
        if joints is None:
            if len(self._known_joints) >= _MOST_NAMINGS:
                self._known_joints.clear()
            joints = np.array([self._index.get(name, -1) for name in names], dtype=np.intp)
            self._known_joints[names] = joints
        return joints


def warm_up() -> None:
    """Compile the filters, or load what is compiled, before news come."""
    tracker = Tracker(("blue/0", PUCK))
    for stamp_s in (0.0, 0.02, 0.01):
        tracker.see(JointSample(stamp_s, tracker.names, np.zeros(len(tracker.names))))
        tracker.roll("blue/0", np.zeros(3), stamp_s + 0.005)
    tracker.estimate(0.04)
