"""The team that people drive: its robots stand until a hand moves them, and hold the puck that they are given."""

from __future__ import annotations

from robohockey_core.actions import Dribble, Orders
from robohockey_strategy.view import TeamView


class Manual:
    """Orders no way; joystick, keyboard and goal poses do (they outrank a strategy robot by robot)."""

    def decide(self, view: TeamView) -> Orders:
        """Let every robot stand with its dribbler on."""
        return {number: Dribble() for number in view.us}
