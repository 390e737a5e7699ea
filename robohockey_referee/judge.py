"""The referee: looks at the tracked world, keeps score and clock, calls by a rule profile and says why.

The phases are those of the Novel Simulation Platform's loop (section 6): NORMAL is `play`, then `pause`, `resume`
with velocities restored, and reposition is `place`; beside them `ask` (a human decides), `break` and `over`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from robohockey_core.checked import InputError
from robohockey_core.geometry import distance
from robohockey_core.match_state import ASK, BREAK, OVER, PAUSE, PLACE, PLAY, RESUME
from robohockey_core.names import PUCK
from robohockey_core.records import changed
from robohockey_core.state import WorldState
from robohockey_referee.calls import ATTEMPT, PLAYED, WHISTLE, Call, Decision, Event
from robohockey_referee.decisions import Decisions, JudgeSettings
from robohockey_referee.match_clock import reached
from robohockey_referee.memory import Memory
from robohockey_referee.proceedings import ASK_AGAIN_S, RESUME_S
from robohockey_referee.rules.goals import Goal
from robohockey_referee.rules.puck import PuckOut
from robohockey_referee.scene import Scene

__all__ = ["Event", "Judge", "JudgeSettings"]

_TOLD = ("phase", "last_event", "explanation", "robot", "place", "evidence", "next", "waiting_for", "countdown_s")
"""What a pause hides of a match state."""


class Judge(Decisions):
    """Referees one match: `watch` takes what the tracker sees and returns the calls that it brings."""

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
            if self.state.playing:
                self.placements = None  # bodies are put back when the match goes on
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
        before = self._off
        self._seat()
        if off:
            self._note("sent_off", f"{robot} was sent off by hand", robot)
        if self.state.phase == PLACE and self._memory.restart is not None and before - self._off:
            self._begin(self._memory.restart)  # another one takes its part in the shoot-out, and needs a place
        return True

    def propose(self, team: str, proposal: object) -> bool:
        """A team's placement by robot number, in the rink frame. False when it is not that team's turn."""
        if self.state.phase != PLACE or self.state.turn != team or not isinstance(proposal, Mapping):
            return False
        self._proposals[team] = proposal
        return True

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
