"""The referee: looks at the tracked world, keeps score and clock, calls by a rule profile and says why.

The phases are those of the Novel Simulation Platform's loop (section 6): NORMAL is `play`, then `pause`, `resume`
with velocities restored, and reposition is `place`; beside them `ask` (a human decides), `break` and `over`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from robohockey_core.checked import limited
from robohockey_core.geometry import Point, distance
from robohockey_core.league import League
from robohockey_core.match_state import ASK, BREAK, OVER, PAUSE, PLACE, PLAY, RESUME
from robohockey_core.names import PUCK, opponent
from robohockey_core.records import changed
from robohockey_core.state import WorldState
from robohockey_referee.calls import Call, Event
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

    def send(self, robot: str, *, off: bool) -> bool:
        """Send a robot off by hand, or on again. False when there is no such robot, or it is there already."""
        names = map(str, self._league.robots())
        if robot not in names or (robot in self._memory.discipline.sentences) == off:
            return False
        self._memory = replace(self._memory, discipline=self._memory.discipline.send(robot, off=off))
        self._seat()
        if off:
            self._tell("sent_off", f"{robot} was sent off by hand", self.state.phase, countdown_s=self.state.countdown_s)
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
        calls = [call for rule in self._rules if (call := rule.watch(scene)) is not None]
        if clock.period_over:
            goal = next((call for call in calls if call.goal_for), None)
            if goal is not None or not self._goal_undecided():
                self._period_over(goal)
            return
        call = self._after_advantage(scene, calls)
        if call is not None:
            self._decide(call)

    def _watch_attempt(self, scene: Scene, elapsed_s: float) -> None:
        """An attempt of the shoot-out ends with a goal, out of the rink, or when its time is up."""
        shoot_out = self._memory.shoot_out
        assert shoot_out is not None
        left_s = self._memory.left_s - elapsed_s
        self._memory = replace(self._memory, left_s=left_s)
        self.state = replace(self.state, remaining_s=max(0.0, left_s))
        rules = (rule for rule in self._rules if isinstance(rule, (Goal, PuckOut)))
        call = next((call for rule in rules if (call := rule.watch(scene)) is not None), None)
        if call is None and (not reached(0.0, left_s) or self._goal_undecided()):
            return
        team = shoot_out.team
        scored = call is not None and call.goal_for == team
        limit_s = self._profile.clock.attempt_s
        if call is None:
            why = f"{team} did not score within {limit_s:.0f} s"
        elif call.goal_for and not scored:
            why = f"The puck went into the goal of {team}, whose attempt it is: that ends it and does not count"
        else:
            why = call.why
        if scored:
            self.state = self.state.with_shoot_out_goal(team)
        shoot_out = shoot_out.after(scored)
        self._memory = replace(self._memory, shoot_out=shoot_out)
        rule = "shoot_out_goal" if scored else "shoot_out_miss"
        self._attempt(rule, f"{why}. Shoot-out: blue {shoot_out.goals_blue} : {shoot_out.goals_red} red", call)

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
            words = f"Waiting for {', '.join(waiting)} at {_listed(self.state.places, waiting)}"
            self.state = replace(self.state, waiting_for=waiting, explanation=words, countdown_s=max(0.0, limit_s - waited_s))
            return
        self._forget()
        left_s = self._profile.clock.attempt_s if memory.shoot_out is not None else 0.0
        self._memory = replace(self._memory, left_s=left_s, waited_s=0.0)
        without = f", though {', '.join(waiting)} did not get there in {limit_s:.0f} s" if waiting else ""
        self._tell("play", f"Play on after the {self.state.restart.replace('_', ' ')}{without}", PLAY)

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

    def _decide(self, call: Call) -> None:
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


def _listed(places: Mapping[str, Any], names: Sequence[str]) -> str:
    spots = [Point(*places[name][:2]) for name in names if name in places]
    return ", ".join(f"({spot.x_m:.2f}, {spot.y_m:.2f})" for spot in spots) or "the spot"
