"""What cameras see: colours, the patches on a robot's top, and the lines on the floor.

Simulated cameras paint it, detectors read it. Colours are red, green, blue from 0 to 255, as colour pickers show them; files
that use OpenCV turn them round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robohockey_core.league import League, RinkSpec
from robohockey_core.names import BLUE, RED, RobotId

FloatArray = NDArray[np.float64]
Color = tuple[int, int, int]

PUCK_COLOR: Color = (252, 116, 16)
TEAM_COLOR: dict[str, Color] = {BLUE: (26, 98, 226), RED: (222, 38, 44)}
# Goals as omni cameras look for them: not in the teams' colours, which robots wear (in the Minho paper: blue and yellow).
GOAL_COLOR: dict[str, Color] = {BLUE: (30, 205, 225), RED: (250, 225, 30)}
IDENTITY_COLORS: dict[str, Color] = {
    "yellow": (250, 225, 30),
    "magenta": (235, 60, 200),
    "cyan": (30, 215, 225),
    "lime": (120, 240, 50),
}
BODY_COLOR: Color = (26, 26, 30)
ICE: Color = (226, 239, 249)
ICE_RED: Color = (206, 32, 48)
ICE_BLUE: Color = (36, 84, 190)
GRASS: Color = (34, 112, 54)
WHITE: Color = (240, 242, 240)
HALL: Color = (70, 74, 82)

# The top of a robot: a team patch over its rear half, two identity patches side by side over its front half, on a dark
# ground. Shares of body length and width; the middle between rear and front patches is the robot's centre.
_PATCH_OUTER, _PATCH_INNER_X, _PATCH_INNER_Y = 0.38, 0.05, 0.04
PATCH_OFFSET_SHARE = (_PATCH_OUTER + _PATCH_INNER_X) / 2.0
"""How far the middle of the rear and of the front patches lies from the robot's centre, as a share of its length."""
IDENTITY_OFFSET_SHARE = (_PATCH_OUTER + _PATCH_INNER_Y) / 2.0
"""How far an identity patch lies to the side, as a share of the robot's width."""


class Patch(NamedTuple):
    """One coloured rectangle on a robot's top, in shares of length and width."""

    color: str
    back: float
    front: float
    right: float
    left: float

    def corners_m(self, length_m: float, width_m: float) -> FloatArray:
        x = np.array([self.back, self.front, self.front, self.back]) * length_m
        y = np.array([self.right, self.right, self.left, self.left]) * width_m
        return np.stack((x, y), axis=1)

    @property
    def area_share(self) -> float:
        """Area as a share of length times width."""
        return (self.front - self.back) * (self.left - self.right)


def identity_code(number: int) -> tuple[str, str]:
    """The colours of the left and the right identity patch.

    Two of the first four robots differ in both patches, so that one patch that is misread names no other of them.
    """
    names = tuple(IDENTITY_COLORS)
    round_, left = divmod(number, len(names))
    return names[left], names[(left + round_ + 1) % len(names)]


def patches(robot: RobotId) -> tuple[Patch, Patch, Patch]:
    """Team, left identity and right identity patch."""
    left, right = identity_code(robot.number)
    near, far, side = _PATCH_INNER_X, _PATCH_OUTER, _PATCH_INNER_Y
    return (
        Patch(robot.team, -far, -near, -far, far),
        Patch(left, near, far, side, far),
        Patch(right, near, far, -far, -side),
    )


def patch_color(name: str) -> Color:
    return TEAM_COLOR.get(name) or IDENTITY_COLORS[name]


def surface_color(league: League) -> Color:
    return ICE if league.sport == "hockey" else GRASS


@dataclass(frozen=True, eq=False)
class Stroke:
    """A painted line, or a dot when it has one point."""

    color: Color
    points_m: FloatArray
    width_m: float


def line_width_m(rink: RinkSpec) -> float:
    return 0.008 * rink.width_m


def floor_strokes(league: League) -> tuple[Stroke, ...]:
    """Everything painted on the floor, in the order of painting."""
    return _hockey_strokes(league.rink) if league.sport == "hockey" else _soccer_strokes(league.rink)


