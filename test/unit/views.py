"""Views for strategy tests: robots by name, a puck, and who looks."""

from __future__ import annotations

from robohockey_core.league import League, load_league
from robohockey_core.match_state import PLAY, MatchState
from robohockey_core.names import BLUE, RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState
from robohockey_strategy.view import TeamView, make_view

HOCKEY = load_league("micro_hockey")


def view_of(
    puck: tuple[float, float],
    puck_speed: tuple[float, float] = (0.0, 0.0),
    league: League = HOCKEY,
    time_s: float = 0.0,
    **robots: tuple[float, ...],
) -> TeamView:
    """`blue_1=(x, y, yaw)` puts a robot there; blue looks."""
    places = {}
    for name, place in robots.items():
        team, number = name.split("_")
        places[RobotId(team, int(number))] = BodyState(Pose2D(*place))
    world = WorldState(time_s, places, BodyState(Pose2D(*puck), Twist2D(*puck_speed)))
    return make_view(league, BLUE, world, MatchState(phase=PLAY))
