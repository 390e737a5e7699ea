"""Where to look from: presets that frame the whole rink, and cameras that follow somebody over it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robohockey_core.league import League, RinkSpec
from robohockey_core.state import BodyState
from robohockey_viz.meshes import FloatArray
from robohockey_viz.rink_model import behind_m, end_m

FIELD_OF_VIEW_RAD = math.radians(34.0)
"""Vertical; a long lens keeps far robots nearly as large as near ones."""

NEAR_SHARE = 0.05
"""Nothing nearer than this many rink lengths is drawn."""

WIDE_SCREEN = 16.0 / 9.0

# How much of the half picture the rink may fill. Its upper part stays free for the scoreboard.
_FILL = 0.94
_FILL_BELOW_SCOREBOARD = 0.66

BROADCAST, OVERHEAD, BEHIND_BLUE, BEHIND_RED = "Broadcast", "Overhead", "Behind blue goal", "Behind red goal"
FOLLOW_PUCK, FOLLOW_ROBOT = "Follow puck", "Follow robot"

# Toward the camera, seen from the middle of the rink. Straight down is a hair off, so that up stays defined.
_TOWARD_CAMERA = {
    BROADCAST: (0.0, -0.68, 0.73),
    OVERHEAD: (0.0, -0.001, 1.0),
    BEHIND_BLUE: (-0.86, 0.0, 0.51),
    BEHIND_RED: (0.86, 0.0, 0.51),
}

PRESETS = tuple(_TOWARD_CAMERA)
FOLLOWING = (FOLLOW_PUCK, FOLLOW_ROBOT)

_PUCK_CLOSENESS = 0.5
"""How far the camera that follows the puck is, as a share of the one that sees the whole rink."""

_EASE_S = 0.25
"""A following camera closes the gap to where it belongs with this time constant."""


@dataclass(frozen=True)
class View:
    """A camera at `position` that looks at `look_at`, in the rink frame."""

    position: tuple[float, float, float]
    look_at: tuple[float, float, float]


def frame(rink: RinkSpec, preset: str, aspect: float) -> View:
    """The nearest camera of a preset that has the whole rink in a picture of this width to height."""
    toward = np.array(_TOWARD_CAMERA[preset])
    toward /= np.linalg.norm(toward)
    right = np.cross((0.0, 0.0, 1.0), toward)
    right /= np.linalg.norm(right)
    up = np.cross(toward, right)
    tan = math.tan(FIELD_OF_VIEW_RAD / 2.0)
    below, beside = _FILL * tan, _FILL * tan * aspect
    above = _FILL_BELOW_SCOREBOARD * tan
    corners = _corners(rink)
    sideways, upward, nearer = np.abs(corners @ right), corners @ up, corners @ toward
    # A corner at depth (distance - nearer) is in the picture when sideways <= beside * depth and, with the
    # camera raised by r, -below * depth <= upward - r <= above * depth. Some r fits all corners when
    # max(upward - above * depth) <= min(upward + below * depth), which gives the second distance.
    wide_enough = float(np.max(sideways / beside + nearer))
    high_enough = float(np.max(upward + above * nearer) + np.max(below * nearer - upward)) / (above + below)
    distance = max(wide_enough, high_enough)
    depth = distance - nearer
    raised = 0.5 * float(np.max(upward - above * depth) + np.min(upward + below * depth)) * up
    return View(_xyz(raised + distance * toward), _xyz(raised))


class Follower:
    """A camera that keeps somebody in the picture, without haste."""

    def __init__(self, league: League, mode: str, aspect: float) -> None:
        self.mode = mode
        self._robot = league.robot
        overview = frame(league.rink, BROADCAST, aspect)
        self._offset = _PUCK_CLOSENESS * (np.array(overview.position) - np.array(overview.look_at))
        self._now: FloatArray | None = None

    def view(self, body: BodyState, elapsed_s: float) -> View:
        """Where to look from at a body now, `elapsed_s` after the last look."""
        wanted = np.concatenate(self._behind(body) if self.mode == FOLLOW_ROBOT else self._beside(body))
        share = 1.0 - math.exp(-elapsed_s / _EASE_S)
        self._now = wanted if self._now is None else self._now + share * (wanted - self._now)
        return View(_xyz(self._now[:3]), _xyz(self._now[3:]))

    def _beside(self, body: BodyState) -> tuple[FloatArray, FloatArray]:
        spot = np.array([body.pose.x_m, body.pose.y_m, 0.0])
        return spot + self._offset, spot

    def _behind(self, body: BodyState) -> tuple[FloatArray, FloatArray]:
        """Over a robot's shoulder."""
        ahead = np.array([math.cos(body.pose.yaw_rad), math.sin(body.pose.yaw_rad), 0.0])
        spot = np.array([body.pose.x_m, body.pose.y_m, self._robot.height_m])
        size = max(self._robot.length_m, self._robot.height_m)
        return spot - 5.0 * size * ahead + (0.0, 0.0, 3.2 * size), spot + 2.5 * size * ahead


def _xyz(vector: FloatArray) -> tuple[float, float, float]:
    x, y, z = vector.tolist()
    return (x, y, z)


def _corners(rink: RinkSpec) -> FloatArray:
    """Corners of the boxes around the boards and around the goals."""
    y = rink.width_m / 2.0
    boxes = ((end_m(rink), y, rink.board_height_m), (behind_m(rink), rink.goal_width_m / 2.0, rink.goal_height_m))
    return np.array([(sx * x, sy * y, z) for x, y, top in boxes for sx in (-1, 1) for sy in (-1, 1) for z in (0.0, top)])
