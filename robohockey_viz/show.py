"""What can be drawn over a match: targets and paths, sensing range, detections against truth, a potential field."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import viser
from numpy.typing import NDArray

from robohockey_core.actions import Target
from robohockey_core.joints import FloatArray
from robohockey_core.league import League
from robohockey_core.names import RobotId, parse_robot
from robohockey_core.state import BodyState, Pose2D, WorldState
from robohockey_viz import palette
from robohockey_viz.body_models import is_placed
from robohockey_viz.guard import Guard, SharedInput
from robohockey_viz.meshes import circle
from robohockey_viz.palette import Color

_NOBODY = "nobody"
_RING_SEGMENTS = 14
_FIELD_OPACITY = 0.72

Segment = tuple[tuple[float, float], tuple[float, float]]


@dataclass
class Wanted:
    """What visitors asked to see."""

    robot: RobotId | None = None
    targets: bool = False
    sensing: bool = False
    detections: bool = False
    field: bool = False
    omni: bool = False


class Grid(NamedTuple):
    """A potential field: values from 0 (drawn to) to 100 (kept from) along x, then y; negative where unknown."""

    values: NDArray[np.int8]
    origin: Pose2D
    cell_m: float


class _Lines:
    """One scene node for many lines of many colours; spare ones have no length."""

    def __init__(self, server: viser.ViserServer, name: str, count: int, height_m: float, width: float = 2.5) -> None:
        self._height_m = height_m
        self._points = np.zeros((count, 2, 3), dtype=np.float32)
        self._colors = np.zeros((count, 2, 3), dtype=np.uint8)
        self._drawn = False
        self._handle = server.scene.add_line_segments(name, self._points, self._colors, line_width=width, visible=False)

    def show(self, segments: Iterable[tuple[Segment, Color]]) -> None:
        points, colors = np.zeros_like(self._points), np.zeros_like(self._colors)
        points[:, :, 2] = self._height_m
        count = 0
        for (start, end), color in segments:
            if count == len(points):
                break
            points[count, 0, :2], points[count, 1, :2], colors[count] = start, end, color
            count += 1
        if count or self._drawn:
            self._handle.points, self._handle.colors = points, colors
        if bool(count) != self._drawn:
            self._drawn = self._handle.visible = bool(count)


class Overlays:
    """Draws over the ice what is wanted."""

    def __init__(self, server: viser.ViserServer, league: League) -> None:
        self._server, self._league = server, league
        robots = len(league.robots())
        lift_m = 8.0 * 2.5e-4 * league.rink.length_m
        self._plans = _Lines(server, "/overlays/plans", robots * (_RING_SEGMENTS + 2), lift_m, 3.5)
        self._sensing = _Lines(server, "/overlays/sensing", 40, lift_m, 3.0)
        self._seen = _Lines(server, "/overlays/seen", 8 * robots + 40, 1.02 * league.robot.height_m, 2.5)
        self._field: viser.ImageHandle | None = None
        self._grid: Grid | None = None
        self._field_lift_m = 0.9 * lift_m

    def show(
        self,
        wanted: Wanted,
        world: WorldState,
        targets: Mapping[RobotId, Target],
        detections: Mapping[str, BodyState] | None = None,
        truth: WorldState | None = None,
    ) -> None:
        with self._server.atomic():
            self._plans.show(self._plan_lines(world, targets) if wanted.targets else ())
            self._sensing.show(self._sensing_lines(world, wanted.robot) if wanted.sensing else ())
            self._seen.show(self._seen_lines(detections or {}, truth) if wanted.detections else ())

    def show_field(self, grid: Grid | None) -> None:
        """Paint a potential field on the ice; None takes it away."""
        if grid is self._grid:
            return
        before, self._grid = self._grid, grid
        if self._field is not None and before is not None and grid is not None and before.values.shape == grid.values.shape:
            self._field.image = field_image(grid)
            return
        if self._field is not None:
            self._field.remove()
            self._field = None
        if grid is None:
            return
        columns, rows = grid.values.shape
        width_m, height_m = columns * grid.cell_m, rows * grid.cell_m
        self._field = self._server.scene.add_image(
            "/overlays/field",
            field_image(grid),
            render_width=width_m,
            render_height=height_m,
            format="png",
            # Half a turn about x lays a picture on the ice: face up, its first row at the smallest y.
            wxyz=(0.0, 1.0, 0.0, 0.0),
            position=(grid.origin.x_m + width_m / 2.0, grid.origin.y_m + height_m / 2.0, self._field_lift_m),
        )

    def _plan_lines(self, world: WorldState, targets: Mapping[RobotId, Target]) -> Iterable[tuple[Segment, Color]]:
        size = 0.35 * self._league.robot.circumradius_m
        for robot, target in targets.items():
            body = world.robots.get(robot)
            if target.pose is None or body is None or not is_placed(body):
                continue
            color = palette.TEAM[robot.team]
            goal = (target.pose.x_m, target.pose.y_m)
            yield ((body.pose.x_m, body.pose.y_m), goal), color
            yield from ((segment, color) for segment in _ring(goal, size, _RING_SEGMENTS))
            if target.face:
                yaw = target.pose.yaw_rad
                tip = (goal[0] + 2.0 * size * math.cos(yaw), goal[1] + 2.0 * size * math.sin(yaw))
                yield (goal, tip), palette.FRONT

    def _sensing_lines(self, world: WorldState, robot: RobotId | None) -> Iterable[tuple[Segment, Color]]:
        body = world.robots.get(robot) if robot is not None else None
        if body is None or not is_placed(body):
            return ()
        return ((s, palette.SENSED) for s in _ring((body.pose.x_m, body.pose.y_m), self._league.robot.sensing_range_m, 40))

    def _seen_lines(self, detections: Mapping[str, BodyState], truth: WorldState | None) -> Iterable[tuple[Segment, Color]]:
        """Crosses where bodies were seen, outlines where they truly are."""
        arm = 0.6 * self._league.robot.circumradius_m
        for body in detections.values():
            x, y = body.pose.x_m, body.pose.y_m
            yield ((x - arm, y), (x + arm, y)), palette.SENSED
            yield ((x, y - arm), (x, y + arm)), palette.SENSED
        if truth is None:
            return
        for body in truth.robots.values():
            corners = _placed(np.array(self._league.robot.corners_m), body.pose)
            pairs = zip(corners, np.roll(corners, -1, axis=0), strict=True)
            yield from ((((a[0], a[1]), (b[0], b[1])), palette.TRUE) for a, b in pairs)
        if truth.puck is not None:
            spot = (truth.puck.pose.x_m, truth.puck.pose.y_m)
            yield from ((segment, palette.TRUE) for segment in _ring(spot, self._league.puck.radius_m, 14))


class ShowPanel:
    """The check boxes. `wanted` is what they say, and `on_change` is told when they say something else.

    They change what everybody sees, and anybody may. Only a live page has a `guard`, and what there is of a live match: a
    potential field costs a team's strategy time, so that one, and whose it is, need the right to control.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        league: League,
        *,
        guard: Guard | None = None,
        on_change: Callable[[Wanted], None] | None = None,
    ) -> None:
        self.wanted = Wanted()
        self._on_change = on_change
        gui = server.gui
        self._box(gui.add_checkbox("Targets and ways", False), "targets")
        if guard is not None:
            self._box(gui.add_checkbox("Detections against truth", False), "detections")
        robot = gui.add_dropdown("Of robot", (_NOBODY, *map(str, league.robots())))
        if guard is None:
            robot.on_update(lambda event: self._set("robot", parse_robot(event.target.value)))
        else:
            SharedInput(robot, guard, lambda name: self._set("robot", parse_robot(name)), lambda: self.wanted.field)
        self._box(gui.add_checkbox("Sensing range", False), "sensing")
        if guard is not None:
            field = gui.add_checkbox("Potential field", False)
            SharedInput(field, guard, lambda chosen: self._set("field", chosen))
            self._hint = gui.add_html("", visible=False)
            self._box(gui.add_checkbox("Omni camera", False), "omni")
            blank = np.zeros((2, 2, 3), dtype=np.uint8)
            self._pictures = [gui.add_image(blank, label=name, visible=False) for name in ("Omni", "Strip")]

    def show_hint(self, text: str) -> None:
        """Say why a field that is wanted does not show; nothing when all is well."""
        content = f'<div style="padding:0 12px;font-size:12px;opacity:0.8">{text}</div>' if text else ""
        if content != self._hint.content:
            self._hint.content, self._hint.visible = content, bool(text)

    def show_pictures(self, *images: NDArray[np.uint8] | None) -> None:
        """The omni camera's image and its unwrapped strip, as far as they exist."""
        for handle, image in zip(self._pictures, images, strict=True):
            handle.visible = image is not None and self.wanted.omni
            if image is not None and self.wanted.omni:
                handle.image = image

    def _box(self, handle: viser.GuiCheckboxHandle, name: str) -> None:
        handle.on_update(lambda event: self._set(name, event.target.value))

    def _set(self, name: str, value: object) -> None:
        setattr(self.wanted, name, value)
        if self._on_change is not None:
            self._on_change(self.wanted)


