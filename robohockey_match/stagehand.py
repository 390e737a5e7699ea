"""Who puts robots and puck in their places at a rink where no simulator can: people. Here, in their stead."""

from __future__ import annotations

from collections.abc import Mapping

from robohockey_core.formation import face_off_formation
from robohockey_core.geometry import Point, distance
from robohockey_core.league import League
from robohockey_core.match_state import FACE_OFF, MatchState
from robohockey_core.names import BLUE, PUCK
from robohockey_core.state import BodyState, Pose2D


class Stagehand:
    """Listens to the referee, and says where bodies are to be put by hand."""

    def __init__(self, league: League) -> None:
        self._league = league
        self._last: tuple[object, ...] = ()

    def places(self, state: MatchState, bodies: Mapping[str, BodyState]) -> dict[str, BodyState]:
        """Bodies to move now. A referee that names places is obeyed; else a new face-off is laid out by the league's rules."""
        told: Mapping[str, Pose2D] | None = getattr(state, "places", None)
        if told is not None:
            waiting = getattr(state, "waiting_for", ())
            return {name: BodyState(told[name]) for name in waiting if name in told and name in bodies}
        call = (state.phase, state.score_blue, state.score_red, state.last_event)
        new, self._last = call != self._last, call
        return self._face_off(self._spot(state, bodies)) if state.phase == FACE_OFF and new else {}

    def _spot(self, state: MatchState, bodies: Mapping[str, BodyState]) -> Point:
        """Centre ice, or after a stuck puck the dot that is nearest to it."""
        if state.last_event != "puck_stuck" or PUCK not in bodies:
            return Point(0.0, 0.0)
        rink = self._league.rink
        dots = [Point(sx * rink.face_off_x_m, sy * rink.face_off_y_m) for sx in (-1, 1) for sy in (-1, 1)]
        return min(dots, key=lambda dot: distance(dot, bodies[PUCK].pose.point))

    def _face_off(self, spot: Point) -> dict[str, BodyState]:
        """The formation; a robot that stands on the spot makes room toward its own goal."""
        gap_m = self._league.robot.circumradius_m + 2.0 * self._league.puck.radius_m
        places = {PUCK: BodyState(Pose2D(*spot))}
        for robot, pose in face_off_formation(self._league).items():
            away_m = -gap_m if robot.team == BLUE else gap_m
            clear = distance(pose.point, spot) >= gap_m
            places[str(robot)] = BodyState(pose if clear else pose._replace(x_m=spot.x_m + away_m))
        return places
