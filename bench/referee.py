"""The referee: one pass of all rules for 22 robots, and series of whole matches that must come to their end.

python -m bench.referee                 # 100 matches of each rule profile on each league
python -m bench.referee --quick         # a look
python -m bench.referee --leagues mirosot_11v11 --profiles fira --noise realistic --teams roles chaser
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

from robohockey_core.formation import face_off_formation
from robohockey_core.league import League, load_league
from robohockey_core.match_state import BREAK, OVER, PLACE, PLAY, SHOOT_OUT
from robohockey_core.names import BLUE, PUCK, RED, TEAMS
from robohockey_core.noise_spec import NOISE_PRESETS
from robohockey_core.state import BodyState, Pose2D, Twist2D, WorldState
from robohockey_match.engine import Engine
from robohockey_referee.ground import Ground
from robohockey_referee.judge import Judge
from robohockey_referee.profile import Profile, load_profile, profile_files
from robohockey_referee.rules import RULES
from robohockey_referee.scene import Watcher
from robohockey_strategy.team import load_strategy

PERIOD_S = 0.02
SHARE = 0.01
"""A pass of all rules may cost this share of a camera period."""

HALF_S = 6.0
ATTEMPT_S = 4.0
"""Matches of the series are short: so long are their halves and attempts, and half as long is extra time."""
NOTICE_S = 0.1
"""A puck that is out may be so for a few looks before it is called."""
PATIENCE_S = 600.0

FOULS = RULES.keys() - {"goal", "own_goal"}
"""Calls that stop play before a goal that falls with them."""

LEAGUES = ("micro_hockey", "vss_3v3", "mirosot_5v5", "mirosot_11v11", "msl_omni", "mixed_reality")


def crowded_world(league: League, time_s: float) -> WorldState:
    """All robots near each other and the puck in a goal area: nothing lets a rule off early."""
    reach_m = league.robot.length_m
    robots = {}
    for number, robot in enumerate(face_off_formation(league)):
        x_m = league.rink.length_m / 2.0 - 0.1 - (number // 5) * 1.02 * reach_m
        y_m = (number % 5 - 2) * 1.02 * reach_m + 0.002 * math.sin(40.0 * time_s + number)
        robots[robot] = BodyState(Pose2D(x_m, y_m, 0.1 * number), Twist2D(0.1, 0.05 * math.cos(number), 0.2))
    puck = BodyState(Pose2D(league.rink.length_m / 2.0 - 0.05, 0.3 + 0.01 * math.sin(time_s)), Twist2D(0.2, 0.1, 0.0))
    return WorldState(time_s, robots, puck)


def pass_cost_s(league: League, profile: Profile, passes: int = 3000, rounds: int = 9) -> tuple[float, float]:
    """Processor time of one look and all rules of a profile: median and slowest of some rounds."""
    watcher, ground, rules = Watcher(league, profile.look), Ground(league), profile.fresh_rules()
    worlds = [crowded_world(league, PERIOD_S * k) for k in range(passes)]
    costs = []
    for _ in range(rounds):
        watcher.forget()
        started_s = time.process_time()
        for k, world in enumerate(worlds):
            scene = watcher.look(world, ground, PERIOD_S * k, PERIOD_S)
            for rule in rules:
                rule.watch(scene)
        costs.append((time.process_time() - started_s) / passes)
    return statistics.median(costs), max(costs)


@dataclass
class Findings:
    """What one match, or a series, showed."""

    matches: int = 0
    goals: int = 0
    goals_after_fouls: int = 0
    """They fell in the same look as a foul that was called, and do not count."""
    simulated_s: float = 0.0
    played_s: float = 0.0
    calls: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        self.matches += other.matches
        self.goals += other.goals
        self.goals_after_fouls += other.goals_after_fouls
        self.simulated_s += other.simulated_s
        self.played_s += other.played_s
        self.calls += other.calls
        self.faults += other.faults


def phase_limits_s(league: League, profile: Profile) -> dict[str, float]:
    """How long each phase may last, with a few camera periods for the changes in it."""
    restarts, clock = profile.restarts, profile.clock
    longest_s = max(league.match.half_duration_s, clock.extra_half_s, clock.attempt_s)
    slack_s = 4.0 * PERIOD_S
    return {
        PLACE: 2.0 * restarts.turn_s + restarts.countdown_s + restarts.place_limit_s + slack_s,
        PLAY: longest_s + slack_s,
        BREAK: clock.break_s + slack_s,
    }


class TrueGoals:
    """Watches the true puck at every physics step, beside the referee who sees it 50 times a second."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._league = engine.league
        self._whole_m = engine.league.rink.length_m / 2.0 + engine.league.puck.radius_m
        self._step = engine.rink.world.step
        self._in_net = False
        self._unseen_s = PERIOD_S + engine.league.noise.vision_delay_s
        self._last: tuple[float, str] | None = None
        self.of: Counter[str] = Counter()
        engine.rink.world.step = self._watched_step  # type: ignore[method-assign]

    def _watched_step(self, steps: int) -> None:
        for _ in range(steps):
            self._step(1)
            here = self._engine.rink.world.body(PUCK).pose
            in_net = abs(here.x_m) >= self._whole_m and abs(here.y_m) <= self._league.rink.goal_width_m / 2.0
            if in_net and not self._in_net and self._engine.state.phase == PLAY:
                self._count(here.x_m)
            self._in_net = in_net

    def _count(self, x_m: float) -> None:
        state = self._engine.state
        scorer = BLUE if (x_m > 0.0) != state.ends_swapped else RED
        if state.restart != SHOOT_OUT or scorer == state.restart_team:
            self.of[scorer] += 1
            self._last = (self._engine.time_s, scorer)

    def fouled(self, time_s: float) -> bool:
        """A foul was called; take back a goal that fell so shortly before that no look could show it first."""
        if self._last is None or time_s - self._last[0] > self._unseen_s:
            return False
        self.of[self._last[1]] -= 1
        self._last = None
        return True


