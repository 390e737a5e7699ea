"""Periods of a match, and the shoot-out that may follow them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from robohockey_core.checked import limited
from robohockey_core.league import MatchSpec
from robohockey_core.names import BLUE, RED
from robohockey_core.records import changed


def reached(time_s: float, limit_s: float) -> bool:
    """Whether a time is up. Sums of control steps fall short of it by rounding."""
    return time_s >= limit_s - 1e-9


@dataclass(frozen=True)
class ClockSettings:
    break_s: float = limited(5.0, "pause between two periods", low=0.0, high=3600.0)
    change_ends: bool = limited(True, "whether teams change ends after each period")
    extra_halves: int = limited(0, "periods of extra time when it is a draw", low=0, high=10)
    extra_half_s: float = limited(180.0, "length of each", above=0.0)
    golden_goal: bool = limited(False, "whether the first goal in extra time ends the match")
    shoot_out_rounds: int = limited(0, "attempts of each team when it is still a draw; 0: no shoot-out", low=0, high=50)
    sudden_death_rounds: int = limited(
        20, "pairs of attempts after that until one decides; then it stays a draw", low=0, high=1000
    )
    attempt_s: float = limited(15.0, "time for one attempt", above=0.0)


@dataclass(frozen=True)
class Period:
    name: str
    duration_s: float
    extra: bool = False


def periods(match: MatchSpec, settings: ClockSettings) -> tuple[Period, ...]:
    """Halves, then the periods of extra time where a match must have a winner."""
    halves = tuple(Period(f"half_{number + 1}", match.half_duration_s) for number in range(match.halves))
    extras = settings.extra_halves if match.knock_out else 0
    return halves + tuple(Period(f"extra_{number + 1}", settings.extra_half_s, extra=True) for number in range(extras))


@dataclass(frozen=True)
class MatchClock:
    """How far a match is: the period, and the time played in it."""

    periods: tuple[Period, ...]
    index: int = 0
    period_s: float = 0.0

    @property
    def period(self) -> Period:
        return self.periods[self.index]

    @property
    def remaining_s(self) -> float:
        return max(0.0, self.period.duration_s - self.period_s)

    @property
    def period_over(self) -> bool:
        return reached(self.period_s, self.period.duration_s)

    @property
    def has_next(self) -> bool:
        return self.index + 1 < len(self.periods)

    @property
    def lead_decides(self) -> bool:
        """Whether a lead at the end of this period is the end: after the last half, and after the last of extra time."""
        return not self.has_next or (self.periods[self.index + 1].extra and not self.period.extra)

    def run(self, elapsed_s: float) -> MatchClock:
        return changed(self, period_s=min(self.period.duration_s, self.period_s + elapsed_s))

    def next_period(self) -> MatchClock:
        return replace(self, index=self.index + 1, period_s=0.0)


@dataclass(frozen=True)
class ShootOut:
    """Attempts taken and goals made; blue begins."""

    rounds: int
    sudden_death_rounds: int
    taken_blue: int = 0
    taken_red: int = 0
    goals_blue: int = 0
    goals_red: int = 0

    @property
    def team(self) -> str:
        """Whose attempt is next."""
        return BLUE if self.taken_blue <= self.taken_red else RED

    @property
    def sudden_death(self) -> bool:
        return min(self.taken_blue, self.taken_red) >= self.rounds

    @property
    def over(self) -> bool:
        """Decided: nobody can catch up, or a pair of sudden-death attempts made the difference, or there were enough."""
        lead = self.goals_blue - self.goals_red
        if max(self.taken_blue, self.taken_red) <= self.rounds:
            left_blue, left_red = self.rounds - self.taken_blue, self.rounds - self.taken_red
            return lead > left_red or -lead > left_blue
        even = self.taken_blue == self.taken_red
        return even and (lead != 0 or self.taken_blue >= self.rounds + self.sudden_death_rounds)

    def after(self, scored: bool) -> ShootOut:
        if self.team == BLUE:
            return replace(self, taken_blue=self.taken_blue + 1, goals_blue=self.goals_blue + scored)
        return replace(self, taken_red=self.taken_red + 1, goals_red=self.goals_red + scored)
