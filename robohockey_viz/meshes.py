"""Triangle meshes from a few shapes, in plain numpy: outlines, lofts, walls, tubes and flat markings.

An outline is a closed polygon, an array of shape (n, 2), counter-clockwise seen from above. Faces
count their corners counter-clockwise seen from outside. Metres throughout.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robohockey_viz.palette import Color

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices of shape (n, 3) and triangles of shape (m, 3) that index them."""

    vertices: FloatArray
    faces: IntArray

    def moved(self, x_m: float = 0.0, y_m: float = 0.0, z_m: float = 0.0, yaw_rad: float = 0.0) -> Mesh:
        """Turn about z, then shift."""
        cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
        turn = np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
        return replace(self, vertices=self.vertices @ turn + (x_m, y_m, z_m))

    def laid_along_y(self) -> Mesh:
        """Tip the z axis onto +y, so that a standing cylinder becomes a wheel."""
        x, y, z = self.vertices.T
        return replace(self, vertices=np.stack((x, z, -y), axis=1))


@dataclass(frozen=True, eq=False)
class Part:
    """A mesh in one colour; an opacity below 1 lets see through it, a glow above 0 shines by itself."""

    mesh: Mesh
    color: Color
    opacity: float = 1.0
    roughness: float = 0.6
    glow: float = 0.0


def merged(meshes: Iterable[Mesh]) -> Mesh:
    """One mesh of many."""
    vertices, faces, offset = [], [], 0
    for mesh in meshes:
        vertices.append(mesh.vertices)
        faces.append(mesh.faces + offset)
        offset += len(mesh.vertices)
    return Mesh(np.concatenate(vertices), np.concatenate(faces))


def circle(radius_m: float, segments: int = 40) -> FloatArray:
    angle = np.arange(segments) * (2.0 * math.pi / segments)
    return radius_m * np.stack((np.cos(angle), np.sin(angle)), axis=1)


def rounded_rectangle(length_m: float, width_m: float, radius_m: float, segments: int = 10) -> FloatArray:
    """Outline about the origin, starting on the right-hand (+x) side; every radius gives as many points."""
    quarter = np.linspace(0.0, math.pi / 2.0, segments + 1)
    corners = []
    for turn, (sx, sy) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        center = (sx * (length_m / 2.0 - radius_m), sy * (width_m / 2.0 - radius_m))
        angle = quarter + turn * math.pi / 2.0
        corners.append(center + radius_m * np.stack((np.cos(angle), np.sin(angle)), axis=1))
    return np.concatenate(corners)


def flat(outline: FloatArray, z_m: float) -> Mesh:
    """Fill a convex outline, facing up."""
    count = len(outline)
    second = np.arange(1, count - 1)
    return Mesh(_at_height(outline, z_m), np.stack((np.zeros_like(second), second, second + 1), axis=1))


def loft(rings: Sequence[tuple[FloatArray, float]]) -> Mesh:
    """Skin over outlines of equal length at rising heights, closed below and above: boxes, cylinders, balls."""
    count = len(rings[0][0])
    layers = [_at_height(outline, z_m) for outline, z_m in rings]
    sides = Mesh(np.concatenate(layers), _grid_faces(len(rings), count, closed=True))
    bottom, top = flat(*rings[0]), flat(*rings[-1])
    return merged((sides, replace(bottom, faces=bottom.faces[:, ::-1]), top))


def box(length_m: float, width_m: float, low_m: float, high_m: float) -> Mesh:
    outline = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * (length_m / 2.0, width_m / 2.0)
    return loft(((outline, low_m), (outline, high_m)))


def cylinder(radius_m: float, low_m: float, high_m: float, bevel_m: float = 0.0, segments: int = 40) -> Mesh:
    wide = circle(radius_m, segments)
    if bevel_m <= 0.0:
        return loft(((wide, low_m), (wide, high_m)))
    narrow = circle(radius_m - bevel_m, segments)
    return loft(((narrow, low_m), (wide, low_m + bevel_m), (wide, high_m - bevel_m), (narrow, high_m)))


def ball(radius_m: float, segments: int = 32) -> Mesh:
    """A sphere that stands on z = 0."""
    latitude = np.linspace(-0.5 * math.pi + 0.05, 0.5 * math.pi - 0.05, segments // 2)
    return loft([(circle(radius_m * math.cos(a), segments), radius_m * (1.0 + math.sin(a))) for a in latitude])


def tube(start: ArrayLike, end: ArrayLike, radius_m: float, segments: int = 12) -> Mesh:
    """A round bar between two points of space."""
    first, last = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    along = (last - first) / np.linalg.norm(last - first)
    helper = np.array([0.0, 0.0, 1.0]) if abs(along[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    side = np.cross(helper, along)
    side /= np.linalg.norm(side)
    bar = loft(((circle(radius_m, segments), 0.0), (circle(radius_m, segments), float(np.linalg.norm(last - first)))))
    return replace(bar, vertices=first + bar.vertices @ np.stack((side, np.cross(along, side), along)))


def wall(path: FloatArray, low_m: float, high_m: float, inner_m: float, outer_m: float) -> Mesh:
    """A wall along an open path, from `inner_m` to `outer_m` on the path's right-hand side."""
    right = _right_of(path)
    inside, outside = path + inner_m * right, path + outer_m * right
    rows = ((inside, low_m), (outside, low_m), (outside, high_m), (inside, high_m))
    rim = np.stack([_at_height(points, z_m) for points, z_m in rows], axis=1)
    vertices = rim.reshape(-1, 3)
    last = 4 * (len(path) - 1)
    ends = np.array([[0, 1, 2], [0, 2, 3], [last, last + 2, last + 1], [last, last + 3, last + 2]])
    return Mesh(vertices, np.concatenate((_grid_faces(len(path), 4, closed=True)[:, ::-1], ends)))


def ribbon(path: FloatArray, width_m: float, z_m: float) -> Mesh:
    """A flat line of some width along an open path, facing up."""
    half = 0.5 * width_m * _right_of(path)
    vertices = np.stack((_at_height(path + half, z_m), _at_height(path - half, z_m)), axis=1).reshape(-1, 3)
    return Mesh(vertices, _grid_faces(len(path), 2, closed=False)[:, ::-1])


def _at_height(points: FloatArray, z_m: float) -> FloatArray:
    return np.column_stack((points, np.full(len(points), z_m)))


def _grid_faces(rows: int, columns: int, closed: bool) -> IntArray:
    """Two triangles for each cell of a grid of vertices; `closed` joins the last column to the first."""
    row = np.arange(rows - 1)[:, None]
    column = np.arange(columns if closed else columns - 1)[None, :]
    following = (column + 1) % columns
    a, b = row * columns + column, row * columns + following
    c, d = b + columns, a + columns
    return np.concatenate([np.stack(corners, axis=-1).reshape(-1, 3) for corners in ((a, b, c), (a, c, d))])


def _right_of(path: FloatArray) -> FloatArray:
    """Offsets to the right of a path's corners, long enough that parallel lines keep their distance."""
    step = np.diff(path, axis=0)
    step /= np.linalg.norm(step, axis=1, keepdims=True)
    normal = np.stack((step[:, 1], -step[:, 0]), axis=1)
    before, after = np.vstack((normal[:1], normal)), np.vstack((normal, normal[-1:]))
    offsets: FloatArray = (before + after) / (1.0 + np.sum(before * after, axis=1, keepdims=True))
    return offsets