def given_goals(engine: Engine) -> Counter[str]:
    """Goals that the referee counted for a puck in the net; those that too much dawdling cost lie in no net."""
    state = engine.state
    goals = Counter({team: state.score(team) + state.shoot_out(team) for team in TEAMS})
    for event in engine.events:
        for team in TEAMS:
            if event.rule == "one_side" and f"goal for {team}" in event.explanation:
                goals[team] -= 1
    return +goals


def wild_proposal(league: League, chance: random.Random) -> dict[int, Pose2D]:
    """Places anywhere on and around the rink, for some of the robots: so no two matches are alike."""
    x_m, y_m = 0.6 * league.rink.length_m, 0.6 * league.rink.width_m
    numbers = [number for number in range(league.match.players) if chance.random() < 0.5]
    return {n: Pose2D(chance.uniform(-x_m, x_m), chance.uniform(-y_m, y_m), chance.uniform(-3.0, 3.0)) for n in numbers}


def play(
    league_name: str,
    profile_name: str,
    seed: int,
    half_s: float = HALF_S,
    teams: Sequence[str] = ("chaser", "chaser"),
    noise: str = "none",
) -> Findings:
    """Play one match to its final whistle and compare the referee with the truth."""
    league, profile = replace(load_league(league_name), noise=NOISE_PRESETS[noise]), load_profile(profile_name)
    league = replace(league, match=replace(league.match, half_duration_s=half_s, knock_out=True))
    clock = replace(profile.clock, extra_half_s=half_s / 2.0, break_s=0.5)
    clock = replace(clock, attempt_s=ATTEMPT_S, shoot_out_rounds=2, sudden_death_rounds=2)
    profile = replace(profile, clock=clock, restarts=replace(profile.restarts, turn_s=0.1, countdown_s=0.5))
    judge, chance = Judge(league, profile), random.Random(seed)
    engine = Engine(league, {team: load_strategy(name) for team, name in zip(TEAMS, teams, strict=True)}, seed, judge)
    true_goals, ground, limits_s = TrueGoals(engine), Ground(league), phase_limits_s(league, profile)
    found = Findings(matches=1)
    phase, in_phase_s, out_s = "", 0.0, 0.0
    while engine.state.phase != OVER:
        told = len(engine.events)
        if engine.state.turn:
            judge.propose(engine.state.turn, wild_proposal(league, chance))
        engine.tick()
        found.played_s += PERIOD_S * (engine.state.phase == PLAY)
        in_phase_s = in_phase_s + PERIOD_S if engine.state.phase == phase else 0.0
        if any(event.rule in FOULS for event in engine.events[told:]):
            found.goals_after_fouls += true_goals.fouled(engine.time_s)
        phase = engine.state.phase
        here = engine.rink.world.body(PUCK).pose.point
        out = phase == PLAY and ground.outside_m(here) > league.puck.radius_m and not ground.in_net(here)
        out_s = out_s + PERIOD_S if out else 0.0
        if in_phase_s > limits_s.get(phase, math.inf):
            found.faults.append(f"seed {seed}: {phase} lasts {in_phase_s:.1f} s at {engine.time_s:.2f} s")
        if out_s > NOTICE_S:
            found.faults.append(f"seed {seed}: the puck is out without a call at {engine.time_s:.2f} s")
        if engine.time_s > PATIENCE_S:
            found.faults.append(f"seed {seed}: no final whistle after {engine.time_s:.0f} s")
        if found.faults:
            break
    if given_goals(engine) != +true_goals.of:
        found.faults.append(f"seed {seed}: goals counted {dict(given_goals(engine))}, in truth {dict(+true_goals.of)}")
    found.calls = Counter(event.rule for event in engine.events)
    found.goals, found.simulated_s = sum(true_goals.of.values()), engine.time_s
    return found


