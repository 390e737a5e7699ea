"""The state of a match as the referee tells it, and as it travels in key-values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from robohockey_core.checked import field_types
from robohockey_core.names import BLUE

FACE_OFF, PLAY, PAUSE, OVER = "face_off", "play", "pause", "over"


@dataclass(frozen=True)
class MatchState:
    """Phase, score, clock, and why it is so."""

    phase: str = PLAY
    score_blue: int = 0
    score_red: int = 0
    clock_s: float = 0.0
    last_event: str = ""
    explanation: str = ""

    def score(self, team: str) -> int:
        return self.score_blue if team == BLUE else self.score_red

    def with_goal(self, team: str) -> MatchState:
        if team == BLUE:
            return replace(self, score_blue=self.score_blue + 1)
        return replace(self, score_red=self.score_red + 1)

    def to_values(self) -> dict[str, str]:
        return {key: f"{value:.2f}" if isinstance(value, float) else str(value) for key, value in vars(self).items()}

    @classmethod
    def from_values(cls, values: Mapping[str, str]) -> MatchState:
        """Read key-values; missing ones keep their defaults. Raises ValueError on what is no number."""
        kinds = field_types(cls)
        return cls(**{key: kind(values[key]) for key, kind in kinds.items() if key in values})
