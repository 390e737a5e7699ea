"""How fast the headless engine plays whole matches, and where the time goes: `python -m bench.match`.

Processor time of one core is measured, not the wall's: other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict

from robohockey_core.match_state import OVER
from robohockey_core.names import BLUE, RED
from robohockey_match.engine import Engine
from robohockey_match.run_command import match_league
from robohockey_strategy.team import load_strategy

PARTS = ("physics", "camera and tracker", "referee", "decisions", "motion")
MARKS = {"micro_hockey": 100.0, "mirosot_11v11": 25.0}


def measure(league_name: str, team: str, duration_s: float, noise: str) -> tuple[float, dict[str, float]]:
    """Times real time of a whole match, and each part's share of the time."""
    engine = Engine(match_league(league_name, noise, duration_s), {side: load_strategy(team) for side in (BLUE, RED)})
    for _ in engine.ticks(3.0):  # compiles, or loads what is compiled
        pass
    begun_s = engine.time_s
    started_s = time.process_time()
    while engine.state.phase != OVER:
        engine.tick()
    times_real_time = (engine.time_s - begun_s) / (time.process_time() - started_s)
    return times_real_time, _shares(league_name, team, noise)


def _shares(league_name: str, team: str, noise: str) -> dict[str, float]:
    """The parts of a tick one by one; the clock itself costs a little, so only the shares are kept."""
    engine = Engine(match_league(league_name, noise, 20.0), {side: load_strategy(team) for side in (BLUE, RED)})
    spent_s: dict[str, float] = defaultdict(float)
    while engine.state.phase != OVER:
        marks = [time.perf_counter()]
        engine.advance()
        marks.append(time.perf_counter())
        seen = engine.see()
        marks.append(time.perf_counter())
        engine.judge(seen)
        marks.append(time.perf_counter())
        engine.decide(seen)
        marks.append(time.perf_counter())
        engine.drive(seen)
        marks.append(time.perf_counter())
        for part, before, after in zip(PARTS, marks[:-1], marks[1:], strict=True):
            spent_s[part] += after - before
    total_s = sum(spent_s.values())
    return {part: spent_s[part] / total_s for part in PARTS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter matches")
    options = parser.parse_args()
    duration_s = 30.0 if options.quick else 120.0
    print("headless matches on one core, times real time")
    for league in ("micro_hockey", "mirosot_5v5", "mirosot_11v11"):
        for team in ("chaser", "potential_field", "roles"):
            for noise in ("none", "realistic"):
                factor, shares = measure(league, team, duration_s, noise)
                told = ", ".join(f"{part} {share:.0%}" for part, share in shares.items())
                print(f"  {league:14} {team:16} {noise:10} {factor:6.0f} x   ({told})", flush=True)
    print("; ".join(f"mark for {league}: {mark:g} x" for league, mark in MARKS.items()))


if __name__ == "__main__":
    main()