def series(one_match: Callable[[int], Findings], matches: int, pool: Executor) -> Findings:
    found = Findings()
    for one in pool.map(one_match, range(1, matches + 1)):
        found.add(one)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=100, help="of each profile and league (default %(default)s)")
    parser.add_argument("--leagues", nargs="+", default=LEAGUES, help="league presets (default %(default)s)")
    parser.add_argument("--profiles", nargs="+", default=tuple(profile_files()), help="rule profiles (default %(default)s)")
    parser.add_argument("--noise", choices=tuple(NOISE_PRESETS), default="none", help="of camera and radio (%(default)s)")
    parser.add_argument("--teams", nargs=2, default=("chaser", "chaser"), help="blue and red (default %(default)s)")
    parser.add_argument("--half", type=float, default=HALF_S, help="seconds of a half (default %(default)s)")
    parser.add_argument("--quick", action="store_true", help="three matches of each")
    options = parser.parse_args()
    matches = 3 if options.quick else options.matches
    worst_s = 0.0
    for name in options.profiles:
        median_s, highest_s = pass_cost_s(load_league("mirosot_11v11"), load_profile(name))
        worst_s = max(worst_s, median_s)
        cost = f"{median_s * 1e6:.0f} us, {median_s / PERIOD_S:.2%} of 20 ms (slowest round {highest_s * 1e6:.0f} us)"
        print(f"{name:8} one pass of all rules, 22 robots: {cost}")
    print(
        f"{' against '.join(options.teams)}, noise {options.noise}, halves of {options.half:g} s; a draw goes to extra time "
        f"and a shoot-out of 2 rounds, {ATTEMPT_S:g} s an attempt; calls by rule and minute of play"
    )
    faults: list[str] = []
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        for league in options.leagues:
            for profile in options.profiles:
                one = partial(play, league, profile, half_s=options.half, teams=options.teams, noise=options.noise)
                found = series(one, matches, pool)
                whistles, calls = found.calls["final_whistle"], sum(found.calls.values())
                print(
                    f"{league:14} {profile:7} {whistles} of {found.matches} to the final whistle, {found.simulated_s:6.0f} s, "
                    f"{found.goals} goals and {found.goals_after_fouls} ruled out by a foul, {calls} calls, "
                    f"{len(found.faults)} faults: {_listed(found)}",
                    flush=True,
                )
                faults += found.faults
    print("\n".join(faults) or "no faults")
    return 1 if faults or worst_s > SHARE * PERIOD_S else 0


def _listed(found: Findings) -> str:
    minutes = max(found.played_s, PERIOD_S) / 60.0
    return ", ".join(f"{rule} {count / minutes:.2f}" for rule, count in found.calls.most_common() if rule in RULES)


if __name__ == "__main__":
    sys.exit(main())
