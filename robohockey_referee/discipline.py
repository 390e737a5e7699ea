"""Cards and send-offs: who sits for how long, and what costs a goal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from robohockey_core.checked import limited
from robohockey_core.league import League
from robohockey_core.names import RobotId
from robohockey_referee.calls import MINOR, NO_CARD, RED_CARD, YELLOW
from robohockey_referee.match_clock import reached


@dataclass(frozen=True)
class CardSettings:
    minor_s: float = limited(20.0, "time off for a minor penalty", above=0.0)
    yellow_s: float = limited(120.0, "time off for a yellow card", above=0.0)
    fouls_per_yellow: int = limited(
        3, "every so many fouls of a team are a yellow card for the offender; 0: none", low=0, high=100
    )
    yellows_per_red: int = limited(2, "so many yellow cards of a robot are a red one; 0: never", low=0, high=100)
    fewest_robots: int = limited(1, "a team never has fewer robots on the rink than this", low=1, high=11)


@dataclass(frozen=True)
class Discipline:
    """What has been shown to whom."""

    yellows: Mapping[str, int] = field(default_factory=dict)
    sentences: Mapping[str, float] = field(default_factory=dict)
    """Time left to sit, by robot; endless after a red card."""
    strikes: Mapping[str, int] = field(default_factory=dict)
    """Calls that cost a goal when there are enough of them, by rule and team."""

    @property
    def off(self) -> tuple[str, ...]:
        return tuple(sorted(self.sentences))

    def card(self, card: str, fouls: int, settings: CardSettings) -> str:
        """The card that a foul brings: the rule's own, or a yellow one when it was one foul too many."""
        if card == NO_CARD and settings.fouls_per_yellow and fouls % settings.fouls_per_yellow == 0:
            return YELLOW
        return card

    def show(self, robot: RobotId, card: str, settings: CardSettings, league: League) -> tuple[Discipline, str]:
        """Show a card; return what that changes, and the words for it."""
        if card == NO_CARD:
            return self, ""
        name = str(robot)
        yellows = dict(self.yellows)
        if card == YELLOW:
            yellows[name] = yellows.get(name, 0) + 1
            if settings.yellows_per_red and yellows[name] >= settings.yellows_per_red:
                card = RED_CARD
        shown = replace(self, yellows=yellows)
        sitting = sum(other.startswith(f"{robot.team}/") for other in self.sentences)
        if name not in self.sentences and league.match.players - sitting <= settings.fewest_robots:
            return shown, f"{card} for {robot}, who stays on: {robot.team} has no robot to spare"
        time_s = {MINOR: settings.minor_s, YELLOW: settings.yellow_s, RED_CARD: math.inf}[card]
        sentences = {**self.sentences, name: max(time_s, self.sentences.get(name, 0.0))}
        how_long = "for the rest of the match" if math.isinf(time_s) else f"for {time_s:.0f} s"
        what = "minor penalty" if card == MINOR else f"{card} card"
        return replace(shown, sentences=sentences), f"{what} for {robot}, off {how_long}"

    def send(self, robot: str, *, off: bool) -> Discipline:
        """Send a robot off by hand until it is sent on again; one that is sent on has served its time."""
        return replace(self, sentences={**self.sentences, robot: math.inf if off else 0.0})

    def pardoned(self, before: Discipline) -> Discipline:
        """Cards and strikes as they were before; who was sent off since has served its time."""
        left = {robot: time_s if robot in before.sentences else 0.0 for robot, time_s in self.sentences.items()}
        return replace(self, yellows=before.yellows, strikes=before.strikes, sentences=left)

    def serve(self, elapsed_s: float) -> tuple[Discipline, tuple[str, ...]]:
        """Let time pass; return also who may come back."""
        left = {robot: time_s - elapsed_s for robot, time_s in self.sentences.items()}
        back = tuple(robot for robot, time_s in left.items() if reached(0.0, time_s))
        return replace(self, sentences={robot: time_s for robot, time_s in left.items() if robot not in back}), back

    def strike(self, rule: str, team: str) -> tuple[Discipline, int]:
        """Count one more such call; return also how many there are now."""
        key = f"{rule} {team}"
        count = self.strikes.get(key, 0) + 1
        return replace(self, strikes={**self.strikes, key: count}), count
