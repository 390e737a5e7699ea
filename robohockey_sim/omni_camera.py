"""The simulated omni camera: a round image through the mirror's true geometry.

Every pixel of the mirror has its ray, so the place on the floor that it shows is a table in the robot's frame; a frame turns
that table into the rink and reads the painted floor through it. What stands up is painted over it as outlines, each point
where its ray meets the mirror: boards, goals, robots with a band in their team's colour, and the puck; far ones first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from robohockey_core.appearance import BAND_HIGH_SHARE, BAND_LOW_SHARE, BODY_COLOR, GOAL_COLOR, PUCK_COLOR, TEAM_COLOR, Color
from robohockey_core.geometry import Point, to_local
from robohockey_core.league import League
from robohockey_core.mirrors import FARTHEST_M, Mirror, bearing_to_image
from robohockey_core.names import BLUE, PUCK, RED, parse_robot
from robohockey_core.state import BodyState, Pose2D
from robohockey_sim.camera_light import Light, LightSettings
from robohockey_sim.camera_paint import Floor, Image, bgr

FloatArray = NDArray[np.float64]

# Sub-pixels a side. A pixel far out covers much floor: it reads a picture that is blurred by about as much.
_FINER = 2
_SHIFT = 4
_FLOOR_PIXELS_A_LINE = 2.0
_FAR_SHARE = 0.5
_MARGIN_PX = 2
_STEPS = 8
_OUTLINE = 24
_GOAL_SIDE = {BLUE: -1, RED: 1}


class OmniCamera:
    """Renders what one robot's omni camera sees."""

    def __init__(
        self,
        league: League,
        mirror: Mirror,
        light: LightSettings | None = None,
        seed: int = 1,
        width_px: int = 640,
        height_px: int = 480,
        inner_radius_px: float = 9.0,
    ) -> None:
        self._league, self.mirror = league, mirror
        self._size = (height_px, width_px)
        self._middle_px = np.array([(width_px - 1) / 2.0, (height_px - 1) / 2.0])
        self._reach_px = int(min(math.ceil(mirror.rim_radius_px) + _MARGIN_PX, self._middle_px.min()))
        # The square around the mirror: light and noise need not touch what lies outside it.
        self._low_px = np.floor(self._middle_px).astype(int) - self._reach_px
        self._square_px = 2 * self._reach_px + 2
        self._light = Light(light or LightSettings(), self._square_px, self._square_px, seed)
        self._inner_radius_px = inner_radius_px
        self._make_floor()

    def relight(self, light: LightSettings, seed: int) -> None:
        """Go on in other light."""
        self._light = Light(light, self._square_px, self._square_px, seed)

    def render(self, pose: Pose2D, bodies: Mapping[str, BodyState], own_name: str = "") -> Image:
        """The image of a camera on a robot at `pose`, bgr; `own_name` is the body that carries it."""
        cos, sin, scale = math.cos(pose.yaw_rad), math.sin(pose.yaw_rad), self._floor.scale_px_m
        x_px, y_px = self._floor.pixels(np.array([[pose.x_m, pose.y_m]]))[0]
        turn = np.array([[scale * cos, -scale * sin, self._blurred_px, x_px], [-scale * sin, -scale * cos, 0.0, y_px]])
        source = cv2.transform(self._local_m, turn)
        fine: Image = cv2.remap(self._atlas, source, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        self._paint_standing(fine, pose, bodies, own_name)
        square = cv2.resize(fine, (self._square_px, self._square_px), interpolation=cv2.INTER_AREA)
        cv2.bitwise_and(square, self._mirror_mask, dst=square)
        image = np.zeros((*self._size, 3), dtype=np.uint8)
        column, row = self._low_px
        image[row : row + self._square_px, column : column + self._square_px] = self._light.apply(square)
        return image

    def _make_floor(self) -> None:
        rink = self._league.rink
        scale_px_m = _FLOOR_PIXELS_A_LINE / (0.008 * rink.width_m)
        # No robot sees farther than this: what lies beyond looks all the same.
        farthest_m = math.hypot(rink.length_m, rink.width_m)
        self._floor = Floor(self._league, scale_px_m, margin_m=farthest_m)
        sharp = self._floor.image
        self._blurred_px = sharp.shape[1]
        self._atlas: Image = np.hstack((sharp, cv2.GaussianBlur(sharp, (0, 0), 0.6 * _FLOOR_PIXELS_A_LINE)))
        fine_px = (np.arange(self._square_px * _FINER) + 0.5) / _FINER - 0.5
        columns, rows = np.meshgrid(
            fine_px + self._low_px[0] - self._middle_px[0], fine_px + self._low_px[1] - self._middle_px[1]
        )
        radius_px = np.hypot(columns, rows)
        bearing_rad = np.arctan2(columns, -rows)
        distance_m = np.minimum(self.mirror.distance_m(radius_px), farthest_m)
        far = radius_px > _FAR_SHARE * self.mirror.rim_radius_px
        local_m = np.stack((distance_m * np.cos(bearing_rad), distance_m * np.sin(bearing_rad), far), axis=2)
        self._local_m = np.ascontiguousarray(local_m.astype(np.float32))
        inside = (radius_px <= self.mirror.rim_radius_px) & (radius_px >= self._inner_radius_px)
        mask = inside[::_FINER, ::_FINER].astype(np.uint8) * 255
        self._mirror_mask: Image = np.ascontiguousarray(np.repeat(mask[:, :, np.newaxis], 3, axis=2))

    def _paint_standing(self, fine: Image, pose: Pose2D, bodies: Mapping[str, BodyState], own_name: str) -> None:
        self._paint(fine, [self._boards(pose, 0.0), self._boards(pose, self._league.rink.board_height_m)], BODY_COLOR)
        for team, side in _GOAL_SIDE.items():
            self._paint(fine, [self._goal(pose, side)], GOAL_COLOR[team])
        local = {name: to_local(pose.point, pose.yaw_rad, b.pose.point) for name, b in bodies.items() if name != own_name}
        for name in sorted(local, key=lambda name: -math.hypot(*local[name])):
            robot = parse_robot(name)
            if robot is not None:
                yaw_rad = bodies[name].pose.yaw_rad - pose.yaw_rad
                self._paint_robot(fine, local[name], yaw_rad, TEAM_COLOR[robot.team])
            elif name == PUCK:
                self._paint(fine, [self._puck(local[name])], PUCK_COLOR)

    def _boards(self, pose: Pose2D, height_m: float) -> FloatArray:
        x_m, y_m = self._league.rink.length_m / 2.0, self._league.rink.width_m / 2.0
        corners = np.array([[x_m, y_m], [-x_m, y_m], [-x_m, -y_m], [x_m, -y_m], [x_m, y_m]])
        along = np.linspace(0.0, 4.0, 12 * _STEPS, endpoint=False)
        points = np.stack([np.interp(along, np.arange(5), corners[:, axis]) for axis in (0, 1)], axis=1)
        return self._pixels(_into(pose, points), height_m)

    def _goal(self, pose: Pose2D, side: int) -> FloatArray:
        rink = self._league.rink
        across = np.linspace(-0.5, 0.5, 2 * _STEPS) * rink.goal_width_m
        mouth = _into(pose, np.stack((np.full_like(across, side * rink.length_m / 2.0), across), axis=1))
        return np.vstack((self._pixels(mouth, 0.0), self._pixels(mouth, rink.goal_height_m)[::-1]))

    def _paint_robot(self, fine: Image, at: Point, yaw_rad: float, team: Color) -> None:
        """Four upright sides, the far ones first, each with its part of the band."""
        height_m = self._league.robot.height_m
        body = Pose2D(at.x_m, at.y_m, yaw_rad)
        corners = _out_of(body, np.array(self._league.robot.corners_m))
        ends = np.roll(corners, -1, axis=0)
        share = np.linspace(0.0, 1.0, _STEPS)[:, np.newaxis, np.newaxis]
        edges = corners + share * (ends - corners)
        heights_m = height_m * np.array([0.0, 1.0, BAND_LOW_SHARE, BAND_HIGH_SHARE])
        # Heights, steps along a side, sides: all points of the robot in one go.
        every = np.broadcast_to(edges, (len(heights_m), *edges.shape))
        pixels = self._pixels(every.reshape(-1, 2), np.repeat(heights_m, edges[..., 0].size)).reshape(every.shape)
        for side in np.argsort(-np.hypot(*(corners + ends).T)):
            for low, color in ((0, BODY_COLOR), (2, team)):
                self._paint(fine, [np.vstack((pixels[low, :, side], pixels[low + 1, ::-1, side]))], color)

    def _puck(self, at: Point) -> FloatArray:
        """The circle in which the lines of sight touch a ball; the upper rim of a puck."""
        spec = self._league.puck
        angle = np.linspace(0.0, 2.0 * math.pi, _OUTLINE, endpoint=False)[:, np.newaxis]
        if spec.shape == "puck":
            rim = np.array([at]) + spec.radius_m * np.hstack((np.cos(angle), np.sin(angle)))
            return self._pixels(rim, spec.height_m)
        eye = np.array([0.0, 0.0, self.mirror.camera_height_m + self.mirror.camera_distance_m])
        center = np.array([*at, spec.radius_m])
        sight = center - eye
        far_m = float(np.linalg.norm(sight))
        sight /= far_m
        side = np.cross(sight, (0.0, 0.0, 1.0))
        side /= max(1e-9, float(np.linalg.norm(side)))
        share = min(0.99, spec.radius_m / far_m)
        rim_m = spec.radius_m * math.sqrt(1.0 - share * share)
        points = center - sight * spec.radius_m * share + rim_m * (np.cos(angle) * side + np.sin(angle) * np.cross(sight, side))
        return self._pixels(points[:, :2], points[:, 2])

    def _pixels(self, local_m: FloatArray, height_m: float | FloatArray) -> FloatArray:
        """Pixels, from the middle of the mirror, of points in the robot's frame."""
        distance_m = np.minimum(np.hypot(local_m[:, 0], local_m[:, 1]), FARTHEST_M)
        radius_px = self.mirror.radius_px(distance_m, height_m)
        return bearing_to_image(np.arctan2(local_m[:, 1], local_m[:, 0]), radius_px)

    def _paint(self, fine: Image, outlines: list[FloatArray], color: Color) -> None:
        offset = self._middle_px - self._low_px
        fixed = [np.rint((((o + offset + 0.5) * _FINER) - 0.5) * (1 << _SHIFT)).astype(np.int32) for o in outlines]
        cv2.fillPoly(fine, fixed, bgr(color), shift=_SHIFT)


def _into(pose: Pose2D, points: FloatArray) -> FloatArray:
    """Points of the rink in a robot's frame."""
    cos, sin = math.cos(pose.yaw_rad), math.sin(pose.yaw_rad)
    return np.asarray((points - (pose.x_m, pose.y_m)) @ np.array([[cos, -sin], [sin, cos]]))


def _out_of(pose: Pose2D, points: FloatArray) -> FloatArray:
    """Points of a body's frame in the frame that its pose is given in."""
    cos, sin = math.cos(pose.yaw_rad), math.sin(pose.yaw_rad)
    return np.asarray(points @ np.array([[cos, sin], [-sin, cos]]) + (pose.x_m, pose.y_m))
