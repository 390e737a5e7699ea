"""Named numbers: the ROS-free twin of a JointState message, and how states travel in it.

An empty array means "not said", as in sensor_msgs/JointState.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from robohockey_core.actions import Target
from robohockey_core.names import DRIBBLER, KICKER, PUCK, RobotId, body_joints, parse_robot, split_joint
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState

FloatArray = NDArray[np.float64]


def _nothing() -> FloatArray:
    return np.empty(0)


@dataclass(frozen=True, eq=False, slots=True)
class JointSample:
    """Values of named joints at one moment."""

    stamp_s: float
    names: tuple[str, ...]
    position: FloatArray = field(default_factory=_nothing)
    velocity: FloatArray = field(default_factory=_nothing)
    effort: FloatArray = field(default_factory=_nothing)


def complaint(sample: JointSample) -> str | None:
    """Return what makes a sample unusable as a whole, or None: lengths that do not match the names."""
    for label, values in (("position", sample.position), ("velocity", sample.velocity), ("effort", sample.effort)):
        if len(values) not in (0, len(sample.names)):
            return f"{len(sample.names)} names but {len(values)} values in {label}"
    return None


def _or_zeros(values: FloatArray, count: int) -> FloatArray:
    return values if len(values) else np.zeros(count)


def bodies_of(sample: JointSample) -> dict[str, BodyState]:
    """Read every body whose x and y are there and whose numbers are finite; a missing yaw reads as 0.

    A sample whose lengths do not match, or that has no positions, tells of no body.
    """
    if complaint(sample) or not len(sample.position):
        return {}
    count = len(sample.names)
    position = sample.position.tolist()
    velocity, effort = (_or_zeros(values, count).tolist() for values in (sample.velocity, sample.effort))
    # A sum of numbers that are finite overflows only far outside any rink.
    all_finite = math.isfinite(sum(position) + sum(velocity))
    bodies = {}
    for body, x, y, yaw in _body_places(sample.names):
        pose = Pose2D(position[x], position[y], position[yaw] if yaw is not None else 0.0)
        twist = Twist2D(velocity[x], velocity[y], velocity[yaw] if yaw is not None else 0.0)
        if all_finite or math.isfinite(sum(pose) + sum(twist)):
            bodies[body] = BodyState(pose, twist, max(effort[x], effort[y]))
    return bodies


@lru_cache(maxsize=256)
def _body_places(names: tuple[str, ...]) -> tuple[tuple[str, int, int, int | None], ...]:
    """Where the joints of each body stand in a sample. Senders name the same joints again and again."""
    index: dict[str, dict[str, int]] = {}
    for i, name in enumerate(names):
        body, axis = split_joint(name)
        index.setdefault(body, {})[axis] = i
    return tuple((body, axes["x"], axes["y"], axes.get("yaw")) for body, axes in index.items() if "x" in axes and "y" in axes)


def world_of(sample: JointSample) -> WorldState:
    """Read a `world_state` sample."""
    bodies = bodies_of(sample)
    robots = {robot: state for name, state in bodies.items() if (robot := parse_robot(name)) is not None}
    return WorldState(sample.stamp_s, robots, bodies.get(PUCK))


def bodies_sample(stamp_s: float, bodies: Mapping[str, BodyState]) -> JointSample:
    """Write bodies as joints: the inverse of `bodies_of`."""
    names = tuple(joint for body in bodies for joint in body_joints(body))
    position = np.array([v for b in bodies.values() for v in b.pose])
    velocity = np.array([v for b in bodies.values() for v in b.twist])
    effort = np.array([v for b in bodies.values() for v in (b.sigma_m, b.sigma_m, 0.0)])
    return JointSample(stamp_s, names, position, velocity, effort)


def targets_sample(stamp_s: float, targets: Mapping[RobotId, Target]) -> JointSample:
    """Write targets. NaN in yaw means "face anywhere"; NaN in x and y means "stand still".

    The kicker's position is how far off its yaw the robot may be when it kicks; NaN or 0 means "kick anyhow".
    """
    names: list[str] = []
    position: list[float] = []
    velocity: list[float] = []
    effort: list[float] = []
    for robot, target in targets.items():
        names += [*body_joints(str(robot)), robot.joint(KICKER), robot.joint(DRIBBLER)]
        pose = target.pose if target.pose is not None else Pose2D(math.nan, math.nan)
        within_rad = target.kick_within_rad if target.kick_within_rad is not None else math.nan
        position += [pose.x_m, pose.y_m, pose.yaw_rad if target.face else math.nan, within_rad, 0.0]
        velocity += [*target.arrive, 0.0, 0.0]
        effort += [0.0, 0.0, 0.0, target.kick_power, target.dribble]
    return JointSample(stamp_s, tuple(names), np.array(position), np.array(velocity), np.array(effort))


def targets_of(sample: JointSample) -> dict[RobotId, Target]:
    """Read targets: the inverse of `targets_sample`. Raises ValueError on a sample that is not whole."""
    wrong = complaint(sample)
    if wrong or not len(sample.position):
        raise ValueError(wrong or "targets without positions")
    velocity, effort = (_or_zeros(values, len(sample.names)) for values in (sample.velocity, sample.effort))
    parts: dict[RobotId, dict[str, int]] = {}
    for i, name in enumerate(sample.names):
        body, part = split_joint(name)
        robot = parse_robot(body)
        if robot is None:
            raise ValueError(f"{name} is no robot's joint")
        parts.setdefault(robot, {})[part] = i
    return {robot: _target(index, sample.position, velocity, effort) for robot, index in parts.items()}


def _target(index: Mapping[str, int], position: FloatArray, velocity: FloatArray, effort: FloatArray) -> Target:
    def value(part: str, values: FloatArray) -> float:
        return float(values[index[part]]) if part in index else math.nan

    x_m, y_m, yaw_rad = (value(axis, position) for axis in ("x", "y", "yaw"))
    vx_m_s, vy_m_s = (value(axis, velocity) for axis in ("x", "y"))
    kick_power, dribble = (min(1.0, max(0.0, v)) if math.isfinite(v := value(p, effort)) else 0.0 for p in (KICKER, DRIBBLER))
    face = math.isfinite(yaw_rad)
    within_rad = value(KICKER, position)
    standing = not (math.isfinite(x_m) and math.isfinite(y_m))
    return Target(
        pose=None if standing else Pose2D(x_m, y_m, yaw_rad if face else 0.0),
        face=face,
        arrive=Twist2D(vx_m_s, vy_m_s) if math.isfinite(vx_m_s + vy_m_s) else Twist2D(),
        kick_power=kick_power,
        dribble=dribble,
        kick_within_rad=within_rad if within_rad > 0.0 else None,
    )
