"""The colours of the views: one set for the web page and for RViz. What cameras see too has its colours from there."""

from __future__ import annotations

from typing import NamedTuple

from robohockey_core import appearance
from robohockey_core.names import BLUE, RED


class Color(NamedTuple):
    """Red, green, blue from 0 to 255, as colour pickers show them."""

    red: int
    green: int
    blue: int

    @property
    def unit(self) -> tuple[float, float, float]:
        """The same from 0 to 1."""
        return (self.red / 255.0, self.green / 255.0, self.blue / 255.0)

    @property
    def css(self) -> str:
        return f"rgb({self.red}, {self.green}, {self.blue})"


TEAM = {team: Color(*color) for team, color in appearance.TEAM_COLOR.items()}
PALE = {BLUE: Color(128, 176, 255), RED: Color(255, 150, 150)}
DEEP = {BLUE: Color(14, 44, 110), RED: Color(112, 14, 22)}

WHITE = Color(250, 251, 252)
INK = Color(24, 26, 31)
TYRE = Color(34, 35, 39)
STEEL = Color(178, 184, 192)
FRONT = Color(255, 205, 40)

ICE = Color(*appearance.ICE)
ICE_RED = Color(*appearance.ICE_RED)
CREASE = Color(160, 208, 238)
KICK_PLATE = Color(246, 196, 44)
BOARD = Color(242, 244, 246)

LAMP_OFF = Color(96, 22, 26)
LAMP_ON = Color(255, 40, 30)
TRAIL = Color(255, 170, 30)
SENSED = Color(40, 190, 110)
TRUE = Color(150, 60, 220)

GRASS = Color(*appearance.GRASS)
GRASS_LIGHT = Color(42, 126, 62)
WOOD = Color(38, 40, 46)

FLOOR = Color(44, 50, 63)
PUCK_BLACK = Color(26, 26, 30)
BALL_ORANGE = Color(*appearance.PUCK_COLOR)
