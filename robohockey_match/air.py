"""A radio channel on which robots answer: who speaks over another one is not understood, and neither is the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from robohockey_hw.link import DEFAULT_BAUD_RATE
from robohockey_hw.turns import BITS_A_BYTE


class Talk(NamedTuple):
    """What somebody begins to say then."""

    begin_s: float
    data: bytes


class Channel:
    """Carries what one says at a time."""

    def __init__(self, baud_rate: int = DEFAULT_BAUD_RATE) -> None:
        self._byte_s = BITS_A_BYTE / baud_rate
        self._taken_until_s = 0.0
        self.collision_count = 0

    def carry(self, talks: Sequence[Talk]) -> bytes:
        """Return what is understood of new talks; what was carried before is understood, even if one begins into it."""
        heard = b""
        ordered = sorted(talks)
        for place, talk in enumerate(ordered):
            end_s = talk.begin_s + len(talk.data) * self._byte_s
            disturbed = any(later.begin_s < end_s for later in ordered[place + 1 :])
            if talk.begin_s < self._taken_until_s or disturbed:
                self.collision_count += 1
            else:
                heard += talk.data
            self._taken_until_s = max(self._taken_until_s, end_s)
        return heard
