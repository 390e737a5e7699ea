"""Who is put where for a face-off, as far as a simulator can put them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from robohockey_core import names
from robohockey_core.names import PUCK, parse_robot
from robohockey_core.state import BodyState, Pose2D

EVERYTHING = names.EVERYTHING


def placement_groups(placements: Mapping[str, BodyState], placed: Sequence[str]) -> list[dict[str, BodyState]]:
    """Split placements into groups that are moved at once.

    Where everything can be placed, everything moves in one go, so that bodies may change places. Beside real
    bodies, which stand where they stand, each moves alone and the puck first: one that has no room yet must not
    keep the others from their places.
    """
    if EVERYTHING in placed or all(body in placed for body in placements):
        return [dict(placements)] if placements else []
    bodies = sorted((body for body in placements if body in placed), key=lambda body: body != PUCK)
    return [{body: placements[body]} for body in bodies]


def proposal_of(team: str, bodies: Mapping[str, BodyState]) -> dict[int, Pose2D]:
    """A team's proposal by robot number; other bodies in it are left out."""
    robots = {parse_robot(name): state.pose for name, state in bodies.items()}
    return {robot.number: pose for robot, pose in robots.items() if robot is not None and robot.team == team}
