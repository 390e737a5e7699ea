"""Drills over many seeds with realistic noise, each with its mark: `python -m bench.drills`."""

from __future__ import annotations

import argparse

from robohockey_match.drills import DRILLS
from robohockey_match.run_command import match_league


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--league", default="micro_hockey")
    parser.add_argument("--noise", default="realistic")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--only", default="", help="drills whose name holds this")
    parser.add_argument("--failed", action="store_true", help="name the seeds that failed")
    options = parser.parse_args()
    league = match_league(options.league, options.noise)
    for drill in DRILLS:
        if options.only not in drill.name:
            continue
        outcomes = {seed: drill.attempt(league, seed) for seed in range(1, options.seeds + 1)}
        share = sum(outcomes.values()) / len(outcomes)
        print(f"{drill.name}: {share:.1%} of {len(outcomes)} seeds (mark {drill.mark:.0%})", flush=True)
        if options.failed:
            print("  failed:", [seed for seed, passed in outcomes.items() if not passed])


if __name__ == "__main__":
    main()
