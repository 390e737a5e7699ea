"""The page around the rink: scoreboard, panel, and a camera for every visitor."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping
from dataclasses import dataclass

import viser

from robohockey_core.league import League
from robohockey_core.names import RobotId, parse_robot
from robohockey_core.state import BodyState, WorldState
from robohockey_viz import cameras
from robohockey_viz.body_models import is_placed
from robohockey_viz.safe_events import SafeMessageBuffer
from robohockey_viz.scene import RinkScene
from robohockey_viz.scoreboard import PANEL_PX, scoreboard_html

_FOLLOW_PERIOD_S = 1.0 / 40.0


@dataclass
class _Visitor:
    """One browser: whom its camera follows, if anybody."""

    client: viser.ClientHandle
    preset: str = cameras.BROADCAST
    aspect: float = 0.0
    follower: cameras.Follower | None = None
    followed: RobotId | None = None


class MatchPage:
    """Scene, scoreboard and cameras, for live matches and for replays."""

    def __init__(self, server: viser.ViserServer, league: League) -> None:
        self.server = server
        self.league = league
        self.names: Mapping[str, str] = {}
        self.banner = ""
        self._visitors: dict[int, _Visitor] = {}
        self._followed_s = 0.0
        self._shown: WorldState | None = None
        self.somebody_left = False
        self._configure()
        self.scene = RinkScene(server, league)
        server.on_client_connect(self._welcome)
        server.on_client_disconnect(self._part)

    @property
    def visitor_count(self) -> int:
        return len(self._visitors)

    def show(self, world: WorldState, wheel_angles: Mapping[str, float], wall_s: float) -> None:
        """Draw one moment."""
        self.scene.update(world, wheel_angles)
        self._shown = world
        self.tick(wall_s)

    def tick(self, wall_s: float) -> None:
        """Time passes on the page, also while the moment that it shows stands still: lamps go out, cameras arrive."""
        self.scene.tick(wall_s)
        elapsed_s = wall_s - self._followed_s
        if self._shown is None or elapsed_s < _FOLLOW_PERIOD_S:
            return
        self._followed_s = wall_s
        for visitor in tuple(self._visitors.values()):
            self._follow(visitor, self._shown, elapsed_s)

    def show_state(self, state: Mapping[str, str]) -> None:
        """Write the key-values of `match/state` on the scoreboard."""
        content = scoreboard_html(state, self.names, self.banner)
        if content != self._scoreboard.content:
            self._scoreboard.content = content

    def _configure(self) -> None:
        server = self.server
        server.gui.configure_theme(dark_mode=True, show_logo=False, show_share_button=False, brand_color=(26, 98, 226))
        server.gui.main_panel.dock_right()
        server.gui.main_panel.set_width(PANEL_PX)
        server.gui.set_panel_label(self.league.name.replace("_", " "))
        self._scoreboard = server.gui.add_html(scoreboard_html({}))
        view = cameras.frame(self.league.rink, cameras.BROADCAST, cameras.WIDE_SCREEN)
        server.initial_camera.position, server.initial_camera.look_at = view.position, view.look_at
        server.initial_camera.fov = cameras.FIELD_OF_VIEW_RAD

    def _welcome(self, client: viser.ClientHandle) -> None:
        """Give a new visitor a camera of their own."""
        visitor = self._visitors[client.client_id] = _Visitor(client)
        choices = (*cameras.PRESETS, cameras.FOLLOW_PUCK, *(f"Follow {robot}" for robot in self.league.robots()))
        choice = client.gui.add_dropdown("Camera", choices, initial_value=cameras.BROADCAST, order=-1.0)
        choice.on_update(lambda event: self._choose(visitor, event.target.value))
        client.camera.on_update(lambda _: self._reframe(visitor))
        self._look(visitor, cameras.BROADCAST)

    def _part(self, client: viser.ClientHandle) -> None:
        self._visitors.pop(client.client_id, None)
        self.somebody_left = True

    def _reframe(self, visitor: _Visitor) -> None:
        """Frame the rink anew for a picture of another shape: a window that was resized, a panel that was docked."""
        if visitor.follower is None and abs(visitor.client.camera.aspect / visitor.aspect - 1.0) > 0.01:
            self._look(visitor, visitor.preset)

    def _choose(self, visitor: _Visitor, choice: str) -> None:
        if choice in cameras.PRESETS:
            visitor.follower = None
            self._look(visitor, choice)
            return
        robot = parse_robot(choice.removeprefix("Follow "))
        mode = cameras.FOLLOW_PUCK if robot is None else cameras.FOLLOW_ROBOT
        visitor.followed = robot
        visitor.follower = cameras.Follower(self.league, mode, visitor.client.camera.aspect)

    def _look(self, visitor: _Visitor, preset: str) -> None:
        """Point one visitor's camera, framed for the shape of that window."""
        client = visitor.client
        visitor.preset, visitor.aspect = preset, client.camera.aspect
        view = cameras.frame(self.league.rink, preset, visitor.aspect)
        with client.atomic():
            # A depth buffer is as coarse as the nearest thing that it must show is near.
            client.camera.near = cameras.NEAR_SHARE * self.league.rink.length_m
            client.camera.up_direction = (0.0, 0.0, 1.0)
            client.camera.position = view.position
            client.camera.look_at = view.look_at

    def _follow(self, visitor: _Visitor, world: WorldState, elapsed_s: float) -> None:
        follower = visitor.follower
        if follower is None:
            return
        body: BodyState | None = world.puck if visitor.followed is None else world.robots.get(visitor.followed)
        if body is None or not is_placed(body):
            return
        view = follower.view(body, elapsed_s)
        with visitor.client.atomic():
            visitor.client.camera.near = 0.3 * cameras.NEAR_SHARE * self.league.rink.length_m
            visitor.client.camera.position = view.position
            visitor.client.camera.look_at = view.look_at


def quiet_server(host: str, port: int, label: str) -> viser.ViserServer:
    """A viser server that many may visit, without its banner: the program's own log says where it is."""
    viser.infra._infra.AsyncMessageBuffer = SafeMessageBuffer
    with contextlib.redirect_stdout(io.StringIO()):
        return viser.ViserServer(host=host, port=port, label=label, verbose=False)
