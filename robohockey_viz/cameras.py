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

_FILL = 0.94

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
    tan_up = _FILL * math.tan(FIELD_OF_VIEW_RAD / 2.0)
    tan_right = tan_up * aspect
    corners = _corners(rink)
    sideways, upward, nearer = np.abs(corners @ right), np.abs(corners @ up), corners @ toward
    # A corner is in the picture when its offset is at most tan(half angle) times its depth, distance - nearer.
    distance = float(np.max(np.maximum(sideways / tan_right, upward / tan_up) + nearer))
    # What room is left goes above the rink: the score panel hangs there.
    raise_m = float(np.min(tan_up * (distance - nearer) + corners @ up))
    center = raise_m * up
    return View(tuple((center + distance * toward).tolist()), tuple(center.tolist()))


def _corners(rink: RinkSpec) -> FloatArray:
    """Corners of the boxes around the boards and around the goals."""
    x, y = rink.length_m / 2.0, rink.width_m / 2.0
    boxes = ((x, y, rink.board_height_m), (x + rink.goal_depth_m, rink.goal_width_m / 2.0, rink.goal_height_m))
    return np.array([(sx * x, sy * y, z) for x, y, top in boxes for sx in (-1, 1) for sy in (-1, 1) for z in (0.0, top)])
