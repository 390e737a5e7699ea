"""`robohockey plant` and `robohockey rehearse`: a physical world without one, and a match played in it."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from robohockey_core.checked import InputError, to_plain
from robohockey_core.launch_plan import NodeSpec, plan
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.match_file import CAMERA_TOPIC, MIXED, OVERHEAD, REAL, SIM, Match, RobotEntry
from robohockey_core.names import PUCK, parse_robot
from robohockey_core.ros_environment import local_environment
from robohockey_match.plant_names import address_of, link_name
from robohockey_match.processes import Crew, Job, node_command
from robohockey_match.warm_up import compile_physics

IMAGES, DETECTIONS = "images", "detections"


def add_rehearse(commands: Any) -> None:
    """Add both commands to the parser's."""
    for name, run, text in (
        ("plant", _plant, "stand in for the physical world: serial ports with firmware behind them, and a camera above"),
        ("rehearse", _rehearse, "play a real match against a plant: every command through bytes, every pose through pixels"),
    ):
        command = commands.add_parser(name, help=text)
        command.add_argument("--league", default=DEFAULT_LEAGUE, help="league preset or file (default %(default)s)")
        command.add_argument("--bodies", nargs="*", default=[], help="bodies in the plant, such as blue/0 puck (default: all)")
        command.add_argument("--ports", type=Path, help="folder for the serial ports (default: a temporary one)")
        command.add_argument("--own-ports", dest="shared_radio", action="store_false", help="a port for each robot")
        command.add_argument("--loss", type=float, default=0.0, help="share of frames that the radio loses (default 0)")
        command.add_argument("--shows", choices=(IMAGES, DETECTIONS), default=IMAGES, help="what the camera gives")
        command.add_argument("--seed", type=int, default=1, help="seed of camera and radio (default %(default)s)")
        command.set_defaults(run=run)
        if name == "rehearse":
            command.add_argument("--blue", default="roles", help="strategy of the blue team")
            command.add_argument("--red", default="roles", help="strategy of the red team")
            command.add_argument("--duration", type=float, help="seconds of play (default: as the league says)")
            command.add_argument("--view", action="store_true", help="serve the web view")


def plant_spec(league: str, bodies: Sequence[str], ports: Path, options: Mapping[str, Any]) -> NodeSpec:
    """The plant as a node to start."""
    parameters = {"league": league, "ports": str(ports), **options}
    if bodies:
        parameters["owns"] = list(bodies)
    return NodeSpec("plant", "plant", "", parameters, ())


def rehearsal(league_path: str, bodies: Sequence[str], ports: Path, *, shared: bool, shows: str, **match: Any) -> Match:
    """The match that is played against a plant: real, or mixed when only some bodies are in it. Raises InputError."""
    league = load_league(league_path)
    here = [robot for body in bodies if (robot := parse_robot(body)) is not None] if bodies else list(league.robots())
    unknown = [body for body in bodies if body != PUCK and parse_robot(body) not in league.robots()]
    if unknown:
        raise InputError(f"--bodies {' '.join(bodies)}: must name robots of {league.name}, such as blue/0, or puck")
    puck = REAL if not bodies or PUCK in bodies else SIM
    robots = {robot: RobotEntry(REAL, str(ports / link_name(robot, shared=shared)), address_of(robot)) for robot in here}
    return Match(
        league=league_path,
        mode=REAL if len(here) == len(league.robots()) and puck == REAL else MIXED,
        puck=puck,
        vision=OVERHEAD if shows == IMAGES else "",
        camera=CAMERA_TOPIC if shows == IMAGES else "",
        robots=robots,
        **match,
    )


def league_file(name: str, duration_s: float | None, folder: Path) -> str:
    """The league, or a file of it with another length of play. Raises InputError."""
    league = load_league(name)
    if duration_s is None:
        return name
    if not 0.0 < duration_s < float("inf"):
        raise InputError(f"--duration {duration_s:g}: must be above 0")
    path = folder / f"{league.name}_short.yaml"
    shorter = replace(league, match=replace(league.match, half_duration_s=duration_s / league.match.halves))
    path.write_text(yaml.safe_dump(to_plain(shorter)), encoding="utf-8")
    return str(path)


def _options(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "shared_radio": options.shared_radio,
        "radio_loss": options.loss,
        "shows": options.shows,
        "seed": options.seed,
    }


def _job(spec: NodeSpec, respawn: bool = True) -> Job:
    return Job(spec.name, node_command(spec, "info"), respawn)


def _environment() -> dict[str, str]:
    return {"PYTHONUNBUFFERED": "1", **os.environ, **local_environment(os.environ)}


def _plant(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="robohockey-plant-") as folder:
        ports = options.ports or Path(folder)
        match = rehearsal(options.league, options.bodies, ports, shared=options.shared_radio, shows=options.shows)
        print("robohockey: a match file for this plant:")
        print(f"league: {match.league}\nmode: {match.mode}\npuck: {match.puck}\nvision: {match.vision}")
        print(f"camera: {match.camera}\nrobots:")
        for robot, entry in match.robots.items():
            print(f"  {robot}: {{backend: real, link: {entry.link}, address: {entry.address}}}")
        sys.stdout.flush()
        spec = plant_spec(options.league, options.bodies, ports, _options(options))
        compile_physics()
        return Crew([_job(spec, respawn=False)], _environment()).run()


def _rehearse(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="robohockey-rehearsal-") as folder:
        ports = options.ports or Path(folder)
        league = league_file(options.league, options.duration, Path(folder))
        match = rehearsal(
            league,
            options.bodies,
            ports,
            shared=options.shared_radio,
            shows=options.shows,
            blue=options.blue,
            red=options.red,
            view=options.view,
        )
        spec = plant_spec(league, options.bodies, ports, {**_options(options), "until_over": True})
        jobs = [_job(spec, respawn=False), *(_job(node, node.respawn) for node in plan(match))]
        jobs[0].is_the_match = True
        compile_physics()
        return Crew(jobs, _environment()).run()
