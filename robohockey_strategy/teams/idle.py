"""The team that stands still: a target for drills, a stand-in while robots are driven by hand."""

from __future__ import annotations

from robohockey_core.actions import Orders
from robohockey_strategy.view import TeamView


class Idle:
    def decide(self, view: TeamView) -> Orders:
        """Order nothing."""
        return {}
