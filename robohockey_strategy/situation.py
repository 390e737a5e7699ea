"""What is there for one team: who is first at the puck, which shots and lanes are open, whether our goal is in danger.

`Situation` belongs to one team. `look` at each new view, then ask.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from robohockey_core.geometry import Point, distance, to_local
from robohockey_core.joints import FloatArray
from robohockey_core.kinematics import TURN
from robohockey_core.league import League
from robohockey_core.state import BodyState, PuckState, Twist2D
from robohockey_strategy import reckoning
from robohockey_strategy.view import TeamView

# Others are kept clear of where they will be after this time.
LOOK_AHEAD_S = 0.15
# Passes arrive with about this speed, in shares of a robot's own.
PASS_ARRIVAL_SHARE = 0.5
# The puck's velocity is taken over so many decisions, while it differs by less than this from what the tracker says, and
# while older places fit to within so many metres. Below this share of a robot's speed it rests.
STEADY_DECISIONS = 3
KEPT_ITS_WAY_M_S = 0.3
STEADY_M_S = 0.012
RESTS_M_S = 0.04
# A keeper leaves its place for a puck that is to cross the goal line within this time.
SAVE_S = 1.5
# A puck comes at our goal when it is faster than this share of a robot's speed.
COMES_SHARE = 0.1


class Meeting(NamedTuple):
    """When and where a robot can be at the puck, and how it moves then."""

    time_s: float
    place: Point
    vx_m_s: float
    vy_m_s: float


class Shot(NamedTuple):
    """A direction to send the puck, and how far to either side it may be off."""

    aim_rad: float
    open_rad: float


class Situation:
    """What one team's robots have before them."""

    view: TeamView
    puck: PuckState

    def __init__(self, league: League) -> None:
        rink, robot, puck = league.rink, league.robot, league.puck
        self.league = league
        drive = robot.make_drive()
        turning = float(np.abs(drive.matrix[:, TURN]).max())
        self.numbers = np.array(
            [
                *(rink.length_m / 2.0, rink.width_m / 2.0, rink.goal_width_m / 2.0, puck.radius_m),
                *(puck.sliding_friction * reckoning.GRAVITY_M_S2, puck.rolling_damping_per_s),
                *(puck.wall_restitution, puck.wall_friction),
                *(robot.max_speed_m_s, 0.8 * robot.max_wheel_acceleration_rad_s2 * robot.wheel_radius_m),
                *(robot.max_wheel_speed_rad_s / turning, 0.7 * robot.max_wheel_acceleration_rad_s2 / turning),
                *(float(drive.holonomic), rink.length_m / 2.0 + rink.room_behind_goals_m),
            ]
        )
        assert len(self.numbers) == reckoning.LEAGUE_NUMBERS
        self.radius_m = puck.radius_m
        self.length_m = robot.length_m
        self.contact_m = robot.length_m / 2.0 + puck.radius_m
        self.top_m_s = robot.max_speed_m_s
        self.kicks = league.kicker.max_puck_speed_m_s > 0.0
        self.kick_m_s = league.kicker.max_puck_speed_m_s
        self.dribbles = league.dribbler.max_force_n > 0.0
        self._seen_pucks: list[tuple[float, float, float]] = []
        self._room_x_m = rink.length_m / 2.0 - robot.circumradius_m
        self._room_y_m = rink.width_m / 2.0 - robot.circumradius_m

    # --- what is there

    def look(self, view: TeamView) -> None:
        """Take in a new moment. The puck must be in sight."""
        assert view.puck is not None
        self.view, self.puck = view, view.puck._replace(twist=self._steady_twist(view, view.puck))
        self._puck = np.array((*self.puck.pose.point, self.puck.twist.vx_m_s, self.puck.twist.vy_m_s))
        us, self._them = (_rows(side.values()) for side in (view.us, view.them))
        self._us = dict(zip(view.us, us, strict=True))
        self._soon_us = dict(zip(view.us, _soon(us), strict=True))
        self._soon_them = _soon(self._them)
        self._meetings: dict[int, Meeting] = {}

    def inside(self, place: Point) -> Point:
        """The nearest place at which a robot clears the boards."""
        x_m = min(self._room_x_m, max(-self._room_x_m, place.x_m))
        return Point(x_m, min(self._room_y_m, max(-self._room_y_m, place.y_m)))

    def holds(self, number: int) -> bool:
        """Whether the puck lies at the robot's front."""
        return self._at_front(self.view.us[number])

    def they_hold(self) -> bool:
        return any(self._at_front(robot) for robot in self.view.them.values())

    def meeting(self, number: int) -> Meeting:
        """The time-optimal meeting point with the moving puck, under the robot's own limits."""
        known = self._meetings.get(number)
        if known is None:
            known = self._meetings[number] = self._meet(self._us[number])
        return known

    def their_meeting_s(self) -> float:
        """How soon the first opponent can be at the puck."""
        return min((self._meet(row).time_s for row in self._them), default=math.inf)

    def shot_from(self, place: Point) -> Shot:
        """The widest open angle at their goal, past every opponent."""
        half_m = self.league.rink.goal_width_m / 2.0 - self.radius_m
        goal_x_m = self.view.their_goal.x_m
        if place.x_m >= goal_x_m - self.radius_m:
            return Shot(0.0, 0.0)
        low_rad, high_rad = (math.atan2(side * half_m - place.y_m, goal_x_m - place.x_m) for side in (-1.0, 1.0))
        blockers = self._blockers(0.0)
        ahead = blockers[blockers[:, 0] > place.x_m - self.length_m]
        aim_rad, open_rad = reckoning.widest_gap(*place, low_rad, high_rad, ahead, self.radius_m)
        return Shot(aim_rad, open_rad)

    def lane_is_open(self, start: Point, end: Point, speed_m_s: float) -> bool:
        """Whether a puck gets from one place to another before an opponent can reach its way.

        Their reach grows while the puck is under way: half of what a robot drives from rest in that time.
        """
        flight_s = distance(start, end) / max(speed_m_s, 1e-6)
        reach_m = 0.25 * self.numbers[reckoning.ACCELERATION_M_S2] * min(flight_s, 0.5) ** 2
        clear_m = reckoning.lane_clearance(*start, *end, self._them)
        return bool(clear_m > self.league.robot.circumradius_m + self.radius_m + reach_m)

    def pass_target(self, start: Point, mate: int) -> Point:
        """Where a mate will be when a pass reaches it."""
        robot = self.view.us[mate]
        flight_s = distance(start, robot.pose.point) / (0.7 * self.top_m_s + 1e-6)
        lead_s = min(flight_s, 0.4)
        return self.inside(Point(robot.pose.x_m + lead_s * robot.twist.vx_m_s, robot.pose.y_m + lead_s * robot.twist.vy_m_s))

    def pass_power(self, distance_m: float) -> float:
        """Kick power that lets the puck arrive at a speed that a robot can take."""
        if not self.kicks:
            return 0.0
        arrive = PASS_ARRIVAL_SHARE * self.top_m_s
        friction, damping = float(self.numbers[reckoning.FRICTION_M_S2]), float(self.numbers[reckoning.DAMPING_PER_S])
        leaves = math.sqrt(arrive**2 + 2.0 * friction * distance_m) + damping * distance_m
        return min(1.0, max(1.0 / (self.league.kicker.levels - 1), leaves / self.kick_m_s))

    def crosses_at(self, x_m: float) -> float | None:
        """Where a puck that comes crosses a line before our goal, if it does soon."""
        puck, speed = self.puck.pose.point, self.puck.twist
        closing_m_s = -speed.vx_m_s
        if closing_m_s <= COMES_SHARE * self.top_m_s or puck.x_m <= x_m:
            return None
        cross_s = (puck.x_m - x_m) / closing_m_s
        return puck.y_m + speed.vy_m_s * cross_s if cross_s < SAVE_S else None

    def goal_is_threatened(self) -> bool:
        """Whether the puck is on its way into our goal."""
        y_m = self.crosses_at(self.view.our_goal.x_m)
        return y_m is not None and abs(y_m) < self.league.rink.goal_width_m / 2.0 + 2.0 * self.radius_m

    def _steady_twist(self, view: TeamView, puck: PuckState) -> Twist2D:
        """The puck's velocity over the last decisions, as long as it kept its way; else what the tracker says.

        A filter that must follow kicks takes a camera's noise for motion: a puck at rest seems to creep.
        """
        seen = self._seen_pucks
        if seen and not 0.0 < view.time_s - seen[-1][0] < 3.0 * self.league.timing.strategy_period_s:
            seen.clear()
        now = (view.time_s, puck.pose.x_m, puck.pose.y_m)
        vx_m_s, vy_m_s, trusted = puck.twist.vx_m_s, puck.twist.vy_m_s, False
        for then_s, x_m, y_m in reversed(seen):
            age_s = view.time_s - then_s
            mean_vx, mean_vy = (puck.pose.x_m - x_m) / age_s, (puck.pose.y_m - y_m) / age_s
            doubt_m_s = STEADY_M_S / age_s if trusted else KEPT_ITS_WAY_M_S
            if math.hypot(mean_vx - vx_m_s, mean_vy - vy_m_s) > doubt_m_s:
                break
            vx_m_s, vy_m_s, trusted = mean_vx, mean_vy, True
        seen.append(now)
        del seen[:-STEADY_DECISIONS]
        return Twist2D(vx_m_s, vy_m_s) if math.hypot(vx_m_s, vy_m_s) > RESTS_M_S * self.top_m_s else Twist2D()

    def _at_front(self, robot: BodyState) -> bool:
        local = to_local(robot.pose.point, robot.pose.yaw_rad, self.puck.pose.point)
        gap_m = local.x_m - self.contact_m
        return gap_m < 0.6 * self.radius_m and local.x_m > 0.0 and abs(local.y_m) < 0.6 * self.league.robot.width_m

    def _meet(self, row: FloatArray) -> Meeting:
        out = np.empty(4)
        time_s = reckoning.meet(self.numbers, row, self._puck, self.contact_m, out)
        x_m, y_m, vx_m_s, vy_m_s = out.tolist()
        return Meeting(time_s, Point(x_m, y_m), vx_m_s, vy_m_s)

    def _blockers(self, later_s: float) -> FloatArray:
        """Opponents as discs, where they will be."""
        blockers = np.empty((len(self._them), 3))
        blockers[:, :2] = self._them[:, :2] + later_s * self._them[:, 3:5]
        blockers[:, 2] = 0.5 * (self.league.robot.length_m + self.league.robot.circumradius_m * 2.0) / 2.0
        return blockers

    def endangers_our_goal(self, number: int, puck: Point) -> bool:
        """Whether a puck that slips off a robot on its way to it would go into our own goal."""
        here, goal = self.view.us[number].pose.point, self.view.our_goal
        if puck.x_m >= here.x_m or puck.x_m > 0.0:
            return False
        share = (puck.x_m - goal.x_m) / (here.x_m - puck.x_m)
        y_m = puck.y_m + share * (puck.y_m - here.y_m)
        return abs(y_m) < self.league.rink.goal_width_m / 2.0 + 2.0 * self.radius_m


def _rows(robots: Collection[BodyState]) -> FloatArray:
    """X, y, yaw and the velocity of robots."""
    return np.array([(*robot.pose, *robot.twist[:2]) for robot in robots]).reshape(-1, 5)


def _soon(rows: FloatArray) -> list[list[float]]:
    """Where robots will be in a moment."""
    return (rows[:, :2] + LOOK_AHEAD_S * rows[:, 3:]).tolist()  # type: ignore[no-any-return]
