"""The rink as coloured parts: floor, ice or grass, markings, boards and goals, all from the league's numbers."""

from __future__ import annotations

import math
from itertools import groupby

import numpy as np

from robohockey_core.appearance import Stroke, floor_strokes, goal_area_m
from robohockey_core.league import League, RinkSpec
from robohockey_core.names import BLUE, RED, TEAMS
from robohockey_viz import palette
from robohockey_viz.meshes import (
    FloatArray,
    Mesh,
    Part,
    ball,
    box,
    circle,
    cylinder,
    flat,
    loft,
    merged,
    ribbon,
    rounded_rectangle,
    tube,
    wall,
)

SIDE = {BLUE: -1, RED: 1}
"""Where a team's own goal is, along x."""

_NET_MESHES = 14


def rink_parts(league: League) -> tuple[Part, ...]:
    """Everything that does not move."""
    hockey = league.sport == "hockey"
    rink = league.rink
    return (*_ground(rink, hockey), *_markings(league), *_boards(rink, hockey), *_goals(rink, hockey))


def end_m(rink: RinkSpec) -> float:
    """Where the end boards are, along x: at the goal line, or behind goals that stand free."""
    return rink.length_m / 2.0 + rink.room_behind_goals_m


def behind_m(rink: RinkSpec) -> float:
    """Where the space behind everything begins, along x: behind the net or behind the boards."""
    return max(rink.length_m / 2.0 + rink.goal_depth_m, end_m(rink))


def margin_m(rink: RinkSpec) -> float:
    """How far the arena floor reaches beyond the boards."""
    return 0.22 * rink.width_m + rink.goal_depth_m


def board_thickness_m(rink: RinkSpec) -> float:
    return 0.02 * rink.width_m


def _layer_m(rink: RinkSpec, number: int) -> float:
    """Height of a painted layer: far enough apart that a depth buffer tells them apart."""
    return 2.5e-4 * rink.length_m * number


def _ground(rink: RinkSpec, hockey: bool) -> list[Part]:
    margin, thick = margin_m(rink), board_thickness_m(rink)
    size = (2.0 * (end_m(rink) + margin), rink.width_m + 2.0 * margin)
    top = -0.012 * rink.width_m
    outline = rounded_rectangle(*size, rink.corner_radius_m + margin)
    shrunk = rounded_rectangle(size[0] - thick, size[1] - thick, rink.corner_radius_m + margin - thick / 2.0)
    floor = loft(((outline, top - 2.0 * thick), (outline, top - 0.5 * thick), (shrunk, top)))
    sheet = rounded_rectangle(2.0 * end_m(rink) + thick, rink.width_m + thick, rink.corner_radius_m + thick / 2.0)
    pocket = box(rink.goal_depth_m + thick, rink.goal_width_m, top, -_layer_m(rink, 1))
    pockets = [pocket.moved(side * (rink.length_m + rink.goal_depth_m) / 2.0) for side in SIDE.values()]
    surface = merged((loft(((sheet, top), (sheet, 0.0))), *pockets))
    ends = [
        Part(_end_stripe(rink, side).moved(z_m=top + _layer_m(rink, 1)), palette.TEAM[team], roughness=0.4)
        for team, side in SIDE.items()
    ]
    if hockey:
        return [Part(floor, palette.FLOOR, roughness=0.9), Part(surface, palette.ICE, roughness=0.4), *ends]
    return [Part(floor, palette.FLOOR, roughness=0.9), Part(surface, palette.GRASS, roughness=0.95), *_mown(rink), *ends]


def _end_stripe(rink: RinkSpec, side: int) -> Mesh:
    """A stripe on the floor behind a goal, which says whose goal it is."""
    x = side * (behind_m(rink) + 0.07 * rink.width_m)
    return ribbon(np.array([[x, -0.25 * rink.width_m], [x, 0.25 * rink.width_m]]), 0.025 * rink.width_m, 0.0)


