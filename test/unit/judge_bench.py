"""A referee on a bench: a world without physics for it to look at, and matches that a test has in hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from robohockey_core.formation import face_off_formation
from robohockey_core.league import load_league
from robohockey_core.match_state import PLACE, PLAY
from robohockey_core.names import BLUE, PUCK, parse_robot
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState
from robohockey_referee.calls import Event
from robohockey_referee.judge import Judge, JudgeSettings
from robohockey_referee.memory import from_json, to_json
from robohockey_referee.profile import load_profile

LEAGUE = load_league("micro_hockey")
HOCKEY = load_profile("hockey")
STEP_S = 0.02
LINE_M = LEAGUE.rink.length_m / 2.0
IN_RED_NET = (LINE_M + 0.04, 0.0)
IN_BLUE_NET = (-LINE_M - 0.04, 0.0)
RESTART_S = 2.0 * HOCKEY.restarts.turn_s + HOCKEY.restarts.countdown_s


class Bench:
    """A world without physics: robots stand where they are put, the puck is where the test wants it."""

    def __init__(self, judge: Judge, obeys: bool = True) -> None:
        self.judge = judge
        self.obeys = obeys
        self.time_s = 0.0
        self.bodies = {str(r): BodyState(p) for r, p in face_off_formation(LEAGUE).items()} | {PUCK: BodyState(Pose2D(0, 0))}
        self.spot_x_m = 0.0
        self.events: list[Event] = []
        self.placed: list[Mapping[str, BodyState]] = []

    def world(self) -> WorldState:
        on = {name: body for name, body in self.bodies.items() if name not in self.judge.state.off}
        robots = {parse_robot(name): body for name, body in on.items() if name != PUCK}
        return WorldState(self.time_s, robots, self.bodies.get(PUCK))

    def look(self) -> list[str]:
        events = self.judge.watch(self.world())
        self.events += events
        if self.judge.placements is not None:
            self.placed.append(self.judge.placements)
            if self.judge.state.phase == PLACE:
                self.spot_x_m = self.judge.placements[PUCK].pose.x_m
            if self.obeys:
                self.bodies.update(self.judge.placements)
            self.judge.placements = None
        return [event.rule for event in events]

    def run(self, seconds: float) -> list[str]:
        rules = []
        for _ in range(round(seconds / STEP_S)):
            self.time_s += STEP_S
            if self.judge.state.phase == PLAY and PUCK in self.bodies and self.bodies[PUCK].pose.x_m == self.spot_x_m:
                # Rolls to and fro, or it would be stuck.
                self.bodies[PUCK] = BodyState(
                    Pose2D(self.spot_x_m, 0.45 * math.sin(self.time_s)), Twist2D(0.0, 0.45 * math.cos(self.time_s))
                )
            rules += self.look()
        return rules

    def until(self, phase: str, limit_s: float = 60.0) -> None:
        for _ in range(round(limit_s / STEP_S)):
            if self.judge.state.phase == phase:
                return
            self.run(STEP_S)
        raise AssertionError(f"{self.judge.state.phase} and not {phase} after {limit_s} s")

    def puck(self, x: float, y: float = 0.0, sigma_m: float = 0.0) -> list[str]:
        """The puck there, and one look at it."""
        self.bodies[PUCK] = BodyState(Pose2D(x, y), sigma_m=sigma_m)
        self.time_s += STEP_S
        return self.look()


def playing(judge: Judge | None = None) -> Bench:
    bench = Bench(judge or Judge(LEAGUE))
    bench.until(PLAY)
    return bench


def short(halves: int = 2, half_s: float = 4.0, mode: str = "autonomous", knock_out: bool = True, **clock) -> Judge:
    """A match that is over soon."""
    match = replace(LEAGUE.match, halves=halves, half_duration_s=half_s, knock_out=knock_out)
    quiet = replace(HOCKEY.clock, break_s=1.0, extra_halves=0, golden_goal=False, shoot_out_rounds=0)
    profile = replace(HOCKEY, clock=replace(quiet, **clock))
    return Judge(replace(LEAGUE, match=match), profile, JudgeSettings(mode=mode, ask_s=5.0))


def shoot_out(bench: Bench, *goals: bool) -> None:
    """Attempts in turn: into the goal that the shooter attacks, or nothing until the time is up."""
    for goal in goals:
        bench.until(PLAY)
        attacks_plus_x = bench.judge.state.attacks_plus_x(bench.judge.state.restart_team)
        if goal:
            bench.puck(*(IN_RED_NET if attacks_plus_x else IN_BLUE_NET))
        else:
            bench.run(2.0)


def foul(bench: Bench, robot: str = "red/1", keeper: str = "blue/0") -> list[str]:
    """A robot runs into the goalkeeper in its crease."""
    side = -1.0 if bench.judge.state.attacks_plus_x(BLUE) == (keeper == "blue/0") else 1.0
    bench.bodies[keeper] = BodyState(Pose2D(side * 0.9, 0.0))
    bench.bodies[robot] = BodyState(Pose2D(side * 0.9 - side * 0.09, 0.0), Twist2D(side * 1.0, 0.0))
    bench.time_s += STEP_S
    first = bench.look()
    bench.bodies[robot] = BodyState(Pose2D(side * 0.9 - side * 0.076, 0.0), Twist2D(side * 0.2, 0.0))
    bench.time_s += STEP_S
    return first + bench.look()


def only_pushing(card: str, **cards) -> Judge:
    """A profile that knows one foul, and no advantage."""
    rules = tuple(replace(rule, card=card) for rule in HOCKEY.rules if rule.name == "pushing")
    return Judge(LEAGUE, replace(HOCKEY, advantage_s=0.0, rules=rules, cards=replace(HOCKEY.cards, **cards)))


def advantage_bench(judge: Judge | None = None) -> Bench:
    """Red/1 has charged blue's goalkeeper while blue/1 has the puck."""
    bench = playing(judge)
    bench.bodies["blue/1"] = BodyState(Pose2D(0.2, 0.3))
    bench.puck(0.2 + 0.0625, 0.3)
    assert foul(bench) == ["advantage"]
    assert bench.judge.state.phase == PLAY and "Advantage blue for 1.0 s" in bench.judge.state.explanation
    return bench


def suggesting() -> Bench:
    return playing(Judge(LEAGUE, settings=JudgeSettings(mode="suggest", ask_s=5.0)))


def through_json(judge: Judge, fresh: Judge | None = None) -> Judge:
    """Another referee, who goes on from what the first one wrote."""
    fresh = fresh or Judge(LEAGUE)
    fresh.recall(from_json(to_json(judge.memory()), "test"))
    return fresh
