"""What is where: frozen values in the rink frame, SI units, radians."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from robohockey_core.angles import wrap
from robohockey_core.geometry import Point
from robohockey_core.names import RobotId


class Pose2D(NamedTuple):
    x_m: float
    y_m: float
    yaw_rad: float = 0.0

    @property
    def point(self) -> Point:
        return Point(self.x_m, self.y_m)

    def mirrored(self) -> Pose2D:
        """The same pose seen by a team that attacks the other way: half a turn about centre ice."""
        return Pose2D(-self.x_m, -self.y_m, wrap(self.yaw_rad + math.pi))


class Twist2D(NamedTuple):
    """Velocity in the rink frame (not in the robot's own)."""

    vx_m_s: float = 0.0
    vy_m_s: float = 0.0
    yaw_rate_rad_s: float = 0.0

    @property
    def speed_m_s(self) -> float:
        return math.hypot(self.vx_m_s, self.vy_m_s)

    def mirrored(self) -> Twist2D:
        return Twist2D(-self.vx_m_s, -self.vy_m_s, self.yaw_rate_rad_s)


class BodyState(NamedTuple):
    """Where a robot or the puck is, how it moves, and how sure that is (one standard deviation)."""

    pose: Pose2D
    twist: Twist2D = Twist2D()
    sigma_m: float = 0.0

    def mirrored(self) -> BodyState:
        return BodyState(self.pose.mirrored(), self.twist.mirrored(), self.sigma_m)


RobotState = BodyState
PuckState = BodyState


@dataclass(frozen=True, slots=True)
class WorldState:
    """All that is known of the rink at one moment; a body that nobody sees is missing."""

    stamp_s: float
    robots: Mapping[RobotId, RobotState]
    puck: PuckState | None
