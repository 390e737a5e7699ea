"""Painting for simulated cameras: the floor as a picture, and sharp polygons without stairs."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from robohockey_core.appearance import BODY_COLOR, HALL, WHITE, Color, floor_strokes, surface_color
from robohockey_core.league import League

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

# A pixel is divided into this many sub-pixels a side where a polygon is painted.
_FINER = 6
# cv2 takes fixed-point corners with this many binary digits behind the point.
_SHIFT = 4
_BOARD_SHARE = 0.02


def bgr(color: Color) -> tuple[int, int, int]:
    return color[2], color[1], color[0]


def paint(image: Image, polygons: Sequence[tuple[FloatArray, Color]]) -> None:
    """Paint polygons (corners in pixels, column and row) over each other; an edge covers its share of each pixel."""
    corners = np.vstack([points for points, _ in polygons])
    if not np.isfinite(corners).all():
        return
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 2, (image.shape[1], image.shape[0]))
    if (high <= low).any():
        return
    part = image[low[1] : high[1], low[0] : high[0]]
    size = (part.shape[1] * _FINER, part.shape[0] * _FINER)
    fine = cv2.resize(part, size, interpolation=cv2.INTER_NEAREST)
    for points, color in polygons:
        inside = ((points - low + 0.5) * _FINER - 0.5) * (1 << _SHIFT)
        cv2.fillPoly(fine, [np.rint(inside).astype(np.int32)], bgr(color), shift=_SHIFT)
    part[:] = cv2.resize(fine, (part.shape[1], part.shape[0]), interpolation=cv2.INTER_AREA)


class Floor:
    """The rink seen from straight above: a picture with a scale, centre ice in its middle."""

    def __init__(self, league: League, pixels_per_metre: float, margin_m: float) -> None:
        rink = league.rink
        self.scale_px_m = pixels_per_metre
        half_x_m = rink.length_m / 2.0 + rink.goal_depth_m + margin_m
        half_y_m = rink.width_m / 2.0 + margin_m
        size = (round(2.0 * half_y_m * pixels_per_metre), round(2.0 * half_x_m * pixels_per_metre), 3)
        self.middle_px = np.array([(size[1] - 1) / 2.0, (size[0] - 1) / 2.0])
        self.image: Image = np.full(size, bgr(HALL), dtype=np.uint8)
        self._paint(league)

    def pixels(self, points_m: FloatArray) -> FloatArray:
        """Where places (x, y) are in the picture."""
        return self.middle_px + points_m * (self.scale_px_m, -self.scale_px_m)

    def _paint(self, league: League) -> None:
        rink = league.rink
        board_m = _BOARD_SHARE * rink.width_m
        board = WHITE if league.sport == "hockey" else BODY_COLOR
        half = np.array([rink.length_m, rink.width_m]) / 2.0
        self._rectangle(half + board_m, rink.corner_radius_m + board_m, board)
        goal = np.array([rink.length_m / 2.0 + rink.goal_depth_m, rink.goal_width_m / 2.0])
        self._rectangle(goal + board_m / 2.0, 0.0, WHITE)
        self._rectangle(goal, 0.0, surface_color(league))
        self._rectangle(half, rink.corner_radius_m, surface_color(league))
        for stroke in floor_strokes(league):
            points = self._fixed(stroke.points_m)
            if len(points) == 1:
                radius = round(stroke.width_m / 2.0 * self.scale_px_m * (1 << _SHIFT))
                center = (int(points[0, 0]), int(points[0, 1]))
                cv2.circle(self.image, center, radius, bgr(stroke.color), cv2.FILLED, cv2.LINE_AA, _SHIFT)
            else:
                width_px = max(1, round(stroke.width_m * self.scale_px_m))
                cv2.polylines(self.image, [points], False, bgr(stroke.color), width_px, cv2.LINE_AA, _SHIFT)

    def _rectangle(self, half_m: FloatArray, corner_m: float, color: Color) -> None:
        angle = np.linspace(0.0, np.pi / 2.0, 17)
        quarter = half_m - corner_m + corner_m * np.stack((np.cos(angle), np.sin(angle)), axis=1)
        turns = ((1, 1, 1), (-1, 1, -1), (-1, -1, 1), (1, -1, -1))
        outline = np.vstack([(quarter * (sx, sy))[::order] for sx, sy, order in turns])
        cv2.fillPoly(self.image, [self._fixed(outline)], bgr(color), shift=_SHIFT)

    def _fixed(self, points_m: FloatArray) -> NDArray[np.int32]:
        return np.rint(self.pixels(points_m) * (1 << _SHIFT)).astype(np.int32)
