"""What one robot can do: go, face, intercept, get behind the puck, dribble, shoot, pass, receive, block, clear.

`Skills` belongs to one team. `look` at each new view, then ask for the orders of a robot by its number.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from robohockey_core.actions import Action, Dribble, Go, Kick
from robohockey_core.angles import difference, wrap
from robohockey_core.geometry import Point, bearing, distance, to_local
from robohockey_core.joints import FloatArray
from robohockey_core.kinematics import TURN
from robohockey_core.league import League
from robohockey_core.state import BodyState, PuckState, Twist2D
from robohockey_strategy import reckoning
from robohockey_strategy.view import TeamView

Order = tuple[Action, ...]

# Others are kept clear of where they will be after this time, and never nearer than a gap of this share of a robot.
LOOK_AHEAD_S = 0.15
GAP_SHARE = 0.3
# A robot within this angle behind the puck, as seen from it, drives at it; from farther round it first gets behind.
BEHIND_RAD = math.radians(28.0)
# A robot that comes from farther round than this takes hold of the puck instead of driving round it.
TAKE_HOLD_RAD = math.radians(60.0)
# How far behind the puck a robot lines up, in its lengths.
LINE_UP_LENGTHS = 1.2
# Driving on past the puck by this many lengths pushes it instead of stopping at it.
THROUGH_LENGTHS = 2.0
# A held puck turns with its robot by no more than this between two decisions, or it slips off.
HOLD_TURN_RAD = 0.4
# A puck is taken hold of at this speed, in m/s per root of the dribbler's acceleration times its reach.
TAKE_SHARE = 0.8
# The heading of a shot may be off by this share of the open angle, and by no less than this.
AIM_SHARE = 0.65
LEAST_AIM_RAD = 0.03
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


class Skills:
    """One team's robots and what they can do now."""

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
                float(drive.holonomic),
            ]
        )
        assert len(self.numbers) == reckoning.LEAGUE_NUMBERS
        self.radius_m = puck.radius_m
        self.length_m = robot.length_m
        self.contact_m = robot.length_m / 2.0 + puck.radius_m
        self.berth_m = (2.0 + GAP_SHARE) * robot.circumradius_m
        self.top_m_s = robot.max_speed_m_s
        self.kicks = league.kicker.max_puck_speed_m_s > 0.0
        self.kick_m_s = league.kicker.max_puck_speed_m_s
        self.dribbles = league.dribbler.max_force_n > 0.0
        hold_m_s2 = league.dribbler.max_force_n / puck.mass_kg
        self.take_m_s = TAKE_SHARE * math.sqrt(2.0 * hold_m_s2 * league.dribbler.reach_m) / max(0.1, puck.robot_restitution)
        self._seen_pucks: list[tuple[float, float, float]] = []
        self._ways: dict[int, FloatArray] = {}
        self._room_x_m = rink.length_m / 2.0 - robot.circumradius_m
        self._room_y_m = rink.width_m / 2.0 - robot.circumradius_m
        self._room_m = np.array((self._room_x_m, self._room_y_m))

    # --- what is there

    def look(self, view: TeamView) -> None:
        """Take in a new moment. The puck must be in sight."""
        assert view.puck is not None
        self.view, self.puck = view, replace(view.puck, twist=self._steady_twist(view, view.puck))
        self._puck = np.array((*self.puck.pose.point, self.puck.twist.vx_m_s, self.puck.twist.vy_m_s))
        self._us = {number: _row(robot) for number, robot in view.us.items()}
        self._them = np.array([_row(robot) for robot in view.them.values()]).reshape(-1, 5)
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

    # --- moving

    def go(self, number: int, place: Point, yaw_rad: float | None = None, *, round_puck: bool = False) -> Order:
        """Drive to a pose, round whoever is in the way (and round the puck, where it is not to be touched)."""
        here = self.view.us[number].pose.point
        goal = self.inside(place)
        via = self._way(number, here, goal, round_puck)
        if via != goal:
            return (Go(*via, None, *self._passing(here, via, goal)),)
        return (Go(*goal, yaw_rad),)

    def face(self, number: int, place: Point) -> Order:
        """Turn on the spot towards a place."""
        here = self.view.us[number].pose.point
        return (Go(*here, bearing(here, place)),)

    # --- the puck

    def intercept(self, number: int) -> Order:
        """Be where the puck will be, facing it: take hold of it where there is a dribbler, else stop it."""
        robot, meeting = self.view.us[number], self.meeting(number)
        here, there = robot.pose.point, meeting.place
        if not self.dribbles:
            return (Go(*self.inside(there), bearing(here, there)),)
        towards_rad = bearing(here, there)
        gap_m = distance(here, there) - self.contact_m
        # Slow enough at the touch for the dribbler to hold on; a puck that runs away is followed faster.
        away_m_s = meeting.vx_m_s * math.cos(towards_rad) + meeting.vy_m_s * math.sin(towards_rad)
        touch_m_s = min(self.top_m_s, max(0.15 * self.top_m_s, away_m_s + self.take_m_s))
        via = self._way(number, here, there, False)
        if via != there:
            return (Go(*via, None, *self._passing(here, via, there)), Dribble())
        through = _ahead(there, towards_rad, max(0.0, 0.5 * self.length_m - max(0.0, gap_m)))
        speed = (touch_m_s * math.cos(towards_rad), touch_m_s * math.sin(towards_rad))
        return (Go(*through, towards_rad, *speed), Dribble())

    def strike(self, number: int, shot: Shot, power: float = 1.0, speed_share: float = 1.0) -> Order:
        """Get behind the puck, drive through it along the aim, and kick once the heading is right."""
        robot, meeting = self.view.us[number], self.meeting(number)
        here, there = robot.pose.point, meeting.place
        at = to_local(there, shot.aim_rad, here)
        off_rad = math.atan2(abs(at.y_m), -at.x_m)
        near = math.hypot(*at) < 1.5 * self.contact_m
        if off_rad < (1.5 * BEHIND_RAD if near else BEHIND_RAD) and -at.x_m > 0.5 * self.contact_m:
            speed_m_s = speed_share * self.top_m_s
            through = _ahead(there, shot.aim_rad, THROUGH_LENGTHS * self.length_m)
            drive = Go(*through, shot.aim_rad, speed_m_s * math.cos(shot.aim_rad), speed_m_s * math.sin(shot.aim_rad))
            return (drive, self._kick(shot, power)) if self.kicks and shot.open_rad > 0.0 else (drive,)
        return self.get_behind(number, there, shot.aim_rad)

    def play_puck(self, number: int, shot: Shot, power: float = 1.0, speed_share: float = 1.0) -> Order:
        """Send the puck along an aim by whatever is soonest: turn with it, strike it, or take hold of it first."""
        if self.dribbles and self.holds(number):
            return self.turn_with_puck(number, shot, power)
        there = self.meeting(number).place
        round_rad = abs(difference(bearing(self.view.us[number].pose.point, there), shot.aim_rad))
        if self.dribbles and round_rad > TAKE_HOLD_RAD and not self._endangers_our_goal(number, there):
            return self.intercept(number)
        return self.strike(number, shot, power, speed_share)

    def _endangers_our_goal(self, number: int, puck: Point) -> bool:
        """Whether a puck that slips off a robot on its way to it would go into our own goal."""
        here, goal = self.view.us[number].pose.point, self.view.our_goal
        if puck.x_m >= here.x_m or puck.x_m > 0.0:
            return False
        share = (puck.x_m - goal.x_m) / (here.x_m - puck.x_m)
        y_m = puck.y_m + share * (puck.y_m - here.y_m)
        return abs(y_m) < self.league.rink.goal_width_m / 2.0 + 2.0 * self.radius_m

    def get_behind(self, number: int, puck: Point, aim_rad: float) -> Order:
        """Line up behind a place of the puck, without touching it on the way."""
        here = self.view.us[number].pose.point
        stage = _ahead(puck, aim_rad + math.pi, self.contact_m + (LINE_UP_LENGTHS - 0.5) * self.length_m)
        goal = self.inside(stage)
        via = self._way(number, here, goal, True)
        if via != goal:
            return (Go(*via, None, *self._passing(here, via, goal)),)
        speed_m_s = 0.5 * self.top_m_s
        return (Go(*goal, aim_rad, speed_m_s * math.cos(aim_rad), speed_m_s * math.sin(aim_rad)),)

    def turn_with_puck(self, number: int, shot: Shot, power: float = 1.0) -> Order:
        """Turn a held puck to the aim, no faster than it can follow, and kick when it is there."""
        pose = self.view.us[number].pose
        turn_rad = difference(shot.aim_rad, pose.yaw_rad)
        step_rad = min(HOLD_TURN_RAD, max(-HOLD_TURN_RAD, turn_rad))
        yaw_rad = pose.yaw_rad + step_rad
        # A little way forward keeps the puck at the front while it swings round.
        creep = 0.15 * self.top_m_s
        drive = Go(*_ahead(pose.point, yaw_rad, self.length_m), yaw_rad, creep * math.cos(yaw_rad), creep * math.sin(yaw_rad))
        if abs(turn_rad) > HOLD_TURN_RAD:
            return (drive, Dribble())
        return (drive, Dribble(), self._kick(shot, power))

    def carry(self, number: int, place: Point) -> Order:
        """Dribble: drive on with the puck at the front, in curves that it can follow."""
        pose = self.view.us[number].pose
        turn_rad = difference(bearing(pose.point, place), pose.yaw_rad)
        yaw_rad = wrap(pose.yaw_rad + min(HOLD_TURN_RAD, max(-HOLD_TURN_RAD, turn_rad)))
        speed_m_s = self.top_m_s * (0.8 if abs(turn_rad) < HOLD_TURN_RAD else 0.3)
        ahead = _ahead(pose.point, yaw_rad, 2.0 * self.length_m)
        return (Go(*ahead, yaw_rad, speed_m_s * math.cos(yaw_rad), speed_m_s * math.sin(yaw_rad)), Dribble())

    def shoot(self, number: int) -> Order:
        """At their goal, through the widest open angle."""
        return self.play_puck(number, self.shot_from(self.meeting(number).place))

    def pass_to(self, number: int, mate: int) -> Order:
        """To where the mate will be when the puck gets there, no harder than it can take."""
        here = self.puck.pose.point if self.holds(number) else self.meeting(number).place
        target = self.pass_target(here, mate)
        aim_rad = bearing(here, target)
        shot = Shot(aim_rad, 2.0 * math.atan2(0.4 * self.league.robot.width_m, max(distance(here, target), 1e-6)))
        power = self.pass_power(distance(here, target))
        return self.play_puck(number, shot, power, speed_share=0.4)

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

    def receive(self, number: int) -> Order:
        """Face a puck that comes, on its line, and take hold of it or stop it."""
        robot, puck = self.view.us[number], self.puck
        speed_m_s = puck.twist.speed_m_s
        here = robot.pose.point
        if speed_m_s < 0.1:
            return (*self.face(number, puck.pose.point), Dribble())
        heading_rad = math.atan2(puck.twist.vy_m_s, puck.twist.vx_m_s)
        at = to_local(puck.pose.point, heading_rad, here)
        if at.x_m <= self.contact_m or abs(at.y_m) > 0.5 * at.x_m:
            return self.intercept(number)
        on_line = self.inside(_ahead(puck.pose.point, heading_rad, at.x_m))
        facing_rad = heading_rad + math.pi
        if abs(at.y_m) < 0.25 * self.length_m:
            # Giving way a little takes the speed out of the puck.
            return (Go(*here, facing_rad), Dribble())
        return (Go(*on_line, facing_rad), Dribble())

    # --- our goal

    def block(self, number: int, out_lengths: float = 0.9) -> Order:
        """Keep goal: meet a shot where it will cross, else stand on the line from the puck to the goal.

        The robot stands across the goal, so that it moves along it forwards and backwards.
        """
        rink, goal = self.league.rink, self.view.our_goal
        x_m = goal.x_m + out_lengths * self.length_m
        half_m = rink.goal_width_m / 2.0
        reach_m = half_m - 0.25 * self.league.robot.width_m
        puck, speed = self.puck.pose.point, self.puck.twist
        y_m = self._covering_y_m(puck, x_m)
        closing_m_s = -speed.vx_m_s
        if closing_m_s > 0.1 * self.top_m_s and puck.x_m > x_m:
            cross_s = (puck.x_m - x_m) / closing_m_s
            cross_y_m = puck.y_m + speed.vy_m_s * cross_s
            if cross_s < SAVE_S and abs(cross_y_m) < half_m + 2.0 * self.radius_m:
                y_m = cross_y_m
        y_m = min(reach_m, max(-reach_m, y_m))
        pose = self.view.us[number].pose
        yaw_rad = math.copysign(math.pi / 2.0, math.sin(pose.yaw_rad))
        if distance(pose.point, Point(x_m, y_m)) > 3.0 * self.length_m:
            return self.go(number, Point(x_m, y_m), yaw_rad, round_puck=True)
        return (Go(x_m, y_m, yaw_rad),)

    def clear(self, number: int) -> Order:
        """Away from our goal: up the rink, to the side that opponents leave open."""
        puck = self.meeting(number).place
        out_rad = bearing(self.view.our_goal, puck)
        low_rad, high_rad = out_rad - math.radians(50.0), out_rad + math.radians(50.0)
        aim_rad, open_rad = reckoning.widest_gap(*puck, low_rad, high_rad, self._blockers(0.1), self.radius_m)
        return self.play_puck(number, Shot(aim_rad, max(open_rad, 0.2)))

    # --- helpers

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

    def _kick(self, shot: Shot, power: float) -> Kick:
        return Kick(power, max(LEAST_AIM_RAD, AIM_SHARE * shot.open_rad))

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

    def _way(self, number: int, here: Point, goal: Point, round_puck: bool) -> Point:
        others = [row[:2] + LOOK_AHEAD_S * row[3:5] for other, row in self._us.items() if other != number]
        others += [row[:2] + LOOK_AHEAD_S * row[3:5] for row in self._them]
        if round_puck:
            others.append(self._puck[:2])
        if not others:
            return goal
        way = np.array(goal)
        last = self._ways.get(number, way)
        reckoning.way_round(np.array(here), way, last.copy(), np.array(others), self.berth_m, self._room_m)
        self._ways[number] = way
        return Point(*way.tolist())

    def _passing(self, here: Point, via: Point, goal: Point) -> tuple[float, float]:
        """The velocity at which to pass a corner of a way, straight on: slower the sharper the corner is."""
        in_rad = bearing(here, via)
        turn_rad = abs(difference(bearing(via, goal), in_rad))
        speed_m_s = self.top_m_s * max(0.25, math.cos(min(turn_rad, math.pi / 2.0)))
        return speed_m_s * math.cos(in_rad), speed_m_s * math.sin(in_rad)

    def _covering_y_m(self, puck: Point, x_m: float) -> float:
        """Where the line from the puck to the middle of our goal crosses a keeper's line."""
        goal = self.view.our_goal
        ahead_m = max(puck.x_m - goal.x_m, 1e-6)
        return puck.y_m * min(1.0, (x_m - goal.x_m) / ahead_m)


def _row(robot: BodyState) -> FloatArray:
    return np.array((*robot.pose, robot.twist.vx_m_s, robot.twist.vy_m_s))


def _ahead(origin: Point, heading_rad: float, reach_m: float) -> Point:
    return Point(origin.x_m + reach_m * math.cos(heading_rad), origin.y_m + reach_m * math.sin(heading_rad))
