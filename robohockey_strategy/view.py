"""What a team sees. It always attacks +x: the rink is turned by half a turn for the team that attacks the other way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from robohockey_core.geometry import Point
from robohockey_core.league import League
from robohockey_core.match_state import MatchState
from robohockey_core.state import PuckState, RobotState, WorldState


@dataclass(frozen=True)
class TeamView:
    """One moment of the match, seen by one team. Robots are keyed by their number."""

    league: League
    time_s: float
    us: Mapping[int, RobotState]
    them: Mapping[int, RobotState]
    puck: PuckState | None
    match: MatchState
    score_us: int
    score_them: int
    random: Random = field(default_factory=lambda: Random(1), compare=False)
    """Chance that is the same when a match is played again with the same seed."""

    @property
    def their_goal(self) -> Point:
        return Point(self.league.rink.length_m / 2.0, 0.0)

    @property
    def our_goal(self) -> Point:
        return Point(-self.league.rink.length_m / 2.0, 0.0)


def make_view(league: League, team: str, world: WorldState, match: MatchState, random: Random | None = None) -> TeamView:
    """Split the world into us and them, mirrored for the team that attacks -x; who is sent off is missing."""
    attacks_plus_x = match.attacks_plus_x(team)
    us: dict[int, RobotState] = {}
    them: dict[int, RobotState] = {}
    for robot, state in world.robots.items():
        if str(robot) in match.off:
            continue
        side = us if robot.team == team else them
        side[robot.number] = state if attacks_plus_x else state.mirrored()
    puck = world.puck if attacks_plus_x or world.puck is None else world.puck.mirrored()
    score_us = match.score(team)
    score_them = match.score_blue + match.score_red - score_us
    return TeamView(league, world.stamp_s, us, them, puck, match, score_us, score_them, random or Random(1))
