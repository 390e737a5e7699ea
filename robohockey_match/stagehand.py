"""Who puts robots and puck in their places at a rink where no simulator can: people. Here, in their stead."""

from __future__ import annotations

from collections.abc import Mapping

from robohockey_core.match_state import MatchState
from robohockey_core.state import BodyState


def places_by_hand(state: MatchState, bodies: Mapping[str, BodyState]) -> dict[str, BodyState]:
    """Bodies to put somewhere now: those that the referee waits for, where it wants them."""
    return {name: BodyState(state.places[name]) for name in state.waiting_for if name in state.places and name in bodies}
