"""Fouls that wait while the other team has the puck and may make something of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from robohockey_referee.calls import Call


@dataclass(frozen=True)
class Advantage:
    """Fouls of one team that are seen and not yet booked; none when no advantage is played."""

    fouls: tuple[Call, ...] = ()
    until_s: float = 0.0

    @property
    def against(self) -> str:
        """The team that fouled."""
        return self.fouls[0].against if self.fouls else ""

    def new_ones(self, calls: Sequence[Call]) -> tuple[Call, ...]:
        """More fouls of the same team."""
        found: list[Call] = []
        for call in calls:
            if call.against == self.against and all(map(call.differs, (*self.fouls, *found))):
                found.append(call)
        return tuple(found)

    def with_fouls(self, fouls: Sequence[Call]) -> Advantage:
        return replace(self, fouls=(*self.fouls, *fouls))

    def besides(self, call: Call) -> tuple[Call, ...]:
        """The fouls that are to be booked with a call, apart from itself."""
        return tuple(foul for foul in self.fouls if foul.differs(call))

    def after_overruling(self, call: Call) -> Advantage:
        """What still waits when a call was not given."""
        return Advantage() if call.against and call.against == self.against else self
