"""Many matches between two teams, with sides swapped, and what there is to say about how they were played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from robohockey_core.geometry import distance
from robohockey_core.league import League
from robohockey_core.match_state import OVER
from robohockey_core.names import BLUE, RED, TEAMS, RobotId, opponent
from robohockey_core.state import WorldState
from robohockey_match.engine import Engine
from robohockey_strategy.team import load_strategy

# Two field players of one team nearer than this many circumradii, neither of which gets on, are in each other's way.
IN_THE_WAY_RADII = 2.4
SLOW_SHARE = 0.08
IDLE_SHARE = 0.02
"""A robot that covers less of the rink's length than this in a minute idles."""
WINDOW_S = 60.0
IN_THE_WAY_S = 2.0
"""No two field players of one team should be in each other's way for longer."""


@dataclass
class Conduct:
    """How a match was played: ways driven, players of one team in each other's way, goals by the scoring team's opponents."""

    league: League
    travelled_m: dict[RobotId, float] = field(default_factory=dict)
    longest_in_the_way_s: dict[str, float] = field(default_factory=lambda: dict.fromkeys(TEAMS, 0.0))
    own_goals: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TEAMS, 0))
    played_s: float = 0.0
    _since_s: dict[tuple[RobotId, RobotId], float] = field(default_factory=dict)
    _before: WorldState | None = None
    _touched_by: str | None = None
    _touch_speed: tuple[float, float] = (0.0, 0.0)

    def watch(self, seen: WorldState, playing: bool) -> None:
        """Take in one control step."""
        before, self._before = self._before, seen
        if not playing or before is None:
            self._since_s.clear()
            return
        self.played_s += seen.stamp_s - before.stamp_s
        for robot, state in seen.robots.items():
            if robot in before.robots:
                step_m = distance(before.robots[robot].pose.point, state.pose.point)
                self.travelled_m[robot] = self.travelled_m.get(robot, 0.0) + (step_m if step_m < 0.1 else 0.0)
        self._watch_crowding(seen)
        self._watch_touches(seen)

    def goal(self, scorer: str, scorer_attacks_plus_x: bool) -> None:
        """A goal counts as the other team's own when that team was last to touch the puck, moving at its own goal."""
        conceding = opponent(scorer)
        towards_own = self._touch_speed[0] * (1.0 if scorer_attacks_plus_x else -1.0)
        if self._touched_by == conceding and towards_own > 0.3 * self.league.robot.max_speed_m_s:
            self.own_goals[conceding] += 1

    @property
    def idlers(self) -> list[RobotId]:
        """Robots that hardly moved in a whole match."""
        least_m = IDLE_SHARE * self.league.rink.length_m * self.played_s / WINDOW_S
        return [robot for robot in self.league.robots() if self.travelled_m.get(robot, 0.0) < least_m]

    def _watch_crowding(self, seen: WorldState) -> None:
        near_m = IN_THE_WAY_RADII * self.league.robot.circumradius_m
        slow_m_s = SLOW_SHARE * self.league.robot.max_speed_m_s
        for team in TEAMS:
            # Robots that stand beside each other by choice face the puck from their places; pairs that push do not get on.
            players = [(r, s) for r, s in seen.robots.items() if r.team == team and r.number != 0]
            for i, (a, state_a) in enumerate(players):
                for b, state_b in players[i + 1 :]:
                    close = distance(state_a.pose.point, state_b.pose.point) < near_m
                    slow = min(state_a.twist.speed_m_s, state_b.twist.speed_m_s) < slow_m_s
                    if not (close and slow):
                        self._since_s.pop((a, b), None)
                        continue
                    since_s = self._since_s.setdefault((a, b), seen.stamp_s)
                    self.longest_in_the_way_s[team] = max(self.longest_in_the_way_s[team], seen.stamp_s - since_s)

    def _watch_touches(self, seen: WorldState) -> None:
        if seen.puck is None:
            return
        puck = seen.puck.pose.point
        gaps_m = {robot: distance(state.pose.point, puck) for robot, state in seen.robots.items()}
        nearest = min(gaps_m, key=gaps_m.__getitem__, default=None)
        if nearest is not None and gaps_m[nearest] < self.league.robot.circumradius_m + self.league.puck.radius_m:
            self._touched_by = nearest.team
            self._touch_speed = seen.robots[nearest].twist[:2]


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

    @property
    def own_goals(self) -> int:
        return self.conduct.own_goals[self.team]

    @property
    def in_the_way_s(self) -> float:
        """The longest that two field players of the first team were in each other's way."""
        return self.conduct.longest_in_the_way_s[self.team]

    @property
    def idlers(self) -> list[RobotId]:
        return [robot for robot in self.conduct.idlers if robot.team == self.team]


@dataclass(frozen=True)
class Tally:
    """What a series comes to, told from the first team's side."""

    matches: int
    points: float
    goals_for: int
    goals_against: int
    own_goals_for: int
    """The other team's into its own goal."""
    own_goals_against: int
    idlers: int
    longest_in_the_way_s: float
    matches_in_the_way: int
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
            sum(match.conduct.own_goals[opponent(match.team)] for match in played),
            sum(match.own_goals for match in played),
            sum(len(match.idlers) for match in played),
            max((match.in_the_way_s for match in played), default=0.0),
            sum(match.in_the_way_s > IN_THE_WAY_S for match in played),
            sum(match.faults for match in played),
        )


def play_series(league: League, first: str, second: str, matches: int, seed: int = 1) -> Iterator[Played]:
    """Play so many matches; every other one with sides swapped, each pair with the same seed."""
    for index in range(matches):
        swapped = index % 2 == 1
        match_seed = seed + index // 2
        names = {BLUE: second, RED: first} if swapped else {BLUE: first, RED: second}
        engine = Engine(league, {team: load_strategy(name) for team, name in names.items()}, match_seed)
        conduct = Conduct(league)
        scores = dict.fromkeys(TEAMS, 0)
        while engine.state.phase != OVER:
            seen = engine.tick()
            for team in TEAMS:
                if engine.state.score(team) > scores[team]:
                    scores[team] = engine.state.score(team)
                    conduct.goal(team, engine.state.attacks_plus_x(team))
            conduct.watch(seen, engine.state.playing)
        ours = RED if swapped else BLUE
        yield Played(match_seed, swapped, scores[ours], scores[opponent(ours)], conduct, sum(engine.faults.values()))
