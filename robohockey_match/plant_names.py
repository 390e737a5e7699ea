"""What a plant's robots are called on their wires."""

from __future__ import annotations

from robohockey_core.names import TEAMS, RobotId


def address_of(robot: RobotId) -> int:
    """Blue robots count from 0, red ones from 100: so all may share a radio."""
    return robot.number + 100 * TEAMS.index(robot.team)


def link_name(robot: RobotId, *, shared: bool) -> str:
    """The file name of a robot's serial port."""
    return "radio" if shared else f"{robot.team}_{robot.number}"
