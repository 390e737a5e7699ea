"""Omni mirrors: from the radius in the round image to the distance on the floor, and back.

A camera looks up along the axis of a mirror that faces down (Minho section 6). The mirror is round, so one plane through the
axis tells all: its surface rises by F(t) at the distance t from the axis, F(0) = 0, and a pixel at radius r sees the point

    r = focal * t / (D + F(t)),   D from the camera's pinhole to the mirror's tip.

There the surface slopes by sigma, tan(sigma) = F'(t). The ray comes up at theta from the axis, tan(theta) = r / focal, and
leaves at theta + 2 sigma from straight down: the law of reflection. With F flat (sigma = 0) the ray just comes back down,
with sigma = 45 degrees the middle ray leaves level: the limit cases.

| profile    | F(t)                                                                                           |
|------------|------------------------------------------------------------------------------------------------|
| spherical  | R - sqrt(R^2 - t^2)                                                                            |
| conic      | slope t                                                                                        |
| hyperbolic | a (sqrt(1 + t^2 / b^2) - 1); one viewpoint when D = a + sqrt(a^2 + b^2)                        |
| mixed      | hyperbolic up to a radius, from there on its tangent cone, so that far things are not so small |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from robohockey_core.checked import InputError, build, limited, to_plain
from robohockey_core.files import read_yaml
from robohockey_core.league import League

FloatArray = NDArray[np.float64]

SPHERICAL, CONIC, HYPERBOLIC, MIXED = "spherical", "conic", "hyperbolic", "mixed"
PROFILES = (SPHERICAL, CONIC, HYPERBOLIC, MIXED)

_TABLE_SIZE = 512
FARTHEST_M = 1000.0
"""What looks at the horizon or above sees the floor no nearer than this."""


@dataclass(frozen=True)
class Mirror:
    """A mirror over a camera, both on the robot's axis."""

    profile: str = limited(MIXED, "shape of the mirror", choices=PROFILES)
    camera_height_m: float = limited(0.62, "height of the camera's pinhole over the floor", above=0.0)
    camera_distance_m: float = limited(0.1, "D: from the pinhole up to the mirror's tip", above=0.0)
    focal_px: float = limited(200.0, "focal length of the camera", above=0.0)
    rim_radius_m: float = limited(0.0707, "radius of the mirror", above=0.0)
    sphere_radius_m: float = limited(0.08, "spherical: R", above=0.0)
    cone_slope: float = limited(0.6, "conic: rise over run", above=0.0)
    hyperbola_a_m: float = limited(0.027, "hyperbolic and mixed: a", above=0.0)
    hyperbola_b_m: float = limited(0.03, "hyperbolic and mixed: b", above=0.0)
    blend_radius_m: float = limited(0.0258, "mixed: where the hyperbola ends and the cone begins", above=0.0)

    def __post_init__(self) -> None:
        if self.profile == SPHERICAL and self.rim_radius_m >= self.sphere_radius_m:
            raise InputError(f"rim_radius_m = {self.rim_radius_m:g}: must be below sphere_radius_m = {self.sphere_radius_m:g}")
        radius_px = self._table[0]
        if not (np.diff(radius_px) > 0.0).all():
            raise InputError("this mirror folds its image: two of its points are seen at one radius")

    @property
    def rim_radius_px(self) -> float:
        """Radius of the mirror in the image."""
        return float(self._table[0][-1])

    def rise_m(self, t_m: FloatArray) -> tuple[FloatArray, FloatArray]:
        """F(t) and F'(t)."""
        if self.profile == SPHERICAL:
            root = np.sqrt(self.sphere_radius_m**2 - t_m * t_m)
            return self.sphere_radius_m - root, t_m / root
        if self.profile == CONIC:
            return self.cone_slope * t_m, np.full_like(t_m, self.cone_slope)
        if self.profile == HYPERBOLIC:
            return self._hyperbola(t_m)
        curved_m = np.minimum(t_m, self.blend_radius_m)
        rise_m, slope = self._hyperbola(curved_m)
        return rise_m + slope * (t_m - curved_m), slope

    def distance_m(self, radius_px: FloatArray, height_m: float = 0.0) -> FloatArray:
        """How far from the axis a pixel's ray is at a height; `FARTHEST_M` where it never comes there."""
        t_m, z_m, cotangent = self.ray(radius_px)
        down_m = z_m - height_m
        reaches = cotangent * FARTHEST_M > np.abs(down_m)
        return np.where(reaches, t_m + down_m / np.where(reaches, cotangent, 1.0), FARTHEST_M)

    def radius_px(self, distance_m: FloatArray, height_m: FloatArray | float = 0.0) -> FloatArray:
        """At which radius a point is seen: the inverse of `distance_m`; the rim's for what is outside the view."""
        radius, t_m, z_m, cotangent = self._table
        wanted = np.broadcast_to(height_m, np.shape(distance_m))
        # How high each ray of the table is above the floor at the point's distance: rising with the radius.
        heights = z_m - (np.asarray(distance_m)[..., np.newaxis] - t_m) * cotangent
        above = np.clip((heights < wanted[..., np.newaxis]).sum(axis=-1), 1, len(radius) - 1)
        low, high = (np.take_along_axis(heights, (above - i)[..., np.newaxis], axis=-1)[..., 0] for i in (1, 0))
        share = np.clip((wanted - low) / (high - low), 0.0, 1.0)
        return np.asarray(radius[above - 1] + share * (radius[above] - radius[above - 1]))

    def ray(self, radius_px: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Where a pixel's ray leaves the mirror (t, and height over the floor), and its drop per metre outwards."""
        radius, t_m, z_m, cotangent = self._table
        return tuple(np.interp(radius_px, radius, values) for values in (t_m, z_m, cotangent))  # type: ignore[return-value]

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        # Not from 0: there the ray goes straight down, and its drop is without end.
        t_m = np.linspace(1e-4, 1.0, _TABLE_SIZE) * self.rim_radius_m
        rise_m, slope = self.rise_m(t_m)
        radius_px = self.focal_px * t_m / (self.camera_distance_m + rise_m)
        leaves_rad = np.arctan(radius_px / self.focal_px) + 2.0 * np.arctan(slope)
        return radius_px, t_m, self.camera_height_m + self.camera_distance_m + rise_m, 1.0 / np.tan(leaves_rad)

    def _hyperbola(self, t_m: FloatArray) -> tuple[FloatArray, FloatArray]:
        root = np.sqrt(1.0 + (t_m / self.hyperbola_b_m) ** 2)
        a_m, b_m = self.hyperbola_a_m, self.hyperbola_b_m
        return a_m * (root - 1.0), a_m * t_m / (b_m * b_m * root)


_MSL_ROBOT_HEIGHT_M = 0.7
_RING = "ring"


def mirror_on(league: League) -> Mirror:
    """The mirror of a simulated match: mixed as in the paper, the rim at 105 px and at the horizon, as large as the robot."""
    size = league.robot.height_m / _MSL_ROBOT_HEIGHT_M
    base = Mirror()
    lengths = {name: getattr(base, name) * size for name in vars(base) if name.endswith("_m")}
    return build(Mirror, lengths, "mirror:", base)


@dataclass(frozen=True)
class Ring:
    """Where the mirror is in the round image, and how the camera is turned on the robot."""

    center_x_px: float = limited(-1.0, "column of the mirror's centre; negative: the middle of the image")
    center_y_px: float = limited(-1.0, "row of the mirror's centre; negative: the middle of the image")
    outer_radius_px: int = limited(105, "radius of the mirror's rim in the round image", low=1)
    turn_rad: float = limited(0.0, "how far to the left of the robot's front the camera's up looks", low=-3.2, high=3.2)


def load_mirror(file: str, league: League) -> Mirror:
    """The mirror of a calibration file; without one, that of a simulated match. Raises InputError."""
    return build(Mirror, _calibration(file)[0], f"{file}:") if file else mirror_on(league)


def load_ring(file: str) -> Ring:
    """The ring of a calibration file. Raises InputError."""
    return build(Ring, _calibration(file)[1], f"{file}: ring")


def save_mirror(mirror: Mirror, path: Path, ring: Ring | None = None) -> None:
    """Write a calibration file."""
    values = to_plain(mirror) | ({_RING: to_plain(ring)} if ring is not None else {})
    path.write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")


def _calibration(file: str) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """The mirror's keys and the ring's."""
    values = dict(read_yaml(Path(file)))
    ring = values.pop(_RING, {})
    if not isinstance(ring, Mapping):
        raise InputError(f"{file}: {_RING} = {ring!r}: must be a table of keys")
    return values, ring


def bearing_to_image(bearing_rad: FloatArray, radius_px: FloatArray) -> FloatArray:
    """Column and row from the mirror's centre, for the mounting that Minho eq 7 holds for: front up, left on the right."""
    return np.stack((radius_px * np.sin(bearing_rad), -radius_px * np.cos(bearing_rad)), axis=-1)
