"""Many matches between two teams, with sides swapped, and what there is to say about how they were played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from robohockey_core.league import League
from robohockey_core.match_state import OVER
from robohockey_core.names import BLUE, RED, opponent
from robohockey_match.conduct import IN_THE_WAY_S, Conduct
from robohockey_match.engine import Engine
from robohockey_strategy.team import load_strategy


class Manners(NamedTuple):
    """How a team played, in one match or in many."""

    idlers: int
    longest_in_the_way_s: float
    matches_in_the_way: int
    own_goals: int
    aimed_own_goals: int

    @classmethod
    def of_all(cls, matches: Iterable[Manners]) -> Manners:
        idlers, ways_s, in_the_way, own_goals, aimed = zip(*matches, strict=True)
        return cls(sum(idlers), max(ways_s), sum(in_the_way), sum(own_goals), sum(aimed))

    def __str__(self) -> str:
        return (
            f"{self.own_goals} own goals ({self.aimed_own_goals} kicked or driven in), {self.idlers} idle robots, "
            f"longest in each other's way {self.longest_in_the_way_s:.1f} s "
            f"(more than {IN_THE_WAY_S:g} s in {self.matches_in_the_way} matches)"
        )


@dataclass(frozen=True)
class Played:
    """One match of a series, told from the first team's side."""

    seed: int
    swapped: bool
    goals_for: int
    goals_against: int
    conduct: Conduct
    faults: int

    @property
    def points(self) -> float:
        return 1.0 if self.goals_for > self.goals_against else 0.5 if self.goals_for == self.goals_against else 0.0

    @property
    def team(self) -> str:
        return RED if self.swapped else BLUE

    def manners(self, team: str) -> Manners:
        """How one of the two teams played it."""
        conduct = self.conduct
        return Manners(
            sum(robot.team == team for robot in conduct.idlers),
            conduct.longest_in_the_way_s[team],
            int(conduct.longest_in_the_way_s[team] > IN_THE_WAY_S),
            conduct.own_goals[team],
            conduct.aimed_own_goals[team],
        )


@dataclass(frozen=True)
class Tally:
    """What a series comes to, told from the first team's side."""

    matches: int
    points: float
    goals_for: int
    goals_against: int
    manners: Manners
    their_manners: Manners
    faults: int

    @property
    def share(self) -> float:
        return self.points / self.matches

    @classmethod
    def of(cls, series: Iterable[Played]) -> Tally:
        played = list(series)
        return cls(
            len(played),
            sum(match.points for match in played),
            sum(match.goals_for for match in played),
            sum(match.goals_against for match in played),
            Manners.of_all(match.manners(match.team) for match in played),
            Manners.of_all(match.manners(opponent(match.team)) for match in played),
            sum(match.faults for match in played),
        )


def play_series(league: League, first: str, second: str, matches: int, seed: int = 1) -> Iterator[Played]:
    """Play so many matches; every other one with sides swapped, each pair with the same seed."""
    for index in range(matches):
        swapped = index % 2 == 1
        match_seed = seed + index // 2
        names = {BLUE: second, RED: first} if swapped else {BLUE: first, RED: second}
        engine = Engine(league, {team: load_strategy(name) for team, name in names.items()}, match_seed)
        conduct = Conduct(engine)
        while engine.state.phase != OVER:
            engine.tick()
            conduct.watch()
        ours = RED if swapped else BLUE
        score = engine.state.score
        yield Played(match_seed, swapped, score(ours), score(opponent(ours)), conduct, sum(engine.faults.values()))
