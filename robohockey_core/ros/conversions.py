"""Messages to plain values and back: the only file that knows message layouts and quaternion order."""

from __future__ import annotations

import array
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import Point, PoseStamped, Quaternion, TransformStamped, TwistStamped, Vector3
from nav_msgs.msg import OccupancyGrid, Odometry
from rclpy.time import Time
from sensor_msgs.msg import Image, JointState
from transforms3d.euler import euler2quat, quat2euler
from visualization_msgs.msg import Marker, MarkerArray

from robohockey_core.joints import JointSample
from robohockey_core.names import RobotId
from robohockey_core.state import Pose2D

BAYER = ("bayer_rggb8", "bayer_bggr8", "bayer_gbrg8", "bayer_grbg8")
_CHANNELS = {"bgr8": 3, "rgb8": 3, "mono8": 1, **dict.fromkeys(BAYER, 1)}

_MARKER_KINDS = {
    "cube": Marker.CUBE,
    "cylinder": Marker.CYLINDER,
    "sphere": Marker.SPHERE,
    "text": Marker.TEXT_VIEW_FACING,
    "triangles": Marker.TRIANGLE_LIST,
    "lines": Marker.LINE_LIST,
}

_NANOSECONDS = 1e-9


def seconds(stamp: Any) -> float:
    return float(stamp.sec) + float(stamp.nanosec) * _NANOSECONDS


def stamp(time_s: float) -> Any:
    return Time(nanoseconds=round(time_s / _NANOSECONDS)).to_msg()


def now_s(node: Any) -> float:
    """The node's clock: simulated time where /clock drives it."""
    return float(node.get_clock().now().nanoseconds) * _NANOSECONDS


def joint_sample(message: JointState) -> JointSample:
    return JointSample(
        seconds(message.header.stamp),
        tuple(message.name),
        np.array(message.position, dtype=float),
        np.array(message.velocity, dtype=float),
        np.array(message.effort, dtype=float),
    )


def joint_message(sample: JointSample, frame: str = "") -> JointState:
    message = JointState(name=list(sample.names))
    message.header.stamp = stamp(sample.stamp_s)
    message.header.frame_id = frame
    # array.array is what the message stores: assigning one skips rclpy's check of every element.
    message.position = array.array("d", sample.position.tobytes())
    message.velocity = array.array("d", sample.velocity.tobytes())
    message.effort = array.array("d", sample.effort.tobytes())
    return message


def quaternion(yaw_rad: float) -> Quaternion:
    """Transforms3d counts wxyz, ROS xyzw."""
    w, x, y, z = euler2quat(0.0, 0.0, yaw_rad)
    return Quaternion(x=float(x), y=float(y), z=float(z), w=float(w))


def yaw_rad(rotation: Quaternion) -> float:
    return float(quat2euler((rotation.w, rotation.x, rotation.y, rotation.z))[2])


def pose_of(message: PoseStamped) -> Pose2D:
    return Pose2D(message.pose.position.x, message.pose.position.y, yaw_rad(message.pose.orientation))


def body_twist(message: TwistStamped) -> np.ndarray[Any, Any]:
    """(forward m/s, left m/s, turn rad/s) in the robot's own frame."""
    return np.array([message.twist.linear.x, message.twist.linear.y, message.twist.angular.z])


def twist_message(robot: RobotId, body_twist: Iterable[float], stamp_s: float) -> TwistStamped:
    """The inverse of `body_twist`."""
    message = TwistStamped()
    message.header.stamp = stamp(stamp_s)
    message.header.frame_id = f"{robot}/base_link"
    forward, left, turn = map(float, body_twist)
    message.twist.linear.x, message.twist.linear.y, message.twist.angular.z = forward, left, turn
    return message


def pose_message(frame: str, pose: Pose2D, stamp_s: float) -> PoseStamped:
    """The inverse of `pose_of`."""
    message = PoseStamped()
    message.header.stamp = stamp(stamp_s)
    message.header.frame_id = frame
    message.pose.position = Point(x=pose.x_m, y=pose.y_m, z=0.0)
    message.pose.orientation = quaternion(pose.yaw_rad)
    return message


def pixels(message: Image) -> np.ndarray[Any, Any]:
    """View an image's bytes as an array without copying. Raises ValueError when they do not fit its header."""
    channels = _CHANNELS.get(message.encoding)
    if channels is None:
        raise ValueError(f"encoding {message.encoding!r} is not one of {', '.join(_CHANNELS)}")
    row = message.width * channels
    if message.width == 0 or message.height == 0:
        raise ValueError("the image is empty")
    if message.step < row or len(message.data) < message.step * message.height:
        raise ValueError(f"{len(message.data)} bytes do not hold {message.width} x {message.height} {message.encoding}")
    rows = np.frombuffer(message.data, dtype=np.uint8)[: message.step * message.height].reshape(message.height, message.step)
    return rows[:, :row].reshape(message.height, message.width, channels)[:, :, 0 if channels == 1 else slice(None)]


