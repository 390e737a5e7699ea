"""Where an overhead camera is and what its lens does: from chessboards, or from the rink's own lines.

One look at a flat rink from straight above cannot tell a long lens high up from a short one low down, and robots are not
flat: so either the lens comes from chessboards held at several tilts, or the camera's height is measured by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from robohockey_core.appearance import floor_strokes
from robohockey_core.checked import InputError
from robohockey_core.league import League
from robohockey_core.overhead_view import OverheadView, turn_from_looking_down
from robohockey_vision.least_squares import fit

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

_LEAST_BOARDS = 3
# Lines are looked for this far from where they should be, in pixels, nearer from round to round.
_SEARCH_PX = (10.0, 6.0, 4.0, 4.0)
_SAMPLES_PX = 0.25
# Of a line's strongest contrast; less is background. And the contrast, of 255, that a line has at least.
_LINE_SHARE, _LEAST_CONTRAST = 0.5, 25.0
_LEAST_LINE_POINTS = 40
_UNKNOWNS = ("x_m", "y_m", "turn_x_rad", "turn_y_rad", "turn_z_rad", "z_m", "focal_px", "k1", "k2")
_SCALES = np.array([0.1, 0.1, 0.05, 0.05, 0.05, 0.1, 20.0, 0.05, 0.05])


@dataclass(frozen=True)
class Calibrated:
    view: OverheadView
    rms_px: float
    """Root mean square of what the model leaves unexplained."""
    points: int


def lens_from_chessboards(images: Sequence[Image], columns: int, rows: int, square_m: float) -> Calibrated:
    """Focal length, centre and distortion, from images of a board with so many inner corners. Raises InputError."""
    grid = np.zeros((columns * rows, 3), dtype=np.float32)
    grid[:, :2] = np.mgrid[:columns, :rows].T.reshape(-1, 2) * square_m
    found = []
    size = (0, 0)
    for image in images:
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        size = (image.shape[1], image.shape[0])
        good, corners = cv2.findChessboardCorners(grey, (columns, rows))
        if good:
            accuracy = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 30, 0.001)
            found.append(cv2.cornerSubPix(grey, corners, (5, 5), (-1, -1), accuracy))
    if len(found) < _LEAST_BOARDS:
        raise InputError(f"a board of {columns} x {rows} corners was found in {len(found)} images; {_LEAST_BOARDS} at least")
    # Square pixels, and no sixth power, which a few boards cannot tell from the others.
    flags = cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_FIX_K3
    guess = np.array([[size[0], 0.0, size[0] / 2.0], [0.0, size[0], size[1] / 2.0], [0.0, 0.0, 1.0]])
    rms_px, matrix, lens, _, _ = cv2.calibrateCamera(
        [grid] * len(found), found, size, guess, None, flags=flags | cv2.CALIB_USE_INTRINSIC_GUESS
    )
    k1, k2, p1, p2 = (float(value) for value in lens.ravel()[:4])
    center_x_px, center_y_px = float(matrix[0, 2]), float(matrix[1, 2])
    view = OverheadView(
        *size, float(matrix[0, 0]), center_x_px=center_x_px, center_y_px=center_y_px, k1=k1, k2=k2, p1=p1, p2=p2
    )
    return Calibrated(view, float(rms_px), sum(len(corners) for corners in found))


def view_from_points(lens: OverheadView, places_m: FloatArray, pixels: FloatArray) -> Calibrated:
    """Where a camera with a known lens is, from four or more places on the floor. Raises InputError."""
    flat = np.column_stack((places_m, np.zeros(len(places_m))))
    good, turn, shift = cv2.solvePnP(flat, pixels.astype(float), lens.matrix, lens.distortion, flags=cv2.SOLVEPNP_ITERATIVE)
    if not good:
        raise InputError("these places and pixels fit no camera; are they in the same order?")
    rotation = np.asarray(cv2.Rodrigues(turn)[0], dtype=float)
    x_m, y_m, z_m = (-rotation.T @ shift.ravel()).tolist()
    turn_rad = turn_from_looking_down(rotation).tolist()
    if z_m <= 0.0:
        raise InputError("these places and pixels put the camera under the floor; are they in the same order?")
    view = replace(lens, x_m=x_m, y_m=y_m, z_m=z_m, turn_x_rad=turn_rad[0], turn_y_rad=turn_rad[1], turn_z_rad=turn_rad[2])
    off = view.project(flat) - pixels
    return Calibrated(view, float(np.sqrt(np.mean(np.sum(off * off, axis=1)))), len(pixels))


def rink_corners_m(league: League) -> FloatArray:
    """The four corners of the rink's inside, as if they were square: left and right as seen from blue's goal, blue's first."""
    x, y = league.rink.length_m / 2.0, league.rink.width_m / 2.0
    return np.array([[-x, y], [x, y], [x, -y], [-x, -y]])


