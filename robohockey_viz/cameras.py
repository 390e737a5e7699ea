"""Where to look from: presets that frame the whole rink, whatever its size and the window's shape."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robohockey_core.league import RinkSpec
from robohockey_viz.meshes import FloatArray

FIELD_OF_VIEW_RAD = math.radians(34.0)
"""Vertical; a long lens keeps far robots nearly as large as near ones."""

NEAR_SHARE = 0.05
"""Nothing nearer than this many rink lengths is drawn."""

WIDE_SCREEN = 16.0 / 9.0

# How much of the half picture the rink may fill. Seen from the side it stays below the score panel.
_FILL = 0.94
_FILL_BELOW_PANEL = 0.44

BROADCAST, OVERHEAD, BEHIND_GOAL = "Side", "Top", "Goal"

# Toward the camera, seen from the middle of the rink. Straight down is a hair off, so that up stays defined.
_TOWARD_CAMERA = {
    BROADCAST: (0.0, -0.68, 0.73),
    OVERHEAD: (0.0, -0.001, 1.0),
    BEHIND_GOAL: (-0.86, 0.0, 0.51),
}

PRESETS = tuple(_TOWARD_CAMERA)


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
    above = _FILL_BELOW_PANEL * tan if preset == BROADCAST else below
    corners = _corners(rink)
    sideways, upward, nearer = np.abs(corners @ right), corners @ up, corners @ toward
    # A corner at depth (distance - nearer) is in the picture when sideways <= beside * depth and, with the
    # camera raised by r, -below * depth <= upward - r <= above * depth. Some r fits all corners when
    # max(upward - above * depth) <= min(upward + below * depth), which gives the second distance.
    wide_enough = float(np.max(sideways / beside + nearer))
    high_enough = float(np.max(upward + above * nearer) + np.max(below * nearer - upward)) / (above + below)
    distance = max(wide_enough, high_enough)
    raised = float(np.min(upward + below * (distance - nearer))) * up
    return View(_xyz(raised + distance * toward), _xyz(raised))


def _xyz(vector: FloatArray) -> tuple[float, float, float]:
    x, y, z = vector.tolist()
    return (x, y, z)


def _corners(rink: RinkSpec) -> FloatArray:
    """Corners of the boxes around the boards and around the goals."""
    x, y = rink.length_m / 2.0, rink.width_m / 2.0
    boxes = ((x, y, rink.board_height_m), (x + rink.goal_depth_m, rink.goal_width_m / 2.0, rink.goal_height_m))
    return np.array([(sx * x, sy * y, z) for x, y, top in boxes for sx in (-1, 1) for sy in (-1, 1) for z in (0.0, top)])
