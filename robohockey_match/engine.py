"""A whole match in one process without ROS: the same objects that the nodes use, in lockstep, as fast as it goes.

One tick is one control step, in the order in which news travels between the nodes: physics, camera, tracker,
referee, strategies, motion. No clock is read, so the same league, teams and seed give the same match, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from robohockey_core.checked import InputError
from robohockey_core.commands import CommandGate, WheelCommand
from robohockey_core.joints import bodies_sample, world_of
from robohockey_core.league import League
from robohockey_core.match_state import OVER, PLAY, MatchState
from robohockey_core.names import BLUE, RED, RobotId
from robohockey_core.state import BodyState, WorldState
from robohockey_core.tracker import Tracker
from robohockey_referee.judge import Event, Judge
from robohockey_sim.simulated_rink import SimulatedRink
from robohockey_strategy.manual import Pilot, make_pilot
from robohockey_strategy.team import Coach, Team, trace_of


class Referee(Protocol):
    """What the engine asks of a referee. `placements` is taken and set to None when it was acted on."""

    state: MatchState
    placements: Mapping[str, BodyState] | None

    def watch(self, world: WorldState) -> Sequence[Event]:
        """Look at one moment; return the calls that it brings."""
        ...


class OpenPlay:
    """No referee: play goes on, whatever happens. For drills."""

    state = MatchState(phase=PLAY)
    placements: Mapping[str, BodyState] | None = None

    def watch(self, world: WorldState) -> Sequence[Event]:
        return ()


class Engine:
    """Plays one match between two teams."""

    def __init__(
        self,
        league: League,
        teams: Mapping[str, Team],
        seed: int = 1,
        referee: Referee | None = None,
    ) -> None:
        self.league = league
        self.seed = seed
        self.referee: Referee = referee if referee is not None else Judge(league)
        self.rink = SimulatedRink(league, seed=seed)
        self.events: list[Event] = []
        self.faults = dict.fromkeys((BLUE, RED), 0)
        self.first_faults: dict[str, str] = {}
        """Traceback of the first error of a team's strategy."""
        self._tracker = Tracker(self.rink.world.bodies)
        self._gate = CommandGate(league, self.rink.robots)
        self._coaches = {team: Coach(league, team, strategy, seed) for team, strategy in teams.items()}
        self._pilots: dict[str, Pilot] = {team: make_pilot(league, team) for team in teams}
        self._ticks = 0
        self._ticks_per_decision = max(1, round(league.timing.strategy_period_s / league.timing.control_dt_s))
        self._next_decision = 0
        self._moment = ("", "")

    @property
    def time_s(self) -> float:
        return self.rink.world.time_s

    @property
    def state(self) -> MatchState:
        """Phase, score and clock."""
        return self.referee.state

    def command_of(self, robot: RobotId) -> WheelCommand:
        """What a robot's team last asked of its wheels and tools."""
        return self._gate.command(robot, self.time_s)

    def tick(self) -> WorldState:
        """Play one control step; return what was seen after it."""
        self.advance()
        seen = self.see()
        self.judge(seen)
        self.decide(seen)
        self.drive(seen)
        return seen

    def ticks(self, duration_s: float) -> Iterator[WorldState]:
        """Play on for a time; yields what was seen at each control step."""
        for _ in range(round(duration_s / self.league.timing.control_dt_s)):
            yield self.tick()

    def play(self, progress: Callable[[MatchState], None] | None = None) -> MatchState:
        """Play until the referee ends the match."""
        while self.referee.state.phase != OVER:
            self.tick()
            if progress is not None:
                progress(self.referee.state)
        return self.referee.state

    def play_until(self, done: Callable[[WorldState], bool], limit_s: float) -> bool:
        """Play until something is seen; False when it was not within the limit."""
        return any(done(seen) for seen in self.ticks(limit_s))

    def advance(self) -> None:
        """Let one control step pass on the rink."""
        self.rink.advance(self._gate.command)
        self._ticks += 1

    def see(self) -> WorldState:
        """What camera and tracker make of this moment."""
        now_s = self.time_s
        for sample in self.rink.detections(now_s):
            self._tracker.see(sample, now_s)
        return world_of(self._tracker.estimate(now_s))

    def judge(self, seen: WorldState) -> None:
        """Let the referee look, and put bodies where it wants them."""
        self.events += self.referee.watch(seen)
        self.rink.take_off(self.referee.state.off)
        if self.referee.placements is not None:
            try:
                self.rink.place(bodies_sample(self.time_s, self.referee.placements))
            except InputError as error:  # the referee knows only what the camera shows, and asks again
                self.events.append(Event(seen.stamp_s, "placement_refused", str(error)))
            self.referee.placements = None

    def decide(self, seen: WorldState) -> None:
        """Ask the teams when it is their time. One that raises gives no orders, and the other does not notice."""
        state = self.referee.state
        if self._ticks < self._next_decision and (state.phase, state.turn) == self._moment:
            return
        self._moment, self._next_decision = (state.phase, state.turn), self._ticks + self._ticks_per_decision
        for team, coach in self._coaches.items():
            try:
                self._pilots[team].set_targets(coach.targets(seen, state), seen.stamp_s)
                if state.phase != PLAY:
                    self._propose(team, coach, seen)
            except (Exception, SystemExit) as error:  # a strategy is foreign code
                self.faults[team] += 1
                if team not in self.first_faults:
                    self.first_faults[team] = trace = trace_of(error)
                    self.events.append(Event(seen.stamp_s, "strategy_error", f"The strategy of {team} raised: {trace}"))

    def _propose(self, team: str, coach: Coach, seen: WorldState) -> None:
        """Tell a referee that takes proposals where a team wants its robots."""
        propose = getattr(self.referee, "propose", None)
        places = coach.placement(seen, self.referee.state) if propose is not None else {}
        if propose is not None and places:
            propose(team, {robot.number: pose for robot, pose in places.items()})

    def drive(self, seen: WorldState) -> None:
        """Turn orders into wheel commands, for every robot in sight."""
        for pilot in self._pilots.values():
            for robot, command in pilot.commands(seen).items():
                self._gate.take(robot, command, seen.stamp_s)


def result_of(engine: Engine, **about: Any) -> dict[str, Any]:
    """The result file of a match: plain values, and nothing that differs when the match is played again."""
    state = engine.state
    return {
        **about,
        "league": engine.league.name,
        "noise": engine.league.noise.preset,
        "seed": engine.seed,
        "score": {team: state.score(team) for team in (BLUE, RED)},
        "played_s": round(state.clock_s, 6),
        "strategy_faults": engine.faults,
        "events": [{"time_s": round(e.time_s, 6), "rule": e.rule, "explanation": e.explanation} for e in engine.events],
    }
