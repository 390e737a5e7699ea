"""The arithmetic of the tracker, compiled: one constant-velocity Kalman filter a joint, row by row.

A body's joints are three rows on end: x, y and yaw.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from robohockey_core.angles import TWO_PI
from robohockey_core.compiled import compiled
from robohockey_core.kinematics import FloatArray

# Columns of a filter's state: place, speed, covariance, when it was last seen, and what was seen then.
POSITION, VELOCITY, P00, P01, P11, STAMP_S, MEASURED = range(7)
FILTER_COLUMNS = 7
# Columns of what never changes.
ACCELERATION, NOISE_VARIANCE, UNKNOWN_VELOCITY_VARIANCE, JUMP, IS_YAW, BODY, ODOMETRY_VARIANCE = range(7)
FIXED_COLUMNS = 7

# A detection within this many standard deviations of the prediction may be the body's own motion.
OWN_MOTION_SIGMAS = 3.0
# How much of its acceleration a body is thought to use, and what counts as a surprise then.
QUIET_SHARE = 0.12
SURPRISE_SIGMAS = 2.5
# Wheels that say something this unlikely slip, or the robot is pushed.
SLIP_SIGMAS = 3.0
# Beyond any rink, and small enough for its squares to stay finite.
FARTHEST = 1e6


@compiled
def wrapped(angle_rad: float) -> float:
    """To (-pi, pi], as `angles.wrap` does."""
    return angle_rad - TWO_PI * math.ceil((angle_rad - math.pi) / TWO_PI)


@compiled
def predicted_covariance(filters: FloatArray, fixed: FloatArray, i: int, dt_s: float) -> tuple[float, float, float]:
    """Covariance after dt under white acceleration that changes the speed by about acceleration * dt.

    Were it held constant over the interval, a place off by d would mean a speed off by 2 d / dt, twice
    what a kick does: with a good camera the velocity would overshoot after each kick and ring on.
    """
    p00, p01, p11 = filters[i, P00], filters[i, P01], filters[i, P11]
    push = fixed[i, ACCELERATION] * dt_s
    predicted_p00 = p00 + dt_s * (2.0 * p01 + dt_s * p11) + (push * dt_s) ** 2 / 3.0
    return predicted_p00, p01 + dt_s * p11 + 0.5 * push * push * dt_s, p11 + push * push


@compiled
def believed_covariance(
    filters: FloatArray, fixed: FloatArray, i: int, dt_s: float, innovation: float, noise: float
) -> tuple[float, float, float]:
    """Covariance before an update, by what the sight tells of the motion since the last one.

    A body mostly uses little of the acceleration that it is capable of, and a filter that always reckons with all of it
    takes the camera's noise for motion. What a small share does not explain is a kick, a bounce or a start: then the speed
    of before says little.
    """
    p00, p01, p11 = filters[i, P00], filters[i, P01], filters[i, P11]
    push = QUIET_SHARE * fixed[i, ACCELERATION] * dt_s
    quiet_p00 = p00 + dt_s * (2.0 * p01 + dt_s * p11) + (push * dt_s) ** 2 / 3.0
    if innovation * innovation <= SURPRISE_SIGMAS * SURPRISE_SIGMAS * (quiet_p00 + noise):
        return quiet_p00, p01 + dt_s * p11 + 0.5 * push * push * dt_s, p11 + push * push
    full_p00, full_p01, full_p11 = predicted_covariance(filters, fixed, i, dt_s)
    kick = (fixed[i, ACCELERATION] * dt_s) ** 2
    return full_p00 + kick * dt_s * dt_s, full_p01 + kick * dt_s, full_p11 + kick


@compiled
def innovation_of(filters: FloatArray, fixed: FloatArray, i: int, measured: float, dt_s: float) -> float:
    """How far a joint was seen from where it was expected."""
    off = measured - (filters[i, POSITION] + filters[i, VELOCITY] * dt_s)
    return wrapped(off) if fixed[i, IS_YAW] > 0.0 else off


@compiled
def find_jumps(
    filters: FloatArray,
    fixed: FloatArray,
    joints: NDArray[np.intp],
    measured: FloatArray,
    noise: FloatArray,
    stamp_s: float,
    forget_s: float,
    jumped: FloatArray,
) -> bool:
    """Mark the bodies whose x or y is where their motion does not lead; tell whether there are any.

    A fast puck also lands far from a prediction that knows nothing of its speed yet, so far alone is not enough: it
    must be more than the filter's own doubt.
    """
    some = False
    jumped[:] = 0.0
    for k in range(len(joints)):
        i = joints[k]
        if i < 0 or not abs(measured[k]) < FARTHEST or not stamp_s > filters[i, STAMP_S]:
            continue
        dt_s = stamp_s - filters[i, STAMP_S]
        if dt_s > forget_s or fixed[i, IS_YAW] > 0.0:
            continue
        spread = predicted_covariance(filters, fixed, i, dt_s)[0] + noise[k]
        surprise = abs(innovation_of(filters, fixed, i, measured[k], dt_s))
        if surprise > max(fixed[i, JUMP], OWN_MOTION_SIGMAS * math.sqrt(spread)):
            jumped[int(fixed[i, BODY])] = 1.0
            some = True
    return some


@compiled
def update(
    filters: FloatArray,
    fixed: FloatArray,
    joints: NDArray[np.intp],
    measured: FloatArray,
    noise: FloatArray,
    stamp_s: float,
    forget_s: float,
    late_s: float,
    moved_by_hand: FloatArray,
) -> int:
    """Take one sample; `joints` are the rows that it tells of, -1 for none. Returns how many values were left out.

    A body whose x or y was put elsewhere (`find_jumps`) starts anew as a whole, for its old motion ended there.
    """
    ignored = 0
    some_late = False
    for k in range(len(joints)):
        i = joints[k]
        if i < 0 or not abs(measured[k]) < FARTHEST:
            ignored += 1
            continue
        if not stamp_s > filters[i, STAMP_S]:
            some_late = True
            continue
        age_s = stamp_s - filters[i, STAMP_S]
        known = age_s <= forget_s
        dt_s = age_s if known else 0.0
        innovation = innovation_of(filters, fixed, i, measured[k], dt_s)
        p00, p01, p11 = believed_covariance(filters, fixed, i, dt_s, innovation, noise[k])
        spread = p00 + noise[k]
        jumped = abs(innovation) > max(fixed[i, JUMP], OWN_MOTION_SIGMAS * math.sqrt(spread))
        filters[i, STAMP_S], filters[i, MEASURED] = stamp_s, measured[k]
        if not known or jumped or moved_by_hand[int(fixed[i, BODY])] > 0.0:
            filters[i, POSITION], filters[i, VELOCITY] = measured[k], 0.0
            filters[i, P00], filters[i, P01], filters[i, P11] = noise[k], 0.0, fixed[i, UNKNOWN_VELOCITY_VARIANCE]
            continue
        gain0, gain1 = p00 / spread, p01 / spread
        filters[i, POSITION] += filters[i, VELOCITY] * dt_s + gain0 * innovation
        filters[i, VELOCITY] += gain1 * innovation
        filters[i, P00], filters[i, P01], filters[i, P11] = (1.0 - gain0) * p00, (1.0 - gain0) * p01, p11 - gain1 * p01
    if some_late:
        ignored += _update_late(filters, fixed, joints, measured, noise, stamp_s, late_s)
    return ignored


@compiled
def _late_misfit(
    filters: FloatArray, fixed: FloatArray, i: int, measured: float, noise: float, lag_s: float
) -> tuple[float, float]:
    """How far a late sight, carried forward to the newest one, is off; and the variance that this may have."""
    off = innovation_of(filters, fixed, i, measured, -lag_s)
    changed = fixed[i, ACCELERATION] * lag_s * lag_s
    return off, filters[i, P00] + noise + lag_s * lag_s * filters[i, P11] + changed * changed / 3.0


@compiled
def _update_late(
    filters: FloatArray,
    fixed: FloatArray,
    joints: NDArray[np.intp],
    measured: FloatArray,
    noise: FloatArray,
    stamp_s: float,
    late_s: float,
) -> int:
    """Take what a slower camera saw before the newest sight: it corrects a body, but it never moves it away.

    A place that motion does not explain is old news, and so is the same sight once more.
    """
    ignored = 0
    wrong, new = np.zeros(int(fixed[-1, BODY]) + 1), np.zeros(int(fixed[-1, BODY]) + 1)
    for k in range(len(joints)):
        i = joints[k]
        if i < 0 or not abs(measured[k]) < FARTHEST or (filters[i, STAMP_S] == stamp_s and filters[i, MEASURED] == measured[k]):
            continue
        lag_s = filters[i, STAMP_S] - stamp_s
        body = int(fixed[i, BODY])
        new[body] = 1.0
        off, spread = _late_misfit(filters, fixed, i, measured[k], noise[k], lag_s)
        if lag_s > late_s or abs(off) > max(fixed[i, JUMP], OWN_MOTION_SIGMAS * math.sqrt(spread)):
            wrong[body] = 1.0
    for k in range(len(joints)):
        i = joints[k]
        if i < 0 or not abs(measured[k]) < FARTHEST or stamp_s > filters[i, STAMP_S]:
            continue
        body = int(fixed[i, BODY])
        if filters[i, STAMP_S] == stamp_s and filters[i, MEASURED] == measured[k] and new[body] == 0.0:
            # Either the sight that was just taken, or the same once more: nothing is lost.
            continue
        if wrong[body] > 0.0:
            ignored += 1
            continue
        off, spread = _late_misfit(filters, fixed, i, measured[k], noise[k], filters[i, STAMP_S] - stamp_s)
        gain0, gain1 = filters[i, P00] / spread, filters[i, P01] / spread
        filters[i, POSITION] += gain0 * off
        filters[i, VELOCITY] += gain1 * off
        filters[i, P11] -= gain1 * filters[i, P01]
        filters[i, P01] *= 1.0 - gain0
        filters[i, P00] *= 1.0 - gain0
    return ignored


@compiled
def roll(filters: FloatArray, fixed: FloatArray, first: int, body_twist: FloatArray, stamp_s: float, forget_s: float) -> None:
    """Carry a robot on to the moment of its wheels' word (forward, left, turn in its own frame), and heed that."""
    for i in range(first, first + 3):
        if not 0.0 < stamp_s - filters[i, STAMP_S] <= forget_s:
            return
    dt_s = stamp_s - filters[first + 2, STAMP_S]
    yaw_rad = filters[first + 2, POSITION] + filters[first + 2, VELOCITY] * dt_s
    cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
    said = (cos * body_twist[0] - sin * body_twist[1], sin * body_twist[0] + cos * body_twist[1], body_twist[2])
    believed = True
    for axis in range(3):
        i = first + axis
        p11 = predicted_covariance(filters, fixed, i, stamp_s - filters[i, STAMP_S])[2]
        spread = p11 + fixed[i, ODOMETRY_VARIANCE]
        believed = believed and abs(said[axis] - filters[i, VELOCITY]) < SLIP_SIGMAS * math.sqrt(spread)
    for axis in range(3):
        i = first + axis
        dt_s = stamp_s - filters[i, STAMP_S]
        p00, p01, p11 = predicted_covariance(filters, fixed, i, dt_s)
        innovation = said[axis] - filters[i, VELOCITY]
        spread = p11 + fixed[i, ODOMETRY_VARIANCE]
        gain0, gain1 = (p01 / spread, p11 / spread) if believed else (0.0, 0.0)
        filters[i, POSITION] += filters[i, VELOCITY] * dt_s + gain0 * innovation
        filters[i, VELOCITY] += gain1 * innovation
        filters[i, P00], filters[i, P01], filters[i, P11] = p00 - gain0 * p01, p01 - gain0 * p11, p11 - gain1 * p11
        filters[i, STAMP_S] = stamp_s


