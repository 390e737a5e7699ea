"""The simulator against pymunk, Box2D and MuJoCo in the same scenes: `python -m bench.physics`.

Engines take turns in one run on one core; steps per second are compared as ratios of medians, because the numbers
themselves belong to the machine. Overlaps are measured after every step, in runs that are not timed.
What is compared, and how it is kept fair: docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field

# Before numpy is imported: one thread for all.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"))

import numpy as np

from bench.engines import ENGINES, OURS, Engine, installed_engines
from bench.scenes import (
    CONTROL_S,
    LEAGUES,
    SCENES,
    SCRUM,
    SEED,
    STEPS_PER_CONTROL,
    Start,
    free_spot,
    is_in_net,
    is_lost,
    league_of,
    puck_overlaps,
    random_wheel_speeds,
    robots_overlap,
    start_of,
    steer_at_puck,
)
from robohockey_core.kinematics import FloatArray
from robohockey_core.league import League

# Every engine plays this long before its time is taken: robots get to the puck, and all code is compiled.
WARM_UP_TICKS = 100
# How often somebody looks whether the puck must be brought back from a net, in control periods.
REFEREE_TICKS = 25
PUCK_SPEEDS_M_S = (2.0, 5.0, 20.0)
LAUNCHES = 5
START_ROUNDS = 5

START_UP = """
import time
begin_s = time.perf_counter()
from robohockey_core.league import load_league
from robohockey_sim.world import World
World(load_league("micro_hockey")).step(1)
print(time.perf_counter() - begin_s)
"""


@dataclass
class Tally:
    """What one engine did in one scene."""

    steps_per_s: list[float] = field(default_factory=list)
    inside_steps_per_s: list[float] = field(default_factory=list)


@dataclass
class Worst:
    """The worst that a puck went through, over all steps of all runs; a run ends when the puck is lost."""

    in_robot_m: float = -math.inf
    in_wall_m: float = -math.inf
    robots_m: float = -math.inf
    lost: int = 0
    runs: int = 0


class Play:
    """One scene in one engine, a control period at a time."""

    def __init__(self, engine: Engine, scene: str, wheel_speeds: FloatArray) -> None:
        self.engine = engine
        self.law_s = 0.0
        self.inside_s = 0.0
        self._scrum = scene == SCRUM
        self._wheel_speeds = wheel_speeds
        self._commands = np.zeros(wheel_speeds.shape[1:])
        self._tick = 0

    def command(self) -> None:
        """What every robot is to do in the coming control period; the time for the steering law is counted apart."""
        engine = self.engine
        if self._tick % REFEREE_TICKS == 0:
            self._bring_puck_back()
        if self._scrum:
            engine.read()
            begin_s = time.perf_counter()
            steer_at_puck(engine.sizes, engine.poses, engine.puck, self._commands)
            self.law_s += time.perf_counter() - begin_s
            engine.drive(self._commands)
        else:
            engine.drive(self._wheel_speeds[self._tick])
        self._tick += 1

    def tick(self) -> None:
        self.command()
        begin_s = time.perf_counter()
        self.engine.step(STEPS_PER_CONTROL)
        self.inside_s += time.perf_counter() - begin_s

    def _bring_puck_back(self) -> None:
        engine = self.engine
        engine.read()
        if is_in_net(engine.sizes, engine.puck) or is_lost(engine.sizes, engine.puck):
            engine.put_puck(*free_spot(engine.sizes, engine.poses))


def timed_run(kind: type[Engine], league: League, scene: str, ticks: int, tally: Tally) -> None:
    """Count processor time, not the clock's: what other processes take on a busy machine is nobody's fault.

    Asking for processor time is slow, so it is asked for once; how it divides is told by the clock.
    """
    play = Play(kind(league, start_of(league)), scene, random_wheel_speeds(league, WARM_UP_TICKS + ticks))
    for _ in range(WARM_UP_TICKS):
        play.tick()
    free_spot(play.engine.sizes, play.engine.poses)  # compiled now, not at the first goal
    play.law_s = play.inside_s = 0.0
    gc.collect()
    gc.disable()
    begin_s, begin_cpu_s = time.perf_counter(), time.process_time()
    for _ in range(ticks):
        play.tick()
    whole_s, cpu_s = time.perf_counter() - begin_s, time.process_time() - begin_cpu_s
    gc.enable()
    steps = ticks * STEPS_PER_CONTROL
    tally.steps_per_s.append(steps / (cpu_s * (1.0 - play.law_s / whole_s)))
    tally.inside_steps_per_s.append(steps / (cpu_s * play.inside_s / whole_s))


def watched_run(kind: type[Engine], league: League, scene: str, start: Start, ticks: int, worst: Worst, seed: int) -> None:
    """Step by step, looking at every step."""
    engine = kind(league, start)
    play = Play(engine, scene, random_wheel_speeds(league, ticks, seed))
    worst.runs += 1
    for _ in range(ticks):
        play.command()
        for _ in range(STEPS_PER_CONTROL):
            engine.step(1)
            engine.read()
            in_robot_m, in_wall_m = puck_overlaps(engine.sizes, engine.poses, engine.puck)
            worst.in_robot_m = max(worst.in_robot_m, in_robot_m)
            worst.in_wall_m = max(worst.in_wall_m, in_wall_m)
            worst.robots_m = max(worst.robots_m, robots_overlap(engine.sizes, engine.poses))
            if is_lost(engine.sizes, engine.puck):
                worst.lost += 1
                return


def watch(kind: type[Engine], league: League, scene: str, ticks: int) -> dict[float, Worst]:
    """One long run from a puck at rest, and for each speed some launches in directions that are the same for all."""
    found = {0.0: Worst()}
    watched_run(kind, league, scene, start_of(league), ticks, found[0.0], SEED)
    directions = np.random.default_rng(SEED).uniform(-math.pi, math.pi, LAUNCHES).tolist()
    for speed_m_s in PUCK_SPEEDS_M_S:
        found[speed_m_s] = Worst()
        for launch, direction_rad in enumerate(directions):
            start = start_of(league, speed_m_s, direction_rad)
            watched_run(kind, league, scene, start, math.ceil(ticks / LAUNCHES), found[speed_m_s], SEED + launch)
    return found


def print_speeds(tallies: dict[str, Tally]) -> None:
    print(f"  {'':11}{'steps/s':>12}{'lowest':>12}{'highest':>12}{'ours is':>10}{'inside the engine':>20}{'ours is':>10}")
    medians = {name: statistics.median(tally.steps_per_s) for name, tally in tallies.items()}
    insides = {name: statistics.median(tally.inside_steps_per_s) for name, tally in tallies.items()}
    for name, tally in tallies.items():
        ratio, inside_ratio = medians[OURS] / medians[name], insides[OURS] / insides[name]
        print(
            f"  {name:11}{medians[name]:12,.0f}{min(tally.steps_per_s):12,.0f}{max(tally.steps_per_s):12,.0f}"
            f"{ratio:8.2f} x{insides[name]:20,.0f}{inside_ratio:8.2f} x"
        )


def print_worst(found: dict[str, dict[float, Worst]]) -> None:
    print(f"  {'':11}{'puck':>8}{'in robots':>14}{'in walls':>14}{'robots':>14}   lost")
    for name, speeds in found.items():
        for speed_m_s, worst in speeds.items():
            depths_m = (worst.in_robot_m, worst.in_wall_m, worst.robots_m)
            depths = "".join(f"{max(0.0, depth_m) * 1e3:11.4f} mm" for depth_m in depths_m)
            print(f"  {name:11}{speed_m_s:4g} m/s{depths}   {worst.lost} of {worst.runs}")


def print_start_up() -> None:
    """Import and first step in new processes, of which the first fills the compiler's cache and is not counted."""
    inside_s, whole_s = [], []
    for _ in range(START_ROUNDS + 1):
        begin_s = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", START_UP], check=True, capture_output=True, text=True)
        whole_s.append(time.perf_counter() - begin_s)
        inside_s.append(float(done.stdout))
    print(
        f"Start with a warm cache, import and first step, median of {START_ROUNDS}: {statistics.median(inside_s[1:]):.2f} s "
        f"({statistics.median(whole_s[1:]):.2f} s with the interpreter's own start)"
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.physics", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--players", type=int, nargs="+", choices=tuple(LEAGUES), default=list(LEAGUES), help="robots of a team"
    )
    parser.add_argument("--scenes", nargs="+", choices=SCENES, default=list(SCENES))
    parser.add_argument("--engines", nargs="+", choices=tuple(ENGINES), default=list(ENGINES), help="ours always takes part")
    parser.add_argument("--seconds", type=float, default=10.0, help="simulated time of a run (default 10)")
    parser.add_argument("--rounds", type=int, default=7, help="turns of every engine (default 7)")
    parser.add_argument("--quick", action="store_true", help="2 s and 3 rounds: a look, not a measurement")
    given = parser.parse_args()
    if given.quick:
        given.seconds, given.rounds = 2.0, 3
    if not CONTROL_S <= given.seconds <= 3600.0:
        parser.error(f"--seconds {given.seconds:g}: allowed is {CONTROL_S:g} to 3600")
    if not 1 <= given.rounds <= 1000:
        parser.error(f"--rounds {given.rounds}: allowed is 1 to 1000")
    return given


