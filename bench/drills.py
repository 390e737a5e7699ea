"""Drills over many seeds with realistic noise, each with its mark: `python -m bench.drills`."""

from __future__ import annotations

import argparse

from robohockey_match.drills import DRILLS
from robohockey_match.run_command import match_league

QUICK_SEEDS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--league", default="micro_hockey")
    parser.add_argument("--noise", default="realistic")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help=f"a look: {QUICK_SEEDS} seeds")
    parser.add_argument("--only", default="", help="drills whose name holds this")
    parser.add_argument("--failed", action="store_true", help="name the seeds that failed")
    options = parser.parse_args()
    league = match_league(options.league, options.noise)
    seeds = range(options.first_seed, options.first_seed + (QUICK_SEEDS if options.quick else options.seeds))
    for drill in DRILLS:
        if options.only not in drill.name:
            continue
        outcomes = {seed: drill.attempt(league, seed) for seed in seeds}
        share = sum(outcomes.values()) / len(outcomes)
        print(f"{drill.name}: {share:.1%} of seeds {seeds[0]} to {seeds[-1]} (mark {drill.mark:.0%})", flush=True)
        if options.failed:
            print("  failed:", [seed for seed, passed in outcomes.items() if not passed])


if __name__ == "__main__":
    main()
