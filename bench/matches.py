"""Series of headless matches between the built-in teams, sides swapped: points taken, and how the robots played.

python -m bench.matches                 # every pairing that has a mark
python -m bench.matches --quick         # the same with few short matches
python -m bench.matches --first roles --second chaser --matches 200 --duration 120
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import NamedTuple

from robohockey_core.noise_spec import NOISE_PRESETS
from robohockey_match.run_command import match_league
from robohockey_match.series import Played, Tally, play_series

QUICK_MATCHES, QUICK_S = 4, 30.0


class Pairing(NamedTuple):
    """Two teams, and the share of the points that the first is to take."""

    league: str
    first: str
    second: str
    mark: float | None
    matches: int


PAIRINGS = (
    Pairing("micro_hockey", "roles", "chaser", 0.85, 200),
    Pairing("micro_hockey", "roles", "potential_field", 0.7, 200),
    Pairing("micro_hockey", "potential_field", "chaser", 0.6, 200),
    Pairing("mirosot_5v5", "roles", "chaser", 0.5, 40),
    Pairing("mirosot_5v5", "roles", "potential_field", 0.5, 40),
    Pairing("mirosot_11v11", "roles", "chaser", 0.5, 20),
    Pairing("mirosot_11v11", "roles", "potential_field", 0.5, 20),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--league", default="micro_hockey", help="of --first and --second (default %(default)s)")
    parser.add_argument("--first", help="a team, by itself against --second (default: every pairing that has a mark)")
    parser.add_argument("--second", default="chaser")
    parser.add_argument("--matches", type=int, help="of each pairing (default: 200 at 3v3, fewer in larger leagues)")
    parser.add_argument("--duration", type=float, default=120.0, help="seconds of play a match (default %(default)s)")
    parser.add_argument("--noise", choices=tuple(NOISE_PRESETS), default="realistic")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", action="store_true", help="print each match")
    parser.add_argument("--quick", action="store_true", help=f"a look: {QUICK_MATCHES} matches of {QUICK_S:g} s each")
    options = parser.parse_args()
    pairings = PAIRINGS
    if options.first is not None:
        pairings = (Pairing(options.league, options.first, options.second, None, 200),)
    if options.quick:
        options.matches, options.duration = QUICK_MATCHES, QUICK_S
    for pairing in pairings:
        measure(pairing, options)


def measure(pairing: Pairing, options: argparse.Namespace) -> None:
    """Play one pairing's series and print what came of it."""
    league = match_league(pairing.league, options.noise, options.duration)
    started_s = time.process_time()
    matches = options.matches or pairing.matches
    played = play_series(league, pairing.first, pairing.second, matches, options.seed)
    tally = Tally.of(_told(played) if options.each else played)
    cpu_s = time.process_time() - started_s
    mark = f" (mark {pairing.mark:.0%})" if pairing.mark is not None else ""
    print(
        f"{pairing.league} {options.noise}: {pairing.first} takes {tally.share:.1%} of the points from {pairing.second}{mark}: "
        f"{tally.matches} matches of {options.duration:g} s, goals {tally.goals_for}:{tally.goals_against}, strategy errors "
        f"{tally.faults}; {cpu_s:.0f} s of processor time\n"
        f"    {pairing.first}: {tally.manners}\n    {pairing.second}: {tally.their_manners}",
        flush=True,
    )


def _told(played: Iterator[Played]) -> Iterator[Played]:
    for match in played:
        print(
            f"seed {match.seed}{' swapped' if match.swapped else ''}: {match.goals_for}:{match.goals_against}, "
            f"{match.manners(match.team)}",
            flush=True,
        )
        yield match


if __name__ == "__main__":
    main()
