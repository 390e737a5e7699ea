"""Where robots stand when play starts at centre ice."""

from __future__ import annotations

from robohockey_core.league import League
from robohockey_core.names import BLUE, RobotId
from robohockey_core.state import Pose2D

# Shares of half the rink's length and width, for a team that attacks +x. The first is the goalkeeper,
# the second takes the face-off.
_PLACES = (
    (-0.88, 0.0),
    (-0.18, 0.0),
    (-0.45, 0.4),
    (-0.45, -0.4),
    (-0.2, 0.6),
    (-0.2, -0.6),
    (-0.66, 0.22),
    (-0.66, -0.22),
    (-0.48, 0.78),
    (-0.48, -0.78),
    (-0.4, 0.0),
)


def face_off_formation(league: League) -> dict[RobotId, Pose2D]:
    """Every robot in its own half, facing the opponent's goal."""
    half_length_m, half_width_m = league.rink.length_m / 2.0, league.rink.width_m / 2.0
    poses = {}
    for robot in league.robots():
        x_share, y_share = _PLACES[robot.number]
        pose = Pose2D(x_share * half_length_m, y_share * half_width_m, 0.0)
        poses[robot] = pose if robot.team == BLUE else pose.mirrored()
    return poses
