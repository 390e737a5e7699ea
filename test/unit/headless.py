"""Worlds for unit tests, and measures of overlap."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from robohockey_core.geometry import OrientedBox, to_local
from robohockey_core.joints import bodies_sample
from robohockey_core.league import League
from robohockey_core.names import BLUE, PUCK, RED
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState
from robohockey_sim.world import World

PRESETS = ("micro_hockey", "micro_hockey_rod", "mirosot_5v5", "mirosot_11v11", "mixed_reality", "msl_omni", "vss_3v3")


def box(league: League, state: BodyState) -> OrientedBox:
    return OrientedBox(state.pose.point, state.pose.yaw_rad, league.robot.length_m, league.robot.width_m)


def puck_depth_m(league: League, robot: BodyState, puck: BodyState) -> float:
    """How deep the puck's rim is inside a robot; negative when they are apart."""
    local = to_local(robot.pose.point, robot.pose.yaw_rad, puck.pose.point)
    over_x = abs(local.x_m) - league.robot.length_m / 2.0
    over_y = abs(local.y_m) - league.robot.width_m / 2.0
    outside_m = math.hypot(max(over_x, 0.0), max(over_y, 0.0))
    return league.puck.radius_m - (outside_m if outside_m > 0.0 else max(over_x, over_y))


def robots_depth_m(league: League, a: BodyState, b: BodyState) -> float:
    """How far two robots overlap along the line that separates them best; negative when they are apart."""
    corners_a, corners_b = (np.array(box(league, state).corners()) for state in (a, b))
    least_m = math.inf
    for yaw_rad in (a.pose.yaw_rad, a.pose.yaw_rad + math.pi / 2.0, b.pose.yaw_rad, b.pose.yaw_rad + math.pi / 2.0):
        axis = np.array([math.cos(yaw_rad), math.sin(yaw_rad)])
        along_a, along_b = corners_a @ axis, corners_b @ axis
        least_m = min(least_m, along_a.max() - along_b.min(), along_b.max() - along_a.min())
    return float(least_m)


def over_boards_m(league: League, x_m: float, y_m: float) -> float:
    """How far a point is outside the rounded rink; 0 inside."""
    rink = league.rink
    corner_m = rink.corner_radius_m
    over_x = abs(x_m) - (rink.length_m / 2.0 + rink.room_behind_goals_m - corner_m)
    over_y = abs(y_m) - (rink.width_m / 2.0 - corner_m)
    if over_x > 0.0 and over_y > 0.0:
        return max(0.0, math.hypot(over_x, over_y) - corner_m)
    return max(0.0, over_x - corner_m, over_y - corner_m)


def put(world: World, **bodies: BodyState) -> None:
    """Move bodies; `blue_0` stands for blue/0."""
    world.set_state(bodies_sample(0.0, {name.replace("_", "/"): state for name, state in bodies.items()}))


def body(x: float, y: float, yaw: float = 0.0, vx: float = 0.0, vy: float = 0.0) -> BodyState:
    return BodyState(Pose2D(x, y, yaw), Twist2D(vx, vy))


def alone(league: League) -> World:
    """A rink with one robot of each team, out of the way in the lower corners."""
    world = World(replace(league, match=replace(league.match, players=1)))
    rink = league.rink
    x, y = 0.4 * rink.length_m - league.robot.length_m, 0.5 * rink.width_m - 2.0 * league.robot.length_m
    put(world, blue_0=body(-x, -y), red_0=body(x, -y, math.pi))
    return world


def goal_for(league: League, seen: WorldState) -> str | None:
    """The team that has scored: a puck wholly over a goal line."""
    assert seen.puck is not None, PUCK
    over_m = abs(seen.puck.pose.x_m) - league.rink.length_m / 2.0
    if over_m < league.puck.radius_m:
        return None
    return BLUE if seen.puck.pose.x_m > 0.0 else RED
