"""The round image of an omni camera spread out to a strip, by a table made once (Minho section 6, eq 7).

The round image: the camera looks up into a mirror that faces down, mounted so that the robot's front is
up in the image. Looking up swaps the sides: the robot's left is on the image's right.

The strip: a column is a bearing, a row is a distance. The robot's front is in the middle, its left on
the left, its back at both ends. Row 0 is the outer radius, where the far things are, so that the strip
stands upright as in Fig 8 and 10 of the paper; the last row is the inner radius, next to the robot.

Equation 7, with alpha from 0 at the left end of the strip to 360 degrees at its right end:

    x_f = x_i0 - radius * sin(alpha + 180)
    y_f = y_i0 - radius * cos(alpha + 180)

Three things to know about it as printed. It calls (x_f, y_f) "final" coordinates, but they are where to
read in the round image; the final place is (alpha, radius) itself, and the listed X_i, Y_i never occur.
The minus signs and the 180 degrees, which the text explains one by one, cancel: it is the same as
x_i0 + radius * sin(alpha), y_i0 + radius * cos(alpha). And it holds only for the mounting above, which
the paper does not state: alpha = 180 reads above the centre (the front), alpha = 90, in the left half
of the strip, reads to the right of it (the robot's left).

Pixels are counted as OpenCV does: whole coordinates are pixel centres, so the middle of an image that
is 640 wide is 319.5, and the middle of a strip of 630 columns is 314.5.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from robohockey_core.angles import TWO_PI
from robohockey_core.checked import InputError, limited
from robohockey_vision.encodings import as_bgr

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]
FloatOrArray = TypeVar("FloatOrArray", float, FloatArray)

# cv2.remap cannot address more in one direction.
_LONGEST_SIDE_PX = 32766

# Which form of the table cv2.remap reads fastest, nearest pixel, 640 x 480 bgr to 630 x 96:
# OpenCV 5.0 takes 41 us on two free cores and 75 us on one with whole numbers in two float maps, and
# 86 us on either with one map of 16-bit pairs; OpenCV 4.14 takes 91 us and 77 us. The result is the same.
_FLOAT_MAPS_ARE_FASTEST = int(cv2.__version__.partition(".")[0]) >= 5

REMAP, GATHER, FASTEST = "remap", "gather", "fastest"
_TRIALS = 20


@dataclass(frozen=True)
class UnwarpSettings:
    """Where the circle is in the round image, and how large the strip becomes (defaults: Minho section 6.2)."""

    width_px: int = limited(630, "width of the strip: the whole turn", low=1, high=_LONGEST_SIDE_PX)
    height_px: int = limited(96, "height of the strip: from the outer to the inner radius", low=1, high=_LONGEST_SIDE_PX)
    inner_radius_px: int = limited(9, "radius within which the robot sees itself", low=0)
    outer_radius_px: int = limited(105, "radius of the mirror's rim in the round image", low=1)
    center_x_px: float = limited(-1.0, "column of the mirror's centre; negative: the middle of the image")
    center_y_px: float = limited(-1.0, "row of the mirror's centre; negative: the middle of the image")
    turn_rad: float = limited(0.0, "how far to the left of the robot's front the camera's up looks", low=-3.2, high=3.2)
    way: str = limited(
        REMAP, "cv2.remap, a compiled gather, or the one that is faster here, tried once", choices=(REMAP, GATHER, FASTEST)
    )

    def __post_init__(self) -> None:
        if self.outer_radius_px <= self.inner_radius_px:
            raise InputError(
                f"outer_radius_px = {self.outer_radius_px}: must be above inner_radius_px = {self.inner_radius_px}"
            )


def round_image_point(
    alpha_rad: FloatOrArray, radius_px: FloatOrArray, center_x_px: float, center_y_px: float
) -> tuple[FloatOrArray, FloatOrArray]:
    """Where to read (x, y) in the round image: equation 7 as printed, in radians."""
    return (
        center_x_px - radius_px * np.sin(alpha_rad + math.pi),
        center_y_px - radius_px * np.cos(alpha_rad + math.pi),
    )


class StripScale:
    """What columns and rows of a strip mean."""

    def __init__(self, settings: UnwarpSettings) -> None:
        self.settings = settings
        self._row_height_px = (settings.outer_radius_px - settings.inner_radius_px) / settings.height_px

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the strip."""
        return self.settings.height_px, self.settings.width_px

    def pixel_bearing_rad(self, column: FloatOrArray) -> FloatOrArray:
        """Direction that a column of the strip looks to: 0 is the robot's front, left is positive (REP-103)."""
        return math.pi - (column + 0.5) * (TWO_PI / self.settings.width_px)

    def bearing_column(self, bearing_rad: FloatOrArray) -> FloatOrArray:
        """Column, with its fraction, that looks to a bearing; any number of turns."""
        return (math.pi - bearing_rad) % TWO_PI * (self.settings.width_px / TWO_PI) - 0.5

    def pixel_radius_px(self, row: FloatOrArray) -> FloatOrArray:
        """Distance from the circle's centre, in the round image, that a row of the strip shows."""
        return self.settings.outer_radius_px - (row + 0.5) * self._row_height_px

    def radius_row(self, radius_px: FloatOrArray) -> FloatOrArray:
        """Row, with its fraction, that shows a radius; outside of the strip for a radius outside of the ring."""
        return (self.settings.outer_radius_px - radius_px) / self._row_height_px - 0.5


