"""The first referee: goals, face-offs, a stuck puck and the clock, each call with its reason."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from robohockey_core.checked import limited
from robohockey_core.formation import face_off_formation
from robohockey_core.geometry import Point, distance
from robohockey_core.league import League
from robohockey_core.match_state import FACE_OFF, OVER, PAUSE, PLAY, MatchState
from robohockey_core.names import BLUE, PUCK, RED
from robohockey_core.state import BodyState, Pose2D, WorldState


@dataclass(frozen=True)
class JudgeSettings:
    countdown_s: float = limited(2.0, "time between a call and the next face-off", low=0.0)
    stuck_m: float = limited(0.03, "a puck that stays within this distance is stuck", above=0.0)
    stuck_s: float = limited(6.0, "time after which a stuck puck is called", above=0.0)
    placed_m: float = limited(0.05, "how near the spot a puck placed by hand must lie", above=0.0)


@dataclass(frozen=True)
class Event:
    """One call: what, why, and what comes next."""

    time_s: float
    rule: str
    explanation: str


class Judge:
    """Watches the tracked world and keeps score and clock.

    `placements` tells where bodies belong for the coming face-off. With `can_place` somebody puts them
    there as soon as it is asked for; without, the judge waits until the puck lies on its spot.
    """

    def __init__(self, league: League, settings: JudgeSettings | None = None, *, can_place: bool = True) -> None:
        self._league = league
        self._settings = settings or JudgeSettings()
        self._can_place = can_place
        self._duration_s = league.match.halves * league.match.half_duration_s
        self.reset()

    def reset(self) -> None:
        """A new match: no score, full clock, face-off at centre."""
        self._now_s: float | None = None
        self._waits_until_s: float | None = None
        self._rested_at: tuple[Point, float] | None = None
        self._paused_phase = FACE_OFF
        self._spot = Point(0.0, 0.0)
        self.placements: Mapping[str, BodyState] | None = None
        self.state = MatchState(phase=FACE_OFF)
        self._face_off(self._spot, "match_start", "The match begins with a face-off at centre ice")

    def pause(self) -> None:
        if self.state.phase not in (PAUSE, OVER):
            self._paused_phase = self.state.phase
            self.state = replace(self.state, phase=PAUSE, last_event="pause", explanation="Paused by hand")

    def start(self) -> None:
        """Go on after a pause; a countdown and the watch for a stuck puck begin anew."""
        if self.state.phase == PAUSE:
            self._waits_until_s = self._rested_at = None
            self.state = replace(self.state, phase=self._paused_phase, last_event="resume", explanation="Play goes on")

    def watch(self, world: WorldState) -> list[Event]:
        """Look at one moment; return the calls that it brings."""
        before_s, self._now_s = self._now_s, world.stamp_s
        if before_s is None or world.stamp_s < before_s:
            before_s = world.stamp_s
            self._waits_until_s = self._rested_at = None
        if self.state.phase == PLAY:
            return self._watch_play(world, world.stamp_s - before_s)
        if self.state.phase == FACE_OFF:
            return self._watch_face_off(world)
        return []

    def _watch_play(self, world: WorldState, elapsed_s: float) -> list[Event]:
        clock_s = min(self._duration_s, self.state.clock_s + elapsed_s)
        self.state = replace(self.state, clock_s=clock_s)
        if clock_s >= self._duration_s:
            score = f"{self.state.score_blue} : {self.state.score_red}"
            return [self._call("final_whistle", f"Time is up after {clock_s:.0f} s of play: blue {score} red", OVER)]
        if world.puck is None:
            return []
        return self._watch_goal(world.puck) or self._watch_stuck(world.puck.pose.point)

    def _watch_goal(self, puck: BodyState) -> list[Event]:
        """A goal is a puck that is wholly over the line, between the posts."""
        rink = self._league.rink
        over_line_m = abs(puck.pose.x_m) - rink.length_m / 2.0
        if over_line_m < self._league.puck.radius_m or abs(puck.pose.y_m) > rink.goal_width_m / 2.0:
            return []
        scorer = BLUE if puck.pose.x_m > 0.0 else RED
        self.state = self.state.with_goal(scorer)
        why = f"Goal for {scorer}: the puck is {over_line_m * 1000:.0f} mm over the line, more than its radius"
        return [self._face_off(Point(0.0, 0.0), "goal", f"{why}. Face-off at centre ice")]

    def _watch_stuck(self, puck: Point) -> list[Event]:
        assert self._now_s is not None
        if self._rested_at is None or distance(self._rested_at[0], puck) > self._settings.stuck_m:
            self._rested_at = (puck, self._now_s)
            return []
        rested_s = self._now_s - self._rested_at[1]
        if rested_s < self._settings.stuck_s:
            return []
        spot = self._nearest_dot(puck)
        why = f"Puck stuck: within {self._settings.stuck_m * 1000:.0f} mm for {rested_s:.1f} s"
        return [self._face_off(spot, "puck_stuck", f"{why}. Face-off at ({spot.x_m:.2f}, {spot.y_m:.2f})")]

    def _watch_face_off(self, world: WorldState) -> list[Event]:
        if self._waits_until_s is None:
            self._waits_until_s = world.stamp_s + self._settings.countdown_s
        if world.stamp_s < self._waits_until_s:
            return []
        if not self._can_place:
            off_m = distance(world.puck.pose.point, self._spot) if world.puck is not None else math.inf
            if off_m > self._settings.placed_m:
                waiting = f"Waiting for the puck at ({self._spot.x_m:.2f}, {self._spot.y_m:.2f})"
                self.state = replace(self.state, explanation=waiting)
                return []
        self._rested_at = None
        return [self._call("play", "Play on", PLAY)]

    def _face_off(self, spot: Point, rule: str, explanation: str) -> Event:
        self._spot = spot
        self._waits_until_s = None
        gap_m = self._league.robot.circumradius_m + 2.0 * self._league.puck.radius_m
        formation = face_off_formation(self._league)
        bodies = {str(robot): BodyState(_aside(pose, spot, gap_m)) for robot, pose in formation.items()}
        self.placements = {**bodies, PUCK: BodyState(Pose2D(*spot))}
        return self._call(rule, explanation, FACE_OFF)

    def _call(self, rule: str, explanation: str, phase: str) -> Event:
        self.state = replace(self.state, phase=phase, last_event=rule, explanation=explanation)
        return Event(self._now_s or 0.0, rule, explanation)

    def _nearest_dot(self, point: Point) -> Point:
        rink = self._league.rink
        dots = [Point(sx * rink.face_off_x_m, sy * rink.face_off_y_m) for sx in (-1, 1) for sy in (-1, 1)]
        return min(dots, key=lambda dot: distance(dot, point))


def _aside(pose: Pose2D, spot: Point, gap_m: float) -> Pose2D:
    """A robot keeps its place of the formation, or makes room for the puck on its own side of it."""
    if distance(pose.point, spot) >= gap_m:
        return pose
    toward_own_goal = -1.0 if math.cos(pose.yaw_rad) > 0.0 else 1.0
    return Pose2D(spot.x_m + toward_own_goal * gap_m, pose.y_m, pose.yaw_rad)
