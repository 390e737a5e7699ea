"""What is on the strip of an omni camera: puck, goals, robots and rink lines, each with bearing, distance and their deviation.

Bearing comes from the column, distance from the row through the mirror's law (Minho section 6.2, Fig 10): at the height of
what is looked at, so that a ball's middle and a band around a robot are no farther than they are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robohockey_core.appearance import BAND_LOW_SHARE
from robohockey_core.league import League
from robohockey_core.mirrors import FARTHEST_M, Mirror
from robohockey_core.names import PUCK, TEAMS
from robohockey_vision import blobs as blob
from robohockey_vision.colors import FLOOR, GOAL, LINE, OMNI_CLASSES, Colors, ColorTable, classify, default_colors
from robohockey_vision.omni import StripScale
from robohockey_vision.strip_scan import scan_columns

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

# A blob may have this share of the pixels that its distance promises, and this many at least.
_LEAST_SHARE, _MOST_SHARE = 0.3, 2.5
_LEAST_PUCK_PX, _LEAST_BAND_PX, _LEAST_GOAL_PX = 4, 12, 12
# Deviation of a seen edge or middle, in pixels of the strip.
_SIGMA_PX = 0.5
_PUCK_SIGMA_PX = 0.3
_LEAST_SIGMA_SHARE = 0.01
_PUCK_TABLE_SIZE = 200
_COLUMN_STEP = 3
# The strip goes on at its end with a part of its beginning, so that what lies behind the robot is in one piece.
_OVERLAP_SHARE = 0.25


class Sighting(NamedTuple):
    """Something seen from the robot: bearing from its front, left positive, and distance from its axis."""

    bearing_rad: float
    distance_m: float
    bearing_sigma_rad: float
    distance_sigma_m: float

    @property
    def local_m(self) -> tuple[float, float]:
        return self.distance_m * math.cos(self.bearing_rad), self.distance_m * math.sin(self.bearing_rad)


@dataclass(frozen=True, eq=False)
class FloorPoints:
    """Points on the floor in the robot's frame, with the deviation along and across the line of sight."""

    local_m: FloatArray
    along_m: FloatArray
    across_m: FloatArray

    def thinned(self, step: int) -> FloorPoints:
        """Every so many of them."""
        return FloorPoints(self.local_m[::step], self.along_m[::step], self.across_m[::step])


@dataclass(frozen=True, eq=False)
class OmniSight:
    """All that one frame shows."""

    puck: Sighting | None
    robots: tuple[tuple[str, Sighting], ...]
    goals: Mapping[str, Sighting]
    lines: FloorPoints
    edges: FloorPoints
    """Where the floor ends: at the boards, or at a robot's foot."""


