"""The rink on a viser server: built once, then only moved.

Every rigid thing is one scene node with one merged mesh: the rink, each robot, each wheel, the puck.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import viser

from robohockey_core.league import League
from robohockey_core.names import RobotId
from robohockey_core.state import BodyState, WorldState
from robohockey_viz import cameras
from robohockey_viz.body_models import is_placed, puck_parts, robot_parts, wheel_mounts, wheel_parts
from robohockey_viz.glb import glb
from robohockey_viz.rink_model import rink_parts
from robohockey_viz.scoreboard import scoreboard_html

_SKY, _FLOOD = 2.0, 2.3
_FLOOD_FROM = (-2.0, -2.5, 5.0)

_OUT_OF_SIGHT = (0.0, 0.0, -1000.0)

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
            if not shown:
                # In a scene that otherwise stands still, a browser may go on showing what was only made invisible.
                self._pose = ()
                self._handle.position = _OUT_OF_SIGHT
        if body is None or not shown or body.pose == self._pose:
            return
        self._pose = body.pose
        self._handle.position = (body.pose.x_m, body.pose.y_m, 0.0)
        self._handle.wxyz = turned(body.pose.yaw_rad)


class RinkScene:
    """A league's rink in the browser. `update` moves what moved; `show_state` writes the scoreboard."""

    def __init__(self, server: viser.ViserServer, league: League) -> None:
        self._server = server
        self._rink = league.rink
        self._wheel_angles: dict[str, float] = {}
        self._wheels: dict[str, tuple[viser.SceneNodeHandle, float]] = {}
        self._configure_page(league)
        self._add_lights()
        server.scene.add_glb("/rink", glb(rink_parts(league)))
        self._puck = _Mover(server.scene.add_glb("/puck", glb(puck_parts(league.puck)), visible=False))
        self._robots = {robot: self._add_robot(league, robot) for robot in league.robots()}

    def update(self, world: WorldState, wheel_angles: Mapping[str, float] | None = None) -> None:
        """Move bodies to `world` and turn wheels, by joint name, to their angles; hide what the world lacks."""
        with self._server.atomic():
            self._puck.show(world.puck)
            for robot, mover in self._robots.items():
                mover.show(world.robots.get(robot))
            for joint, angle_rad in (wheel_angles or {}).items():
                self._turn_wheel(joint, angle_rad)

    def show_state(self, state: Mapping[str, str]) -> None:
        """Write the key-values of `match/state` on the scoreboard."""
        content = scoreboard_html(state)
        if content != self._scoreboard.content:
            self._scoreboard.content = content

    def _turn_wheel(self, joint: str, angle_rad: float) -> None:
        if joint not in self._wheels or not math.isfinite(angle_rad) or angle_rad == self._wheel_angles.get(joint):
            return
        handle, yaw_rad = self._wheels[joint]
        self._wheel_angles[joint] = angle_rad
        handle.wxyz = rolled(yaw_rad, angle_rad)

    def _add_robot(self, league: League, robot: RobotId) -> _Mover:
        scene, path = self._server.scene, f"/robots/{robot}"
        body = scene.add_glb(path, glb(robot_parts(league, robot)), visible=False)
        wheel = glb(wheel_parts(league.robot))
        for mount in wheel_mounts(league.robot):
            position = (mount.x_m, mount.y_m, league.robot.wheel_radius_m)
            handle = scene.add_glb(f"{path}/{mount.name}", wheel, position=position, wxyz=turned(mount.yaw_rad))
            self._wheels[robot.joint(mount.name)] = (handle, mount.yaw_rad)
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

    def _configure_page(self, league: League) -> None:
        server = self._server
        server.gui.configure_theme(dark_mode=True, show_logo=False, show_share_button=False, control_width="small")
        server.gui.set_panel_label(league.name.replace("_", " "))
        server.scene.set_up_direction("+z")
        server.scene.world_axes.visible = False
        self._scoreboard = server.gui.add_html(scoreboard_html({}))
        buttons = server.gui.add_button_group("Camera", cameras.PRESETS)
        view = cameras.frame(self._rink, cameras.BROADCAST, cameras.WIDE_SCREEN)
        server.initial_camera.position, server.initial_camera.look_at = view.position, view.look_at
        server.initial_camera.fov = cameras.FIELD_OF_VIEW_RAD
        server.on_client_connect(lambda client: self._look(client, cameras.BROADCAST))
        buttons.on_click(self._on_camera_button)

    def _on_camera_button(self, event: viser.GuiEvent[viser.GuiButtonGroupHandle]) -> None:
        if event.client is not None:
            self._look(event.client, event.target.value)

    def _look(self, client: viser.ClientHandle, preset: str) -> None:
        """Point one visitor's camera, framed for the shape of that window."""
        view = cameras.frame(self._rink, preset, client.camera.aspect)
        with client.atomic():
            # A depth buffer is as coarse as the nearest thing that it must show is near.
            client.camera.near = cameras.NEAR_SHARE * self._rink.length_m
            client.camera.up_direction = (0.0, 0.0, 1.0)
            client.camera.position = view.position
            client.camera.look_at = view.look_at
