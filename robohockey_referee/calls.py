"""What a referee says: a call with its numbers, and the restart that follows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from robohockey_core.geometry import Point
from robohockey_core.match_state import MatchState
from robohockey_core.names import RobotId

NO_CARD, MINOR, YELLOW, RED_CARD = "none", "minor", "yellow", "red"
CARDS = (NO_CARD, MINOR, YELLOW, RED_CARD)
"""Minor: off for a short time. Yellow: off for a longer one. Red: off for good."""


@dataclass(frozen=True)
class Restart:
    """How play begins anew, where, and which team takes it (none where both do)."""

    kind: str
    spot: Point
    team: str = ""

    def __str__(self) -> str:
        what = self.kind.replace("_", " ").capitalize()
        whose = f" for {self.team}" if self.team else ""
        return f"{what}{whose} at ({self.spot.x_m:.2f}, {self.spot.y_m:.2f})"


@dataclass(frozen=True)
class Call:
    """One rule's finding: a goal, or a stop with the restart that follows."""

    rule: str
    why: str
    place: Point | None = None
    evidence: Mapping[str, float] = field(default_factory=dict)
    robot: RobotId | None = None
    against: str = ""
    """The team at fault; empty where nobody is."""
    restart: Restart | None = None
    goal_for: str = ""
    card: str = NO_CARD
    strikes_per_goal: int = 0
    """Every so many of these calls against a team give the other one a goal; 0: never."""

    def differs(self, other: Call) -> bool:
        """Whether these are two findings, and not one that many looks see, or several rules in what one robot did."""
        return (self.against, self.robot or self.rule) != (other.against, other.robot or other.rule)


STOP, WHISTLE, ATTEMPT, PLAYED = "stop", "whistle", "attempt", "played"
"""What a call brings: a stop; the end of a period, when it fell with it; the end of an attempt of the shoot-out; a foul
that is booked after an advantage, while play goes on."""


@dataclass(frozen=True)
class Decision:
    """A call that is to be carried out, and what it brings."""

    call: Call
    brings: str = STOP


@dataclass(frozen=True)
class Event:
    """A call as it is told: what, who, where, why by which numbers, and what comes next."""

    time_s: float
    rule: str
    explanation: str
    robot: str = ""
    place: Point | None = None
    evidence: Mapping[str, float] = field(default_factory=dict)
    next: str = ""

    def to_values(self) -> dict[str, str]:
        """Key-values for `match/events`, in the words of `match/state`."""
        told = MatchState(
            last_event=self.rule,
            explanation=self.explanation,
            robot=self.robot,
            place=self.place,
            evidence=self.evidence,
            next=self.next,
        ).to_values()
        keys = ("last_event", "explanation", "robot", "place", "evidence", "next")
        return {"time_s": f"{self.time_s:.3f}", "rule": self.rule, **{key: told[key] for key in keys}}
