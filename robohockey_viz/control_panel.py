"""The control panel of a live match: the referee's buttons, pace, strategies, send-offs, and the editor of states."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

import viser

from robohockey_core.league import League
from robohockey_core.match_state import PAUSE as PAUSED
from robohockey_core.names import PUCK, TEAMS, parse_robot
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState
from robohockey_viz.controls import CONFIRM, OVERRULE, PAUSE, RESET, START, MatchControls
from robohockey_viz.guard import Guard, SharedInput
from robohockey_viz.scene import turned

PACES = ("0.1", "0.25", "0.5", "1", "2", "4", "8", "max")

_NOBODY = "-"
_HANDS_OFF_S = 1.0
"""What somebody dragged a moment ago is left where the hand has it: the match needs a moment to follow."""

_JUDGED_S = 3.0
"""A refusal that comes within this time after a body was put somewhere is about that."""


class ControlPanel:
    """Buttons for the whole match, shared by all visitors."""

    def __init__(
        self,
        server: viser.ViserServer,
        league: League,
        controls: MatchControls,
        guard: Guard,
        on_replay: Callable[[float], None],
    ) -> None:
        gui = server.gui
        self._controls = controls
        flow = gui.add_button_group("Match", ("Start", "Pause", "New match"))
        orders = {"Start": START, "Pause": PAUSE, "New match": RESET}
        flow.on_click(guard(lambda event: controls.referee(orders[event.target.value])))
        pace = gui.add_button_group("Speed", PACES)
        pace.on_click(guard(lambda event: controls.set_pace(0.0 if event.target.value == "max" else float(event.target.value))))
        self._strategies = {team: self._strategy_choice(gui, team, guard) for team in TEAMS}
        verdict = gui.add_button_group("Call", ("Confirm", "Overrule"))
        verdict.on_click(guard(lambda event: controls.referee(CONFIRM if event.target.value == "Confirm" else OVERRULE)))
        robot = SharedInput(gui.add_dropdown("Robot", tuple(map(str, league.robots()))), guard)
        sending = gui.add_button_group("Send it", ("off", "on"))
        sending.on_click(guard(lambda event: self._send(robot.value, event.target.value)))
        replay = gui.add_button_group("Last 20 s", ("again", "slow", "live"))
        speeds = {"again": 1.0, "slow": 0.4, "live": 0.0}
        replay.on_click(guard(lambda event: on_replay(speeds[event.target.value])))
        self._health = gui.add_html("")

    def show_strategies(self, team: str, chosen: str, known: tuple[str, ...]) -> None:
        """What a strategy node says that it plays, and what it could."""
        choice = self._strategies[team]
        options = tuple(dict.fromkeys((*known, chosen)))
        if options != choice.handle.options:
            choice.handle.options = options
        if chosen != choice.value:
            choice.value = chosen

    def show_health(self, lines: Mapping[str, str]) -> None:
        rows = "".join(f"<tr><td>{key}</td><td style='text-align:right'>{value}</td></tr>" for key, value in lines.items())
        content = f'<table style="width:100%;font-size:12px;padding:0 12px;opacity:0.8">{rows}</table>'
        if content != self._health.content:
            self._health.content = content

    def _strategy_choice(self, gui: viser.GuiApi, team: str, guard: Guard) -> SharedInput:
        choice = gui.add_dropdown(team.capitalize(), (_NOBODY,))
        return SharedInput(choice, guard, lambda strategy: self._controls.set_strategy(team, strategy))

    def _send(self, name: str, where: str) -> None:
        robot = parse_robot(name)
        if robot is not None:
            self._controls.send_off(robot, off=where == "off")


class StateEditor:
    """Every body's state as a table; when the match is paused, bodies can be dragged or typed to a place.

    `movable` are the simulated ones; nobody but its driver can move a real robot. None: all.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        league: League,
        controls: MatchControls,
        guard: Guard,
        movable: Collection[str] | None = None,
    ) -> None:
        self._server, self._league, self._controls, self._guard = server, league, controls, guard
        self._world: WorldState | None = None
        self._gizmos: dict[str, viser.TransformControlsHandle] = {}
        self._hands_off_s: dict[str, float] = {}
        self._placed_s = -math.inf
        bodies = (PUCK, *map(str, league.robots()))
        self._movable = tuple(body for body in bodies if movable is None or body in movable)
        gui = server.gui
        self._note = gui.add_html("")
        body = gui.add_dropdown("Body", self._movable or (_NOBODY,), visible=bool(self._movable))
        self._body = SharedInput(body, guard, lambda _: self._fill())
        half_x, half_y = league.rink.length_m / 2.0 + league.rink.goal_depth_m, league.rink.width_m / 2.0
        place = gui.add_vector3(
            "x, y, yaw", (0.0, 0.0, 0.0), min=(-half_x, -half_y, -math.pi), max=(half_x, half_y, math.pi), step=0.001
        )
        speed = gui.add_vector3("vx, vy, turn", (0.0, 0.0, 0.0), step=0.01)
        apply = gui.add_button("Put it there")
        apply.on_click(guard(lambda _: self._apply()))
        drag = gui.add_checkbox("Drag bodies", False)
        self._place, self._speed, self._drag = (SharedInput(handle, guard) for handle in (place, speed, drag))
        self._table = gui.add_html("")
        self._inputs = (place, speed, apply, drag)
        for handle in self._inputs:
            handle.visible = bool(self._movable)
        self._paused: bool | None = None

    def show(self, world: WorldState, state: Mapping[str, str]) -> None:
        """Renew the table, a few times a second; open the editor in a pause and close it in play."""
        first = self._world is None
        self._world = world
        paused = state.get("phase") == PAUSED
        if paused != self._paused:
            self._paused = paused
            for handle in self._inputs:
                handle.disabled = not paused
            self._note.content = _note(self._advice(paused))
            self._fill()
        elif first:
            self._fill()
        self._table.content = state_table(world)
        self._show_gizmos(paused and self._drag.value)

    def just_placed(self) -> bool:
        """Whether a refusal that is told now may be about what was put somewhere here."""
        return time.monotonic() - self._placed_s < _JUDGED_S

    def _advice(self, paused: bool) -> str:
        if not self._movable:
            return "Robots and puck are real: move them by hand."
        return "Drag bodies on the ice, or type." if paused else "Pause the match to edit."

    def _bodies(self) -> dict[str, BodyState]:
        world = self._world
        if world is None:
            return {}
        robots = {str(robot): body for robot, body in world.robots.items()}
        return {**robots, PUCK: world.puck} if world.puck is not None else robots

    def _fill(self) -> None:
        body = self._bodies().get(self._body.value)
        if body is not None:
            # At rest unless somebody types a speed: what is put somewhere by hand should stay there.
            self._place.value, self._speed.value = tuple(body.pose), (0.0, 0.0, 0.0)

    def _apply(self) -> None:
        if self._movable:
            pose, twist = Pose2D(*map(float, self._place.value)), Twist2D(*map(float, self._speed.value))
            self._put({self._body.value: BodyState(pose, twist)})

    def _put(self, bodies: Mapping[str, BodyState]) -> None:
        self._placed_s = time.monotonic()
        self._controls.place(bodies)

    def _show_gizmos(self, wanted: bool) -> None:
        """A handle on every body that can be moved, where that body is, unless somebody has it in hand."""
        bodies = {name: body for name, body in self._bodies().items() if name in self._movable} if wanted else {}
        for name in self._gizmos.keys() - bodies.keys():
            self._gizmos.pop(name).remove()
        now_s = time.monotonic()
        for name, body in bodies.items():
            if name not in self._gizmos:
                self._gizmos[name] = self._gizmo(name, body)
            elif now_s >= self._hands_off_s.get(name, 0.0):
                self._gizmos[name].position = (body.pose.x_m, body.pose.y_m, 0.0)
                self._gizmos[name].wxyz = turned(body.pose.yaw_rad)

    def _gizmo(self, name: str, body: BodyState) -> viser.TransformControlsHandle:
        handle = self._server.scene.add_transform_controls(
            f"/editor/{name}",
            scale=1.6 * self._league.robot.circumradius_m,
            active_axes=(True, True, False),
            disable_rotations=name == PUCK,
            depth_test=False,
            position=(body.pose.x_m, body.pose.y_m, 0.0),
            wxyz=turned(body.pose.yaw_rad),
        )
        handle.on_update(lambda event: self._dragged(name, event))
        return handle

    def _dragged(self, name: str, event: Any) -> None:
        if self._guard.allows(event):
            self._hands_off_s[name] = time.monotonic() + _HANDS_OFF_S
        if event.phase == "end":
            # The pose as it is now: a moment later the handle may be back where the body is.
            x, y, _ = map(float, event.target.position)
            w, _, _, z = map(float, event.target.wxyz)
            pose = Pose2D(x, y, 2.0 * math.atan2(z, w))
            self._guard(lambda _: self._put({name: BodyState(pose)}))(event)


def state_table(world: WorldState) -> str:
    """Every state as numbers."""
    rows = []
    bodies = [(str(robot), body) for robot, body in sorted(world.robots.items())]
    if world.puck is not None:
        bodies.insert(0, (PUCK, world.puck))
    for name, body in bodies:
        pose, twist = body.pose, body.twist
        values = (pose.x_m, pose.y_m, math.degrees(pose.yaw_rad), *twist)
        cells = "".join(f"<td>{value:.{digits}f}</td>" for value, digits in zip(values, (3, 3, 0, 2, 2, 1), strict=True))
        rows.append(f'<tr><td style="text-align:left">{name}</td>{cells}</tr>')
    head = "".join(f"<th>{name}</th>" for name in ("", "x m", "y m", "yaw °", "vx m/s", "vy", "rad/s"))
    return (
        '<table style="width:100%;font-size:12px;padding:4px 12px;text-align:right;font-variant-numeric:tabular-nums">'
        f"<tr>{head}</tr>{''.join(rows)}</table>"
    )


def _note(text: str) -> str:
    return f'<div style="padding:2px 12px;font-size:13px;opacity:0.8">{text}</div>'
