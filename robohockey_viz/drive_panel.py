"""A robot in a visitor's hand: pad and keys in the page. Each visitor has their own; watchers have the token's field."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import viser

from robohockey_core.hand_drive import HandDrive, HandSettings
from robohockey_core.league import League
from robohockey_core.names import RobotId, parse_robot
from robohockey_viz.controls import MatchControls

_NOBODY = "nobody"
_HOLD_HZ = 15.0

_BUTTON_COUNTS_S = 0.2
"""A button that is held asks `_HOLD_HZ` times a second: this much later it was let go."""

_KEY_COUNTS_S = 0.6
"""A key that is held repeats, but only after half a second: the hand counts as there until then."""

_PAD = {
    "▲ forward (I)": ("I", 1.0, 0.0),
    "◀ left (J)": ("J", 0.0, 1.0),
    "▶ right (L)": ("L", 0.0, -1.0),
    "▼ back (K)": ("K", -1.0, 0.0),
}


class _Hand:
    """One visitor's hand on one robot. `take` is asked for a robot and answers with the one that the hand has then."""

    def __init__(self, client: viser.ClientHandle, league: League, take: Callable[[RobotId | None], RobotId | None]) -> None:
        self.robot: RobotId | None = None
        self.drive = HandDrive(league, HandSettings())
        self._league, self._take_robot = league, take
        gui = client.gui
        with gui.add_folder("Drive a robot", expand_by_default=False, order=90.0):
            choice = gui.add_dropdown("In hand", (_NOBODY, *map(str, league.robots())))
            choice.on_update(self._take)
            for label, (key, forward, turn) in _PAD.items():
                gui.add_button(label).on_hold(self._pusher(forward, turn, _BUTTON_COUNTS_S), callback_hz=_HOLD_HZ)
                command = gui.add_command(f"Drive {label}", hotkey=key)
                command.on_trigger(self._pusher(forward, turn, _KEY_COUNTS_S))
            gui.add_button("Kick (U)").on_click(self._kick)
            gui.add_command("Kick", hotkey="U").on_trigger(self._kick)

    def _take(self, event: Any) -> None:
        if event.client is None:
            return  # put back below
        self.robot = self._take_robot(parse_robot(event.target.value))
        self.drive = HandDrive(self._league, HandSettings())
        event.target.value = str(self.robot) if self.robot is not None else _NOBODY

    def _pusher(self, forward: float, turn: float, counts_s: float) -> Callable[[Any], None]:
        return lambda _: self.drive.push(forward, 0.0, turn, time.monotonic(), counts_s)

    def _kick(self, _event: Any) -> None:
        self.drive.kick(1.0, time.monotonic())


class DriveDesk:
    """All visitors' hands. `tick` passes on what they ask for; who leaves lets go."""

    def __init__(self, server: viser.ViserServer, league: League, controls: MatchControls) -> None:
        self._league, self._controls = league, controls
        self._hands: dict[int, _Hand] = {}
        self._handing_over = threading.Lock()
        server.on_client_disconnect(self._leave)

    def welcome(self, client: viser.ClientHandle) -> None:
        """Give a visitor with the right to control a pad."""
        self._hands[client.client_id] = _Hand(client, self._league, lambda robot: self._hand_over(client, robot))

    def taken(self) -> set[RobotId]:
        return {hand.robot for hand in tuple(self._hands.values()) if hand.robot is not None}

    def tick(self, wall_s: float) -> None:
        """A robot that is taken over stands still while no key is down."""
        for hand in tuple(self._hands.values()):
            if hand.robot is not None:
                self._controls.drive(hand.robot, hand.drive.twist(wall_s), hand.drive.kick_power(wall_s))

    def _hand_over(self, client: viser.ClientHandle, robot: RobotId | None) -> RobotId | None:
        """The robot that is asked for, unless another visitor has it: two hands on one robot tear it apart."""
        with self._handing_over:
            mine = self._hands[client.client_id]
            holder = next((i for i, hand in self._hands.items() if hand.robot == robot and hand is not mine), None)
            if robot is None or holder is None:
                mine.robot = robot
                return robot
        text = f"{robot} is in the hand of visitor {holder}; it is free when they choose nobody."
        client.add_notification("Not yours", text, auto_close_seconds=6.0)
        return None

    def _leave(self, client: viser.ClientHandle) -> None:
        self._hands.pop(client.client_id, None)