def field_hint(wanted: Wanted, grid: Grid | None) -> str:
    """Why there is no potential field to see, if somebody wants to see one."""
    if not wanted.field or grid is not None:
        return ""
    if wanted.robot is None:
        return "Choose a robot above."
    return f"{wanted.robot.team.capitalize()}'s strategy has no field to show; potential_field has."


def field_image(grid: Grid) -> NDArray[np.uint8]:
    """Cells as a picture, first row at the smallest y: blue draws, red repels; unknown cells are clear."""
    values = grid.values.T.astype(float)
    share = np.clip(values / 100.0, 0.0, 1.0)[..., None]
    low, middle, high = (np.array(c, dtype=float) for c in (palette.TEAM["blue"], palette.FRONT, palette.TEAM["red"]))
    color = np.where(share < 0.5, low + 2.0 * share * (middle - low), middle + (2.0 * share - 1.0) * (high - middle))
    alpha = np.where(values[..., None] < 0.0, 0.0, 255.0 * _FIELD_OPACITY)
    return np.concatenate((color, alpha), axis=2).astype(np.uint8)


def _ring(center: tuple[float, float], radius_m: float, count: int) -> Iterable[Segment]:
    points = circle(radius_m, count) + center
    for a, b in zip(points.tolist(), np.roll(points, -1, axis=0).tolist(), strict=True):
        yield (a[0], a[1]), (b[0], b[1])


def _placed(points: FloatArray, pose: Pose2D) -> FloatArray:
    cos, sin = math.cos(pose.yaw_rad), math.sin(pose.yaw_rad)
    moved: FloatArray = points @ np.array([[cos, sin], [-sin, cos]]) + pose[:2]
    return moved
