"""The rink on a viser server: built once, then only moved.

Every rigid thing is one scene node with one merged mesh: the rink, each robot, each wheel, the puck.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping

import numpy as np
import viser

from robohockey_core.league import League
from robohockey_core.names import KICKER, TEAMS, RobotId, opponent
from robohockey_core.state import BodyState, Pose2D, WorldState
from robohockey_viz.body_models import (
    is_placed,
    kicker_hinge_m,
    kicker_parts,
    puck_parts,
    robot_parts,
    trail_parts,
    wheel_mounts,
    wheel_parts,
)
from robohockey_viz.glb import glb
from robohockey_viz.kick_watch import KickWatch
from robohockey_viz.rink_model import lamp_parts, lamp_place_m, rink_parts

_SKY, _FLOOD = 2.25, 2.5
_FLOOD_FROM = (-2.0, -2.5, 5.0)

LAMP_S = 4.0
"""How long a goal lamp shines."""

_TRAIL_DISCS = 9
_TRAIL_S = 0.45

Quaternion = tuple[float, float, float, float]
"""W, x, y, z, as viser counts."""


def turned(yaw_rad: float) -> Quaternion:
    """A turn about z."""
    return (math.cos(yaw_rad / 2.0), 0.0, 0.0, math.sin(yaw_rad / 2.0))


def rolled(yaw_rad: float, roll_rad: float) -> Quaternion:
    """A wheel that points along `yaw_rad` and has turned by `roll_rad` about its axle, its own y."""
    cos_yaw, sin_yaw = math.cos(yaw_rad / 2.0), math.sin(yaw_rad / 2.0)
    cos_roll, sin_roll = math.cos(roll_rad / 2.0), math.sin(roll_rad / 2.0)
    return (cos_yaw * cos_roll, -sin_yaw * sin_roll, cos_yaw * sin_roll, sin_yaw * cos_roll)


class _Mover:
    """A scene node that is told only what changed."""

    def __init__(self, handle: viser.SceneNodeHandle) -> None:
        self._handle = handle
        self._pose: tuple[float, ...] = ()
        self._shown = False

    def show(self, body: BodyState | None) -> None:
        shown = is_placed(body)
        if shown != self._shown:
            self._shown = self._handle.visible = shown
        if body is None or not shown or body.pose == self._pose:
            return
        before, self._pose = self._pose, body.pose
        if body.pose[:2] != before[:2]:
            self._handle.position = (body.pose.x_m, body.pose.y_m, 0.0)
        if body.pose.yaw_rad != (before[2] if before else None):
            self._handle.wxyz = turned(body.pose.yaw_rad)


class _Trail:
    """Discs that the puck leaves behind and that fade: moved like bodies, so they keep step with the puck."""

    def __init__(self, server: viser.ViserServer, league: League) -> None:
        self._near_m = 0.2 * league.puck.radius_m
        self._past: deque[tuple[float, float, float]] = deque()
        self._discs = [
            _Mover(server.scene.add_glb(f"/trail/{number}", glb(trail_parts(league.puck, share)), visible=False))
            for number, share in enumerate(np.linspace(1.0, 0.0, _TRAIL_DISCS, endpoint=False).tolist())
        ]

    def show(self, stamp_s: float, puck: BodyState | None) -> None:
        if puck is None or not is_placed(puck) or (self._past and stamp_s < self._past[-1][0]):
            self._past.clear()
        else:
            self._past.append((stamp_s, puck.pose.x_m, puck.pose.y_m))
        while self._past and self._past[0][0] < stamp_s - _TRAIL_S:
            self._past.popleft()
        past = np.array(self._past).reshape(-1, 3)
        moving = len(past) > 1 and float(np.ptp(past[:, 1:], axis=0).max()) > self._near_m
        for number, disc in enumerate(self._discs):
            # Ages are the same whatever the frame rate is.
            age_s = (number + 1) * _TRAIL_S / _TRAIL_DISCS
            if not moving or stamp_s - age_s < past[0, 0]:
                disc.show(None)
                continue
            x, y = (float(np.interp(stamp_s - age_s, past[:, 0], past[:, axis])) for axis in (1, 2))
            disc.show(BodyState(Pose2D(x, y)))


class RinkScene:
    """A league's rink in the browser: `update` moves what moved, `light_lamp` tells of a goal."""

    def __init__(self, server: viser.ViserServer, league: League) -> None:
        self._server = server
        self._wheel_angles: dict[str, float] = {}
        self._wheels: dict[str, tuple[viser.SceneNodeHandle, float]] = {}
        self._kickers: dict[RobotId, tuple[viser.SceneNodeHandle, list[float]]] = {}
        self._kicks = KickWatch(league)
        server.scene.set_up_direction("+z")
        server.scene.world_axes.visible = False
        self._add_lights()
        server.scene.add_glb("/rink", glb(rink_parts(league)))
        self._lamps = {team: self._add_lamp(league, team) for team in TEAMS}
        self._lit_until_s = dict.fromkeys(TEAMS, -math.inf)
        self._trail = _Trail(server, league)
        self._puck = _Mover(server.scene.add_glb("/puck", glb(puck_parts(league.puck)), visible=False))
        self._robots = {robot: self._add_robot(league, robot) for robot in league.robots()}

    def update(self, world: WorldState, wheel_angles: Mapping[str, float] | None = None) -> None:
        """Move bodies to `world` and turn wheels, by joint name, to their angles; hide what the world lacks."""
        self._kicks.watch(world)
        angles = wheel_angles or {}
        with self._server.atomic():
            self._puck.show(world.puck)
            self._trail.show(world.stamp_s, world.puck)
            for robot, mover in self._robots.items():
                mover.show(world.robots.get(robot))
                measured_rad = angles.get(robot.joint(KICKER))
                self._swing(robot, measured_rad or self._kicks.angle_rad(robot, world.stamp_s))
            for joint, angle_rad in angles.items():
                self._turn_wheel(joint, angle_rad)

    def light_lamp(self, scorer: str, wall_s: float, *, swapped: bool = False) -> None:
        """Light the lamp of the goal that `scorer` shot at, for a while; `swapped`: after teams changed ends."""
        self._lit_until_s[scorer if swapped else opponent(scorer)] = wall_s + LAMP_S

    def tick(self, wall_s: float) -> None:
        """Light lamps that are to shine, and put them out when their time is over."""
        for team, (on, off) in self._lamps.items():
            lit = wall_s < self._lit_until_s[team]
            if lit != on.visible:
                on.visible, off.visible = lit, not lit

    def _swing(self, robot: RobotId, angle_rad: float) -> None:
        handle, shown = self._kickers[robot]
        if angle_rad != shown[0] and math.isfinite(angle_rad):
            shown[0] = angle_rad
            handle.wxyz = turned(angle_rad)

    def _turn_wheel(self, joint: str, angle_rad: float) -> None:
        if joint not in self._wheels or not math.isfinite(angle_rad) or angle_rad == self._wheel_angles.get(joint):
            return
        handle, yaw_rad = self._wheels[joint]
        self._wheel_angles[joint] = angle_rad
        handle.wxyz = rolled(yaw_rad, angle_rad)

    def _add_lamp(self, league: League, team: str) -> tuple[viser.SceneNodeHandle, viser.SceneNodeHandle]:
        position = (*lamp_place_m(league.rink, team), 0.0)
        on, off = (
            self._server.scene.add_glb(f"/lamps/{team}_{lit}", glb(lamp_parts(league.rink, lit=lit)), position=position)
            for lit in (True, False)
        )
        on.visible = False
        return on, off

    def _add_robot(self, league: League, robot: RobotId) -> _Mover:
        scene, path = self._server.scene, f"/robots/{robot}"
        body = scene.add_glb(path, glb(robot_parts(league, robot)), visible=False)
        wheel = glb(wheel_parts(league.robot))
        for mount in wheel_mounts(league.robot):
            position = (mount.x_m, mount.y_m, league.robot.wheel_radius_m)
            handle = scene.add_glb(f"{path}/{mount.name}", wheel, position=position, wxyz=turned(mount.yaw_rad))
            self._wheels[robot.joint(mount.name)] = (handle, mount.yaw_rad)
        hinge = (*kicker_hinge_m(league), 0.0)
        self._kickers[robot] = (scene.add_glb(f"{path}/{KICKER}", glb(kicker_parts(league)), position=hinge), [0.0])
        return _Mover(body)

    def _add_lights(self) -> None:
        """A floodlight and the sky: every face of a body has its own brightness.

        Shadow maps and environment maps are off. Viser's shadow bias swallows the shadows of bodies a few
        centimetres high, so bodies carry a painted one instead; and both cost most of the frame rate on a
        machine without a graphics card.
        """
        scene = self._server.scene
        scene.configure_default_lights(False)
        scene.configure_environment_map(None)
        scene.add_light_hemisphere("/lights/sky", sky_color=(240, 246, 255), ground_color=(130, 135, 150), intensity=_SKY)
        scene.add_light_directional("/lights/flood", intensity=_FLOOD, position=_FLOOD_FROM)
