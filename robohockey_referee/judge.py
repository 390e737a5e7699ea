"""The referee: looks at the tracked world, keeps score and clock, calls by a rule profile and says why.

The phases are those of the Novel Simulation Platform's loop (section 6): NORMAL is `play`, then `pause`, `resume`
with velocities restored, and reposition is `place`; beside them `ask` (a human decides), `break` and `over`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from robohockey_core.checked import limited
from robohockey_core.geometry import Point, distance
from robohockey_core.league import League
from robohockey_core.match_state import ASK, BREAK, KICK_OFF, OVER, PAUSE, PLACE, PLAY, RESUME, SHOOT_OUT, MatchState
from robohockey_core.names import BLUE, GOALKEEPER, PUCK, RED, TEAMS, RobotId, opponent, parse_robot
from robohockey_core.state import BodyState, WorldState
from robohockey_referee.calls import Call, Event, Restart
from robohockey_referee.ground import CENTRE, Ground
from robohockey_referee.match_clock import MatchClock, ShootOut, periods, reached
from robohockey_referee.memory import Memory
from robohockey_referee.profile import Profile, load_profile
from robohockey_referee.restarts import Placing, bench_place, bodies_at, first_to_place
from robohockey_referee.resumption import bodies_of_world, untangled
from robohockey_referee.rules.goals import Goal
from robohockey_referee.rules.puck import PuckOut
from robohockey_referee.scene import Scene, Watcher

__all__ = ["Event", "Judge", "JudgeSettings"]

AUTONOMOUS, SUGGEST = "autonomous", "suggest"
_ASK_AGAIN_S = 1.0
"""A body that did not get to its place is asked for again this often."""
_RESUME_S = 0.5
"""So long, at most, until bodies are seen back where they were before a pause."""

_default_profile = cache(load_profile)


@dataclass(frozen=True)
class JudgeSettings:
    mode: str = limited(AUTONOMOUS, "whether calls stand at once, or a human is asked", choices=(AUTONOMOUS, SUGGEST))
    ask_s: float = limited(30.0, "how long a human is asked; then the call stands", above=0.0)


class Judge:
    """Referees one match.

    `watch` takes what the tracker sees and returns the calls that it brings; `state` tells how the match stands;
    `placements`, when it is not None, tells where a simulator is to put bodies now, and is set to None by whoever
    did it. Bodies that no simulator can put drive there by themselves, and are waited for.
    """

    def __init__(
        self,
        league: League,
        profile: Profile | None = None,
        settings: JudgeSettings | None = None,
    ) -> None:
        self._league = league
        self._profile = profile or _default_profile(league.match.rules)
        self._settings = settings or JudgeSettings()
        self._watcher = Watcher(league, self._profile.look)
        self.reset()

    def reset(self) -> None:
        """A new match: no score, full clock, the first restart at centre."""
        self._now_s: float | None = None
        self._world: WorldState | None = None
        self._played_s = 0.0
        self._asked_back_s = -_ASK_AGAIN_S
        self._told: list[Event] = []
        self._rules = self._profile.fresh_rules()
        self._undo: Memory | None = None
        self._advantage: tuple[Call, float] | None = None
        self._proposals: dict[str, Mapping[Any, Any]] = {}
        self.placements: Mapping[str, BodyState] | None = None
        self.state = MatchState(phase=PLACE)
        self._memory = Memory(MatchClock(periods(self._league.match, self._profile.clock)))
        self._turn_ends()
        self._begin_period("match_start", "The match begins")

    # What people and teams may ask for.

    def pause(self) -> None:
        """Hold the match; where bodies are and how fast is kept."""
        if self.state.phase in (PAUSE, OVER):
            return
        self._hold()
        self._memory = replace(self._memory, paused_phase=PLAY if self.state.phase == RESUME else self.state.phase)
        self._tell("pause", "Paused by hand", PAUSE, next_="match/start goes on")

    def start(self) -> None:
        """Go on after a pause."""
        if self.state.phase != PAUSE:
            return
        if self._memory.paused_phase == PLAY:
            self._resume("Play goes on as it was")
        else:
            self._tell("resume", "The match goes on", self._memory.paused_phase)

    def confirm(self) -> bool:
        """Suggest mode: the proposed call stands. False when nobody was asked."""
        if self.state.phase != ASK or self._memory.pending is None:
            return False
        self._carry_out(self._memory.pending)
        return True

    def overrule(self) -> bool:
        """Take back the call that a human is asked about, or the last one before play goes on. False when there is none."""
        if self.state.phase == ASK and self._memory.pending is not None:
            call = self._memory.pending
        elif self.state.phase == PLACE and self._undo is not None and self._undo.pending is not None:
            call = self._undo.pending
            self.recall(self._undo)
        else:
            return False
        self._undo = None
        self._memory = replace(self._memory, pending=None)
        self._forget()
        why = f"Overruled by hand: {call.rule.replace('_', ' ')} was not given"
        if call.goal_for:
            # The puck lies in the net: play cannot go on from there.
            restart = self._ground.restart(self._neutral, call.place or CENTRE, "")
            self._tell("overruled", why, PLACE, next_=str(restart))
            self._begin(restart)
        else:
            self._resume(why, "overruled")
        return True

    def propose(self, team: str, proposal: object) -> bool:
        """A team's placement by robot number, in the rink frame. False when it is not that team's turn."""
        if self.state.phase != PLACE or self.state.turn != team or not isinstance(proposal, Mapping):
            return False
        self._proposals[team] = proposal
        return True

    def memory(self) -> Memory:
        """All that another referee needs to go on from here."""
        return replace(self._memory, state=self.state, played_s=self._played_s)

    def recall(self, memory: Memory) -> None:
        """Go on from where another referee was. Clocks may have jumped since."""
        self._memory, self.state, self._played_s = memory, memory.state, memory.played_s
        self._now_s = None
        self._turn_ends()
        self._seat()
        self._forget()

    # Phases, one look at a time.

    def watch(self, world: WorldState) -> list[Event]:
        """Look at one moment; return the calls that it brings."""
        before_s, self._now_s, self._world = self._now_s, world.stamp_s, world
        elapsed_s = max(0.0, world.stamp_s - before_s) if before_s is not None else 0.0
        phase = self.state.phase
        if phase == RESUME:
            self._watch_resumption(world, elapsed_s)
        elif phase == PLAY:
            self._watch_play(world, elapsed_s)
        elif phase == PLACE:
            self._watch_places(world, elapsed_s)
        elif phase in (BREAK, ASK) and self._count_down(elapsed_s):
            if phase == ASK:
                self.confirm()
            else:
                self._next_period()
        events, self._told = self._told, []
        return events

    def _watch_resumption(self, world: WorldState, elapsed_s: float) -> None:
        """Play on as soon as the puck is seen back in its place: until then the world is still that of the pause."""
        over = self._count_down(elapsed_s)
        puck = self._memory.held.get(PUCK)
        since_s = _RESUME_S - self._memory.left_s
        near_m = self._profile.restarts.puck_tolerance_radii * self._league.puck.radius_m
        if puck is not None and world.puck is not None and elapsed_s > 0.0:
            rolled_m = puck.twist.speed_m_s * since_s
            over = over or distance(world.puck.pose.point, puck.pose.point) <= near_m + rolled_m
        if over:
            self._memory = replace(self._memory, held={}, left_s=0.0)
            self.state = replace(self.state, phase=PLAY, countdown_s=0.0)

    def _watch_play(self, world: WorldState, elapsed_s: float) -> None:
        memory = self._memory
        self._played_s += elapsed_s
        if memory.discipline.sentences and memory.shoot_out is None:
            self._serve(elapsed_s)
        if self._memory.returning:
            self._bring_back(world)
        memory = self._memory
        scene = self._watcher.look(world, self._ground, self._played_s, elapsed_s, restart=memory.restart, off=self._off)
        if memory.shoot_out is not None:
            self._watch_attempt(scene, elapsed_s)
            return
        clock = memory.clock.run(elapsed_s)
        self._memory = replace(memory, clock=clock)
        self.state = replace(self.state, clock_s=self.state.clock_s + elapsed_s, remaining_s=clock.remaining_s)
        calls = [call for rule in self._rules if (call := rule.watch(scene)) is not None]
        if clock.period_over:
            self._period_over(next((call for call in calls if call.goal_for), None))
            return
        call = self._after_advantage(scene, calls)
        if call is not None:
            self._decide(call, world)

    def _watch_attempt(self, scene: Scene, elapsed_s: float) -> None:
        """An attempt of the shoot-out ends with a goal, out of the rink, or when its time is up."""
        shoot_out = self._memory.shoot_out
        assert shoot_out is not None
        left_s = self._memory.left_s - elapsed_s
        self._memory = replace(self._memory, left_s=left_s)
        self.state = replace(self.state, remaining_s=max(0.0, left_s))
        rules = (rule for rule in self._rules if isinstance(rule, (Goal, PuckOut)))
        call = next((call for rule in rules if (call := rule.watch(scene)) is not None), None)
        if call is None and not reached(0.0, left_s):
            return
        team = shoot_out.team
        scored = call is not None and call.goal_for == team
        limit_s = self._profile.clock.attempt_s
        why = call.why if call is not None else f"{team} did not score within {limit_s:.0f} s"
        if scored:
            self.state = self.state.with_shoot_out_goal(team)
        shoot_out = shoot_out.after(scored)
        self._memory = replace(self._memory, shoot_out=shoot_out)
        rule = "shoot_out_goal" if scored else "shoot_out_miss"
        self._attempt(rule, f"{why}. Shoot-out: blue {shoot_out.goals_blue} : {shoot_out.goals_red} red", call)

    def _watch_places(self, world: WorldState, elapsed_s: float) -> None:
        """Ask one team, then the other, for its placement; then count down until all stand where they belong."""
        memory = self._memory
        if memory.turns:
            if not self._count_down(elapsed_s):
                return
            self._settle(memory.turns[0])
            turns = memory.turns[1:]
            settings = self._profile.restarts
            self._memory = replace(self._memory, turns=turns, left_s=settings.turn_s if turns else settings.countdown_s)
            self.state = replace(self.state, turn=turns[0] if turns else "", countdown_s=self._memory.left_s)
            if not turns:
                self.placements = self._wanted_bodies()
            return
        if not self._count_down(elapsed_s):
            return
        waiting = self._not_in_place(world)
        waited_s = memory.waited_s + elapsed_s
        limit_s = self._profile.restarts.place_limit_s
        if waiting and (waited_s < limit_s or PUCK in waiting):
            if waited_s // _ASK_AGAIN_S > memory.waited_s // _ASK_AGAIN_S:
                self.placements = self._wanted_bodies()
            self._memory = replace(memory, waited_s=waited_s)
            words = f"Waiting for {', '.join(waiting)} at {_listed(self.state.places, waiting)}"
            self.state = replace(self.state, waiting_for=waiting, explanation=words, countdown_s=max(0.0, limit_s - waited_s))
            return
        self._forget()
        left_s = self._profile.clock.attempt_s if memory.shoot_out is not None else 0.0
        self._memory = replace(self._memory, left_s=left_s, waited_s=0.0)
        without = f", though {', '.join(waiting)} did not get there in {limit_s:.0f} s" if waiting else ""
        self._tell("play", f"Play on after the {self.state.restart.replace('_', ' ')}{without}", PLAY)

    def _count_down(self, elapsed_s: float) -> bool:
        """Let time pass; True when the wait is over."""
        left_s = self._memory.left_s - elapsed_s
        self._memory = replace(self._memory, left_s=left_s)
        if left_s > 0.0:
            self.state = replace(self.state, countdown_s=left_s)
        return reached(0.0, left_s)

    # Calls.

    def _after_advantage(self, scene: Scene, calls: Sequence[Call]) -> Call | None:
        """The call that counts now: a foul waits while the other team has the puck and may make something of it."""
        goal = next((call for call in calls if call.goal_for), None)
        if goal is not None:
            self._advantage = None
            return goal
        has_puck = scene.last_touch.robot.team if scene.last_touch is not None else ""
        if self._advantage is not None:
            foul, until_s = self._advantage
            again = next((call for call in calls if (call.rule, call.against) == (foul.rule, foul.against)), None)
            if has_puck == foul.against:
                self._advantage = None
                return foul
            if scene.time_s < until_s:
                return next((call for call in calls if call.against != foul.against), None)
            self._advantage = None
            if again is None:
                self._book(foul)
                self._tell("advantage_played", f"{foul.why}. Advantage was played, {has_puck} kept the puck", PLAY, foul)
                return None
            return again
        call = calls[0] if calls else None
        wait_s = self._profile.advantage_s
        if call is None or wait_s == 0.0 or not call.against or has_puck != opponent(call.against):
            return call
        self._advantage = (call, scene.time_s + wait_s)
        self._tell("advantage", f"{call.why}. Advantage {has_puck} for {wait_s:.1f} s", PLAY, call)
        return None

    def _decide(self, call: Call, world: WorldState) -> None:
        """Carry a call out, or ask a human first."""
        self._hold()
        self._memory = replace(self._memory, pending=call, left_s=self._settings.ask_s)
        if self._settings.mode == SUGGEST:
            what = "match/confirm to let it stand, match/overrule to go on"
            self._tell(call.rule, f"{call.why}. A human decides", ASK, call, what, self._settings.ask_s)
        else:
            self._carry_out(call)

    def _carry_out(self, call: Call) -> None:
        undo = self.memory()
        self._memory = replace(self._memory, pending=None)
        words, scorer = self._book(call)
        if scorer:
            self.state = self.state.with_goal(scorer)
            restart = self._centre(opponent(scorer))
        else:
            assert call.restart is not None
            restart = call.restart
        explanation = ". ".join(filter(None, (call.why, *words)))
        golden = scorer and self._memory.clock.period.extra and self._profile.clock.golden_goal
        if golden:
            self._final_whistle(call.rule, f"{explanation}. Golden goal", call)
            return
        self._tell(call.rule, f"{explanation}. {restart}", PLACE, call, str(restart))
        self._begin(restart)
        self._undo = undo

    def _book(self, call: Call) -> tuple[list[str], str]:
        """Write down fouls, cards and strikes; return what to say of them, and who gets a goal."""
        words: list[str] = []
        discipline = self._memory.discipline
        scorer = call.goal_for
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
                scorer = opponent(call.against)
                words.append(f"Every {call.strikes_per_goal} cost a goal: goal for {scorer}")
        self._memory = replace(self._memory, discipline=discipline)
        self._seat()
        return words, scorer

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

    # Restarts.

    @property
    def _neutral(self) -> str:
        """The restart that favours nobody."""
        return "free_ball" if self._profile.restarts.kick_off == KICK_OFF else "face_off"

    def _centre(self, team: str) -> Restart:
        kind = self._profile.restarts.kick_off
        return Restart(kind, CENTRE, team if kind == KICK_OFF else "")

    def _begin(self, restart: Restart) -> None:
        """Ask for places; `_tell` has said why."""
        self._forget()
        self._undo, self._advantage, self._proposals = None, None, {}
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
        )
        self._seat()
        self.state = replace(
            self.state,
            phase=PLACE,
            restart=restart.kind,
            restart_team=restart.team,
            turn=first,
            places={},
            countdown_s=turn_s,
        )

    def _settle(self, team: str) -> None:
        assert self._memory.restart is not None
        on = [robot for robot in self._league.robots() if robot not in self._off]
        placing = Placing(self._ground, self._profile.restarts, self._memory.restart, on)
        places, corrections = placing.settle(team, self._proposals.get(team, {}), self.state.places)
        self.state = replace(self.state, places={**self.state.places, **places})
        if corrections:
            words = f"Placement of {team} corrected: {'; '.join(map(str, corrections))}"
            evidence = {str(c.robot): c.moved_m for c in corrections}
            self._told.append(Event(self._now_s or 0.0, "placement_corrected", words, evidence=evidence, next=self.state.next))

    def _wanted_bodies(self) -> dict[str, BodyState]:
        assert self._memory.restart is not None
        return bodies_at(self.state.places, self._memory.restart.spot)

    def _not_in_place(self, world: WorldState) -> tuple[str, ...]:
        """Bodies in sight that are not where they belong; the puck also when it is out of sight."""
        assert self._memory.restart is not None
        settings, league = self._profile.restarts, self._league
        near_m = settings.robot_tolerance_lengths * league.robot.length_m
        waiting = [
            name
            for name, pose in self.state.places.items()
            if (robot := parse_robot(name)) is not None
            and robot in world.robots
            and distance(world.robots[robot].pose.point, pose.point) > near_m
        ]
        puck_m = settings.puck_tolerance_radii * league.puck.radius_m
        spot = self._memory.restart.spot
        if world.puck is None or distance(world.puck.pose.point, spot) > puck_m:
            waiting.append(PUCK)
        return tuple(waiting)

    # Periods.

    def _turn_ends(self) -> None:
        self._ground = Ground(self._league, self.state.ends_swapped)

    def _begin_period(self, rule: str, why: str) -> None:
        clock = self._memory.clock
        self.state = replace(self.state, period=clock.period.name, remaining_s=clock.remaining_s)
        restart = self._centre(TEAMS[clock.index % 2])
        self._tell(rule, f"{why}. {restart}", PLACE, next_=str(restart))
        self._begin(restart)

    def _period_over(self, goal: Call | None) -> None:
        """Time is up. A goal that this look sees too was scored in time."""
        if goal is not None:
            self._book(goal)
            self.state = self.state.with_goal(goal.goal_for)
            self._tell(goal.rule, goal.why, PLAY, goal)
        self._advantage = None
        memory, settings = self._memory, self._profile.clock
        draw = self.state.score_blue == self.state.score_red
        whistle = f"Time is up after {memory.clock.period.duration_s:.0f} s of {memory.clock.period.name}"
        if memory.clock.has_next and (draw or not memory.clock.lead_decides):
            ends = ", teams change ends" if settings.change_ends else ""
            self._tell("period_over", f"{whistle}: {_score(self.state)}", BREAK, None, f"Break{ends}", settings.break_s)
            self._memory = replace(memory, left_s=settings.break_s)
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
        self._memory = replace(self._memory, pending=None)
        if rule != "final_whistle":
            self._tell(rule, f"{why}. {result}", OVER, call)
        self._tell("final_whistle", f"{why}. {result}", OVER, call)

    # Who is on the rink.

    def _seat(self) -> None:
        """Who is off now: the punished, and in a shoot-out all but the two that it is about."""
        memory = self._memory
        off = set(memory.discipline.off)
        if memory.shoot_out is not None:
            able = [robot for robot in self._league.robots() if str(robot) not in off]
            off = {str(robot) for robot in self._league.robots()} - set(map(str, _duel(able, memory.shoot_out)))
        self.state = replace(self.state, off=tuple(sorted(off)))
        self._off = frozenset(robot for name in off if (robot := parse_robot(name)) is not None)

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
        if 0.0 <= self._played_s - self._asked_back_s < _ASK_AGAIN_S:
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
        if self._world is not None and self.state.phase in (PLAY, RESUME):
            self._memory = replace(self._memory, held=bodies_of_world(self._world))

    def _resume(self, why: str, rule: str = "resume") -> None:
        """Play on from where it was held, with the velocities of that moment."""
        self.placements = untangled(self._ground, self._memory.held) or None
        self._memory = replace(self._memory, left_s=_RESUME_S)
        self._tell(rule, why, RESUME, countdown_s=_RESUME_S)

    def _forget(self) -> None:
        """Rules start anew."""
        self._watcher.forget()
        self._advantage = None
        for rule in self._rules:
            rule.forget()


def _duel(able: Sequence[RobotId], shoot_out: ShootOut) -> list[RobotId]:
    """The shooter, in turn, and the goalkeeper against it."""
    shooters = [robot for robot in able if robot.team == shoot_out.team]
    field = [robot for robot in shooters if robot.number != GOALKEEPER] or shooters
    taken = shoot_out.taken_blue if shoot_out.team == BLUE else shoot_out.taken_red
    keepers = [robot for robot in able if robot.team != shoot_out.team]
    return [field[taken % len(field)], *keepers[:1]]


def _score(state: MatchState) -> str:
    return f"{BLUE} {state.score_blue} : {state.score_red} {RED}"


def _listed(places: Mapping[str, Any], names: Sequence[str]) -> str:
    spots = [Point(*places[name][:2]) for name in names if name in places]
    return ", ".join(f"({spot.x_m:.2f}, {spot.y_m:.2f})" for spot in spots) or "the spot"
