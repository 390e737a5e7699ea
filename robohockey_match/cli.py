"""The `robohockey` command."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import yaml

from robohockey_core.checked import InputError, to_plain
from robohockey_core.launch_plan import NodeSpec, plan
from robohockey_core.league import DEFAULT_LEAGUE, load_league, preset_files
from robohockey_core.match_file import MODES, OMNI_VISION, OVERHEAD, Match, load_match
from robohockey_core.noise_spec import NOISE_PRESETS
from robohockey_core.ros_environment import local_environment
from robohockey_match.calibration_cli import add_calibration
from robohockey_match.identify_command import add_identify
from robohockey_match.match_json import match_to_json
from robohockey_match.new_team import add_new_team
from robohockey_match.processes import Crew, Job, node_command
from robohockey_match.rehearse_command import add_rehearse
from robohockey_match.replay_command import add_replay
from robohockey_match.run_command import add_run
from robohockey_match.warm_up import compile_physics
from robohockey_referee.profile import load_profile, profile_files, profile_values
from robohockey_strategy.team import load_strategy, strategy_names

BAD_INPUT_EXIT = 2


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command; a user's mistake is one line and exit code 2."""
    options = _parser().parse_args(arguments)
    try:
        sys.exit(options.run(options))
    except InputError as error:
        print(f"robohockey: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT_EXIT)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="robohockey", description="Robot hockey and robot soccer, simulated and real.")
    commands = parser.add_subparsers(required=True, metavar="command")

    match = commands.add_parser("match", help="play a match: start its nodes and the web view")
    match.add_argument("--config", type=Path, help="match file (YAML); the other options override it")
    match.add_argument("--league", help=f"league preset or file (default {DEFAULT_LEAGUE})")
    match.add_argument("--mode", choices=MODES, help="sim: all simulated; real: all real; mixed: as the match file says")
    match.add_argument("--blue", help="strategy of the blue team: a name or path/to/file.py:Class")
    match.add_argument("--red", help="strategy of the red team")
    match.add_argument("--noise", choices=tuple(NOISE_PRESETS), help="noise of simulated camera and radio (default: none)")
    match.add_argument(
        "--vision", choices=(OVERHEAD, OMNI_VISION), help="poses from camera images only (default: from the physics)"
    )
    match.add_argument("--seed", type=int, help="seed of all simulated noise (default 1)")
    match.add_argument("--speed", type=float, help="real-time factor, 0.1 to 100; 0: as fast as possible (default 1)")
    match.add_argument("--rules", help="rule profile or file (default: the league's; robohockey rules lists them)")
    match.add_argument("--suggest", action="store_true", help="the referee asks before a call stands")
    match.add_argument("--memory", help="file to keep the match in, and to go on from")
    match.add_argument("--namespace", help="ROS namespace of the whole match")
    match.add_argument("--port", type=int, help="first port to try for the web view (default 8080)")
    match.add_argument("--host", help="address that the web view listens on (default 127.0.0.1; 0.0.0.0: all)")
    match.add_argument("--record", nargs="?", const="recordings", metavar="FOLDER", help="record (default in recordings/)")
    match.add_argument("--no-view", action="store_true", help="do not serve the web view")
    match.add_argument("--markers", action="store_true", help="publish markers for RViz")
    match.add_argument("--composition", action="store_true", help="all nodes in one process")
    match.add_argument("--no-respawn", action="store_true", help="end the match when a node dies")
    match.add_argument("--log-level", default="info", choices=("debug", "info", "warn", "error"), help="of every node")
    match.add_argument("--dry-run", action="store_true", help="print the nodes that would start, and end")
    match.set_defaults(run=_match)

    add_run(commands)
    add_replay(commands)
    add_rehearse(commands)
    add_identify(commands)
    add_new_team(commands)
    leagues = commands.add_parser("leagues", help="list the league presets")
    leagues.set_defaults(run=_leagues)
    league = commands.add_parser("league", help="print every number of a league")
    league.add_argument("name", help="league preset or file")
    league.set_defaults(run=_league)
    rules = commands.add_parser("rules", help="list the rule profiles, or print every number of one")
    rules.add_argument("name", nargs="?", help="rule profile or file")
    rules.set_defaults(run=_rules)
    teams = commands.add_parser("teams", help="list the strategies")
    teams.set_defaults(run=_teams)
    add_calibration(commands)
    warm_up = commands.add_parser("warm-up", help="compile the physics once, so that the first match starts fast")
    warm_up.set_defaults(run=_warm_up)
    return parser


def _match(options: argparse.Namespace) -> int:
    match = load_match(
        options.config,
        league=options.league,
        mode=options.mode,
        blue=options.blue,
        red=options.red,
        rules=options.rules,
        referee="suggest" if options.suggest else None,
        memory_file=options.memory,
        namespace=options.namespace,
        noise=options.noise,
        vision=options.vision,
        seed=options.seed,
        real_time_factor=options.speed,
        view_port=options.port,
        view_host=options.host,
        record=options.record,
        view=False if options.no_view else None,
        markers=True if options.markers else None,
    )
    specs = plan(match)
    for strategy in (match.blue, match.red):
        load_strategy(strategy)  # a wrong name is told here, before anything starts
    load_profile(match.rules or load_league(match.league).match.rules)
    if options.dry_run:
        for spec in specs:
            print(f"{spec.executable:12} {'/'.join(filter(None, (spec.namespace, spec.name)))}")
        return 0
    if importlib.util.find_spec("rclpy") is None:
        raise InputError("ROS 2 is not here: source a ROS distribution, or install the package with its [ros] extra")
    if any(spec.executable == "physics" for spec in specs):
        compile_physics()
    with tempfile.TemporaryDirectory(prefix="robohockey-") as folder:
        # A referee that dies goes on with the score; the next match begins anew, unless a file is named.
        match = replace(match, memory_file=match.memory_file or str(Path(folder) / "match.json"))
        jobs = _composed_job(match, options.log_level) if options.composition else _process_jobs(plan(match), options.log_level)
        if options.no_respawn:
            for job in jobs:
                job.respawn = False
        environment = {"PYTHONUNBUFFERED": "1", **os.environ, **local_environment(os.environ)}
        print(f"robohockey: {match.league}, blue {match.blue} against red {match.red}; Ctrl-C ends the match", flush=True)
        return Crew(jobs, environment).run()


def _process_jobs(specs: Sequence[NodeSpec], log_level: str) -> list[Job]:
    return [Job(spec.name, node_command(spec, log_level), spec.respawn) for spec in specs]


def _composed_job(match: Match, log_level: str) -> list[Job]:
    command = [sys.executable, "-m", "robohockey_match.nodes.composed", match_to_json(match), f"--log-level={log_level}"]
    return [Job("match", command)]


def _leagues(_options: argparse.Namespace) -> int:
    for name in preset_files():
        print(f"{name:16} {load_league(name).description}")
    return 0


def _league(options: argparse.Namespace) -> int:
    print(yaml.safe_dump(to_plain(load_league(options.name)), sort_keys=False), end="")
    return 0


def _rules(options: argparse.Namespace) -> int:
    if options.name is None:
        for name in profile_files():
            print(f"{name:16} {load_profile(name).description}")
    else:
        print(yaml.safe_dump(profile_values(load_profile(options.name)), sort_keys=False), end="")
    return 0


def _teams(_options: argparse.Namespace) -> int:
    print("\n".join(strategy_names()))
    return 0


def _warm_up(_options: argparse.Namespace) -> int:
    compile_physics()
    return 0


if __name__ == "__main__":
    main()
