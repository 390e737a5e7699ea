"""Overhead images to poses: robots by their colour patches, the puck by its colour.

A robot is a team patch with two identity patches where the layout on its top says (`robohockey_core.appearance`); the pose
is the one that brings the three nearest to their places. Patches lie at the robot's height, so the camera's parallax is
taken out by the calibrated view.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from robohockey_core.appearance import (
    IDENTITY_COLORS,
    IDENTITY_OFFSET_SHARE,
    PATCH_OFFSET_SHARE,
    PATCHES,
    TAGS,
    identity_code,
    patches,
)
from robohockey_core.joints import JointSample
from robohockey_core.league import League
from robohockey_core.names import PUCK, TEAMS, RobotId, body_joints
from robohockey_core.overhead_view import OverheadView
from robohockey_core.state import Pose2D
from robohockey_vision import blobs as blob
from robohockey_vision.colors import OVERHEAD_CLASSES, Colors, ColorTable, classify, default_colors
from robohockey_vision.tags import TagFinder

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

# A patch or puck may show this share of its area: blur and shade take from it, a robot beside it hides some.
_LEAST_PATCH, _LEAST_PUCK, _MOST = 0.3, 0.25, 1.9
# A round thing fills pi/4 of its box.
_LEAST_FILL, _LEAST_ROUND = 0.55, 0.4
# How far patches may be off their layout, as a share of the robot's length.
_LAYOUT_TOLERANCE = 0.17
# Noise of a blob's middle, in pixels; what comes on top when only a part of it is seen, as a share of its radius.
_CENTER_SIGMA_PX = 0.15
_HIDDEN_SHARE = 0.5


@dataclass(frozen=True)
class RobotSight:
    """One robot in one image; `misfit_m` says how far its patches are off their layout."""

    robot: RobotId
    pose: Pose2D
    misfit_m: float


@dataclass(frozen=True)
class PuckSight:
    x_m: float
    y_m: float
    visible: float
    """Share of its area that is seen."""


class OverheadDetector:
    """Finds the robots and the puck of one league in the images of one calibrated camera.

    With `bodies`, only these: what else looks like a robot or a puck is not one.
    """

    def __init__(
        self,
        league: League,
        view: OverheadView,
        colors: Colors | None = None,
        marks: str = PATCHES,
        bodies: Collection[str] = (),
    ) -> None:
        self._league, self.view = league, view
        self._table = ColorTable(colors or default_colors(league, OVERHEAD_CLASSES))
        self._finder = blob.BlobFinder()
        self._tags = TagFinder(league) if marks == TAGS else None
        self._bodies = frozenset(bodies) or {*map(str, league.robots()), PUCK}
        robot, puck = league.robot, league.puck
        self._robots = {(r.team, identity_code(r.number)): r for r in league.robots()}
        wanted = {number for name, number in self._table.number.items() if name in OVERHEAD_CLASSES}
        self._wanted = np.array([number in wanted for number in range(len(self._table.names) + 1)])
        top_px_m2 = view.pixels_per_metre(robot.height_m) ** 2
        team, identity, _ = patches(league.robots()[0])
        self._area_px = dict.fromkeys(IDENTITY_COLORS, identity.area_share * robot.length_m * robot.width_m * top_px_m2)
        self._area_px |= dict.fromkeys(TEAMS, team.area_share * robot.length_m * robot.width_m * top_px_m2)
        self._puck_height_m = puck.radius_m if puck.shape == "ball" else puck.height_m / 2.0
        puck_px = puck.radius_m * view.pixels_per_metre(self._puck_height_m)
        self._area_px[PUCK] = math.pi * puck_px * puck_px
        self._least_area = max(2, int(_LEAST_PUCK * min(self._area_px.values())))
        self._sigma_m = _CENTER_SIGMA_PX / view.pixels_per_metre()
        x, y = PATCH_OFFSET_SHARE * robot.length_m, IDENTITY_OFFSET_SHARE * robot.width_m
        self._layout = np.array([[-x, 0.0], [x, y], [x, -y]])

    def detect(self, image: Image, stamp_s: float) -> JointSample:
        """The bodies in an image, with standard deviations as effort. Raises ValueError on an image that does not fit."""
        robots, puck = self.sights(image)
        names: list[str] = []
        position: list[float] = []
        sigma: list[float] = []
        for sight in robots:
            names += body_joints(str(sight.robot))
            position += sight.pose
            sigma += [self._sigma_m, self._sigma_m, self._sigma_m / float(self._layout[1, 0])]
        if puck is not None:
            names += body_joints(PUCK)[:2]
            position += [puck.x_m, puck.y_m]
            hidden_m = _HIDDEN_SHARE * max(0.0, 0.9 - puck.visible) * self._league.puck.radius_m
            sigma += [math.hypot(self._sigma_m, hidden_m)] * 2
        return JointSample(stamp_s, tuple(names), np.array(position), effort=np.array(sigma))

    def sights(self, image: Image) -> tuple[list[RobotSight], PuckSight | None]:
        """Robots and puck as they are seen. Raises ValueError on an image that does not fit."""
        expected = (self.view.height_px, self.view.width_px, 3)
        if image.shape != expected:
            raise ValueError(f"the image is {image.shape}, the camera was calibrated for {expected}")
        found = self._finder.find(classify(image, self._table), self._wanted, self._least_area)
        by_class = {name: self._fitting(found, name) for name in OVERHEAD_CLASSES}
        robots = self._tagged_robots(image) if self._tags is not None else self._find_robots(by_class)
        puck = self._find_puck(by_class[PUCK]) if PUCK in self._bodies else None
        return [sight for sight in robots if str(sight.robot) in self._bodies], puck

    def warm_up(self) -> None:
        """Compile, or load what is compiled, before the first image comes."""
        self.sights(np.zeros((self.view.height_px, self.view.width_px, 3), dtype=np.uint8))

    def _tagged_robots(self, image: Image) -> list[RobotSight]:
        assert self._tags is not None
        sights = []
        for robot, corners_px in self._tags.find(image):
            pose, misfit_m = fit_pose(self._tags.corners_m, self.view.place(corners_px, self._league.robot.height_m))
            if misfit_m < _LAYOUT_TOLERANCE * self._league.robot.length_m:
                sights.append(RobotSight(robot, pose, misfit_m))
        return sights

    def _fitting(self, found: FloatArray, name: str) -> FloatArray:
        """Blobs of a class that have about the size of what they should be."""
        least = _LEAST_PUCK if name == PUCK else _LEAST_PATCH
        own = found[found[:, blob.CLASS] == self._table.number[name]]
        share = own[:, blob.AREA] / self._area_px[name]
        kept: FloatArray = own[(share >= least) & (share <= _MOST)]
        return kept

    def _find_robots(self, by_class: dict[str, FloatArray]) -> list[RobotSight]:
        height_m = self._league.robot.height_m
        identities = np.vstack([by_class[name] for name in IDENTITY_COLORS])
        colors = [name for name in IDENTITY_COLORS for _ in range(len(by_class[name]))]
        if not len(identities):
            return []
        marks_m = self.view.place(blob.centers(identities), height_m)
        candidates = []
        for team in TEAMS:
            if len(by_class[team]):
                for rear_m in self.view.place(blob.centers(by_class[team]), height_m):
                    candidates += self._candidates(team, rear_m, marks_m, colors)
        best: dict[RobotId, RobotSight] = {}
        used: set[int | tuple[float, float]] = set()
        for sight, parts in sorted(candidates, key=lambda found: found[0].misfit_m):
            if sight.robot not in best and not used & parts:
                best[sight.robot] = sight
                used |= parts
        return list(best.values())

    def _candidates(
        self, team: str, rear_m: FloatArray, marks_m: FloatArray, colors: list[str]
    ) -> list[tuple[RobotSight, set[int | tuple[float, float]]]]:
        """Every way to make a robot of this team patch and two identity patches near it."""
        tolerance_m = _LAYOUT_TOLERANCE * self._league.robot.length_m
        reach_m = float(np.linalg.norm(self._layout[1] - self._layout[0])) + tolerance_m
        near = np.nonzero(np.hypot(*(marks_m - rear_m).T) < reach_m)[0].tolist()
        found: list[tuple[RobotSight, set[int | tuple[float, float]]]] = []
        for a, b in combinations(near, 2):
            ahead, across = (marks_m[a] + marks_m[b]) / 2.0 - rear_m, marks_m[a] - marks_m[b]
            left, right = (a, b) if ahead[0] * across[1] - ahead[1] * across[0] > 0.0 else (b, a)
            robot = self._robots.get((team, (colors[left], colors[right])))
            if robot is None:
                continue
            pose, misfit_m = fit_pose(self._layout, np.stack((rear_m, marks_m[left], marks_m[right])))
            if misfit_m < tolerance_m:
                found.append((RobotSight(robot, pose, misfit_m), {left, right, (float(rear_m[0]), float(rear_m[1]))}))
        return found

    def _find_puck(self, found: FloatArray) -> PuckSight | None:
        """The blob that looks most like a puck."""
        if not len(found):
            return None
        width = found[:, blob.HIGH_X] - found[:, blob.LOW_X] + 1.0
        height = found[:, blob.HIGH_Y] - found[:, blob.LOW_Y] + 1.0
        fill = found[:, blob.AREA] / (width * height)
        round_ = (fill > _LEAST_FILL) & (np.minimum(width, height) / np.maximum(width, height) > _LEAST_ROUND)
        found = found[round_]
        if not len(found):
            return None
        best = found[[int(np.argmax(found[:, blob.AREA]))]]
        x_m, y_m = self.view.place(blob.centers(best), self._puck_height_m)[0].tolist()
        return PuckSight(x_m, y_m, min(1.0, float(best[0, blob.AREA]) / self._area_px[PUCK]))


def fit_pose(layout: FloatArray, seen: FloatArray) -> tuple[Pose2D, float]:
    """The pose that brings points of a body nearest to where they are seen, and the root mean square of what is left."""
    middle, seen_middle = layout.mean(axis=0), seen.mean(axis=0)
    own, there = layout - middle, seen - seen_middle
    yaw_rad = math.atan2(float(np.sum(own[:, 0] * there[:, 1] - own[:, 1] * there[:, 0])), float(np.sum(own * there)))
    cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
    turn = np.array([[cos, sin], [-sin, cos]])
    x_m, y_m = (seen_middle - middle @ turn).tolist()
    left_m = there - own @ turn
    return Pose2D(x_m, y_m, yaw_rad), float(np.sqrt(np.mean(np.sum(left_m * left_m, axis=1))))
