"""How a match proceeds: restarts, periods, who is on the rink, and what is told of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from robohockey_core.geometry import Point
from robohockey_core.league import League
from robohockey_core.match_state import BREAK, FACE_OFF, FREE_BALL, KICK_OFF, OVER, PLACE, PLAY, RESUME, SHOOT_OUT, MatchState
from robohockey_core.names import BLUE, GOALKEEPER, RED, TEAMS, RobotId, opponent, parse_robot
from robohockey_core.records import changed
from robohockey_core.state import BodyState, WorldState
from robohockey_referee.advantage import Advantage
from robohockey_referee.calls import Call, Event, Restart
from robohockey_referee.ground import CENTRE, Ground
from robohockey_referee.match_clock import MatchClock, ShootOut, periods, reached
from robohockey_referee.memory import Memory
from robohockey_referee.profile import Profile, load_profile
from robohockey_referee.restarts import Placing, bench_place, bodies_at, first_to_place, not_in_place
from robohockey_referee.resumption import bodies_of_world, untangled
from robohockey_referee.rules import Rule
from robohockey_referee.scene import Watcher

ASK_AGAIN_S = 1.0
"""A body that did not get to its place is asked for again this often."""
RESUME_S = 0.5
"""So long, at most, until bodies are seen back where they were before a pause."""

_default_profile = cache(load_profile)


class Proceedings:
    """The course of one match, as far as nobody watches it: what follows from what, and what is told.

    `state` tells how the match stands; `placements`, when it is not None, tells where a simulator is to put bodies now,
    and is set to None by whoever did it. Bodies that no simulator can put drive there by themselves, and are waited for.
    """

    def __init__(self, league: League, profile: Profile | None = None) -> None:
        self._league = league
        self._profile = profile or _default_profile(league.match.rules)
        self._watcher = Watcher(league, self._profile.look)
        self.reset()

    def reset(self) -> None:
        """A new match: no score, full clock, the first restart at centre."""
        self._now_s: float | None = None
        self._world: WorldState | None = None
        self._played_s = 0.0
        self._asked_back_s = -ASK_AGAIN_S
        self._told: list[Event] = []
        self._rules = self._profile.fresh_rules()
        self._undo: Memory | None = None
        self._proposals: dict[str, Mapping[Any, Any]] = {}
        self.placements: Mapping[str, BodyState] | None = None
        self.state = MatchState(phase=PLACE)
        clock = MatchClock(periods(self._league.match, self._profile.clock))
        self._memory = Memory(clock, self._league.name, self._profile.name)
        self._turn_ends()
        self._begin_period("match_start", "The match begins")

    def memory(self) -> Memory:
        """All that another referee needs to go on from here."""
        return replace(self._memory, state=self.state, played_s=self._played_s)

    # What is told.

    def _tell(
        self, rule: str, explanation: str, phase: str, call: Call | None = None, next_: str = "", countdown_s: float = 0.0
    ) -> None:
        robot = str(call.robot) if call is not None and call.robot is not None else ""
        place, evidence = (call.place, call.evidence) if call is not None else (None, {})
        self.state = replace(
            self.state,
            phase=phase,
            last_event=rule,
            explanation=explanation,
            robot=robot,
            place=place,
            evidence=evidence,
            next=next_,
            waiting_for=(),
            countdown_s=countdown_s,
        )
        self._told.append(Event(self._now_s or 0.0, rule, explanation, robot, place, evidence, next_))

    def _note(self, rule: str, explanation: str, robot: str = "", place: Point | None = None, **evidence: float) -> None:
        """Tell of something that leaves what was called before it, and what comes next, as they are."""
        self._told.append(Event(self._now_s or 0.0, rule, explanation, robot, place, evidence, self.state.next))

    def _count_down(self, elapsed_s: float) -> bool:
        """Let time pass; True when the wait is over."""
        left_s = self._memory.left_s - elapsed_s
        self._memory = changed(self._memory, left_s=left_s)
        if left_s > 0.0:
            self.state = changed(self.state, countdown_s=left_s)
        return reached(0.0, left_s)

    def _book(self, call: Call) -> tuple[list[str], list[str]]:
        """Write down a call and the fouls that waited for it, with their goals; return what to say of them, and who scored."""
        words, scorers = self._book_one(call)
        for foul in self._memory.advantage.besides(call):
            more, others = self._book_one(foul)
            words += [f"Booked from before it: {foul.why}", *more]
            scorers += others
        self._memory = replace(self._memory, advantage=Advantage())
        for scorer in scorers:
            self.state = self.state.with_goal(scorer)
        return words, scorers

    def _book_one(self, call: Call) -> tuple[list[str], list[str]]:
        """Write down a foul, its card and its strike."""
        words: list[str] = []
        discipline = self._memory.discipline
        scorers = [call.goal_for] if call.goal_for else []
        if call.against:
            self.state = self.state.with_foul(call.against)
        if call.against and call.robot is not None:
            fouls = self.state.fouls_blue if call.against == BLUE else self.state.fouls_red
            card = discipline.card(call.card, fouls, self._profile.cards)
            discipline, said = discipline.show(call.robot, card, self._profile.cards, self._league)
            words += [said[:1].upper() + said[1:]] if said else []
        if call.strikes_per_goal:
            discipline, count = discipline.strike(call.rule, call.against)
            words.append(f"Number {count} of {call.against}")
            if count % call.strikes_per_goal == 0:
                scorers.append(opponent(call.against))
                words.append(f"Every {call.strikes_per_goal} cost a goal: goal for {scorers[-1]}")
        self._memory = replace(self._memory, discipline=discipline)
        self._seat()
        return words, scorers

    # Restarts.

    @property
    def _neutral(self) -> str:
        """The restart that favours nobody."""
        return FREE_BALL if self._profile.restarts.kick_off == KICK_OFF else FACE_OFF

    def _centre(self, team: str) -> Restart:
        kind = self._profile.restarts.kick_off
        return Restart(kind, CENTRE, team if kind == KICK_OFF else "")

    def _begin(self, restart: Restart) -> None:
        """Ask for places; `_tell` has said why."""
        self._forget()
        self._undo, self._proposals = None, {}
        first = first_to_place(restart, self._ground)
        turn_s = self._profile.restarts.turn_s
        self._memory = replace(
            self._memory,
            restart=restart,
            turns=(first, opponent(first)),
            left_s=turn_s,
            waited_s=0.0,
            held={},
            returning=(),
            advantage=Advantage(),
        )
        self.placements = None
        self.state = replace(
            self.state,
            phase=PLACE,
            restart=restart.kind,
            restart_team=restart.team,
            turn=first,
            places={},
            countdown_s=turn_s,
        )
        self._seat()

    def _settle(self, team: str) -> None:
        assert self._memory.restart is not None
        on = [robot for robot in self._league.robots() if robot not in self._off]
        placing = Placing(self._ground, self._profile.restarts, self._memory.restart, on)
        places, corrections = placing.settle(team, self._proposals.get(team, {}), self.state.places)
        self.state = replace(self.state, places={**self.state.places, **places})
        if corrections:
            words = f"Placement of {team} corrected: {'; '.join(map(str, corrections))}"
            moved_m = {str(c.robot): c.moved_m for c in corrections if math.isfinite(c.moved_m)}
            first = str(corrections[0].robot)
            self._note("placement_corrected", words, first, places[first].point, **moved_m)

    def _wanted_bodies(self) -> dict[str, BodyState]:
        assert self._memory.restart is not None
        return bodies_at(self.state.places, self._memory.restart.spot)

    def _not_in_place(self, world: WorldState) -> tuple[str, ...]:
        assert self._memory.restart is not None
        spot = self._memory.restart.spot
        return not_in_place(world, self.state.places, spot, self._profile.restarts, self._league)

    # Periods.

    def _turn_ends(self) -> None:
        self._ground = Ground(self._league, self.state.ends_swapped)

    def _begin_period(self, rule: str, why: str) -> None:
        clock = self._memory.clock
        self.state = replace(self.state, period=clock.period.name, remaining_s=clock.remaining_s)
        restart = self._centre(TEAMS[clock.index % 2])
        self._tell(rule, f"{why}. {restart}", PLACE, next_=str(restart))
        self._begin(restart)

    def _whistle(self) -> None:
        """Time is up: the break, the shoot-out or the end."""
        self._undo = None
        memory, settings = self._memory, self._profile.clock
        draw = self.state.score_blue == self.state.score_red
        whistle = f"Time is up after {memory.clock.period.duration_s:.0f} s of {memory.clock.period.name}"
        if memory.clock.has_next and (draw or not memory.clock.lead_decides):
            ends = ", teams change ends" if settings.change_ends else ""
            self._tell("period_over", f"{whistle}: {_score(self.state)}", BREAK, None, f"Break{ends}", settings.break_s)
            self._memory = replace(memory, left_s=settings.break_s, held={})
        elif draw and settings.shoot_out_rounds and self._league.match.knock_out:
            shoot_out = ShootOut(settings.shoot_out_rounds, settings.sudden_death_rounds)
            self._memory = replace(memory, shoot_out=shoot_out)
            self.state = replace(self.state, period=SHOOT_OUT)
            self._attempt("shoot_out", f"{whistle}: {_score(self.state)}. Shoot-out", None)
        else:
            self._final_whistle("final_whistle", whistle)

    def _next_period(self) -> None:
        self._memory = replace(self._memory, clock=self._memory.clock.next_period())
        if self._profile.clock.change_ends:
            self.state = replace(self.state, ends_swapped=not self.state.ends_swapped)
            self._turn_ends()
        self._begin_period("period_start", f"{self._memory.clock.period.name.replace('_', ' ').capitalize()} begins")

    def _attempt(self, rule: str, why: str, call: Call | None) -> None:
        """The next attempt of the shoot-out, or its end."""
        shoot_out = self._memory.shoot_out
        assert shoot_out is not None
        if shoot_out.over:
            self._final_whistle(rule, why, call)
            return
        sudden = ", sudden death" if shoot_out.sudden_death else ""
        restart = self._ground.restart(SHOOT_OUT, CENTRE, shoot_out.team)
        self._tell(rule, f"{why}. {shoot_out.team} next{sudden}", PLACE, call, str(restart))
        self._begin(restart)

    def _final_whistle(self, rule: str, why: str, call: Call | None = None) -> None:
        shoot_out = self._memory.shoot_out
        result = _score(self.state)
        if shoot_out is not None:
            result += f", shoot-out {shoot_out.goals_blue} : {shoot_out.goals_red}"
        if rule != "final_whistle":
            self._tell(rule, f"{why}. {result}", OVER, call)
        self._tell("final_whistle", f"{why}. {result}", OVER, call)

    # Who is on the rink.

    def _seat(self) -> None:
        """Who is off now: the punished, and in a shoot-out all but the two that it is about. They have no places."""
        memory = self._memory
        off = set(memory.discipline.off)
        if memory.shoot_out is not None:
            able = [robot for robot in self._league.robots() if str(robot) not in off]
            off = {str(robot) for robot in self._league.robots()} - set(map(str, _duel(able, memory.shoot_out)))
        places = {name: place for name, place in self.state.places.items() if name not in off}
        self.state = replace(self.state, off=tuple(sorted(off)), places=places)
        self._off = frozenset(robot for name in off if (robot := parse_robot(name)) is not None)
        if self.placements is not None:
            self.placements = {name: body for name, body in self.placements.items() if name not in off}

    def _serve(self, elapsed_s: float) -> None:
        """Let the punished sit, and call back who has served."""
        discipline, back = self._memory.discipline.serve(elapsed_s)
        returning = (*self._memory.returning, *back)
        self._memory = replace(self._memory, discipline=discipline, returning=returning)
        if back:
            self._seat()
        for name in back:
            self._tell("back", f"{name} has served its time and is back", PLAY)

    def _bring_back(self, world: WorldState) -> None:
        """Ask for a place for whoever may come back, until it is seen on the rink."""
        missing = tuple(name for name in self._memory.returning if parse_robot(name) not in world.robots)
        self._memory = replace(self._memory, returning=missing)
        if 0.0 <= self._played_s - self._asked_back_s < ASK_AGAIN_S:
            return  # a camera takes its time to show who has come back
        self._asked_back_s = self._played_s
        bodies = bodies_of_world(world)
        for name in missing:
            robot = parse_robot(name)
            assert robot is not None
            bodies[name] = BodyState(bench_place(self._ground, robot, bodies))
            self.placements = {**(self.placements or {}), name: bodies[name]}

    # Holding and going on.

    def _hold(self) -> None:
        """Remember how bodies are. What is about to be put back is remembered already."""
        if self._world is not None and self.state.phase == PLAY:
            self._memory = replace(self._memory, held=bodies_of_world(self._world))

    def _put_back(self) -> None:
        """Bodies as they were held; who was sent off since stays off."""
        held = {name: body for name, body in self._memory.held.items() if name not in self.state.off}
        self.placements = untangled(self._ground, held) or None

    def _resume(self, why: str, rule: str = "resume", call: Call | None = None) -> None:
        """Play on from where it was held, with the velocities of that moment."""
        self._put_back()
        self._memory = replace(self._memory, left_s=RESUME_S)
        self._tell(rule, why, RESUME, call, "Play goes on", RESUME_S)

    def _restore(self, memory: Memory) -> None:
        """Everything as it was then."""
        self._memory, self.state, self._played_s = memory, memory.state, memory.played_s
        self.placements = None
        self._turn_ends()
        self._seat()
        self._forget()

    def _forget(self) -> None:
        """Rules start anew."""
        self._watcher.forget()
        for rule in self._rules:
            try:
                rule.forget()
            except Exception as error:  # foreign code
                self._switch_off(rule, error)

    def _switch_off(self, rule: Rule, error: Exception) -> None:
        """A rule that fails must not take the match with it."""
        self._rules = tuple(other for other in self._rules if other is not rule)
        name = rule.name or type(rule).__name__
        self._note("rule_failed", f"The rule {name} is switched off, it failed with {type(error).__name__}: {error}")


def _duel(able: Sequence[RobotId], shoot_out: ShootOut) -> list[RobotId]:
    """The shooter, in turn, and the goalkeeper against it."""
    shooters = [robot for robot in able if robot.team == shoot_out.team]
    field = [robot for robot in shooters if robot.number != GOALKEEPER] or shooters
    taken = shoot_out.taken_blue if shoot_out.team == BLUE else shoot_out.taken_red
    keepers = [robot for robot in able if robot.team != shoot_out.team]
    return [field[taken % len(field)], *keepers[:1]]


def _score(state: MatchState) -> str:
    return f"{BLUE} {state.score_blue} : {state.score_red} {RED}"
