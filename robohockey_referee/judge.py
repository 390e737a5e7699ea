"""The referee: looks at the tracked world, keeps score and clock, calls by a rule profile and says why.

The phases are those of the Novel Simulation Platform's loop (section 6): NORMAL is `play`, then `pause`, `resume`
with velocities restored, and reposition is `place`; beside them `ask` (a human decides), `break` and `over`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from robohockey_core.checked import InputError, limited
from robohockey_core.geometry import distance
from robohockey_core.league import League
from robohockey_core.match_state import ASK, BREAK, OVER, PAUSE, PLACE, PLAY, RESUME
from robohockey_core.names import PUCK, opponent
from robohockey_core.records import changed
from robohockey_core.state import WorldState
from robohockey_referee.advantage import Advantage
from robohockey_referee.calls import ATTEMPT, PLAYED, STOP, WHISTLE, Call, Decision, Event
from robohockey_referee.ground import CENTRE
from robohockey_referee.match_clock import reached
from robohockey_referee.memory import Memory
from robohockey_referee.proceedings import ASK_AGAIN_S, RESUME_S, Proceedings
from robohockey_referee.profile import Profile
from robohockey_referee.rules.goals import Goal
from robohockey_referee.rules.puck import PuckOut
from robohockey_referee.scene import Scene

__all__ = ["Event", "Judge", "JudgeSettings"]

AUTONOMOUS, SUGGEST = "autonomous", "suggest"

_TOLD = ("phase", "last_event", "explanation", "robot", "place", "evidence", "next", "waiting_for", "countdown_s")
"""What a pause hides of a match state."""
_INSTEAD = {
    STOP: "to go on",
    WHISTLE: "to end the period without it",
    ATTEMPT: "to let a goal be a miss, or the attempt be taken again",
    PLAYED: "to book nothing",
}
"""What follows when a call is overruled, for people."""


@dataclass(frozen=True)
class JudgeSettings:
    mode: str = limited(AUTONOMOUS, "whether calls stand at once, or a human is asked", choices=(AUTONOMOUS, SUGGEST))
    ask_s: float = limited(30.0, "how long a human is asked; then the call stands", above=0.0)


class Judge(Proceedings):
    """Referees one match: `watch` takes what the tracker sees and returns the calls that it brings."""

    def __init__(self, league: League, profile: Profile | None = None, settings: JudgeSettings | None = None) -> None:
        self._settings = settings or JudgeSettings()
        super().__init__(league, profile)

    # What people and teams may ask for.

    def pause(self) -> None:
        """Hold the match; where bodies are and how fast is kept, and what was told."""
        if self.state.phase not in (PAUSE, OVER):
            self._hold()
            self._pause()

    def _pause(self) -> None:
        self._memory = replace(self._memory, paused=self.state)
        self._tell("pause", "Paused by hand", PAUSE, next_="match/start goes on")

    def start(self) -> None:
        """Go on after a pause."""
        if self.state.phase != PAUSE:
            return
        self._go_back()
        if self.state.playing:
            self._resume("Play goes on as it was")
        else:
            self._note("resume", "The match goes on")

    def _go_back(self) -> None:
        """To what was told before the pause."""
        told = self._memory.paused
        assert told is not None
        self._memory = replace(self._memory, paused=None)
        self.state = replace(self.state, **{key: getattr(told, key) for key in _TOLD})

    def confirm(self) -> bool:
        """Suggest mode: the proposed call stands. False when nobody was asked."""
        return self._by_hand(self._confirm)

    def overrule(self) -> bool:
        """Take back the call that a human is asked about, or the last one before play goes on. False when there is none."""
        return self._by_hand(self._overrule)

    def _by_hand(self, decide: Callable[[], bool]) -> bool:
        """A word on a call may be given in a pause too, and then the match stays paused."""
        state, memory = self.state, self._memory
        if state.phase != PAUSE:
            return decide()
        self._go_back()
        decided = decide()
        if not decided:
            self.state, self._memory = state, memory
        elif self.state.phase != OVER:
            self._pause()
        return decided

    def _confirm(self) -> bool:
        if self.state.phase != ASK or self._memory.pending is None:
            return False
        self._carry_out(self._memory.pending)
        return True

    def _overrule(self) -> bool:
        decision, undo, phase = self._memory.pending, self._undo, self.state.phase
        if phase != ASK:
            if undo is None or undo.pending is None:
                return False
            decision = undo.pending
            if decision.brings == PLAYED and self.state.playing:
                self._pardon(undo, decision.call)
                return True
            if phase not in (PLACE, BREAK, OVER):
                return False
            self._restore(undo)
        if decision is None:
            return False
        self._undo = None
        self._take_back(decision)
        return True

    def send(self, robot: str, *, off: bool) -> bool:
        """Send a robot off by hand, or on again. False when there is no such robot, or it is there already."""
        names = map(str, self._league.robots())
        if robot not in names or (robot in self._memory.discipline.sentences) == off:
            return False
        self._memory = replace(self._memory, discipline=self._memory.discipline.send(robot, off=off))
        if self._undo is not None:
            # Whoever takes a call back does not take this back.
            self._undo = replace(self._undo, discipline=self._undo.discipline.send(robot, off=off))
        self._seat()
        if off:
            self._note("sent_off", f"{robot} was sent off by hand", robot)
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

    def recall(self, memory: Memory, where: str = "the memory") -> None:
        """Go on from where another referee was. Clocks may have jumped since. Raises InputError for another kind of match."""
        if (memory.league, memory.profile) != (self._league.name, self._profile.name):
            raise InputError(
                f"{where}: is of a match of {memory.league} by the rules {memory.profile}, and this one is of "
                f"{self._league.name} by {self._profile.name}; remove it to begin anew"
            )
        self._restore(memory)
        self._now_s = None
        self._told = []
        if self.state.phase == RESUME:
            self._put_back()  # nobody knows whether the other referee still said so

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
                self._confirm()
            else:
                self._next_period()
        events, self._told = self._told, []
        return events

    def _watch_resumption(self, world: WorldState, elapsed_s: float) -> None:
        """Play on as soon as the puck is seen back in its place: until then the world is still that of the pause."""
        over = self._count_down(elapsed_s)
        puck = self._memory.held.get(PUCK)
        since_s = RESUME_S - self._memory.left_s
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
        self._memory = changed(memory, clock=clock)
        self.state = changed(self.state, clock_s=self.state.clock_s + elapsed_s, remaining_s=clock.remaining_s)
        calls = self._calls(scene)
        if clock.period_over:
            self._time_is_up(calls)
            return
        decision = self._after_advantage(scene, calls)
        if decision is not None:
            self._decide(decision)

    def _calls(self, scene: Scene, kinds: type | tuple[type, ...] = object) -> list[Call]:
        """What the rules find. One that fails is heard no more."""
        calls = []
        for rule in self._rules:
            if not isinstance(rule, kinds):
                continue
            try:
                call = rule.watch(scene)
                if call is None:
                    continue
                if not call.goal_for and call.restart is None:
                    raise ValueError("a call must name a restart, or who scored")
                calls.append(call)
            except Exception as error:  # foreign code
                self._switch_off(rule, error)
        return calls

    def _time_is_up(self, calls: Sequence[Call]) -> None:
        """A goal that this look sees too was scored in time, and a foul that waited was one."""
        goal = next((call for call in calls if call.goal_for), None)
        if goal is None and self._goal_undecided():
            return
        last = goal or next(iter(self._memory.advantage.fouls), None)
        if last is not None:
            self._decide(Decision(last, WHISTLE))
        else:
            self._whistle()

    def _watch_attempt(self, scene: Scene, elapsed_s: float) -> None:
        """An attempt of the shoot-out ends with a goal, out of the rink, or when its time is up."""
        left_s = self._memory.attempt_s - elapsed_s
        self._memory = replace(self._memory, attempt_s=left_s)
        self.state = replace(self.state, remaining_s=max(0.0, left_s))
        call = next(iter(self._calls(scene, (Goal, PuckOut))), None)
        if call is not None:
            self._decide(Decision(call, ATTEMPT))
        elif reached(0.0, left_s) and not self._goal_undecided():
            shoot_out, limit_s = self._memory.shoot_out, self._profile.clock.attempt_s
            assert shoot_out is not None
            why = f"{shoot_out.team} did not score within {limit_s:.0f} s"
            self._carry_out(Decision(Call("shoot_out_miss", why, evidence={"limit_s": limit_s}), ATTEMPT))

    def _goal_undecided(self) -> bool:
        """A puck that came into the net in time is worth the few looks that it takes to be sure of it."""
        return any(isinstance(rule, Goal) and rule.undecided for rule in self._rules)

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
                # Where nothing can be placed by itself, people put the puck there, and must be told where.
                self.state = replace(self.state, places={**self.state.places, PUCK: self.placements[PUCK].pose})
            return
        if not self._count_down(elapsed_s):
            return
        waiting = self._not_in_place(world)
        waited_s = memory.waited_s + elapsed_s
        limit_s = self._profile.restarts.place_limit_s
        if waiting and (waited_s < limit_s or PUCK in waiting):
            if waited_s // ASK_AGAIN_S > memory.waited_s // ASK_AGAIN_S:
                self.placements = self._wanted_bodies()
            self._memory = replace(memory, waited_s=waited_s)
            self.state = replace(self.state, waiting_for=waiting, countdown_s=max(0.0, limit_s - waited_s))
            return
        self._forget()
        self._undo = None
        self._memory = replace(self._memory, left_s=0.0, attempt_s=self._profile.clock.attempt_s, waited_s=0.0)
        without = f", though {', '.join(waiting)} did not get there in {limit_s:.0f} s" if waiting else ""
        self._tell("play", f"Play on after the {self.state.restart.replace('_', ' ')}{without}", PLAY)

    # Calls.

    def _after_advantage(self, scene: Scene, calls: Sequence[Call]) -> Decision | None:
        """What counts now: fouls wait while the other team has the puck and may make something of it."""
        goal = next((call for call in calls if call.goal_for), None)
        if goal is not None:
            return Decision(goal)
        has_puck = scene.last_touch.robot.team if scene.last_touch is not None else ""
        advantage = self._memory.advantage
        if advantage.fouls:
            return self._during_advantage(scene, calls, advantage, has_puck)
        call = calls[0] if calls else None
        wait_s = self._profile.advantage_s
        if call is None:
            return None
        if wait_s == 0.0 or not call.against or has_puck != opponent(call.against):
            return Decision(call)
        advantage = Advantage((call,), scene.time_s + wait_s)
        self._wait(advantage, advantage.new_ones(calls), scene.time_s)
        return None

    def _during_advantage(self, scene: Scene, calls: Sequence[Call], advantage: Advantage, has_puck: str) -> Decision | None:
        more = advantage.new_ones(calls)
        other = next((call for call in calls if call.against != advantage.against), None)
        lost = has_puck == advantage.against
        if other is None and not lost and scene.time_s < advantage.until_s:
            if more:
                self._wait(advantage, more, scene.time_s)
            return None
        self._memory = replace(self._memory, advantage=advantage.with_fouls(more))
        if other is not None and not lost:
            return Decision(other)
        # Who still fouls when the time is over is not let off.
        return Decision(advantage.fouls[0], STOP if lost or calls else PLAYED)

    def _wait(self, advantage: Advantage, more: Sequence[Call], now_s: float) -> None:
        """Let fouls wait, and say so once of each."""
        first = not self._memory.advantage.fouls
        self._memory = replace(self._memory, advantage=advantage.with_fouls(more))
        for foul in (*advantage.fouls, *more) if first else more:
            words = f"Advantage {opponent(foul.against)} for {advantage.until_s - now_s:.1f} s"
            next_ = f"{foul.restart} if {foul.against} get the puck, else play goes on"
            self._tell("advantage", f"{foul.why}. {words}", PLAY, foul, next_)

    def _decide(self, decision: Decision) -> None:
        """Carry a call out, or ask a human first."""
        self._hold()
        if self._settings.mode != SUGGEST:
            self._carry_out(decision)
            return
        self._memory = replace(self._memory, pending=decision, left_s=self._settings.ask_s)
        call, what = decision.call, f"match/confirm to let it stand, match/overrule {_INSTEAD[decision.brings]}"
        self._tell(call.rule, f"{call.why}. A human decides", ASK, call, what, self._settings.ask_s)

    def _carry_out(self, decision: Decision) -> None:
        """What a call brings. Until play goes on it can be taken back."""
        undo = replace(self.memory(), pending=decision)
        self._memory = replace(self._memory, pending=None)
        {STOP: self._stop, WHISTLE: self._blow, ATTEMPT: self._end_attempt, PLAYED: self._book_played}[decision.brings](
            decision.call
        )
        self._undo = undo

    def _stop(self, call: Call) -> None:
        words, scorers = self._book(call)
        self._restart(call.rule, ". ".join((call.why, *words)), call, scorers)

    def _restart(self, rule: str, explanation: str, call: Call, scorers: Sequence[str]) -> None:
        """The restart of a call, or the one after a goal."""
        if scorers and self._memory.clock.period.extra and self._profile.clock.golden_goal:
            self._final_whistle(rule, f"{explanation}. Golden goal", call)
            return
        restart = self._centre(opponent(scorers[0])) if scorers else call.restart
        assert restart is not None
        self._tell(rule, f"{explanation}. {restart}", PLACE, call, str(restart))
        self._begin(restart)

    def _blow(self, call: Call) -> None:
        """A call in the last look of a period counts, and then it is over."""
        words, _ = self._book(call)
        self._tell(call.rule, ". ".join((call.why, *words)), PLACE, call, "Time is up")
        self._whistle()

    def _book_played(self, foul: Call) -> None:
        """The other team made use of its advantage: fouls are booked, and play goes on."""
        words, scorers = self._book(foul)
        played = f"Advantage was played, {opponent(foul.against)} kept the puck"
        explanation = ". ".join((foul.why, played, *words))
        if scorers:
            self._restart("advantage_played", explanation, foul, scorers)
        elif self.state.phase == ASK:
            self._resume(explanation, "advantage_played", foul)
        else:
            self._memory = replace(self._memory, held={})
            self._tell("advantage_played", explanation, PLAY, foul, "Play goes on")

    def _end_attempt(self, call: Call) -> None:
        shoot_out = self._memory.shoot_out
        assert shoot_out is not None
        team, why = shoot_out.team, call.why
        if call.goal_for and call.goal_for != team:
            why = f"The puck went into the goal of {team}, whose attempt it is: that ends it and does not count"
        scored = call.goal_for == team
        self._count_attempt("shoot_out_goal" if scored else "shoot_out_miss", scored, why, call)

    def _count_attempt(self, rule: str, scored: bool, why: str, call: Call | None = None) -> None:
        assert self._memory.shoot_out is not None
        if scored:
            self.state = self.state.with_shoot_out_goal(self._memory.shoot_out.team)
        shoot_out = self._memory.shoot_out.after(scored)
        self._memory = replace(self._memory, shoot_out=shoot_out)
        self._attempt(rule, f"{why}. Shoot-out: blue {shoot_out.goals_blue} : {shoot_out.goals_red} red", call)

    def _take_back(self, decision: Decision) -> None:
        """Go on as if a call had not been."""
        call = decision.call
        advantage = self._memory.advantage.after_overruling(call)
        self._memory = replace(self._memory, pending=None, advantage=advantage)
        self._forget()
        why = f"Overruled by hand: {call.rule.replace('_', ' ')} was not given"
        if decision.brings == ATTEMPT:
            self._take_back_attempt(call, why)
        elif decision.brings != WHISTLE and not call.goal_for:
            self._resume(why, "overruled")
        elif advantage.fouls:
            # No goal came of the advantage.
            self._tell("overruled", why, PLACE, next_="The foul before it counts")
            self._decide(Decision(advantage.fouls[0], decision.brings))
        elif decision.brings == WHISTLE:
            self._tell("overruled", why, PLACE, next_="Time is up")
            self._whistle()
        else:
            # The puck lies in the net: play cannot go on from there.
            restart = self._ground.restart(self._neutral, call.place or CENTRE, "")
            self._tell("overruled", why, PLACE, next_=str(restart))
            self._begin(restart)

    def _take_back_attempt(self, call: Call, why: str) -> None:
        """A goal that was none is a miss; whatever else ended an attempt wrongly, it is taken again."""
        assert self._memory.shoot_out is not None
        if call.goal_for == self._memory.shoot_out.team:
            self._count_attempt("overruled", False, why)
        else:
            self._attempt("overruled", f"{why}. The attempt is taken again", None)

    def _pardon(self, before: Memory, foul: Call) -> None:
        """Take back what was booked while play went on."""
        self._undo = None
        self._memory = replace(self._memory, discipline=self._memory.discipline.pardoned(before.discipline))
        self.state = replace(self.state, fouls_blue=before.state.fouls_blue, fouls_red=before.state.fouls_red)
        self._seat()
        self._note("overruled", f"Overruled by hand: {foul.rule.replace('_', ' ')} was not given")
