"""Who kicked: told from how the puck moves, so that it works live, in a replay, and for real robots."""

from __future__ import annotations

from robohockey_core.geometry import to_local
from robohockey_core.league import League
from robohockey_core.names import RobotId
from robohockey_core.state import BodyState, WorldState

_SHARE = 0.25
"""A puck that gains this share of the hardest kick between two looks was kicked."""

SWING_S = 0.25
"""How long a kicker takes to swing out and back, for the eye."""

MOST_RAD = 0.9


class KickWatch:
    """Watches worlds one after the other; `angle_rad` tells how far a robot's kicker is out."""

    def __init__(self, league: League) -> None:
        self._robot, self._puck_m = league.robot, league.puck.radius_m
        self._gain_m_s = _SHARE * league.kicker.max_puck_speed_m_s
        self._before: BodyState | None = None
        self._kicked_s: dict[RobotId, float] = {}

    def watch(self, world: WorldState) -> None:
        before, self._before = self._before, world.puck
        if before is None or world.puck is None or self._gain_m_s <= 0.0:
            return
        gain = world.puck.twist.speed_m_s - before.twist.speed_m_s
        if gain < self._gain_m_s:
            return
        reach_m = 0.5 * self._robot.length_m + 3.0 * self._puck_m
        for robot, body in world.robots.items():
            local = to_local(body.pose.point, body.pose.yaw_rad, before.pose.point)
            if 0.0 < local.x_m < reach_m and abs(local.y_m) < 0.5 * self._robot.width_m + self._puck_m:
                self._kicked_s[robot] = world.stamp_s

    def angle_rad(self, robot: RobotId, now_s: float) -> float:
        """Out fast, back slowly; 0 at rest."""
        since_s = now_s - self._kicked_s.get(robot, -1e9)
        if not 0.0 <= since_s < SWING_S:
            return 0.0
        share = since_s / SWING_S
        return MOST_RAD * (share / 0.3 if share < 0.3 else (1.0 - share) / 0.7)
