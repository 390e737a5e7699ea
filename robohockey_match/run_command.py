"""`robohockey run`: one match without ROS, as fast as the machine allows."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from robohockey_core.checked import InputError
from robohockey_core.league import DEFAULT_LEAGUE, League, load_league
from robohockey_core.match_state import MatchState
from robohockey_core.names import BLUE, RED
from robohockey_core.noise_spec import NOISE_PRESETS
from robohockey_match.engine import Engine, result_of
from robohockey_strategy.team import load_strategy

_BAR_WIDTH = 30
_REDRAW_S = 0.2


def add_run(commands: Any) -> None:
    """Add the command to the parser's."""
    run = commands.add_parser("run", help="play a match without ROS, as fast as it goes, and write its result")
    run.add_argument("--league", default=DEFAULT_LEAGUE, help="league preset or file (default %(default)s)")
    run.add_argument("--blue", default="roles", help="strategy of the blue team: a name or path/to/file.py:Class")
    run.add_argument("--red", default="roles", help="strategy of the red team")
    run.add_argument("--noise", choices=tuple(NOISE_PRESETS), help="noise of camera and radio (default: as the league says)")
    run.add_argument("--seed", type=int, default=1, help="seed of all chance (default %(default)s)")
    run.add_argument("--duration", type=float, help="seconds of play (default: as the league says)")
    run.add_argument("--output", type=Path, help="where to write the result (JSON); same seed, same bytes")
    run.set_defaults(run=_run)


def match_league(name: str, noise: str | None = None, duration_s: float | None = None) -> League:
    """A league with another noise and another length of play. Raises InputError."""
    league = load_league(name)
    if noise is not None:
        league = replace(league, noise=NOISE_PRESETS[noise])
    if duration_s is not None:
        if not 0.0 < duration_s < float("inf"):
            raise InputError(f"--duration {duration_s:g}: must be above 0")
        league = replace(league, match=replace(league.match, half_duration_s=duration_s / league.match.halves))
    return league


def _run(options: argparse.Namespace) -> int:
    league = match_league(options.league, options.noise, options.duration)
    if options.output is not None and not options.output.parent.is_dir():
        raise InputError(f"--output {options.output}: there is no folder {options.output.parent}")
    if options.output is not None and options.output.is_dir():
        raise InputError(f"--output {options.output}: is a folder; name a file in it")
    engine = Engine(league, {BLUE: load_strategy(options.blue), RED: load_strategy(options.red)}, options.seed)
    started_s = time.perf_counter()
    state = engine.play(_progress(league, sys.stderr) if sys.stderr.isatty() else None)
    wall_s = time.perf_counter() - started_s
    if options.output is not None:
        result = result_of(engine, teams={BLUE: options.blue, RED: options.red})
        options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    for team, trace in engine.first_faults.items():
        told = f"robohockey: the strategy of {team} raised {engine.faults[team]} times, first:\n{trace}"
        print(told, end="", file=sys.stderr)
    score = f"{BLUE} {options.blue} {state.score_blue} : {state.score_red} {options.red} {RED}"
    print(f"{score}; {engine.time_s:.0f} s in {wall_s:.1f} s, {engine.time_s / wall_s:.0f} times real time")
    return 0


def _progress(league: League, stream: Any) -> Callable[[MatchState], None]:
    """Draw a bar that fills with the clock of the match."""
    duration_s = league.match.halves * league.match.half_duration_s
    drawn_s = 0.0

    def draw(state: MatchState) -> None:
        nonlocal drawn_s
        now_s = time.perf_counter()
        done = min(1.0, state.clock_s / duration_s)
        if now_s - drawn_s < _REDRAW_S and done < 1.0:
            return
        drawn_s = now_s
        filled = round(_BAR_WIDTH * done)
        bar = "#" * filled + "." * (_BAR_WIDTH - filled)
        end = "\n" if done >= 1.0 else ""
        print(f"\r[{bar}] {done:4.0%}  blue {state.score_blue} : {state.score_red} red", end=end, file=stream, flush=True)

    return draw
