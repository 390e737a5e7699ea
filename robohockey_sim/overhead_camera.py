"""The simulated overhead camera: perspective, a real lens, blur, noise and uneven light.

The rink does not move, so its image is made once, through the same camera; a frame paints the bodies over it, far ones
first. Robots are boxes that wear colour patches or an ArUco tag on top.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from robohockey_core.appearance import (
    BODY_COLOR,
    PATCHES,
    PUCK_COLOR,
    TAG_SHARE,
    TAGS,
    WHITE,
    Color,
    patch_color,
    patches,
    tag_number,
)
from robohockey_core.league import League
from robohockey_core.names import PUCK, RobotId, parse_robot
from robohockey_core.overhead_view import OverheadView
from robohockey_core.state import BodyState, Pose2D
from robohockey_sim.camera_light import Light, LightSettings
from robohockey_sim.camera_paint import Floor, Image, paint

FloatArray = NDArray[np.float64]
_Polygons = list[tuple[FloatArray, Color]]

_FINER_FLOOR = 3
_COARSER = 4
_ROUND_CORNERS = 28
_TAG_BITS = 4
_BLACK: Color = (8, 8, 8)


class OverheadCamera:
    """Renders one league through one camera."""

    def __init__(
        self, league: League, view: OverheadView, light: LightSettings | None = None, seed: int = 1, marks: str = PATCHES
    ) -> None:
        self._league, self.view, self._marks = league, view, marks
        self._light = Light(light or LightSettings(), view.width_px, view.height_px, seed)
        self._empty = _empty_rink(league, view)
        self._corners_m = np.array(league.robot.corners_m)
        self._tags = {robot: _tag_cells(robot) for robot in league.robots()} if marks == TAGS else {}
        angle = np.linspace(0.0, 2.0 * math.pi, _ROUND_CORNERS, endpoint=False)
        self._round = np.stack((np.cos(angle), np.sin(angle)), axis=1)

    def relight(self, light: LightSettings, seed: int) -> None:
        """Go on in other light."""
        self._light = Light(light, self.view.width_px, self.view.height_px, seed)

    def render(self, bodies: Mapping[str, BodyState]) -> Image:
        """The image of these bodies, bgr."""
        image = self._empty.copy()
        eye_m = self.view.position_m[:2]

        def farness(name: str) -> float:
            return -math.dist(bodies[name].pose[:2], eye_m)

        for name in sorted(bodies, key=farness):
            robot = parse_robot(name)
            if robot is not None:
                paint(image, self._robot(robot, bodies[name].pose))
            elif name == PUCK:
                paint(image, self._puck(bodies[name].pose))
        return self._light.apply(image)

    def _robot(self, robot: RobotId, pose: Pose2D) -> _Polygons:
        spec = self._league.robot
        top_px = self._project(pose, self._corners_m, spec.height_m)
        foot_px = self._project(pose, self._corners_m, 0.0)
        hull = cv2.convexHull(np.vstack((top_px, foot_px)).astype(np.float32))[:, 0, :].astype(float)
        polygons: _Polygons = [(hull, BODY_COLOR)]
        if self._marks == TAGS:
            side_m = TAG_SHARE * min(spec.length_m, spec.width_m)
            return polygons + [(self._project(pose, c * side_m, spec.height_m), color) for c, color in self._tags[robot]]
        for patch in patches(robot):
            corners_m = patch.corners_m(spec.length_m, spec.width_m)
            polygons.append((self._project(pose, corners_m, spec.height_m), patch_color(patch.color)))
        return polygons

    def _puck(self, pose: Pose2D) -> _Polygons:
        spec = self._league.puck
        if spec.shape == "puck":
            rim_m = self._round * spec.radius_m
            layers = (0.0, spec.height_m)
            return [(self._project(pose, rim_m, z_m), PUCK_COLOR) for z_m in layers]
        # The outline of a ball is the circle in which the lines of sight touch it.
        center = np.array([pose.x_m, pose.y_m, spec.radius_m])
        sight = center - self.view.position_m
        far_m = float(np.linalg.norm(sight))
        sight /= far_m
        side = np.cross(sight, (1.0, 0.0, 0.0))
        side /= np.linalg.norm(side)
        share = spec.radius_m / far_m
        radius_m = spec.radius_m * math.sqrt(1.0 - share * share)
        rim = self._round @ np.stack((side, np.cross(sight, side))) * radius_m
        return [(self.view.project(center - sight * spec.radius_m * share + rim), PUCK_COLOR)]

    def _project(self, pose: Pose2D, points_m: FloatArray, height_m: float) -> FloatArray:
        """Pixels of points given in a body's own frame."""
        cos, sin = math.cos(pose.yaw_rad), math.sin(pose.yaw_rad)
        turned = points_m @ np.array([[cos, sin], [-sin, cos]]) + (pose.x_m, pose.y_m)
        return self.view.project(np.column_stack((turned, np.full(len(turned), height_m))))


def _empty_rink(league: League, view: OverheadView) -> Image:
    """The rink through the camera, sub-pixel by sub-pixel.

    A lens bends smoothly: places are worked out every few pixels, and lie evenly in between to a hundredth of a pixel.
    """
    floor = Floor(league, min(1500.0, 3.0 * view.pixels_per_metre()), margin_m=0.3 * league.rink.width_m)
    rows, columns = view.height_px // _COARSER, view.width_px // _COARSER
    x, y = ((np.arange(n) + 0.5) * (px / n) - 0.5 for n, px in ((columns, view.width_px), (rows, view.height_px)))
    pixels = np.stack(np.meshgrid(x, y), axis=2).reshape(-1, 2)
    coarse = floor.pixels(view.place(pixels)).astype(np.float32).reshape(rows, columns, 2)
    source = cv2.resize(coarse, (view.width_px * _FINER_FLOOR, view.height_px * _FINER_FLOOR), interpolation=cv2.INTER_LINEAR)
    fine = cv2.remap(floor.image, source, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    small: Image = cv2.resize(fine, (view.width_px, view.height_px), interpolation=cv2.INTER_AREA)
    return small


def _tag_cells(robot: RobotId) -> _Polygons:
    """A tag as squares, for a side of 1: white ground, then its black cells; its upper side to the robot's front."""
    cells = _TAG_BITS + 2  # a black rim around the bits, and half a cell of white around that
    bits = cv2.aruco.generateImageMarker(
        cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), tag_number(robot), cells, borderBits=1
    )
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    white = cells + 1.0
    polygons: _Polygons = [(square - 0.5, WHITE)]
    for row, column in np.argwhere(bits == 0):
        # The tag's rows run from front to rear, its columns from left to right.
        corner = np.array([0.5 - (row + 1.5) / white, 0.5 - (column + 1.5) / white])
        polygons.append((corner + square / white, _BLACK))
    return polygons
