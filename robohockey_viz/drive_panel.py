"""A robot in a visitor's hand: pad and keys in the page. Each visitor has their own; watchers have the token's field."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import viser

from robohockey_core.hand_drive import HandDrive, HandSettings
from robohockey_core.league import League
from robohockey_core.names import RobotId, parse_robot
from robohockey_viz.access import Access
from robohockey_viz.controls import MatchControls

_NOBODY = "nobody"
_HOLD_HZ = 15.0

# A key that is held repeats, but only after half a second: the hand counts as there until then.
_SETTINGS = HandSettings(deadman_s=0.6)

_PAD = {
    "▲ forward (I)": ("I", 1.0, 0.0),
    "◀ left (J)": ("J", 0.0, 1.0),
    "▶ right (L)": ("L", 0.0, -1.0),
    "▼ back (K)": ("K", -1.0, 0.0),
}


class _Hand:
    """One visitor's hand on one robot."""

    def __init__(self, client: viser.ClientHandle, league: League) -> None:
        self.robot: RobotId | None = None
        self.drive = HandDrive(league, _SETTINGS)
        self._league = league
        gui = client.gui
        with gui.add_folder("Drive a robot", expand_by_default=False, order=90.0):
            choice = gui.add_dropdown("In hand", (_NOBODY, *map(str, league.robots())))
            choice.on_update(lambda event: self._take(event.target.value))
            for label, (key, forward, turn) in _PAD.items():
                push = self._pusher(forward, turn)
                gui.add_button(label).on_hold(push, callback_hz=_HOLD_HZ)
                gui.add_command(f"Drive {label}", hotkey=key).on_trigger(push)
            gui.add_button("Kick (U)").on_click(self._kick)
            gui.add_command("Kick", hotkey="U").on_trigger(self._kick)

    def _take(self, name: str) -> None:
        self.robot = parse_robot(name)
        self.drive = HandDrive(self._league, _SETTINGS)

    def _pusher(self, forward: float, turn: float) -> Callable[[Any], None]:
        return lambda _: self.drive.push(forward, 0.0, turn, time.monotonic())

    def _kick(self, _event: Any) -> None:
        self.drive.kick(1.0, time.monotonic())


class DriveDesk:
    """All visitors' hands. `tick` passes on what they ask for; who leaves lets go."""

    def __init__(self, server: viser.ViserServer, league: League, controls: MatchControls, access: Access) -> None:
        self._league, self._controls, self._access = league, controls, access
        self._hands: dict[int, _Hand] = {}
        self._server = server
        server.on_client_disconnect(self._leave)

    def welcome(self, client: viser.ClientHandle) -> None:
        """Give a visitor a pad, or the field for the token."""
        if self._access.may_control(client.client_id):
            self._hands[client.client_id] = _Hand(client, self._league)
            return
        token = client.gui.add_text("Token", "", order=90.0)
        token.on_update(lambda event: self._offer(client, token, event.target.value))

    def taken(self) -> set[RobotId]:
        return {hand.robot for hand in self._hands.values() if hand.robot is not None}

    def tick(self, wall_s: float) -> None:
        """A robot that is taken over stands still while no key is down."""
        for hand in tuple(self._hands.values()):
            if hand.robot is not None:
                self._controls.drive(hand.robot, hand.drive.twist(wall_s), hand.drive.kick_power(wall_s))

    def _offer(self, client: viser.ClientHandle, field: Any, token: str) -> None:
        if self._access.offer(client.client_id, token) and client.client_id not in self._hands:
            field.visible = False
            self.welcome(client)
            client.add_notification("Controls are yours", "The token is right.", auto_close_seconds=4.0)

    def _leave(self, client: viser.ClientHandle) -> None:
        self._hands.pop(client.client_id, None)
        self._access.forget(client.client_id)
