"""How long after a sight of the camera each node has its answer out, live and in a recording. Time is an argument."""

from __future__ import annotations

import math
from collections import OrderedDict

TRACKER = "tracker"
_LONGEST_S = 1.0
"""An answer that comes later answers no sight: nobody saw anything in between."""

_PERIOD_S = 0.25
"""A graph needs no more than four values a second of each node."""

_WORLDS_KEPT = 200


class LatencyMeter:
    """Told of sights, world states and answers as they arrive; answers carry the stamp of the world that they answer."""

    def __init__(self) -> None:
        self._seen_s = math.nan
        self._sights: OrderedDict[int, float] = OrderedDict()
        self._told_s: dict[str, float] = {}

    def see(self, now_s: float) -> None:
        self._seen_s = now_s

    def track(self, stamp_s: float, now_s: float) -> float | None:
        """A world state has come: how long after the newest sight, when it is time to tell again."""
        if not now_s - self._seen_s < _LONGEST_S:
            return None
        self._sights[_key(stamp_s)] = self._seen_s
        if len(self._sights) > _WORLDS_KEPT:
            self._sights.popitem(last=False)
        return self._due(TRACKER, now_s, now_s - self._seen_s)

    def answer(self, node: str, stamp_s: float, now_s: float) -> float | None:
        """A node has answered the world state of this stamp: how long after the sight that it came from."""
        seen_s = self._sights.get(_key(stamp_s))
        return self._due(node, now_s, now_s - seen_s) if seen_s is not None else None

    def _due(self, node: str, now_s: float, latency_s: float) -> float | None:
        if not 0.0 <= latency_s < _LONGEST_S or 0.0 <= now_s - self._told_s.get(node, -math.inf) < _PERIOD_S:
            return None
        self._told_s[node] = now_s
        return latency_s


def _key(stamp_s: float) -> int:
    """Stamps in tenths of a millisecond: equal ones stay equal through nanoseconds and floats."""
    return round(stamp_s * 1e4)
