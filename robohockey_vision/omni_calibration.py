"""Centre, radii and mirror law of an omni camera, from a few images of marks at known places around the robot.

The rim of the mirror is where the image turns dark. Marks are found by their colour in the round image; then the centre, the
mounting's turn, the focal length and the shape of the mirror are fitted so that each mark is seen where it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from robohockey_core.angles import wrap
from robohockey_core.checked import InputError
from robohockey_core.mirrors import CONIC, HYPERBOLIC, MIXED, SPHERICAL, Mirror, Ring, bearing_to_image
from robohockey_vision import blobs as blob
from robohockey_vision.colors import Colors, ColorTable, classify
from robohockey_vision.least_squares import fit

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_SHAPE = {
    SPHERICAL: ("sphere_radius_m",),
    CONIC: ("cone_slope",),
    HYPERBOLIC: ("hyperbola_a_m",),
    MIXED: ("hyperbola_a_m", "blend_radius_m"),
}
_LEAST_MARKS = 8
_LEAST_MARK_PX = 4
# Darker than this, of 255, there is no mirror.
_DARK = 24


@dataclass(frozen=True)
class Marks:
    """One image, and the places of its marks in the robot's frame: forward and left."""

    image: Image
    places_m: FloatArray


@dataclass(frozen=True)
class OmniCalibrated:
    mirror: Mirror
    center_x_px: float
    center_y_px: float
    turn_rad: float
    """How far the camera is turned on the robot."""
    rim_radius_px: float
    rms_px: float
    distance_rms_share: float
    """Root mean square of the distance error, as a share of the distance."""
    marks: int

    @property
    def ring(self) -> Ring:
        """What the unwarp needs to know; all of it within the rim."""
        return Ring(self.center_x_px, self.center_y_px, math.floor(self.rim_radius_px), self.turn_rad)


def find_rim(images: Sequence[Image]) -> tuple[float, float, float]:
    """Column and row of the mirror's centre, and its radius: the circle around all that is not dark. Raises InputError."""
    bright = np.max([image.max(axis=2) for image in images], axis=0) > _DARK
    rows = np.nonzero(bright)[0]
    if len(rows) < 100:
        raise InputError("no mirror is seen: the images are dark")
    # Left and right ends of each row lie on the circle: x^2 + y^2 = 2 cx x + 2 cy y + c.
    first, last = np.argmax(bright, axis=1), bright.shape[1] - 1 - np.argmax(bright[:, ::-1], axis=1)
    used = np.unique(rows)
    used = used[(used > used.min() + 0.05 * np.ptp(used)) & (used < used.max() - 0.05 * np.ptp(used))]
    x = np.concatenate((first[used] - 0.5, last[used] + 0.5)).astype(float)
    y = np.concatenate((used, used)).astype(float)
    solved, *_ = np.linalg.lstsq(np.column_stack((x, y, np.ones_like(x))), x * x + y * y, rcond=None)
    center_x, center_y = float(solved[0]) / 2.0, float(solved[1]) / 2.0
    return center_x, center_y, math.sqrt(float(solved[2]) + center_x**2 + center_y**2)


def find_marks(image: Image, colors: Colors, name: str, count: int) -> FloatArray:
    """Column and row of the largest blobs of a colour, as many as there are marks. Raises InputError."""
    table = ColorTable({name: colors[name]})
    found = blob.BlobFinder().find(classify(image, table), np.array([False, True]), _LEAST_MARK_PX)
    if len(found) < count:
        raise InputError(f"{count} marks of colour {name} should be seen, {len(found)} are")
    return blob.centers(found[np.argsort(-found[:, blob.AREA])][:count])


def calibrate_omni(
    views: Sequence[Marks], guess: Mirror, colors: Colors, name: str = "puck", mark_height_m: float = 0.0
) -> OmniCalibrated:
    """Fit a mirror like `guess` to marks at known places. Raises InputError."""
    center_x, center_y, rim_px = find_rim([view.image for view in views])
    # What was measured of the rim scales the guess, so that a wrong focal length does not lead astray.
    start = replace(guess, focal_px=guess.focal_px * rim_px / guess.rim_radius_px)
    places, pixels = [], []
    for view in views:
        seen = find_marks(view.image, colors, name, len(view.places_m))
        places.append(view.places_m)
        middle = np.array([center_x, center_y])
        pixels.append(middle + _matched(seen - middle, view.places_m, start, mark_height_m))
    place, pixel = np.vstack(places), np.vstack(pixels)
    if len(place) < _LEAST_MARKS:
        raise InputError(f"{len(place)} marks; {_LEAST_MARKS} at least are needed")
    distance_m, bearing_rad = np.hypot(*place.T), np.arctan2(place[:, 1], place[:, 0])
    shape = ("focal_px", *_SHAPE[guess.profile])

    def mirror_of(values: FloatArray) -> Mirror:
        return replace(
            start, **{key: getattr(start, key) * math.exp(v) for key, v in zip(shape, values[3:].tolist(), strict=True)}
        )

    def off(values: FloatArray) -> FloatArray:
        try:
            radius_px = mirror_of(values).radius_px(distance_m, mark_height_m)
        except InputError:
            return np.full(2 * len(place), 1e6)
        expected = values[:2] + bearing_to_image(bearing_rad + values[2], radius_px)
        return np.asarray((expected - pixel).ravel())

    first = np.array([center_x, center_y, 0.0, *[0.0] * len(shape)])
    solved, left = fit(off, first, np.array([1.0, 1.0, 0.02, *[0.05] * len(shape)]))
    mirror = mirror_of(solved)
    seen_m = mirror.distance_m(np.hypot(*(pixel - solved[:2]).T), mark_height_m)
    share = (seen_m - distance_m) / distance_m
    return OmniCalibrated(
        mirror=mirror,
        center_x_px=float(solved[0]),
        center_y_px=float(solved[1]),
        turn_rad=wrap(float(solved[2])),
        rim_radius_px=rim_px,
        rms_px=float(np.sqrt(np.mean(left * left) * 2.0)),
        distance_rms_share=float(np.sqrt(np.mean(share * share))),
        marks=len(place),
    )


def _matched(seen: FloatArray, places_m: FloatArray, mirror: Mirror, height_m: float) -> FloatArray:
    """The seen marks in the order of the places: each place takes the nearest mark that is left, the surest first."""
    expected = bearing_to_image(np.arctan2(places_m[:, 1], places_m[:, 0]), mirror.radius_px(np.hypot(*places_m.T), height_m))
    gaps = np.linalg.norm(expected[:, np.newaxis] - seen[np.newaxis], axis=2)
    matched = np.empty_like(expected)
    for _ in range(len(places_m)):
        place, mark = np.unravel_index(int(np.argmin(gaps)), gaps.shape)
        matched[place] = seen[mark]
        gaps[place, :], gaps[:, mark] = np.inf, np.inf
    return matched