def compare(kinds: dict[str, type[Engine]], players: int, scene: str, ticks: int, rounds: int) -> None:
    league = league_of(players)
    print(f"\n{scene}, {players}v{players} ({league.name}), {rounds} rounds of {ticks * CONTROL_S:g} s, dt 1 ms", flush=True)
    tallies = {name: Tally() for name in kinds}
    names = list(kinds)
    for turn in range(rounds):
        # Each begins in turn, so that none always runs in what the same other one left behind.
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            timed_run(kinds[name], league, scene, ticks, tallies[name])
    print_speeds(tallies)
    print_worst({name: watch(kind, league, scene, ticks) for name, kind in kinds.items()})


def main() -> None:
    given = arguments()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    kinds, missing = installed_engines()
    kinds = {name: kind for name, kind in kinds.items() if name == OURS or name in given.engines}
    for name, kind in kinds.items():
        print(f"{name:11}{kind.settings}")
    print("Names in -1ms: velocities are set at every step, as wheels act; others: once in 20 ms, the least it can cost.")
    for name, why in missing.items():
        if name in given.engines:
            print(f"{name:11}not compared, it cannot be imported: {why}")
    print_start_up()
    ticks = round(given.seconds / CONTROL_S)
    for players in given.players:
        for scene in given.scenes:
            compare(kinds, players, scene, ticks, given.rounds)


if __name__ == "__main__":
    main()
