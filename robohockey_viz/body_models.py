"""Robots, wheels and the puck as coloured parts, each in its own frame: x forward, y left, z up, ground at 0."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robohockey_core.league import OMNI, ROD, League, PuckSpec, RobotSpec
from robohockey_core.names import RED, RobotId
from robohockey_core.state import BodyState
from robohockey_viz import palette
from robohockey_viz.digits import number
from robohockey_viz.meshes import FloatArray, Mesh, Part, ball, box, circle, cylinder, flat, loft, rounded_rectangle

_SHADOW_REACH = (0.24, 0.17, 0.11, 0.05, 0.0)
"""How far each layer of a painted shadow reaches out, in widths of its body."""

_SHADOW_OPACITY = 0.1


def is_placed(body: BodyState | None) -> bool:
    """Whether there is a place to draw the body at."""
    return body is not None and all(map(math.isfinite, body.pose))


class WheelMount(NamedTuple):
    """Where a wheel sits under its robot; it rolls toward `yaw_rad` when it turns forward."""

    name: str
    x_m: float
    y_m: float
    yaw_rad: float


def wheel_mounts(robot: RobotSpec) -> tuple[WheelMount, ...]:
    """Every wheel by the name of its joint."""
    names = robot.make_drive().wheel_names
    if robot.drive == OMNI:
        reach = robot.hub_radius_m
        spots = [(reach * math.cos(a), reach * math.sin(a), a + math.pi / 2.0) for a in robot.wheel_angles_rad]
    else:
        spots = [(0.0, side * robot.wheel_base_m / 2.0, 0.0) for side in (1, -1)]
    return tuple(WheelMount(name, *spot) for name, spot in zip(names, spots, strict=True))


def wheel_parts(robot: RobotSpec) -> tuple[Part, ...]:
    """A wheel about the y axis through its hub, with a white mark on either face that shows it turning."""
    radius = robot.wheel_radius_m
    half = 0.5 * _wheel_thickness_m(robot)
    tyre = cylinder(radius, -half, half, bevel_m=0.12 * radius, segments=28).laid_along_y()
    mark = box(0.3 * radius, 1.5 * radius, -1.04 * half, 1.04 * half).laid_along_y()
    return (Part(tyre, palette.TYRE, roughness=0.8), Part(mark, palette.WHITE))


def robot_parts(league: League, robot: RobotId) -> tuple[Part, ...]:
    """A robot's body without wheels and kicker: chassis, shell, number on top, mark at the front."""
    spec = league.robot
    color = palette.TEAM[robot.team]
    chassis, shell, roof = _omni_body(spec) if spec.drive == OMNI else _square_body(spec)
    top, lift = spec.height_m, 0.006 * spec.height_m
    # Facing the other goal, both teams' numbers stand upright for a viewer on the near side.
    turn = math.pi if robot.team == RED else 0.0
    digit_m = 0.64 * roof if robot.number < 10 else 0.5 * roof
    plate = number(robot.number, digit_m, top + 2.0 * lift).moved(x_m=-0.08 * roof, yaw_rad=turn)
    nose = np.array([[0.49, 0.0], [0.34, 0.3], [0.34, -0.3]]) * roof
    square = spec.drive != OMNI
    return (
        *_shadow(spec.length_m, spec.width_m, 0.14 if square else 0.5),
        Part(chassis, palette.DEEP[robot.team], roughness=0.6),
        Part(shell, color, roughness=0.55),
        Part(plate, palette.WHITE, roughness=0.8),
        Part(flat(nose, top + lift), palette.FRONT),
    )


def kicker_hinge_m(league: League) -> tuple[float, float]:
    """Where the kicker is hinged: a rod at the front-left corner (Chen Fig 11), a plate left of the front's middle."""
    spec = league.robot
    if league.kicker.kind == ROD:
        return 0.5 * spec.length_m, 0.5 * spec.width_m
    return 0.47 * spec.length_m, 0.3 * spec.width_m


def kicker_parts(league: League) -> tuple[Part, ...]:
    """The kicker about its hinge; at rest it lies along the front."""
    spec, rod_kind = league.robot, league.kicker.kind == ROD
    long_m = league.kicker.rod_length_m if rod_kind else 0.6 * spec.width_m
    thick_m = (0.05 if rod_kind else 0.08) * spec.length_m
    rod = box(thick_m, long_m, 0.1 * spec.height_m, 0.26 * spec.height_m).moved(y_m=-0.5 * long_m)
    hinge = cylinder(0.7 * thick_m, 0.08 * spec.height_m, 0.3 * spec.height_m, segments=16)
    return (Part(rod, palette.STEEL, roughness=0.3), Part(hinge, palette.INK, roughness=0.4))