class Unwarper(StripScale):
    """Spreads round images of one size. Raises InputError when the circle does not fit in them."""

    def __init__(self, settings: UnwarpSettings, image_width_px: int, image_height_px: int) -> None:
        super().__init__(settings)
        self.center_x_px = settings.center_x_px if settings.center_x_px >= 0.0 else (image_width_px - 1) / 2.0
        self.center_y_px = settings.center_y_px if settings.center_y_px >= 0.0 else (image_height_px - 1) / 2.0
        self._image_shape = (image_height_px, image_width_px)
        self._check_fit()
        x, y = (np.rint(values).astype(np.float32) for values in self.source_points())
        self._make_tables(x, y)

    def cropped(self, left_px: int, top_px: int, width_px: int, height_px: int) -> Unwarper:
        """The same unwarp for the part of the images that begins at a column and row: the very same pixels."""
        part = copy.copy(self)
        part.center_x_px, part.center_y_px = self.center_x_px - left_px, self.center_y_px - top_px
        part._image_shape = (height_px, width_px)
        x, y = (np.rint(values).astype(np.float32) for values in self.source_points())
        part._make_tables(x - left_px, y - top_px)
        return part

    @property
    def image_shape(self) -> tuple[int, int]:
        """Rows and columns of the round images."""
        return self._image_shape

    def _make_tables(self, x: NDArray[np.float32], y: NDArray[np.float32]) -> None:
        self._places: NDArray[np.int32] = (y.astype(np.int32) * self._image_shape[1] + x.astype(np.int32)).ravel()
        self._maps = (x, y) if _FLOAT_MAPS_ARE_FASTEST else cv2.convertMaps(x, y, cv2.CV_16SC2, nninterpolation=True)

    def unwarp(self, image: Image, out: Image | None = None) -> Image:
        """Return the strip, in `out` when it is given. Raises ValueError on an array of another size or type."""
        if image.shape[:2] != self._image_shape:
            raise ValueError(f"the image is {_size(image.shape)}, the table is for {_size(self._image_shape)}")
        # cv2 would put the strip in a new array, and leave an unfit one as it is, without a word.
        if out is not None and (out.shape != self.shape + image.shape[2:] or out.dtype != image.dtype):
            raise ValueError(f"out is {out.shape} {out.dtype}, the strip is {self.shape + image.shape[2:]} {image.dtype}")
        strip: Any = cv2.remap(image, self._maps[0], self._maps[1], cv2.INTER_NEAREST, dst=out)
        return strip  # type: ignore[no-any-return]

    def gather(self, image: Image, out: Image | None = None) -> Image:
        """The same strip by a compiled loop over a flat table, which some machines do faster (see bench/unwarp.py)."""
        from robohockey_vision.gather import gather_colors, gather_greys  # noqa: PLC0415 (importing it loads the compiler)

        if image.shape[:2] != self._image_shape:
            raise ValueError(f"the image is {_size(image.shape)}, the table is for {_size(self._image_shape)}")
        strip = np.empty(self.shape + image.shape[2:], image.dtype) if out is None else out
        copy = gather_colors if image.ndim == 3 else gather_greys
        copy(image.reshape(-1, *image.shape[2:]), self._places, strip.reshape(-1, *image.shape[2:]))
        return strip

    def source_points(self) -> tuple[FloatArray, FloatArray]:
        """Where in the round image each pixel of the strip comes from, before rounding: x and y, shaped as the strip."""
        bearing_rad = self.pixel_bearing_rad(np.arange(self.settings.width_px, dtype=float))
        alpha_rad = math.pi - (bearing_rad + self.settings.turn_rad)
        radius_px = self.pixel_radius_px(np.arange(self.settings.height_px, dtype=float))
        return round_image_point(alpha_rad[np.newaxis, :], radius_px[:, np.newaxis], self.center_x_px, self.center_y_px)

    def _check_fit(self) -> None:
        height_px, width_px = self._image_shape
        # Pixel centres are whole numbers: the image reaches half a pixel further.
        to_edges_px = (self.center_x_px, self.center_y_px, width_px - 1 - self.center_x_px, height_px - 1 - self.center_y_px)
        if min(to_edges_px) + 0.5 < self.settings.outer_radius_px:
            center = f"({self.center_x_px:g}, {self.center_y_px:g})"
            circle = f"a circle of outer_radius_px = {self.settings.outer_radius_px} about {center}"
            raise InputError(f"{circle} does not fit in an image of {_size(self._image_shape)}")
        if max(width_px, height_px) > _LONGEST_SIDE_PX:
            raise InputError(f"an image of {_size(self._image_shape)} is too large: at most {_LONGEST_SIDE_PX} px a side")


