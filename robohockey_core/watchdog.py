"""Silence means stop: who has not been heard for too long. Time comes in as an argument."""

from __future__ import annotations

from collections.abc import Hashable


class Watchdog:
    """Remembers when each key was last heard."""

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self._heard_s: dict[Hashable, float] = {}

    def feed(self, key: Hashable, now_s: float) -> None:
        self._heard_s[key] = now_s

    def silent(self, key: Hashable, now_s: float) -> bool:
        """True when the key was never heard, or not within the timeout.

        A clock that jumped back (a simulation that was reset) also counts as silence: what was
        heard then was meant for another time, and must not come alive when that time comes round.
        """
        heard_s = self._heard_s.get(key)
        if heard_s is None:
            return True
        age_s = now_s - heard_s
        if age_s < -self.timeout_s:
            del self._heard_s[key]
        return not 0.0 <= age_s <= self.timeout_s
