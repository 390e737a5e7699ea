"""What becomes of a call: it waits for an advantage, a human is asked, it is carried out, and it may be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from robohockey_core.checked import limited
from robohockey_core.league import League
from robohockey_core.match_state import ASK, PLACE, PLAY
from robohockey_core.names import opponent
from robohockey_referee.advantage import Advantage
from robohockey_referee.calls import ATTEMPT, PLAYED, STOP, WHISTLE, Call, Decision
from robohockey_referee.ground import CENTRE
from robohockey_referee.memory import Memory
from robohockey_referee.proceedings import Proceedings
from robohockey_referee.profile import Profile
from robohockey_referee.scene import Scene

AUTONOMOUS, SUGGEST = "autonomous", "suggest"

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


class Decisions(Proceedings):
    """Everything that a rule finds goes through `_decide` and `_carry_out`, and back through `_take_back`."""

    def __init__(self, league: League, profile: Profile | None = None, settings: JudgeSettings | None = None) -> None:
        self._settings = settings or JudgeSettings()
        super().__init__(league, profile)

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