def rgb_pixels(message: Image) -> np.ndarray[Any, Any]:
    """An image as red, green, blue. Raises ValueError as `pixels` does."""
    image = pixels(message)
    if image.ndim == 2:
        return np.repeat(image[:, :, None], 3, axis=2)
    return image[:, :, ::-1] if message.encoding == "bgr8" else image


def grid_message(frame: str, values: Any, x_m: float, y_m: float, cell_m: float, stamp_s: float) -> OccupancyGrid:
    """Cells along x, then y, as an occupancy grid: the lowest value is 0, the highest 100."""
    message = OccupancyGrid()
    message.header.frame_id = frame
    message.header.stamp = stamp(stamp_s)
    message.info.resolution = cell_m
    message.info.width, message.info.height = values.shape
    message.info.origin.position = Point(x=x_m, y=y_m, z=0.0)
    span = float(np.ptp(values)) or 1.0
    cells = np.rint(100.0 * (values - values.min()) / span).astype(np.int8)
    message.data = array.array("b", np.ascontiguousarray(cells.T).tobytes())
    return message


def grid_values(message: OccupancyGrid) -> tuple[np.ndarray[Any, Any], Pose2D, float]:
    """Cells along x, then y; the pose of the first cell's corner; the size of a cell."""
    info = message.info
    cells = np.array(message.data, dtype=np.int8).reshape(info.height, info.width).T
    origin = Pose2D(info.origin.position.x, info.origin.position.y, yaw_rad(info.origin.orientation))
    return cells, origin, float(info.resolution)


def image_message(image: np.ndarray[Any, Any], encoding: str, header: Any) -> Image:
    height, width = image.shape[:2]
    message = Image(header=header, height=height, width=width, encoding=encoding, step=width * _CHANNELS[encoding])
    data = array.array("B")
    data.frombytes(np.ascontiguousarray(image).data)
    message.data = data
    return message


def marker_message(
    frame: str,
    stamp_s: float,
    *,
    namespace: str,
    number: int,
    kind: str,
    position: Sequence[float],
    yaw_rad: float,
    scale: Sequence[float],
    rgba: Sequence[float],
    points: Iterable[Sequence[float]],
    text: str,
    deleted: bool,
) -> Marker:
    """One RViz marker; `kind` is cube, cylinder, sphere, text, triangles or lines."""
    message = Marker(ns=namespace, id=number, type=_MARKER_KINDS[kind], action=Marker.DELETE if deleted else Marker.ADD)
    message.header.frame_id = frame
    message.header.stamp = stamp(stamp_s)
    message.pose.position = _point(position)
    message.pose.orientation = quaternion(yaw_rad)
    x, y, z = scale
    message.scale = Vector3(x=x, y=y, z=z)
    message.color.r, message.color.g, message.color.b, message.color.a = rgba
    message.points = [_point(point) for point in points]
    message.text = text
    return message


def marker_array(markers: Iterable[Marker]) -> MarkerArray:
    return MarkerArray(markers=list(markers))


def transform_message(parent: str, child: str, pose: Pose2D, stamp_s: float) -> TransformStamped:
    """Where the frame `child` is in the frame `parent`."""
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id = parent
    message.header.stamp = stamp(stamp_s)
    message.transform.translation = Vector3(x=pose.x_m, y=pose.y_m, z=0.0)
    message.transform.rotation = quaternion(pose.yaw_rad)
    return message


def odometry_message(robot: RobotId, pose: Pose2D, twist: np.ndarray[Any, Any], stamp_s: float) -> Odometry:
    """A robot's pose in its own odometry frame, and its twist in its own body frame."""
    message = Odometry(child_frame_id=f"{robot}/base_link")
    message.header.frame_id = f"{robot}/odom"
    message.header.stamp = stamp(stamp_s)
    message.pose.pose.position.x, message.pose.pose.position.y = pose.x_m, pose.y_m
    message.pose.pose.orientation = quaternion(pose.yaw_rad)
    forward_m_s, left_m_s, turn_rad_s = twist.tolist()
    message.twist.twist.linear.x, message.twist.twist.linear.y = forward_m_s, left_m_s
    message.twist.twist.angular.z = turn_rad_s
    return message


def _point(xyz: Sequence[float]) -> Point:
    x, y, z = xyz
    return Point(x=x, y=y, z=z)


def status_message(name: str, summary: str, values: Mapping[str, object], *, healthy: bool = True) -> DiagnosticStatus:
    level = DiagnosticStatus.OK if healthy else DiagnosticStatus.WARN
    pairs = [KeyValue(key=key, value=_text(value)) for key, value in values.items()]
    return DiagnosticStatus(level=level, name=name, message=summary, values=pairs)


def status_values(message: DiagnosticStatus) -> dict[str, str]:
    return {pair.key: pair.value for pair in message.values}


def diagnostics_message(node: Any, *statuses: DiagnosticStatus) -> DiagnosticArray:
    message = DiagnosticArray(status=list(statuses))
    message.header.stamp = node.get_clock().now().to_msg()
    return message


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if math.isfinite(value) else str(value)
    return str(value)