class OmniDetector:
    """Reads the strips of one camera."""

    def __init__(self, league: League, mirror: Mirror, scale: StripScale, colors: Colors | None = None) -> None:
        self._league, self._mirror, self._scale = league, mirror, scale
        self._table = ColorTable(colors or default_colors(league, OMNI_CLASSES))
        number = self._table.number
        self._finder = blob.BlobFinder()
        standing = {number[name] for name in (PUCK, *TEAMS, *GOAL.values())}
        self._wanted = np.array([n in standing for n in range(len(self._table.names) + 1)])
        self._line, self._floor = number[LINE], number[FLOOR]
        self._bands_numbers = [number[team] for team in TEAMS]
        width_px = scale.shape[1]
        self._overlap_px = int(width_px * _OVERLAP_SHARE)
        self._column_rad = 2.0 * math.pi / width_px
        self._columns = np.arange(0, width_px, _COLUMN_STEP)
        self._seen = np.empty((len(self._columns) * 8, 3))
        self._farthest_m = math.hypot(league.rink.length_m, league.rink.width_m)
        self._make_puck_tables()

    def look(self, strip: Image) -> OmniSight:
        """Find everything on a strip, bgr. Raises ValueError when it has another size."""
        if strip.shape != (*self._scale.shape, 3):
            raise ValueError(f"the strip is {strip.shape}, expected {(*self._scale.shape, 3)}")
        numbers = classify(strip, self._table)
        found = self._blobs(numbers)
        count = scan_columns(numbers, self._columns, self._line, self._floor, self._seen)
        points = self._seen[:count]
        return OmniSight(
            puck=self._puck(found, numbers),
            robots=tuple((team, sight) for team in TEAMS for sight in self._bands(found, team)),
            goals={team: sight for team in TEAMS if (sight := self._goal(found, team)) is not None},
            lines=self._floor_points(points[points[:, 2] == 0.0]),
            edges=self._floor_points(points[points[:, 2] == 1.0]),
        )

    def _blobs(self, numbers: Image) -> FloatArray:
        """Blobs of the strip closed to a ring; columns count on beyond its end."""
        width_px = numbers.shape[1]
        ring = np.hstack((numbers, numbers[:, : self._overlap_px]))
        found = self._finder.find(ring, self._wanted, _LEAST_PUCK_PX)
        found = found[found[:, blob.LOW_X] < width_px]
        across = found[(found[:, blob.HIGH_X] >= width_px) & (found[:, blob.LOW_X] > 0)]
        twice = np.zeros(len(found), dtype=bool)
        for whole in across:
            # Its part at the beginning of the strip was found by itself too.
            twice |= (
                (found[:, blob.CLASS] == whole[blob.CLASS])
                & (found[:, blob.HIGH_X] <= whole[blob.HIGH_X] - width_px)
                & (found[:, blob.LOW_Y] >= whole[blob.LOW_Y])
                & (found[:, blob.HIGH_Y] <= whole[blob.HIGH_Y])
            )
        kept: FloatArray = found[~twice]
        return kept

    def _of(self, found: FloatArray, name: str) -> FloatArray:
        own: FloatArray = found[found[:, blob.CLASS] == self._table.number[name]]
        return own

    def _puck(self, found: FloatArray, numbers: Image) -> Sighting | None:
        """The largest blob in the puck's colour that is as large as a puck at its distance, and stands on the floor."""
        own = self._of(found, PUCK)
        for candidate in own[np.argsort(-own[:, blob.AREA])]:
            column, row = (candidate[[blob.SUM_X, blob.SUM_Y]] / candidate[blob.AREA]).tolist()
            sight = self._puck_sighting(column, row)
            expected_px = float(np.interp(sight.distance_m, self._puck_distances_m, self._puck_areas_px))
            fits = _LEAST_SHARE < float(candidate[blob.AREA]) / expected_px < _MOST_SHARE
            alone = self._on_floor(numbers, candidate, column) and not self._beside_band(numbers, candidate, row)
            if fits and alone and sight.distance_m < self._farthest_m:
                return sight
        return None

    def _on_floor(self, numbers: Image, candidate: FloatArray, column: float) -> bool:
        """Whether floor or a line is seen below a blob; where red meets yellow it is orange, but nothing stands there."""
        row = int(candidate[blob.HIGH_Y]) + 2
        if row >= numbers.shape[0]:
            return True
        below = numbers[row : row + 2, round(column) % numbers.shape[1]]
        return bool(np.isin(below, (self._floor, self._line)).any())

    def _beside_band(self, numbers: Image, candidate: FloatArray, row: float) -> bool:
        """Whether a robot's band begins right beside a blob: a red edge against green is orange too."""
        left, right = int(candidate[blob.LOW_X]), int(candidate[blob.HIGH_X])
        columns = np.array([left - 2, left - 1, right + 1, right + 2]) % numbers.shape[1]
        return bool(np.isin(numbers[round(row), columns], self._bands_numbers).any())

    def _puck_sighting(self, column: float, row: float) -> Sighting:
        rows = np.array([row, row - _PUCK_SIGMA_PX, row + _PUCK_SIGMA_PX])
        radii = self._scale.pixel_radius_px(rows)
        distance_m, farther_m, nearer_m = np.interp(radii, self._puck_radii_px, self._puck_distances_m).tolist()
        bearing_rad = math.remainder(float(self._scale.pixel_bearing_rad(column)), 2.0 * math.pi)
        sigma_m = max(_LEAST_SIGMA_SHARE * distance_m, (farther_m - nearer_m) / 2.0)
        return Sighting(bearing_rad, distance_m, _PUCK_SIGMA_PX * self._column_rad, sigma_m)

    def _make_puck_tables(self) -> None:
        """For each distance, the middle of a puck's outline in the image and the pixels of the strip that it covers.

        The mirror stretches the far half less than the near one, so the middle of what is seen is not where the puck's own
        middle is seen.
        """
        puck, mirror = self._league.puck, self._mirror
        nearest_m = max(
            puck.radius_m * 1.01, 0.3 * float(mirror.distance_m(np.array([self._scale.settings.inner_radius_px]))[0])
        )
        distance_m = np.geomspace(nearest_m, 1.5 * self._farthest_m, _PUCK_TABLE_SIZE)
        if puck.shape == "ball":
            # The circle in which the lines of sight touch it is tilted by the angle of sight.
            eye_m = mirror.camera_height_m + mirror.camera_distance_m
            slope_rad = np.arctan2(eye_m - puck.radius_m, distance_m)
            reach_m, rise_m = puck.radius_m * np.sin(slope_rad), puck.radius_m * np.cos(slope_rad)
            low_m, high_m = puck.radius_m - rise_m, puck.radius_m + rise_m
        else:
            reach_m = np.full_like(distance_m, puck.radius_m)
            low_m = high_m = np.full_like(distance_m, puck.height_m)
        near_px = mirror.radius_px(np.maximum(distance_m - reach_m, 1e-3), low_m)
        far_px = mirror.radius_px(distance_m + reach_m, high_m)
        rows = np.abs(self._scale.radius_row(near_px) - self._scale.radius_row(far_px))
        columns = 2.0 * np.arcsin(np.minimum(1.0, puck.radius_m / distance_m)) / self._column_rad
        self._puck_distances_m = distance_m
        self._puck_radii_px = (near_px + far_px) / 2.0
        self._puck_areas_px = np.maximum(1.0, math.pi / 4.0 * rows * columns)

    def _bands(self, found: FloatArray, team: str) -> list[Sighting]:
        """Robots by the lower edge of their band; the body's axis is half a body behind it."""
        robot = self._league.robot
        sights = []
        for candidate in self._of(found, team):
            if candidate[blob.AREA] < _LEAST_BAND_PX:
                continue
            column = (candidate[blob.LOW_X] + candidate[blob.HIGH_X]) / 2.0
            sight = self._sighting(column, float(candidate[blob.HIGH_Y]) + 0.5, BAND_LOW_SHARE * robot.height_m, 2 * _SIGMA_PX)
            if sight.distance_m < FARTHEST_M / 2.0:
                sights.append(sight._replace(distance_m=sight.distance_m + robot.length_m / 2.0))
        return sights

    def _goal(self, found: FloatArray, team: str) -> Sighting | None:
        """The middle of all that has the goal's colour; its distance by the lowest row, where the goal line is."""
        own = self._of(found, GOAL[team])
        own = own[own[:, blob.AREA] >= _LEAST_GOAL_PX]
        if not len(own):
            return None
        largest = own[int(np.argmax(own[:, blob.AREA]))]
        column = (largest[blob.LOW_X] + largest[blob.HIGH_X]) / 2.0
        sight = self._sighting(column, float(largest[blob.HIGH_Y]) + 0.5, 0.0, 2 * _SIGMA_PX)
        width_rad = (largest[blob.HIGH_X] - largest[blob.LOW_X] + 1.0) * self._column_rad
        return sight._replace(bearing_sigma_rad=max(0.03, 0.15 * width_rad))

    def _sighting(self, column: float, row: float, height_m: float, sigma_px: float) -> Sighting:
        radii = self._scale.pixel_radius_px(np.array([row, row - sigma_px, row + sigma_px]))
        distance_m, farther_m, nearer_m = self._mirror.distance_m(radii, height_m).tolist()
        bearing_rad = math.remainder(float(self._scale.pixel_bearing_rad(column)), 2.0 * math.pi)
        return Sighting(bearing_rad, distance_m, sigma_px * self._column_rad, max(1e-4, (farther_m - nearer_m) / 2.0))

    def _floor_points(self, points: FloatArray) -> FloorPoints:
        rows = points[:, 1]
        radii = self._scale.pixel_radius_px(np.stack((rows, rows - _SIGMA_PX, rows + _SIGMA_PX)))
        distance_m, farther_m, nearer_m = self._mirror.distance_m(radii)
        bearing_rad = self._scale.pixel_bearing_rad(points[:, 0])
        local_m = np.stack((distance_m * np.cos(bearing_rad), distance_m * np.sin(bearing_rad)), axis=1)
        seen = farther_m < FARTHEST_M / 2.0
        across_m = distance_m * _SIGMA_PX * self._column_rad
        return FloorPoints(local_m[seen], (farther_m - nearer_m)[seen] / 2.0, across_m[seen])
