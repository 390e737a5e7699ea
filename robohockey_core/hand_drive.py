"""One robot in somebody's hand: from stick positions to a twist, with limits and a deadman.

The same for the web page, a keyboard and a gamepad. Time comes in as an argument.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robohockey_core.checked import limited
from robohockey_core.joints import FloatArray
from robohockey_core.league import League

KICK_S = 0.2
"""A kick stays asked for this long: the puck may be a moment away."""


@dataclass(frozen=True)
class HandSettings:
    speed_share: float = limited(0.6, "fastest drive, as a share of the robot's top speed", above=0.0, high=1.0)
    turn_rad_s: float = limited(5.0, "fastest turn", above=0.0, high=60.0)
    deadman_s: float = limited(0.3, "silence of the hand after which the robot stands still", above=0.0, high=2.0)


class HandDrive:
    """What a hand asks of one robot now. Values beyond -1 to 1 count as full; what is no number counts as 0."""

    def __init__(self, league: League, settings: HandSettings) -> None:
        self._settings = settings
        self._speed_m_s = settings.speed_share * league.robot.max_speed_m_s
        self._stick: FloatArray = np.zeros(3)
        self._pushed_s = self._kicked_s = -math.inf
        self._counts_s = settings.deadman_s
        self._power = self._dribble = 0.0

    def push(self, forward: float, left: float, turn: float, now_s: float, counts_s: float | None = None) -> None:
        """Set the stick: forward, left and turn to the left, each from -1 to 1.

        It counts for `counts_s`, or as long as the settings say: a key repeats more slowly than a button is asked.
        """
        self._counts_s = counts_s if counts_s is not None else self._settings.deadman_s
        self._stick = np.clip(np.nan_to_num([forward, left, turn], nan=0.0, posinf=0.0, neginf=0.0), -1.0, 1.0)
        self._pushed_s = now_s

    def kick(self, power: float, now_s: float) -> None:
        self._power, self._kicked_s = min(1.0, max(0.0, power)), now_s

    def dribble(self, strength: float) -> None:
        self._dribble = min(1.0, max(0.0, strength))

    def twist(self, now_s: float) -> FloatArray:
        """(forward m/s, left m/s, turn rad/s); nothing once the hand has let go."""
        if not 0.0 <= now_s - self._pushed_s <= self._counts_s:
            return np.zeros(3)
        return self._stick * (self._speed_m_s, self._speed_m_s, self._settings.turn_rad_s)

    def kick_power(self, now_s: float) -> float:
        return self._power if 0.0 <= now_s - self._kicked_s <= KICK_S else 0.0

    def dribble_strength(self, now_s: float) -> float:
        """Held while the hand is there."""
        return self._dribble if 0.0 <= now_s - self._pushed_s <= self._counts_s else 0.0
