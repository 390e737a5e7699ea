"""The arithmetic of the tracker, compiled: one constant-velocity Kalman filter a joint, row by row."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from robohockey_core.angles import TWO_PI
from robohockey_core.compiled import compiled
from robohockey_core.kinematics import FloatArray

# Columns of a filter's state: place, speed, covariance, when it was last seen.
POSITION, VELOCITY, P00, P01, P11, STAMP_S = range(6)
# Columns of what never changes.
ACCELERATION, NOISE_VARIANCE, UNKNOWN_VELOCITY_VARIANCE, JUMP, IS_YAW, BODY = range(6)

# A detection within this many standard deviations of the prediction may be the body's own motion.
OWN_MOTION_SIGMAS = 3.0
# How much of its acceleration a body is thought to use, and what counts as a surprise then.
QUIET_SHARE = 0.12
SURPRISE_SIGMAS = 2.5
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
    filters: FloatArray, fixed: FloatArray, i: int, dt_s: float, innovation: float
) -> tuple[float, float, float]:
    """Covariance before an update, by what the sight tells of the motion since the last one.

    A body mostly uses little of the acceleration that it is capable of, and a filter that always reckons with all of it
    takes the camera's noise for motion. What a small share does not explain is a kick, a bounce or a start: then the speed
    of before says little.
    """
    p00, p01, p11 = filters[i, P00], filters[i, P01], filters[i, P11]
    push = QUIET_SHARE * fixed[i, ACCELERATION] * dt_s
    quiet_p00 = p00 + dt_s * (2.0 * p01 + dt_s * p11) + (push * dt_s) ** 2 / 3.0
    if innovation * innovation <= SURPRISE_SIGMAS * SURPRISE_SIGMAS * (quiet_p00 + fixed[i, NOISE_VARIANCE]):
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
def update(
    filters: FloatArray, fixed: FloatArray, joints: NDArray[np.intp], measured: FloatArray, stamp_s: float, forget_s: float
) -> int:
    """Take one sample; `joints` are the rows that it tells of, -1 for none. Returns how many values were left out."""
    ignored = 0
    moved_by_hand = np.zeros(int(fixed[-1, BODY]) + 1)
    # A body whose x or y was put elsewhere starts anew as a whole, for its old motion ended there. A fast puck also lands
    # far from a prediction that knows nothing of its speed yet, so far alone is not enough: it must be more than the
    # filter's own doubt.
    for k in range(len(joints)):
        i = joints[k]
        if i < 0 or not abs(measured[k]) < FARTHEST or not stamp_s > filters[i, STAMP_S]:
            continue
        dt_s = stamp_s - filters[i, STAMP_S]
        if dt_s > forget_s or fixed[i, IS_YAW] > 0.0:
            continue
        spread = predicted_covariance(filters, fixed, i, dt_s)[0] + fixed[i, NOISE_VARIANCE]
        surprise = abs(innovation_of(filters, fixed, i, measured[k], dt_s))
        if surprise > max(fixed[i, JUMP], OWN_MOTION_SIGMAS * math.sqrt(spread)):
            moved_by_hand[int(fixed[i, BODY])] = 1.0
    for k in range(len(joints)):
        i = joints[k]
        if i < 0 or not abs(measured[k]) < FARTHEST or not stamp_s > filters[i, STAMP_S]:
            ignored += 1
            continue
        age_s = stamp_s - filters[i, STAMP_S]
        known = age_s <= forget_s
        dt_s = age_s if known else 0.0
        innovation = innovation_of(filters, fixed, i, measured[k], dt_s)
        noise = fixed[i, NOISE_VARIANCE]
        p00, p01, p11 = believed_covariance(filters, fixed, i, dt_s, innovation)
        spread = p00 + noise
        jumped = abs(innovation) > max(fixed[i, JUMP], OWN_MOTION_SIGMAS * math.sqrt(spread))
        filters[i, STAMP_S] = stamp_s
        if not known or jumped or moved_by_hand[int(fixed[i, BODY])] > 0.0:
            filters[i, POSITION], filters[i, VELOCITY] = measured[k], 0.0
            filters[i, P00], filters[i, P01], filters[i, P11] = noise, 0.0, fixed[i, UNKNOWN_VELOCITY_VARIANCE]
            continue
        gain0, gain1 = p00 / spread, p01 / spread
        filters[i, POSITION] += filters[i, VELOCITY] * dt_s + gain0 * innovation
        filters[i, VELOCITY] += gain1 * innovation
        filters[i, P00], filters[i, P01], filters[i, P11] = (1.0 - gain0) * p00, (1.0 - gain0) * p01, p11 - gain1 * p01
    return ignored


@compiled
def estimate(
    filters: FloatArray, fixed: FloatArray, now_s: float, forget_s: float, max_prediction_s: float, out: FloatArray
) -> int:
    """Write row, place, speed and standard deviation of every joint in sight; returns how many there are."""
    count = 0
    for i in range(len(filters)):
        age_s = now_s - filters[i, STAMP_S]
        if not abs(age_s) <= forget_s:
            continue
        ahead_s = min(max(age_s, 0.0), max_prediction_s)
        position = filters[i, POSITION] + filters[i, VELOCITY] * ahead_s
        out[0, count] = i
        out[1, count] = wrapped(position) if fixed[i, IS_YAW] > 0.0 else position
        out[2, count] = filters[i, VELOCITY]
        out[3, count] = math.sqrt(predicted_covariance(filters, fixed, i, ahead_s)[0])
        count += 1
    return count
