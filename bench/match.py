"""How fast the headless engine plays whole matches, and where the time goes: `python -m bench.match`.

Processor time of one core is measured, not the wall's. Of some rounds the median is printed, with the lowest and the highest:
other work on the machine takes no time from a match, but it takes caches.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict

from robohockey_core.match_state import OVER
from robohockey_core.names import BLUE, RED
from robohockey_match.engine import Engine
from robohockey_match.run_command import match_league
from robohockey_strategy.team import load_strategy

PARTS = ("physics", "camera and tracker", "referee", "decisions", "motion")
MARKS = {"micro_hockey": 100.0, "mirosot_11v11": 25.0}
"""Times real time without noise."""
ROUNDS = 3


def times_real_time(league_name: str, team: str, duration_s: float, noise: str) -> float:
    """How many times faster than real time a whole match is played."""
    engine = Engine(match_league(league_name, noise, duration_s), {side: load_strategy(team) for side in (BLUE, RED)})
    for _ in engine.ticks(3.0):  # compiles, or loads what is compiled
        pass
    begun_s = engine.time_s
    started_s = time.process_time()
    while engine.state.phase != OVER:
        engine.tick()
    return (engine.time_s - begun_s) / (time.process_time() - started_s)


def _shares(league_name: str, team: str, noise: str) -> dict[str, float]:
    """The parts of a tick one by one; the clock itself costs a little, so only the shares are kept."""
    engine = Engine(match_league(league_name, noise, 20.0), {side: load_strategy(team) for side in (BLUE, RED)})
    spent_s: dict[str, float] = defaultdict(float)
    while engine.state.phase != OVER:
        marks = [time.process_time()]
        engine.advance()
        marks.append(time.process_time())
        seen = engine.see()
        marks.append(time.process_time())
        engine.judge(seen)
        marks.append(time.process_time())
        engine.decide(seen)
        marks.append(time.process_time())
        engine.drive(seen)
        marks.append(time.process_time())
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
                factors = sorted(times_real_time(league, team, duration_s, noise) for _ in range(ROUNDS))
                factor, told = statistics.median(factors), f"{factors[0]:.0f} to {factors[-1]:.0f}"
                mark = MARKS.get(league) if noise == "none" else None
                verdict = "" if mark is None else f", mark {mark:g}: {'reached' if factor >= mark else 'MISSED'}"
                parts = ", ".join(f"{part} {share:.0%}" for part, share in _shares(league, team, noise).items())
                print(f"  {league:14} {team:16} {noise:10} {factor:4.0f} x ({told}{verdict})   {parts}", flush=True)


if __name__ == "__main__":
    main()
