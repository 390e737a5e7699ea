"""Play by camera images only, beside the same play with perfect poses: `python -m bench.closed_loop`.

Two loops, without ROS, in simulated time. A 3v3 match of micro_hockey in which every pose comes from overhead images at
30 Hz, and a drill in msl_omni in which one robot finds and shoots the ball by its own omni camera at 50 Hz. Images are read
30 ms after they were taken. What counts is goals per minute against the same play with perfect poses, over several seeds.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

from robohockey_core.league import League, load_league
from robohockey_core.names import BLUE, RED, RobotId
from robohockey_match.engine import Engine
from robohockey_match.seeing import OmniEyes, OverheadEyes, SeeingEngine
from robohockey_sim.camera_light import LightSettings
from robohockey_strategy.team import load_strategy

MATCH_MINUTES = 5.0
LIMIT_SHARE = 0.2


def short(league: League, players: int, minutes: float) -> League:
    return replace(league, match=replace(league.match, players=players, halves=1, half_duration_s=60.0 * minutes))


def overhead_match(seed: int, minutes: float, seeing: bool) -> Engine:
    league = short(load_league("micro_hockey"), 3, minutes)
    teams = {team: load_strategy("chaser") for team in (BLUE, RED)}
    # Lights differ from match to match, as they do from hall to hall.
    light = LightSettings(light=0.7 + 0.6 * (seed * 0.37 % 1.0), uneven_rad=float(seed))
    return SeeingEngine(league, teams, [OverheadEyes(league, light, seed)], seed) if seeing else Engine(league, teams, seed)


def omni_drill(seed: int, minutes: float, seeing: bool) -> Engine:
    league = short(load_league("msl_omni"), 1, minutes)
    teams = {BLUE: load_strategy("chaser"), RED: load_strategy("idle")}
    light = LightSettings(light=0.7 + 0.6 * (seed * 0.37 % 1.0), uneven_rad=float(seed))
    eyes = [OmniEyes(league, RobotId(BLUE, 0), light, seed)]
    return SeeingEngine(league, teams, eyes, seed) if seeing else Engine(league, teams, seed)


LOOPS = {"overhead": overhead_match, "omni": omni_drill}


def goals_per_minute(loop: str, minutes: float, seeing: bool, first_seed: int = 1) -> tuple[int, float, float]:
    """Goals, minutes played, and how many times faster than real time."""
    goals, played_s, wall_s, simulated_s = 0, 0.0, 0.0, 0.0
    seed = first_seed
    while played_s < 60.0 * minutes - 1.0:
        engine = LOOPS[loop](seed, min(MATCH_MINUTES, minutes - played_s / 60.0), seeing)
        started_s = time.perf_counter()
        state = engine.play()
        wall_s += time.perf_counter() - started_s
        goals += state.score_blue + state.score_red
        played_s += state.clock_s
        simulated_s += engine.time_s
        seed += 1
    return goals, played_s / 60.0, simulated_s / wall_s


def is_alike(rates: Sequence[float], doubts: Sequence[float]) -> bool:
    """Whether two rates are within the limit of each other, as far as so few goals can tell: two deviations are forgiven."""
    doubt = 2.0 * math.hypot(*doubts)
    return abs(rates[1] - rates[0]) <= LIMIT_SHARE * rates[0] + doubt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=20.0, help="simulated minutes of each play (default 20)")
    parser.add_argument("--loop", choices=tuple(LOOPS), action="append", help="only this one")
    parser.add_argument("--quick", action="store_true", help="two minutes only: a look, not a measurement")
    options, _ = parser.parse_known_args()
    minutes_each = 2.0 if options.quick else options.minutes
    wrong = []
    for loop in options.loop or LOOPS:
        rates, doubts = [], []
        for seeing in (False, True):
            goals, minutes, speed = goals_per_minute(loop, minutes_each, seeing)
            rates.append(goals / minutes)
            poses = "camera images" if seeing else "perfect poses"
            doubt = math.sqrt(goals) / minutes
            doubts.append(doubt)
            print(
                f"{loop:9} {poses:14} {goals:4} goals in {minutes:.0f} min: {rates[-1]:.2f} +- {doubt:.2f} a minute;"
                f" {speed:.1f} times real time",
                flush=True,
            )
        print(f"{loop:9} goals per minute with images against perfect poses: {rates[1] / max(rates[0], 1e-9):.2f}", flush=True)
        if not is_alike(rates, doubts):
            wrong.append(loop)
    print(f"all within {LIMIT_SHARE:.0%}" if not wrong else f"NOT WITHIN {LIMIT_SHARE:.0%}: {', '.join(wrong)}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
