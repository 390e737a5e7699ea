"""Who puts robots and puck in their places at a rink where no simulator can: people. Here, in their stead."""

from __future__ import annotations

from collections.abc import Mapping

from robohockey_core.formation import face_off_formation
from robohockey_core.geometry import Point, distance
from robohockey_core.league import League
from robohockey_core.match_state import FACE_OFF, MatchState
from robohockey_core.names import PUCK
from robohockey_core.state import BodyState, Pose2D
from robohockey_referee.judge import _aside


class Stagehand:
    """Listens to the referee, and says where bodies are to be put by hand."""

    def __init__(self, league: League) -> None:
        self._league = league
        self._done: MatchState | None = None

    def places(self, state: MatchState, bodies: Mapping[str, BodyState]) -> dict[str, BodyState]:
        """Bodies to move now: those of a face-off that is new, nothing otherwise."""
        key = MatchState(state.phase, state.score_blue, state.score_red, 0.0, state.last_event)
        new, self._done = key != self._done, key
        if state.phase != FACE_OFF or not new:
            return {}
        spot = Point(0.0, 0.0)
        if state.last_event == "puck_stuck" and PUCK in bodies:
            rink, puck = self._league.rink, bodies[PUCK].pose.point
            dots = [Point(sx * rink.face_off_x_m, sy * rink.face_off_y_m) for sx in (-1, 1) for sy in (-1, 1)]
            spot = min(dots, key=lambda dot: distance(dot, puck))
        gap_m = self._league.robot.circumradius_m + 2.0 * self._league.puck.radius_m
        robots = {str(r): BodyState(_aside(pose, spot, gap_m)) for r, pose in face_off_formation(self._league).items()}
        return {**robots, PUCK: BodyState(Pose2D(*spot))}