@compiled
def find_cover(filters: FloatArray, puck: int, forget_s: float, cover_m: float, offset_m: FloatArray) -> int:
    """The first row of the robot beside the puck, or -1; where the puck is from it, in its own frame, in `offset_m`."""
    best, nearest_m = -1, cover_m
    for i in range(0, len(filters), 3):
        if i == puck or not abs(filters[i, STAMP_S] - filters[puck, STAMP_S]) <= forget_s:
            continue
        dx, dy = filters[puck, POSITION] - filters[i, POSITION], filters[puck + 1, POSITION] - filters[i + 1, POSITION]
        gap_m = math.hypot(dx, dy)
        if gap_m < nearest_m:
            cos, sin = math.cos(filters[i + 2, POSITION]), math.sin(filters[i + 2, POSITION])
            best, nearest_m = i, gap_m
            offset_m[0], offset_m[1] = cos * dx + sin * dy, cos * dy - sin * dx
    return best


@compiled
def estimate(
    filters: FloatArray, fixed: FloatArray, now_s: float, keep_s: FloatArray, max_prediction_s: float, out: FloatArray
) -> int:
    """Write row, place, speed and standard deviation of every joint in sight; returns how many there are.

    A body that nobody sees moves on for a while only; how unsure its place is grows on.
    """
    count = 0
    for i in range(len(filters)):
        age_s = now_s - filters[i, STAMP_S]
        if not abs(age_s) <= keep_s[i]:
            continue
        ahead_s = min(max(age_s, 0.0), max_prediction_s)
        position = filters[i, POSITION] + filters[i, VELOCITY] * ahead_s
        out[0, count] = i
        out[1, count] = wrapped(position) if fixed[i, IS_YAW] > 0.0 else position
        out[2, count] = filters[i, VELOCITY]
        out[3, count] = math.sqrt(predicted_covariance(filters, fixed, i, max(age_s, 0.0))[0])
        count += 1
    return count
