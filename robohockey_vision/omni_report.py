"""What a robot with its own camera tells the others: its pose, and what it sees, in the rink frame with deviations."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from robohockey_core.geometry import Point, to_parent
from robohockey_core.identities import anonymous
from robohockey_core.joints import JointSample
from robohockey_core.league import League
from robohockey_core.names import PUCK, TEAMS, RobotId, body_joints
from robohockey_vision.localisation import Located
from robohockey_vision.omni_detector import OmniSight, Sighting

# What is seen outside of the rink by more than this share of its size is something else.
_OUTSIDE_SHARE = 0.06


def report(
    league: League, robot: RobotId, located: Located, sight: OmniSight, stamp_s: float, bodies: Collection[str] = ()
) -> JointSample:
    """Detections for the contract's topic, `effort` holding standard deviations.

    With `bodies`, only these can be before the camera: no puck, or nobody of a team, may be among what it sees.
    """
    possible = {body.partition("/")[0] for body in bodies or (PUCK, *TEAMS)}
    x_sigma, y_sigma, yaw_sigma = np.sqrt(np.diag(located.covariance)).tolist()
    names = list(body_joints(str(robot)))
    position, sigma = [*located.pose], [x_sigma, y_sigma, yaw_sigma]
    seen = [(PUCK, sight.puck)] if sight.puck is not None and PUCK in possible else []
    others = [(team, robot_sight) for team, robot_sight in sight.robots if team in possible]
    seen += [(anonymous(team, number), robot_sight) for number, (team, robot_sight) in enumerate(others)]
    for body, sighting in seen:
        place, deviation = _in_rink(located, sighting)
        if _inside(league, place):
            names += body_joints(body)[:2]
            position += place
            sigma += deviation
    return JointSample(stamp_s, tuple(names), np.array(position), effort=np.array(sigma))


def _in_rink(located: Located, sighting: Sighting) -> tuple[Point, tuple[float, float]]:
    """Place and deviation along x and y: own pose, own heading, and sight add up."""
    place = to_parent(located.pose.point, located.pose.yaw_rad, Point(*sighting.local_m))
    cos, sin = math.cos(located.pose.yaw_rad + sighting.bearing_rad), math.sin(located.pose.yaw_rad + sighting.bearing_rad)
    across2 = sighting.distance_m**2 * (sighting.bearing_sigma_rad**2 + float(located.covariance[2, 2]))
    along2 = sighting.distance_sigma_m**2
    x2 = float(located.covariance[0, 0]) + along2 * cos * cos + across2 * sin * sin
    y2 = float(located.covariance[1, 1]) + along2 * sin * sin + across2 * cos * cos
    return place, (math.sqrt(x2), math.sqrt(y2))


def _inside(league: League, place: Point) -> bool:
    rink = league.rink
    room_m = _OUTSIDE_SHARE * rink.length_m
    return abs(place.x_m) < rink.length_m / 2.0 + rink.goal_depth_m + room_m and abs(place.y_m) < rink.width_m / 2.0 + room_m
