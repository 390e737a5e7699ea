"""An overhead camera: where a place on the rink appears in its image, and which place a pixel shows.

A pinhole with the lens of Brown and Conrady (k1, k2, p1, p2, k3, in OpenCV's order), anywhere above the rink. Unturned,
the camera looks straight down: image columns along the rink's x, image rows against its y.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from robohockey_core.checked import build, limited, to_plain
from robohockey_core.files import read_yaml
from robohockey_core.league import League

FloatArray = NDArray[np.float64]

_LOOKING_DOWN = np.diag([1.0, -1.0, -1.0])
_UNDISTORT_ROUNDS = 12
_WIDTH_PX, _HEIGHT_PX = 640, 480
# Half of the horizontal field of view of a common lens, and what is kept free around the rink.
_HALF_VIEW_RAD = math.radians(25.0)
_MARGIN_SHARE = 0.06


@dataclass(frozen=True)
class OverheadView:
    width_px: int = limited(640, "image width", low=16, high=8192)
    height_px: int = limited(480, "image height", low=16, high=8192)
    focal_px: float = limited(686.0, "focal length", above=0.0)
    center_x_px: float = limited(319.5, "column of the optical axis")
    center_y_px: float = limited(239.5, "row of the optical axis")
    k1: float = limited(0.0, "radial distortion", low=-2.0, high=2.0)
    k2: float = limited(0.0, "radial distortion, fourth power", low=-5.0, high=5.0)
    p1: float = limited(0.0, "tangential distortion", low=-0.5, high=0.5)
    p2: float = limited(0.0, "tangential distortion", low=-0.5, high=0.5)
    k3: float = limited(0.0, "radial distortion, sixth power", low=-20.0, high=20.0)
    x_m: float = limited(0.0, "place of the camera over the rink")
    y_m: float = limited(0.0, "place of the camera over the rink")
    z_m: float = limited(2.8, "height of the camera over the floor", above=0.0)
    turn_x_rad: float = limited(0.0, "rotation vector from looking straight down, camera axes", low=-7.0, high=7.0)
    turn_y_rad: float = limited(0.0, "rotation vector, y", low=-7.0, high=7.0)
    turn_z_rad: float = limited(0.0, "rotation vector, z", low=-7.0, high=7.0)

    @property
    def position_m(self) -> FloatArray:
        return np.array([self.x_m, self.y_m, self.z_m])

    @property
    def rotation(self) -> FloatArray:
        """From rink axes to camera axes (right, down, forward)."""
        return rotation_matrix(np.array([self.turn_x_rad, self.turn_y_rad, self.turn_z_rad])) @ _LOOKING_DOWN

    @property
    def matrix(self) -> FloatArray:
        """The camera matrix as OpenCV writes it."""
        return np.array([[self.focal_px, 0.0, self.center_x_px], [0.0, self.focal_px, self.center_y_px], [0.0, 0.0, 1.0]])

    @property
    def distortion(self) -> FloatArray:
        """The lens as OpenCV writes it."""
        return np.array([self.k1, self.k2, self.p1, self.p2, self.k3])

    def project(self, points_m: FloatArray) -> FloatArray:
        """Pixels (column, row) of places (x, y, z), one a row."""
        seen = (points_m - self.position_m) @ self.rotation.T
        x, y = seen[:, 0] / seen[:, 2], seen[:, 1] / seen[:, 2]
        x, y = self._distorted(x, y)
        return np.stack((self.center_x_px + self.focal_px * x, self.center_y_px + self.focal_px * y), axis=1)

    def place(self, pixels: FloatArray, height_m: float | FloatArray = 0.0) -> FloatArray:
        """Places (x, y) that pixels show at a height over the floor: one for all, or one each."""
        seen_x = (pixels[:, 0] - self.center_x_px) / self.focal_px
        seen_y = (pixels[:, 1] - self.center_y_px) / self.focal_px
        x, y = seen_x, seen_y
        # The lens has no closed inverse; the fixed point converges fast for any lens that does not fold its image.
        for _ in range(_UNDISTORT_ROUNDS):
            bent_x, bent_y = self._distorted(x, y)
            x, y = x + (seen_x - bent_x), y + (seen_y - bent_y)
        rays = np.stack((x, y, np.ones_like(x)), axis=1) @ self.rotation
        along = (height_m - self.z_m) / rays[:, 2]
        return np.asarray(self.position_m[:2] + rays[:, :2] * np.asarray(along)[:, np.newaxis])

    def pixels_per_metre(self, height_m: float = 0.0) -> float:
        """Scale in the middle of the image."""
        return self.focal_px / (self.z_m - height_m)

    def _distorted(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        r2 = x * x + y * y
        radial = 1.0 + r2 * (self.k1 + r2 * (self.k2 + r2 * self.k3))
        return (
            x * radial + 2.0 * self.p1 * x * y + self.p2 * (r2 + 2.0 * x * x),
            y * radial + self.p1 * (r2 + 2.0 * y * y) + 2.0 * self.p2 * x * y,
        )


def rotation_matrix(vector_rad: FloatArray) -> FloatArray:
    """Rotation about a vector by its length (Rodrigues)."""
    angle = float(np.linalg.norm(vector_rad))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = vector_rad / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * (cross @ cross))


def rotation_vector(matrix: FloatArray) -> FloatArray:
    """The inverse of `rotation_matrix`, for turns of less than half a circle."""
    axis = np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    sine = float(np.linalg.norm(axis)) / 2.0
    angle = math.atan2(sine, (float(np.trace(matrix)) - 1.0) / 2.0)
    return axis * (angle / (2.0 * sine) if sine > 1e-12 else 0.5)


def turn_from_looking_down(rotation: FloatArray) -> FloatArray:
    """The turn_*_rad of a rotation from rink axes to camera axes."""
    return rotation_vector(rotation @ _LOOKING_DOWN)


def view_above(league: League, width_px: int = _WIDTH_PX, height_px: int = _HEIGHT_PX) -> OverheadView:
    """The camera that a simulated match has: over the middle, high enough for rink and goals, as askew as a good mount is.

    Its lens bends the corners by some 3 %, and it is tilted by half a degree.
    """
    rink = league.rink
    length_m = (rink.length_m + 2.0 * rink.goal_depth_m) * (1.0 + _MARGIN_SHARE)
    width_m = rink.width_m * (1.0 + _MARGIN_SHARE)
    focal_px = width_px / 2.0 / math.tan(_HALF_VIEW_RAD)
    scale_px_m = min(width_px / length_m, height_px / width_m)
    height_m = focal_px / scale_px_m + league.robot.height_m
    return OverheadView(
        width_px=width_px,
        height_px=height_px,
        focal_px=focal_px,
        center_x_px=(width_px - 1) / 2.0 + 0.005 * width_px,
        center_y_px=(height_px - 1) / 2.0 - 0.005 * width_px,
        k1=-0.12,
        k2=0.03,
        x_m=0.004 * height_m,
        y_m=-0.006 * height_m,
        z_m=height_m,
        turn_x_rad=0.006,
        turn_y_rad=-0.008,
        turn_z_rad=0.01,
    )


def load_view(file: str, league: League, width_px: int = 0, height_px: int = 0) -> OverheadView:
    """The camera of a calibration file; without one, that of a simulated match, as large as wanted. Raises InputError."""
    if file:
        return build(OverheadView, read_yaml(Path(file)), f"{file}:")
    return view_above(league, width_px or _WIDTH_PX, height_px or _HEIGHT_PX)


def save_view(view: OverheadView, path: Path) -> None:
    path.write_text(yaml.safe_dump(to_plain(view), sort_keys=False), encoding="utf-8")