class FrameUnwarper:
    """Spreads frames as they come: the table is made for the first one, and again when the size changes.

    A bayer frame is turned to colours only where the mirror is.
    """

    def __init__(self, settings: UnwarpSettings) -> None:
        self._settings = settings
        self._unwarper: Unwarper | None = None
        self._spread: Callable[[Image], Image]
        self._frame: tuple[tuple[int, ...], bool] = ((), False)
        self._crop = (slice(None), slice(None))

    def unwarp(self, image: Image, encoding: str) -> tuple[Image, str]:
        """The strip and its encoding. Raises ValueError on a frame that the circle does not fit in."""
        bayer = encoding.startswith("bayer")
        if self._unwarper is None or self._frame != (image.shape[:2], bayer):
            self._prepare(image.shape[1], image.shape[0], bayer)
            self._frame = (image.shape[:2], bayer)
        assert self._unwarper is not None
        if not bayer:
            return self._spread(image), encoding
        return self._spread(as_bgr(image[self._crop], encoding)), "bgr8"

    @property
    def ring_px(self) -> tuple[float, float, float, float]:
        """Inner and outer radius, and the centre's column and row, of the last frame."""
        assert self._unwarper is not None
        rows, columns = self._crop
        x_px, y_px = self._unwarper.center_x_px + (columns.start or 0), self._unwarper.center_y_px + (rows.start or 0)
        return float(self._settings.inner_radius_px), float(self._settings.outer_radius_px), x_px, y_px

    def _prepare(self, width_px: int, height_px: int, bayer: bool) -> None:
        self._unwarper = whole = Unwarper(self._settings, width_px, height_px)
        self._crop = (slice(None), slice(None))
        if bayer:
            reach_px = self._settings.outer_radius_px + 3
            # From an even row and column on, so that the pattern of colours stays the same.
            column, row = (max(0, int(c - reach_px)) & ~1 for c in (whole.center_x_px, whole.center_y_px))
            right, low = int(whole.center_x_px + reach_px) + 1, int(whole.center_y_px + reach_px) + 1
            self._crop = (slice(row, min(height_px, low)), slice(column, min(width_px, right)))
            self._unwarper = whole.cropped(column, row, self._crop[1].stop - column, self._crop[0].stop - row)
        ways: dict[str, Callable[[Image], Image]] = {REMAP: self._unwarper.unwarp, GATHER: self._unwarper.gather}
        way = self._settings.way if self._settings.way != FASTEST else _fastest(ways, self._unwarper.image_shape)
        self._spread = ways[way]


def _fastest(ways: Mapping[str, Callable[[Image], Image]], shape: tuple[int, int]) -> str:
    """The way that takes least, each at its best of some trials; the first trial may compile."""
    image = np.zeros((*shape, 3), dtype=np.uint8)
    best_s = dict.fromkeys(ways, math.inf)
    for trial in range(_TRIALS):
        for name, way in ways.items():
            started_s = time.perf_counter()
            way(image)
            if trial:
                best_s[name] = min(best_s[name], time.perf_counter() - started_s)
    return min(best_s, key=lambda name: best_s[name])


def _size(shape: tuple[int, ...]) -> str:
    return f"{shape[1]} x {shape[0]} px" if len(shape) > 1 else f"an array of shape {shape}"
