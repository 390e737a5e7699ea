"""Robots by ArUco tags: more pixels a robot than patches need, but no colours."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from robohockey_core.appearance import TAG_SHARE, tag_robot
from robohockey_core.league import League
from robohockey_core.names import RobotId

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

# A tag of 4 x 4 bits has a black rim one cell wide, and half a cell of white around that.
_CELLS, _CELLS_WITH_WHITE = 6.0, 7.0


class TagFinder:
    """Finds the tags that a league's robots wear."""

    def __init__(self, league: League) -> None:
        robot = league.robot
        half_m = TAG_SHARE * min(robot.length_m, robot.width_m) * _CELLS / _CELLS_WITH_WHITE / 2.0
        # OpenCV lists a tag's corners clockwise from its upper left; its upper side is the robot's front.
        self.corners_m = half_m * np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]])
        self._robots = set(league.robots())
        settings = cv2.aruco.DetectorParameters()
        settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        settings.cornerRefinementWinSize = 2
        settings.minMarkerPerimeterRate = 0.01
        self._detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50), settings)

    def find(self, image: Image) -> list[tuple[RobotId, FloatArray]]:
        """Robots, with the corners of their tags in pixels in the order of `corners_m`."""
        corners, numbers, _ = self._detector.detectMarkers(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
        if numbers is None:
            return []
        pairs = zip(map(int, numbers.ravel()), corners, strict=True)
        found = [(tag_robot(number), quad.reshape(4, 2).astype(float)) for number, quad in pairs]
        return [(robot, quad) for robot, quad in found if robot in self._robots]