def view_from_rink(
    image: Image, league: League, corners_px: FloatArray, height_m: float = 0.0, lens: OverheadView | None = None
) -> Calibrated:
    """Camera and, where no lens is given, its lens too, from the rink's lines. Raises InputError.

    `corners_px` are the rink's corners in the order of `rink_corners_m`, roughly; `height_m` is the camera's height, needed
    without a lens.
    """
    if lens is None and not height_m > 0.0:
        raise InputError("without a calibrated lens, the camera's height over the floor must be given")
    guess = _first_guess(image, league, corners_px, height_m, lens)
    free = [name for name in _UNKNOWNS if lens is None or name not in ("focal_px", "k1", "k2")]
    if lens is None:
        free.remove("z_m")
    scale = _SCALES[[_UNKNOWNS.index(name) for name in free]]
    places_m, along = _line_points(league)
    contrast = _contrast(image)
    left = np.zeros(0)
    for search_px in _SEARCH_PX:
        seen_px, usable, normals = _find_lines(contrast, guess, places_m, along, search_px)
        if usable.sum() < _LEAST_LINE_POINTS:
            raise InputError(f"only {int(usable.sum())} points of the rink's lines were found; are the corners right?")
        flat = np.column_stack((places_m[usable], np.zeros(int(usable.sum()))))
        target, normal, start = seen_px[usable], normals[usable], guess

        def with_values(values: FloatArray, base: OverheadView = start) -> OverheadView:
            return replace(base, **dict(zip(free, values.tolist(), strict=True)))

        def off(
            values: FloatArray, flat: FloatArray = flat, target: FloatArray = target, normal: FloatArray = normal
        ) -> FloatArray:
            miss = np.sum((with_values(values).project(flat) - target) * normal, axis=1)
            # Points that were found on the wrong thing count little.
            return np.asarray(miss / np.sqrt(1.0 + (miss / 1.5) ** 2))

        solved, left = fit(off, np.array([getattr(start, name) for name in free]), scale)
        guess = with_values(solved)
    return Calibrated(guess, float(np.sqrt(np.mean(left * left))), len(left))


def _first_guess(
    image: Image, league: League, corners_px: FloatArray, height_m: float, lens: OverheadView | None
) -> OverheadView:
    height_px, width_px = image.shape[:2]
    if lens is not None:
        if (lens.width_px, lens.height_px) != (width_px, height_px):
            raise InputError(f"the image is {width_px} x {height_px} px, the lens is for {lens.width_px} x {lens.height_px}")
        return view_from_points(lens, rink_corners_m(league), corners_px).view
    plain = OverheadView(width_px, height_px, float(width_px), (width_px - 1) / 2.0, (height_px - 1) / 2.0)
    # Seen from above, height and focal length go together: the measured height gives the focal length.
    seen = view_from_points(plain, rink_corners_m(league), corners_px).view
    longer = replace(plain, focal_px=plain.focal_px * height_m / seen.z_m)
    return replace(view_from_points(longer, rink_corners_m(league), corners_px).view, z_m=height_m)


def _line_points(league: League) -> tuple[FloatArray, FloatArray]:
    """Points along the middle of every painted line, and the line's direction there."""
    step_m = league.rink.length_m / 100.0
    places, along = [], []
    for stroke in floor_strokes(league):
        for start, end in zip(stroke.points_m[:-1], stroke.points_m[1:], strict=True):
            length_m = float(np.linalg.norm(end - start))
            # Not at its ends, where it may meet another one.
            shares = (np.arange(max(1, int(length_m / step_m))) + 0.5) / max(1, int(length_m / step_m))
            places.append(start + shares[:, np.newaxis] * (end - start))
            along.append(np.tile((end - start) / length_m, (len(shares), 1)))
    return np.vstack(places), np.vstack(along)


def _contrast(image: Image) -> NDArray[np.float32]:
    """How far each pixel's colour is from that of most of the rink: lines stand out on ice and on grass."""
    middle = image[image.shape[0] // 5 : -image.shape[0] // 5, image.shape[1] // 5 : -image.shape[1] // 5]
    most = np.median(middle.reshape(-1, 3), axis=0)
    return np.asarray(np.abs(image.astype(np.float32) - most).max(axis=2), dtype=np.float32)


def _find_lines(
    contrast: NDArray[np.float32], view: OverheadView, places_m: FloatArray, along: FloatArray, search_px: float
) -> tuple[FloatArray, NDArray[np.bool_], FloatArray]:
    """Where lines are seen across their expected direction; which were found; and that direction across."""
    ahead_m = 0.01 * np.ptp(places_m[:, 0])
    flat, next_flat = (np.column_stack((p, np.zeros(len(p)))) for p in (places_m, places_m + ahead_m * along))
    expected = view.project(flat)
    tangent = view.project(next_flat) - expected
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    normal = np.stack((-tangent[:, 1], tangent[:, 0]), axis=1)
    offsets = np.arange(-search_px, search_px + _SAMPLES_PX, _SAMPLES_PX)
    samples = expected[:, np.newaxis, :] + offsets[:, np.newaxis] * normal[:, np.newaxis, :]
    profile = cv2.remap(contrast, samples.astype(np.float32), None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profile = profile - np.median(profile, axis=1, keepdims=True)
    peak = profile.max(axis=1)
    weight = np.clip(profile - _LINE_SHARE * peak[:, np.newaxis], 0.0, None)
    total = weight.sum(axis=1) + 1e-9
    middle = (weight @ offsets) / total
    spread = np.sqrt(np.maximum(0.0, (weight @ offsets**2) / total - middle**2))
    # A peak that reaches the end of the search is cut off; one that is spread out is more than one line.
    cut = np.maximum(weight[:, 0], weight[:, -1]) > 0.0
    usable = (peak > _LEAST_CONTRAST) & ~cut & (spread < 0.35 * search_px)
    return expected + middle[:, np.newaxis] * normal, np.asarray(usable), normal
