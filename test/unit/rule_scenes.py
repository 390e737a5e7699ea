"""Short scenes for rules: where bodies are over time, looked at as the referee does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from robohockey_core.geometry import Point
from robohockey_core.league import League, load_league
from robohockey_core.names import RobotId, parse_robot
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState
from robohockey_referee.calls import Call, Restart
from robohockey_referee.ground import Ground
from robohockey_referee.rules import Rule
from robohockey_referee.scene import Watcher

LEAGUE = load_league("micro_hockey")
RINK = LEAGUE.rink
LINE_M, SIDE_M = RINK.length_m / 2.0, RINK.width_m / 2.0
POST_M = RINK.goal_width_m / 2.0
RADIUS_M = LEAGUE.puck.radius_m
HALF_BODY_M = LEAGUE.robot.length_m / 2.0
TOUCH_M = HALF_BODY_M + RADIUS_M
"""Distance of a robot's centre from a puck that its front touches."""
STEP_S = 0.02

Way = Callable[[float], Any] | tuple[float, ...]
"""Where a body is: always, or by time; None when nobody sees it."""


@dataclass(frozen=True)
class Play:
    """A scene of some seconds."""

    seconds: float
    puck: Way | None = None
    robots: Mapping[str, Way] = field(default_factory=dict)
    ends_swapped: bool = False
    restart: Restart | None = None
    off: tuple[str, ...] = ()
    puck_sigma_m: float = 0.0
    """What the tracker says about how far off the puck may be."""

    def moments(self) -> Iterator[WorldState]:
        for step in range(round(self.seconds / STEP_S) + 1):
            time_s = step * STEP_S
            robots = {_robot(name): body for name, way in self.robots.items() if (body := _body(way, time_s)) is not None}
            puck = _body(self.puck, time_s) if self.puck is not None else None
            yield WorldState(time_s, robots, puck and puck._replace(sigma_m=self.puck_sigma_m))


def _robot(name: str) -> RobotId:
    robot = parse_robot(name)
    assert robot is not None, name
    return robot


def _body(way: Way, time_s: float) -> BodyState | None:
    """The body on its way; its speed is that of the step before."""
    if not callable(way):
        return BodyState(Pose2D(*way))
    here, before = way(time_s), way(max(0.0, time_s - STEP_S))
    if here is None:
        return None
    speed = [(a - b) / STEP_S for a, b in zip(here[:2], (before or here)[:2], strict=True)]
    return BodyState(Pose2D(*here), Twist2D(*speed))


def call_in(rule: Rule, play: Play, league: League = LEAGUE) -> Call | None:
    """The first call of a rule that sees a scene from its beginning."""
    watcher, ground = Watcher(league), Ground(league, play.ends_swapped)
    rule.forget()
    off = [_robot(name) for name in play.off]
    for world in play.moments():
        scene = watcher.look(world, ground, world.stamp_s, STEP_S, restart=play.restart, off=off)
        call = rule.watch(scene)
        if call is not None:
            return call
    return None


def line(start: tuple[float, float], velocity: tuple[float, float]) -> Callable[[float], tuple[float, float]]:
    """Straight on."""
    return lambda t: (start[0] + velocity[0] * t, start[1] + velocity[1] * t)


def stops(start: tuple[float, float], velocity: tuple[float, float], after_s: float) -> Callable[[float], tuple[float, float]]:
    """Straight on, then at rest."""
    return lambda t: line(start, velocity)(min(t, after_s))


CENTRE = Point(0.0, 0.0)
