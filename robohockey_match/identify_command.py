"""`robohockey identify`: a robot's numbers from a recording, as a league file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import yaml

from robohockey_core.checked import InputError
from robohockey_core.files import read_yaml
from robohockey_core.league import DEFAULT_LEAGUE, League, load_league, preset_files
from robohockey_core.names import RobotId, parse_robot


def add_identify(commands: Any) -> None:
    """Add the command to the parser's."""
    command = commands.add_parser("identify", help="fit the simulator to a robot from a recording of it")
    command.add_argument("bag", type=Path, help="rosbag2 of wheel_commands, joint_states and detections")
    command.add_argument("--robot", default="blue/0", help="which robot (default %(default)s)")
    command.add_argument("--league", default=DEFAULT_LEAGUE, help="what the robot was thought to be (default %(default)s)")
    command.add_argument("--output", type=Path, help="league file to write: an overlay with what was found")
    command.set_defaults(run=_identify)


def _robot(name: str, league: League) -> RobotId:
    robot = parse_robot(name)
    if robot is None or robot not in league.robots():
        raise InputError(f"--robot {name}: no robot of {league.name}; such as blue/0")
    return robot


def _identify(options: argparse.Namespace) -> int:
    from robohockey_match.identify import identify, overlay  # noqa: PLC0415 (they load the compiler and scipy)
    from robohockey_match.robot_recording import read_recording  # noqa: PLC0415

    league = load_league(options.league)
    robot = _robot(options.robot, league)
    if options.output is not None and not options.output.suffix == ".yaml":
        raise InputError(f"--output {options.output}: must end in .yaml")
    base = None if options.league in preset_files() else read_yaml(Path(options.league))
    recording = read_recording(options.bag, robot, league.robot.make_drive().wheel_names)
    estimates = identify(recording, league)
    print(f"{robot} in {options.bag}, with 95 % intervals:")
    for key, estimate in estimates.items():
        print(f"  {key:34} {estimate}")
    if options.output is not None:
        options.output.write_text(yaml.safe_dump(overlay(estimates, league, base), sort_keys=False), encoding="utf-8")
        load_league(str(options.output))
        print(f"written to {options.output}")
    return 0
