"""Series of headless matches between the built-in teams: points taken, and how the robots played.

python -m bench.matches --first roles --second chaser --matches 200 --duration 120 --noise realistic
"""

from __future__ import annotations

import argparse
import time

from robohockey_core.league import NOISE_PRESETS
from robohockey_core.names import BLUE, RED
from robohockey_match.run_command import match_league
from robohockey_match.series import play_series


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--league", default="micro_hockey")
    parser.add_argument("--players", type=int, help="robots of each team (default: as the league says)")
    parser.add_argument("--first", default="roles")
    parser.add_argument("--second", default="chaser")
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--duration", type=float, default=120.0, help="seconds of play a match")
    parser.add_argument("--noise", choices=tuple(NOISE_PRESETS), default="realistic")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", action="store_true", help="print each match")
    options = parser.parse_args()
    league = match_league(options.league, options.noise, options.duration)
    points, goals_for, goals_against, faults = 0.0, 0, 0, 0
    idlers, own_goals, way_s, over_2_s, count = 0, {"first": 0, "second": 0}, 0.0, 0, 0
    started_s = time.process_time()
    for played in play_series(league, options.first, options.second, options.matches, options.seed):
        ours, theirs = (RED, BLUE) if played.swapped else (BLUE, RED)
        conduct = played.conduct
        count += 1
        points += played.points
        goals_for, goals_against, faults = (
            goals_for + played.goals_for,
            goals_against + played.goals_against,
            faults + played.faults,
        )
        idlers += sum(robot.team == ours for robot in conduct.idlers)
        own_goals["first"] += conduct.own_goals[ours]
        own_goals["second"] += conduct.own_goals[theirs]
        way_s = max(way_s, conduct.longest_in_the_way_s[ours])
        over_2_s += conduct.longest_in_the_way_s[ours] > 2.0
        if options.each:
            way = conduct.longest_in_the_way_s[ours]
            print(
                f"seed {played.seed} {'swapped' if played.swapped else ''}: {played.goals_for}:{played.goals_against}"
                f" in the way {way:.1f} s, own goals {conduct.own_goals[ours]}, idle {conduct.idlers}",
                flush=True,
            )
    cpu_s = time.process_time() - started_s
    print(
        f"{options.league} {options.noise}: {options.first} takes {points / count:.1%} of the points from {options.second} "
        f"({count} matches of {options.duration:g} s, goals {goals_for}:{goals_against}); own goals "
        f"{own_goals['first']} and {own_goals['second']}; {options.first}: idle robots {idlers}, longest in each other's way "
        f"{way_s:.1f} s, matches with more than 2 s {over_2_s}; strategy errors {faults}; {cpu_s:.0f} s of processor time"
    )


if __name__ == "__main__":
    main()
