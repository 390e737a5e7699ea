"""How good the way to one robot and back is: round-trip time and loss. Time comes in as an argument."""

from __future__ import annotations

from collections import deque

import numpy as np

PATIENCE_S = 0.25
"""An answer that has not come by then counts as lost; the robot itself stops after that time without commands."""

_KEPT = 200


class LinkQuality:
    """Remembers the last questions, by sequence, and what became of them."""

    def __init__(self) -> None:
        self._open: dict[int, float] = {}
        self._answered: deque[bool] = deque(maxlen=_KEPT)
        self._round_trips_s: deque[float] = deque(maxlen=_KEPT)
        self.heard_s: float | None = None

    def asked(self, sequence: int, now_s: float) -> None:
        """A command that wants an answer went out."""
        self._give_up(now_s)
        self._open[sequence] = now_s

    def answered(self, sequence: int, now_s: float) -> None:
        """An answer came; one that nobody waits for any more tells only that the robot is there."""
        self.heard_s = now_s
        asked_s = self._open.pop(sequence, None)
        if asked_s is not None:
            self._answered.append(True)
            self._round_trips_s.append(now_s - asked_s)

    def silent_s(self, now_s: float) -> float | None:
        """Time since the last answer; None when there was none at all."""
        return None if self.heard_s is None else now_s - self.heard_s

    def loss(self, now_s: float) -> float:
        """Share of the last questions that got no answer; 0 before the first one is decided."""
        self._give_up(now_s)
        return 1.0 - sum(self._answered) / len(self._answered) if self._answered else 0.0

    def round_trip_s(self, share: float) -> float:
        """The time within which that share of the answers came; NaN before the first."""
        return float(np.quantile(self._round_trips_s, share)) if self._round_trips_s else float("nan")

    def _give_up(self, now_s: float) -> None:
        for sequence in [s for s, asked_s in self._open.items() if now_s - asked_s > PATIENCE_S]:
            del self._open[sequence]
            self._answered.append(False)