def _mown(rink: RinkSpec) -> list[Part]:
    """Stripes of lighter grass across the field."""
    strips, inset = 10, rink.corner_radius_m
    width = (rink.length_m - 2.0 * inset) / strips
    across = np.array([[0.0, -rink.width_m / 2.0], [0.0, rink.width_m / 2.0]])
    x = [inset - rink.length_m / 2.0 + (i + 0.5) * width for i in range(0, strips, 2)]
    light = merged([ribbon(across, width, _layer_m(rink, 1)).moved(at) for at in x])
    return [Part(light, palette.GRASS_LIGHT, roughness=0.95)]


def _markings(league: League) -> list[Part]:
    """What is painted on the floor, as cameras see it; a colour that is painted over another lies higher."""
    rink = league.rink
    parts = _creases(rink) if league.sport == "hockey" else []
    for layer, (color, strokes) in enumerate(groupby(floor_strokes(league), lambda stroke: stroke.color), start=2):
        painted = merged([_painted(stroke, _layer_m(rink, layer)) for stroke in strokes])
        parts.append(Part(painted, palette.Color(*color), roughness=0.8))
    return parts


def _painted(stroke: Stroke, z_m: float) -> Mesh:
    if len(stroke.points_m) > 1:
        return ribbon(stroke.points_m, stroke.width_m, z_m)
    ((x_m, y_m),) = stroke.points_m
    return flat(circle(stroke.width_m / 2.0, 32), z_m).moved(x_m, y_m)


def _creases(rink: RinkSpec) -> list[Part]:
    """Coloured ice within the lines of the goal areas."""
    areas = [goal_area_m(rink, side)[::-side] for side in SIDE.values()]
    return [Part(merged([flat(area, _layer_m(rink, 1)) for area in areas]), palette.CREASE, roughness=0.5)]


def _board_quarter(rink: RinkSpec) -> FloatArray:
    """The inside of the boards from red's goal, at y > 0, around the corner to the middle of the side.

    Where goals stand free, the boards are closed behind them.
    """
    end, opening = end_m(rink), 0.0 if rink.room_behind_goals_m > 0.0 else rink.goal_width_m / 2.0
    radius = rink.corner_radius_m
    angle = np.linspace(0.0, math.pi / 2.0, 17) if radius > 0.0 else np.zeros(1)
    center = np.array([end - radius, rink.width_m / 2.0 - radius])
    corner = center + radius * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    ends = np.array([[end, opening], [0.0, rink.width_m / 2.0]])
    path = np.vstack((ends[:1], corner, ends[1:]))
    apart = np.linalg.norm(np.diff(path, axis=0), axis=1) > 1e-9
    return path[np.concatenate(([True], apart))]


def board_paths(rink: RinkSpec) -> dict[str, tuple[FloatArray, FloatArray]]:
    """The boards of each team's half, as two paths with the outside on their right."""
    red_left = _board_quarter(rink)
    red_right = (red_left * (1, -1))[::-1]
    return {RED: (red_left, red_right), BLUE: (-red_left, -red_right)}


def _boards(rink: RinkSpec, hockey: bool) -> list[Part]:
    thick, high = board_thickness_m(rink), rink.board_height_m
    paths = board_paths(rink)
    every = [path for team in TEAMS for path in paths[team]]
    low, rail = 0.2 * high, 0.86 * high
    floor = -0.012 * rink.width_m

    def walls(some: list[FloatArray], *span: float) -> Mesh:
        return merged([wall(path, *span) for path in some])

    parts = [
        Part(walls(every, floor, low, 0.0, thick), palette.KICK_PLATE if hockey else palette.WOOD, roughness=0.5),
        Part(walls(every, low, rail, 0.0, thick), palette.BOARD if hockey else palette.WOOD, roughness=0.4),
    ]
    for team in TEAMS:
        top = walls(list(paths[team]), rail, high, -0.08 * thick, 1.08 * thick)
        parts.append(Part(top, palette.TEAM[team], roughness=0.6))
    return [*parts, *_board_shadows(rink, every)]


def _board_shadows(rink: RinkSpec, paths: list[FloatArray]) -> list[Part]:
    """Soft shadows at the foot of the boards, painted on the ice (the half that lies under the boards is hidden)."""
    thick = board_thickness_m(rink)
    parts = []
    for layer, reach in enumerate((0.3, 0.7, 1.2)):
        inside = [ribbon(path, 2.0 * reach * thick, _layer_m(rink, 5 + layer)) for path in paths]
        parts.append(Part(merged(inside), palette.INK, opacity=0.07, roughness=1.0))
    return parts