def _across(x_m: float, half_m: float) -> FloatArray:
    return np.array([[x_m, -half_m], [x_m, half_m]])


def _circle(radius_m: float, x_m: float = 0.0, y_m: float = 0.0) -> FloatArray:
    angle = np.linspace(0.0, 2.0 * math.pi, 73)
    return np.stack((x_m + radius_m * np.cos(angle), y_m + radius_m * np.sin(angle)), axis=1)


def goal_area_m(rink: RinkSpec, side: int) -> FloatArray:
    """The line around the crease or goal area of the goal at x < 0 (side -1) or x > 0 (side 1), from board to board."""
    goal, front = side * rink.length_m / 2.0, side * (rink.length_m / 2.0 - rink.goal_area_depth_m)
    half = rink.goal_area_width_m / 2.0
    return np.array([[goal, -half], [front, -half], [front, half], [goal, half]])


def _spots(rink: RinkSpec) -> list[FloatArray]:
    return [np.array([[sx * rink.face_off_x_m, sy * rink.face_off_y_m]]) for sx in (-1, 1) for sy in (-1, 1)]


def _soccer_strokes(rink: RinkSpec) -> tuple[Stroke, ...]:
    line, half = line_width_m(rink), rink.width_m / 2.0
    ends = [side * (rink.length_m - line) / 2.0 for side in (-1, 1)]
    return (
        *(Stroke(WHITE, goal_area_m(rink, side), line) for side in (-1, 1)),
        *(Stroke(WHITE, _across(x_m, half - rink.corner_radius_m), line) for x_m in ends),
        *(Stroke(WHITE, spot, 2.6 * line) for spot in _spots(rink)),
        Stroke(WHITE, _across(0.0, half), line),
        Stroke(WHITE, _circle(rink.center_circle_radius_m), line),
        Stroke(WHITE, np.zeros((1, 2)), 3.2 * line),
    )


def _hockey_strokes(rink: RinkSpec) -> tuple[Stroke, ...]:
    line, half = line_width_m(rink), rink.width_m / 2.0
    room = min(half - rink.face_off_y_m, rink.length_m / 2.0 - rink.face_off_x_m, rink.face_off_x_m)
    circle_m = min(rink.center_circle_radius_m, 0.85 * room)
    return (
        *(Stroke(ICE_BLUE, _across(side * 0.15 * rink.length_m, half), 1.8 * line) for side in (-1, 1)),
        *(Stroke(ICE_RED, goal_area_m(rink, side), 0.7 * line) for side in (-1, 1)),
        *(Stroke(ICE_RED, _across(side * rink.length_m / 2.0, rink.goal_width_m / 2.0), line) for side in (-1, 1)),
        *(Stroke(ICE_RED, _circle(circle_m, *spot[0]), 0.7 * line) for spot in _spots(rink)),
        *(Stroke(ICE_RED, spot, 4.4 * line) for spot in _spots(rink)),
        Stroke(ICE_RED, _across(0.0, half), 1.8 * line),
        Stroke(ICE_BLUE, _circle(rink.center_circle_radius_m), 0.7 * line),
        Stroke(ICE_BLUE, np.zeros((1, 2)), 4.4 * line),
    )


PATCHES, TAGS = "patches", "tags"
"""What robots may wear on top."""
_TAGS_A_TEAM = 20
TAG_SHARE = 0.9
"""Side of a robot's ArUco tag, white rim included, as a share of the smaller one of length and width."""


def tag_number(robot: RobotId) -> int:
    """The ArUco tag (4 x 4 bits, 50 tags) that a robot wears instead of patches, its upper side to the front."""
    return robot.number + (_TAGS_A_TEAM if robot.team == RED else 0)


def tag_robot(number: int) -> RobotId:
    """The robot that wears a tag: the inverse of `tag_number`."""
    return RobotId(RED if number >= _TAGS_A_TEAM else BLUE, number % _TAGS_A_TEAM)


BAND_LOW_SHARE, BAND_HIGH_SHARE = 0.5, 0.85
"""The band in the team's colour around a robot's body, as shares of its height: what other robots know it by."""
