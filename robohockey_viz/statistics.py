"""What a match was like: puck speed, possession, tracking error, where everybody was, and the shots.

The same object counts live, frame by frame, and over a recording.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from robohockey_core.geometry import Point, distance
from robohockey_core.joints import FloatArray
from robohockey_core.league import League
from robohockey_core.match_state import PLAY, RESUME
from robohockey_core.names import BLUE, PUCK, RED, TEAMS
from robohockey_core.state import BodyState, WorldState
from robohockey_viz.heard import score

CELLS = (40, 24)
"""Cells of a heat map along and across the rink."""

_PERIOD_S = 0.2
_LONGEST = 9000
"""Rows kept of every series. A longer match has every second one of them, then every fourth: none loses its beginning."""

_TRUTH_NEAR_S = 0.03
"""A truth of this much earlier or later is carried on to the moment of a world; one farther away tells nothing of it."""

_SHOT_SHARE = 0.35
"""A puck this fast, as a share of the hardest kick, that would cross the goal line between the posts is shot at goal."""

_SHOT_PAUSE_S = 0.5
_GOAL_AFTER_SHOT_S = 3.0
_MARGIN = 1.15

SERIES = ("puck_speed_m_s", "possession_blue", "tracking_error_m")


@dataclass(frozen=True)
class Shot:
    """Where a shot was taken and where it was going."""

    time_s: float
    team: str
    x_m: float
    y_m: float
    toward_y_m: float
    speed_m_s: float
    side: float
    """1 toward the goal at +x, -1 toward the other."""
    goal: bool = False


@dataclass
class MatchStatistics:
    """Counts what `watch` shows it."""

    league: League
    rows: list[tuple[float, ...]] = field(default_factory=list)
    shots: list[Shot] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start from nothing."""
        self.seen: dict[str, FloatArray] = {name: np.zeros(CELLS) for name in (PUCK, *TEAMS)}
        self.possession_s = dict.fromkeys(TEAMS, 0.0)
        self.holder: str | None = None
        self.score = dict.fromkeys(TEAMS, 0)
        self._before: WorldState | None = None
        self._row_s = -math.inf
        self._period_s = _PERIOD_S
        self._shot_at: tuple[float, str] | None = None
        self._near_m = self.league.robot.circumradius_m + 2.0 * self.league.puck.radius_m
        hardest_m_s = self.league.kicker.max_puck_speed_m_s or self.league.robot.max_speed_m_s
        self._shot_m_s = _SHOT_SHARE * hardest_m_s

    def watch(self, time_s: float, world: WorldState, state: Mapping[str, str], truth: WorldState | None = None) -> None:
        """Count one moment; time spent outside of play counts for nothing but the series."""
        self._watch_score(time_s, state)
        elapsed_s = min(0.5, max(0.0, world.stamp_s - self._before.stamp_s)) if self._before is not None else 0.0
        if state.get("phase", PLAY) in (PLAY, RESUME):
            self._count_places(world, elapsed_s)
            self._watch_possession(world, elapsed_s)
            self._watch_shot(time_s, world, ends_swapped(state))
        self._before = world
        if self.row_due(time_s):
            if time_s < self._row_s:
                self.rows.clear()  # time was set back: the lines begin anew
            self._row_s = time_s
            speed = world.puck.twist.speed_m_s if world.puck is not None else math.nan
            self.rows.append((time_s, speed, self.possession_share(BLUE), tracking_error_m(world, truth)))
            if len(self.rows) > _LONGEST:
                del self.rows[1::2]
                self._period_s *= 2.0

    def row_due(self, time_s: float) -> bool:
        """Whether a world of this time would make a row, and so a truth beside it is of use."""
        return not 0.0 <= time_s - self._row_s < self._period_s

    def possession_share(self, team: str) -> float:
        """Share of the time that anybody had the puck; one half before anybody did."""
        total_s = sum(self.possession_s.values())
        return self.possession_s[team] / total_s if total_s > 0.0 else 0.5

    def series(self) -> dict[str, FloatArray]:
        """Columns by name, `time_s` first."""
        table = np.array(self.rows).reshape(-1, 1 + len(SERIES))
        return dict(zip(("time_s", *SERIES), table.T, strict=True))

    def _count_places(self, world: WorldState, elapsed_s: float) -> None:
        bodies = [(robot.team, body) for robot, body in world.robots.items()]
        if world.puck is not None:
            bodies.append((PUCK, world.puck))
        for name, body in bodies:
            self.seen[name][self._cell(body)] += elapsed_s

    def _cell(self, body: BodyState) -> tuple[int, int]:
        rink, (columns, rows) = self.league.rink, CELLS
        column = int((body.pose.x_m / rink.length_m + 0.5) * columns)
        row = int((body.pose.y_m / rink.width_m + 0.5) * rows)
        return min(columns - 1, max(0, column)), min(rows - 1, max(0, row))

    def _watch_possession(self, world: WorldState, elapsed_s: float) -> None:
        """The team of the nearest robot within reach has the puck, until another's has it."""
        if world.puck is not None:
            spot = world.puck.pose.point
            near = [(distance(body.pose.point, spot), robot.team) for robot, body in world.robots.items()]
            nearest_m, team = min(near, default=(math.inf, ""))
            if nearest_m <= self._near_m:
                self.holder = team
        if self.holder is not None:
            self.possession_s[self.holder] += elapsed_s

    def _watch_shot(self, time_s: float, world: WorldState, swapped: bool) -> None:
        puck = world.puck
        if puck is None or puck.twist.speed_m_s < self._shot_m_s or puck.twist.vx_m_s == 0.0:
            return
        side = math.copysign(1.0, puck.twist.vx_m_s)
        line_m = side * self.league.rink.length_m / 2.0
        flight_s = (line_m - puck.pose.x_m) / puck.twist.vx_m_s
        toward_y_m = puck.pose.y_m + flight_s * puck.twist.vy_m_s
        if flight_s <= 0.0 or abs(toward_y_m) > _MARGIN * self.league.rink.goal_width_m / 2.0:
            return
        team = BLUE if (side > 0.0) != swapped else RED
        last = self._shot_at
        self._shot_at = (time_s, team)
        if last is None or last[1] != team or time_s - last[0] > _SHOT_PAUSE_S:
            self.shots.append(Shot(time_s, team, *puck.pose.point, toward_y_m, puck.twist.speed_m_s, side))

    def _watch_score(self, time_s: float, state: Mapping[str, str]) -> None:
        for team in TEAMS:
            goals = score(state, team, self.score[team])
            if goals > self.score[team]:
                self._mark_goal(time_s, team)
            self.score[team] = goals

    def _mark_goal(self, time_s: float, team: str) -> None:
        for index in range(len(self.shots) - 1, -1, -1):
            shot = self.shots[index]
            if shot.team == team and time_s - shot.time_s <= _GOAL_AFTER_SHOT_S:
                self.shots[index] = replace(shot, goal=True)
                return


def ends_swapped(state: Mapping[str, str]) -> bool:
    """Whether blue defends the goal at +x now."""
    return state.get("ends_swapped") == "true"


def tracking_error_m(world: WorldState, truth: WorldState | None) -> float:
    """Root mean square distance between tracked and true places of one moment; NaN without a truth of that moment."""
    if truth is None or abs(world.stamp_s - truth.stamp_s) > _TRUTH_NEAR_S:
        return math.nan
    since_s = world.stamp_s - truth.stamp_s
    pairs = [(body, truth.robots[robot]) for robot, body in world.robots.items() if robot in truth.robots]
    if world.puck is not None and truth.puck is not None:
        pairs.append((world.puck, truth.puck))
    squares = [distance(seen.pose.point, _carried_on(true, since_s)) ** 2 for seen, true in pairs]
    return math.sqrt(sum(squares) / len(squares)) if squares else math.nan


def _carried_on(body: BodyState, since_s: float) -> Point:
    return Point(body.pose.x_m + since_s * body.twist.vx_m_s, body.pose.y_m + since_s * body.twist.vy_m_s)