def _goals(rink: RinkSpec, hockey: bool) -> list[Part]:
    bars, net = _goal(rink)
    turned = [(0.0, SIDE[RED]), (math.pi, SIDE[BLUE])]
    place = [(side * rink.length_m / 2.0, yaw) for yaw, side in turned]
    frames = merged([bars.moved(x, yaw_rad=yaw) for x, yaw in place])
    nets = merged([net.moved(x, yaw_rad=yaw) for x, yaw in place])
    frame_color = palette.ICE_RED if hockey else palette.WHITE
    return [Part(frames, frame_color, roughness=0.35), Part(nets, palette.WHITE, opacity=0.5)]


def _goal(rink: RinkSpec) -> tuple[Mesh, Mesh]:
    """Frame and net of a goal whose mouth is at x = 0 and whose back is at x = depth."""
    half, high, deep = rink.goal_width_m / 2.0, rink.goal_height_m, rink.goal_depth_m
    bar, cord = 0.06 * high, 0.012 * high
    shelf = 0.4 * deep
    bars = [cylinder(bar, -0.1 * high, high, segments=20).moved(0.0, side * half) for side in (-1, 1)]
    bars.append(tube((0.0, -half, high), (0.0, half, high), bar))
    bars.append(tube((deep, -half, 0.0), (deep, half, 0.0), 0.7 * bar))
    cords = []
    for side in (-half, half):
        bars.append(tube((0.0, side, high), (shelf, side, high), 0.6 * bar))
        bars.append(tube((shelf, side, high), (deep, side, 0.0), 0.6 * bar))
        bars.append(tube((0.0, side, 0.0), (deep, side, 0.0), 0.6 * bar))
        for share in (0.25, 0.5, 0.75):
            end_x = shelf + (deep - shelf) * (1.0 - share)
            cords.append(tube((0.0, side, share * high), (end_x, side, share * high), cord, 4))
            cords.append(tube((share * shelf, side, high), (share * shelf, side, 0.0), cord, 4))
    for y in np.linspace(-half, half, _NET_MESHES + 1)[1:-1]:
        cords.append(tube((0.0, y, high), (shelf, y, high), cord, 4))
        cords.append(tube((shelf, y, high), (deep, y, 0.0), cord, 4))
    for share in np.linspace(0.0, 1.0, 6)[:-1]:
        x, z = shelf + share * (deep - shelf), high * (1.0 - share)
        cords.append(tube((x, -half, z), (x, half, z), cord, 4))
    cords.append(tube((0.5 * shelf, -half, high), (0.5 * shelf, half, high), cord, 4))
    return merged(bars), merged(cords)


def lamp_place_m(rink: RinkSpec, team: str) -> tuple[float, float]:
    """Where the lamp of a team's own goal stands: behind the net."""
    return SIDE[team] * (behind_m(rink) + 0.045 * rink.width_m), 0.0


def lamp_parts(rink: RinkSpec, *, lit: bool) -> tuple[Part, ...]:
    """The goal lamp about its foot: a post with a dome, which shines when it is lit."""
    high = 1.5 * rink.goal_height_m
    size = 0.16 * rink.goal_height_m
    post = cylinder(0.35 * size, -0.012 * rink.width_m, high, segments=16)
    base = cylinder(1.2 * size, high, high + 0.5 * size, segments=24)
    dome = ball(size, 20).moved(z_m=high + 0.3 * size)
    parts = [Part(post, palette.STEEL, roughness=0.4), Part(base, palette.INK, roughness=0.5)]
    if not lit:
        return (*parts, Part(dome, palette.LAMP_OFF, roughness=0.3))
    halos = (ball(reach * size, 20).moved(z_m=high + (1.3 - reach) * size) for reach in (1.7, 2.6, 3.8))
    return (
        *parts,
        Part(dome, palette.LAMP_ON, roughness=0.3, glow=1.0),
        *(Part(halo, palette.LAMP_ON, opacity=0.16, glow=0.7) for halo in halos),
    )
