"""The rink, the robots and the puck as RViz shapes: plain values, no messages.

What stands still is drawn from the same meshes as the web view. What moves is drawn from RViz's own
shapes: they are small enough to send many times a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from robohockey_core.actions import Target
from robohockey_core.geometry import Point, distance, to_parent
from robohockey_core.league import OMNI, League
from robohockey_core.names import PUCK, TEAMS, RobotId
from robohockey_core.state import BodyState, Pose2D, WorldState
from robohockey_viz import palette
from robohockey_viz.body_models import is_placed
from robohockey_viz.meshes import Part
from robohockey_viz.palette import Color
from robohockey_viz.rink_model import rink_parts

CUBE, CYLINDER, SPHERE, TEXT, TRIANGLES, LINES = "cube", "cylinder", "sphere", "text", "triangles", "lines"

_UNSCALED = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Marker:
    """One shape in the rink frame. `namespace` and `number` are its name: a new one of that name replaces it."""

    namespace: str
    number: int
    kind: str
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    yaw_rad: float = 0.0
    scale: tuple[float, float, float] = _UNSCALED
    rgba: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    points: Sequence[tuple[float, float, float]] = ()
    text: str = ""
    deleted: bool = False


def rink_markers(league: League) -> tuple[Marker, ...]:
    """Everything that stands still."""
    return tuple(_triangles(number, part) for number, part in enumerate(rink_parts(league)))


def world_markers(league: League, world: WorldState) -> tuple[Marker, ...]:
    """Robots and puck of a moment; what the world lacks is taken away."""
    markers: list[Marker] = []
    for robot in league.robots():
        markers += _robot(league, robot, world.robots.get(robot))
    return (*markers, _puck(league, world.puck))


def path_markers(league: League, world: WorldState, targets: Mapping[RobotId, Target]) -> tuple[Marker, ...]:
    """For each team the lines from its robots to where they are going; yellow where a robot is to face."""
    width, lift = 0.08 * league.robot.length_m, 0.004 * league.rink.length_m
    markers = []
    for number, team in enumerate(TEAMS):
        points: list[tuple[float, float, float]] = []
        for robot, target in targets.items():
            body = world.robots.get(robot)
            if robot.team == team and target.pose is not None and body is not None and is_placed(body):
                points += [(body.pose.x_m, body.pose.y_m, lift), (target.pose.x_m, target.pose.y_m, lift)]
        color = _rgba(palette.TEAM[team], 0.8)
        markers.append(Marker("paths", number, LINES, scale=(width, 0.0, 0.0), rgba=color, points=points, deleted=not points))
    return tuple(markers)


def nearest_robot(world: WorldState, x_m: float, y_m: float) -> RobotId | None:
    """The robot next to a point that somebody clicked at."""
    placed = {robot: body for robot, body in world.robots.items() if is_placed(body)}
    return min(placed, key=lambda robot: distance(placed[robot].pose.point, Point(x_m, y_m)), default=None)


def placed_bodies(world: WorldState) -> dict[str, Pose2D]:
    """Frames and where they are: `blue/0/base_link` and so on, and `puck`."""
    frames = {f"{robot}/base_link": body.pose for robot, body in world.robots.items() if is_placed(body)}
    return {**frames, PUCK: world.puck.pose} if world.puck is not None and is_placed(world.puck) else frames


def _rgba(color: Color, opacity: float = 1.0) -> tuple[float, float, float, float]:
    return (*color.unit, opacity)


def _triangles(number: int, part: Part) -> Marker:
    corners = part.mesh.vertices[part.mesh.faces].reshape(-1, 3)
    return Marker(
        "rink", number, TRIANGLES, rgba=_rgba(part.color, part.opacity), points=[(x, y, z) for x, y, z in corners.tolist()]
    )


def _robot(league: League, robot: RobotId, body: BodyState | None) -> list[Marker]:
    """Body, yellow front and number."""
    spec, name = league.robot, str(robot)
    kinds = (CYLINDER if spec.drive == OMNI else CUBE, CUBE, TEXT)
    if body is None or not is_placed(body):
        return [Marker(name, number, kind, deleted=True) for number, kind in enumerate(kinds)]
    pose, high = body.pose, spec.height_m
    nose = to_parent(pose.point, pose.yaw_rad, Point(0.42 * spec.length_m, 0.0))
    size = (spec.length_m, spec.width_m, high)
    nose_size = (0.16 * spec.length_m, 0.5 * spec.width_m, 0.1 * high)
    shell, front, plate = kinds
    return [
        Marker(name, 0, shell, (pose.x_m, pose.y_m, high / 2.0), pose.yaw_rad, size, _rgba(palette.TEAM[robot.team])),
        Marker(name, 1, front, (*nose, high), pose.yaw_rad, nose_size, _rgba(palette.FRONT)),
        Marker(
            name,
            2,
            plate,
            (pose.x_m, pose.y_m, 1.5 * high),
            scale=(0.0, 0.0, 0.8 * high),
            rgba=_rgba(palette.WHITE),
            text=str(robot.number),
        ),
    ]


def _puck(league: League, body: BodyState | None) -> Marker:
    spec = league.puck
    is_ball = spec.shape == "ball"
    kind = SPHERE if is_ball else CYLINDER
    if body is None or not is_placed(body):
        return Marker(PUCK, 0, kind, deleted=True)
    wide = 2.0 * spec.radius_m
    high = wide if is_ball else spec.height_m
    color = palette.BALL_ORANGE if is_ball else palette.PUCK_BLACK
    return Marker(PUCK, 0, kind, (body.pose.x_m, body.pose.y_m, high / 2.0), 0.0, (wide, wide, high), _rgba(color))
