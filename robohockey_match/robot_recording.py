"""What a rosbag2 recording tells of one robot: commands that it got, wheels that it told of, places where it was seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.highlevel import AnyReader, AnyReaderError
from rosbags.typesys import Stores, get_typestore

from robohockey_core.checked import InputError
from robohockey_core.joints import FloatArray
from robohockey_core.names import BODY_JOINTS, RobotId

_NANOSECONDS = 1e-9


@dataclass(frozen=True)
class Track:
    """Values in order of their stamps, and when each was recorded."""

    stamp_s: FloatArray
    recorded_s: FloatArray
    values: FloatArray

    def __len__(self) -> int:
        return len(self.stamp_s)


@dataclass(frozen=True)
class RobotRecording:
    """Commands in rad/s a wheel, wheels as angles then speeds, poses as x, y, yaw."""

    commands: Track
    wheels: Track
    poses: Track


def read_recording(path: Path, robot: RobotId, wheel_names: tuple[str, ...]) -> RobotRecording:
    """Read any rosbag2 recording. Raises InputError when it lacks what is needed."""
    wheels = [robot.joint(wheel) for wheel in wheel_names]
    body = [robot.joint(axis) for axis in BODY_JOINTS]
    rows: dict[str, list[tuple[float, float, list[float]]]] = {"commands": [], "wheels": [], "poses": []}
    for topic, recorded_s, message in _messages(path):
        index = {name: i for i, name in enumerate(message.name)}
        stamp_s = message.header.stamp.sec + message.header.stamp.nanosec * _NANOSECONDS
        if topic.endswith(f"{robot.team}/wheel_commands") and all(name in index for name in wheels):
            rows["commands"].append((stamp_s, recorded_s, [float(message.velocity[index[name]]) for name in wheels]))
        elif topic.endswith("joint_states") and all(name in index for name in wheels):
            angles = [float(message.position[index[name]]) for name in wheels]
            rows["wheels"].append((stamp_s, recorded_s, angles + [float(message.velocity[index[name]]) for name in wheels]))
        elif topic.endswith("detections") and all(name in index for name in body):
            rows["poses"].append((stamp_s, recorded_s, [float(message.position[index[name]]) for name in body]))
    topics = {"commands": f"{robot.team}/wheel_commands", "wheels": "joint_states", "poses": "detections"}
    for key, found in rows.items():
        if len(found) < 100:
            raise InputError(f"{path}: {len(found)} messages of {robot} on {topics[key]}; at least 100 are needed")
    return RobotRecording(**{key: _track(found) for key, found in rows.items()})


def _track(rows: list[tuple[float, float, list[float]]]) -> Track:
    rows.sort(key=lambda row: row[0])
    return Track(np.array([r[0] for r in rows]), np.array([r[1] for r in rows]), np.array([r[2] for r in rows]))


def _messages(path: Path) -> Iterator[tuple[str, float, Any]]:
    wanted = ("wheel_commands", "joint_states", "detections")
    try:
        with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
            connections = [c for c in reader.connections if c.topic.endswith(wanted) and c.msgtype.endswith("/JointState")]
            for connection, recorded_ns, data in reader.messages(connections=connections):
                yield connection.topic, recorded_ns * _NANOSECONDS, reader.deserialize(data, connection.msgtype)
    except (AnyReaderError, OSError) as error:
        raise InputError(f"{path}: no recording that can be read: {' '.join(str(error).split())}") from None
