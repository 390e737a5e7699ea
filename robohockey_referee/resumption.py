"""Going on as if nothing had happened: bodies as they were when play was held, velocities included."""

from __future__ import annotations

from collections.abc import Mapping

from robohockey_core.geometry import OrientedBox, Point
from robohockey_core.names import PUCK, parse_robot
from robohockey_core.state import BodyState, Pose2D, WorldState
from robohockey_referee.ground import Ground
from robohockey_referee.zones import Boards, ClearOf, Outline, RoundClearOf, Zone, nearest_place

_STEP_RADII = 0.25


def bodies_of_world(world: WorldState) -> dict[str, BodyState]:
    """Every body in sight, by name."""
    bodies = {str(robot): state for robot, state in world.robots.items()}
    return bodies if world.puck is None else {**bodies, PUCK: world.puck}


def untangled(ground: Ground, bodies: Mapping[str, BodyState]) -> dict[str, BodyState]:
    """The same bodies, moved apart by as little as it takes: a tracker may see two robots one inside the other.

    Velocities stay. A body for which there is no room, or that is no robot of the league, is left out.
    """
    apart: dict[str, BodyState] = {}
    boxes: dict[str, OrientedBox] = {}
    robots = ground.league.robots()
    for name, state in sorted(bodies.items()):
        if name != PUCK and parse_robot(name) not in robots:
            continue
        place = _free_place(ground, name, state, boxes)
        if place is None:
            continue
        apart[name] = BodyState(Pose2D(*place, state.pose.yaw_rad), state.twist)
        if name != PUCK:
            boxes[name] = _box(ground, apart[name].pose)
    return apart


def _free_place(ground: Ground, name: str, state: BodyState, boxes: Mapping[str, OrientedBox]) -> Point | None:
    rink, radius_m = ground.league.rink, ground.league.puck.radius_m
    if name == PUCK and ground.in_net(state.pose.point):
        return state.pose.point
    zones: list[Zone]
    if name == PUCK:
        zones = [Boards(ground.end_m, ground.half_width_m, rink.corner_radius_m, radius_m)]
        zones += [RoundClearOf(box, radius_m, f"on {other}") for other, box in boxes.items()]
    else:
        corners = _box(ground, Pose2D(0.0, 0.0, state.pose.yaw_rad)).corners()
        zones = [Outline(Boards(ground.end_m, ground.half_width_m, rink.corner_radius_m, 0.0), corners)]
        zones += [ClearOf(box, corners, f"on {other}") for other, box in boxes.items()]
    high = Point(ground.end_m, ground.half_width_m)
    step_m = _STEP_RADII * ground.league.robot.circumradius_m
    return nearest_place(state.pose.point, zones, Point(-high.x_m, -high.y_m), high, step_m)


def _box(ground: Ground, pose: Pose2D) -> OrientedBox:
    return OrientedBox(pose.point, pose.yaw_rad, ground.league.robot.length_m, ground.league.robot.width_m)