def puck_parts(puck: PuckSpec) -> tuple[Part, ...]:
    shadow = _shadow(2.0 * puck.radius_m, 2.0 * puck.radius_m, 0.5)
    if puck.shape == "ball":
        return (
            *shadow,
            Part(ball(puck.radius_m), palette.BALL_ORANGE, roughness=0.45),
        )
    body = cylinder(puck.radius_m, 0.0, puck.height_m, bevel_m=0.15 * puck.height_m)
    return (*shadow, Part(body, palette.PUCK_BLACK, roughness=0.5))


def trail_parts(puck: PuckSpec, share: float) -> tuple[Part, ...]:
    """A disc of the puck's trail: `share` falls from 1 just behind the puck toward 0 at the end."""
    disc = flat(circle(puck.radius_m * (0.45 + 0.5 * share), 24), 0.12 * puck.radius_m * (1.0 + 0.2 * share))
    return (Part(disc, palette.TRAIL, opacity=0.08 + 0.5 * share, roughness=1.0),)


def _shadow(length_m: float, width_m: float, corner_share: float) -> tuple[Part, ...]:
    """A soft shadow painted under a body: layers that reach farther and farther out."""
    size_m = min(length_m, width_m)
    layers = []
    for layer, reach in enumerate(_SHADOW_REACH):
        grown = reach * size_m
        outline = rounded_rectangle(length_m + 2.0 * grown, width_m + 2.0 * grown, corner_share * size_m + grown, segments=8)
        layers.append(
            Part(flat(outline, 0.02 * size_m * (1.0 + 0.1 * layer)), palette.INK, opacity=_SHADOW_OPACITY, roughness=1.0)
        )
    return tuple(layers)


def _wheel_thickness_m(robot: RobotSpec) -> float:
    return min(0.5 * robot.wheel_radius_m, 0.15 * robot.width_m)


def _shell_bottom_m(spec: RobotSpec) -> float:
    """The shell hangs above the wheels, so that they show."""
    return min(1.9 * spec.wheel_radius_m, 0.55 * spec.height_m)


def _square_body(spec: RobotSpec) -> tuple[Mesh, Mesh, float]:
    """Chassis between the wheels, shell above them, and the width of the flat roof."""
    between_m = max(spec.wheel_base_m - 1.2 * _wheel_thickness_m(spec), 0.3 * spec.width_m)
    chassis = box(0.94 * spec.length_m, between_m, 0.07 * spec.height_m, _shell_bottom_m(spec))
    edge, bevel = 0.14 * min(spec.length_m, spec.width_m), 0.06 * spec.height_m

    def outline(inset: float) -> FloatArray:
        return rounded_rectangle(spec.length_m - 2.0 * inset, spec.width_m - 2.0 * inset, edge - inset, segments=5)

    top = spec.height_m
    shell = loft(
        (
            (outline(0.5 * bevel), _shell_bottom_m(spec)),
            (outline(0.0), _shell_bottom_m(spec) + 0.5 * bevel),
            (outline(0.0), top - bevel),
            (outline(0.35 * bevel), top - 0.3 * bevel),
            (outline(bevel), top),
        )
    )
    return chassis, shell, min(spec.length_m, spec.width_m) - 2.0 * bevel


def _omni_body(spec: RobotSpec) -> tuple[Mesh, Mesh, float]:
    """A round base and a tapered shell with a flat roof."""
    radius, high = min(spec.length_m, spec.width_m) / 2.0, spec.height_m
    base_top = max(2.2 * spec.wheel_radius_m, 0.2 * high)
    chassis = cylinder(0.86 * radius, 0.05 * high, base_top)
    rings = (
        (0.94, base_top),
        (1.0, base_top + 0.03 * high),
        (1.0, 0.55 * high),
        (0.9, 0.75 * high),
        (0.84, 0.96 * high),
        (0.79, high),
    )
    shell = loft([(circle(share * radius), z) for share, z in rings])
    return chassis, shell, 1.5 * radius
