"""Who is who: teams, robots and joint names. Everything that moves is a joint with one owner.

A body has three planar joints in the rink frame (`blue/0/x`, `blue/0/y`, `blue/0/yaw`, `puck/x` ...),
beside its wheels (`blue/0/left_wheel`), its kicker and its dribbler.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from robohockey_core.checked import InputError, did_you_mean

BLUE, RED = "blue", "red"
TEAMS = (BLUE, RED)
PUCK = "puck"
GOALKEEPER = 0
"""The number of the goalkeeper in every team."""
EVERYTHING = "*"
"""All bodies, in a parameter that lists some."""
BODY_JOINTS = ("x", "y", "yaw")
KICKER, DRIBBLER = "kicker", "dribbler"

# One robot has one name: no leading zeros, no other digits.
_ROBOT = re.compile(rf"({BLUE}|{RED})/(0|[1-9][0-9]?)")


class RobotId(NamedTuple):
    """One robot: team and number, counted from 0."""

    team: str
    number: int

    def __str__(self) -> str:
        return f"{self.team}/{self.number}"

    @property
    def namespace(self) -> str:
        """Where the robot's own topics live. ROS allows no name that starts with a digit, hence not `blue/0`."""
        return f"{self.team}/robot_{self.number}"

    def joint(self, part: str) -> str:
        return f"{self.team}/{self.number}/{part}"


@lru_cache(maxsize=256)
def parse_robot(text: str) -> RobotId | None:
    """Read `blue/0`; None when it is no robot's name."""
    match = _ROBOT.fullmatch(text)
    return RobotId(match[1], int(match[2])) if match else None


def robot_of(text: str, allowed: tuple[RobotId, ...]) -> RobotId:
    """Read a robot's name that a user gave. Raises InputError."""
    robot = parse_robot(text)
    if robot is None or robot not in allowed:
        raise InputError(f"robot = {text!r}: unknown robot{did_you_mean(text, map(str, allowed))}")
    return robot


def check_bodies(bodies: Sequence[str], robots: tuple[RobotId, ...]) -> tuple[str, ...]:
    """Names of robots, and maybe of the puck, that a user gave. Raises InputError."""
    for body in bodies:
        if body != PUCK:
            robot_of(body, robots)
    return tuple(bodies)


def opponent(team: str) -> str:
    return RED if team == BLUE else BLUE


def robot_ids(players: int) -> tuple[RobotId, ...]:
    """All robots of a match in the one order that arrays use: blue first, then red."""
    return tuple(RobotId(team, number) for team in TEAMS for number in range(players))


def body_joints(body: str) -> tuple[str, ...]:
    """The three planar joints of a body, such as `puck` or `blue/0`."""
    return tuple(f"{body}/{axis}" for axis in BODY_JOINTS)


def split_joint(name: str) -> tuple[str, str]:
    """Split `blue/0/x` into body and part."""
    body, _, part = name.rpartition("/")
    return body, part
