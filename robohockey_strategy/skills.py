"""What one robot can do: go, face, intercept, get behind the puck, dribble, shoot, pass, receive, block, clear.

`Skills` belongs to one team. `look` at each new view, then ask for the orders of a robot by its number.
"""

from __future__ import annotations

import math

import numpy as np

from robohockey_core.actions import Action, Dribble, Go, Kick
from robohockey_core.angles import difference, wrap
from robohockey_core.geometry import Point, bearing, distance, to_local
from robohockey_core.joints import FloatArray
from robohockey_core.league import League
from robohockey_core.state import Pose2D
from robohockey_strategy import reckoning
from robohockey_strategy.situation import Meeting, Shot, Situation

__all__ = ["Meeting", "Order", "Shot", "Skills"]

Order = tuple[Action, ...]

# Others are passed no nearer than a gap of this share of a robot.
GAP_SHARE = 0.5
# Corners of a way are passed at these shares of the top speed at least, and at most when there is another one behind.
SHARP_CORNER_SHARE = 0.25
BEFORE_ANOTHER_CORNER_SHARE = 0.5
# Who is nearer to the puck than this many of these berths is at it, for a team that contests the puck.
CONTEST_BERTHS = 2.0
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
# Nearer to our goal than this share of the rink's length a puck is not swung round past it.
OWN_GOAL_SHARE = 0.25
# Within this angle of our goal's middle a robot with the puck turns on the spot and does not drive on.
FACES_GOAL_RAD = 1.0
# A puck is taken hold of at this speed, in m/s per root of the dribbler's acceleration times its reach.
TAKE_SHARE = 0.8
# The heading of a shot may be off by this share of the open angle, and by no less than this.
AIM_SHARE = 0.65
LEAST_AIM_RAD = 0.03


class Skills(Situation):
    """One team's robots and what they can do now."""

    def __init__(self, league: League, *, contests: bool = False) -> None:
        """`contests`: body checks are fair, so drive at a puck through opponents that are at it; else round them."""
        super().__init__(league)
        self._contests = contests
        self.berth_m = (2.0 + GAP_SHARE) * league.robot.circumradius_m
        hold_m_s2 = league.dribbler.max_force_n / league.puck.mass_kg
        take_m_s = math.sqrt(2.0 * hold_m_s2 * league.dribbler.reach_m) / max(0.1, league.puck.robot_restitution)
        self.take_m_s = TAKE_SHARE * take_m_s
        self._ways: dict[int, FloatArray] = {}
        self._room_m = np.array((self._room_x_m, self._room_y_m))

    # --- moving

    def go(self, number: int, place: Point, yaw_rad: float | None = None, *, round_puck: bool = False) -> Order:
        """Drive to a pose, round whoever is in the way (and round the puck, where it is not to be touched)."""
        here = self.view.us[number].pose.point
        goal = self.inside(place)
        corner = self._corner(number, here, goal, round_puck)
        if corner is not None:
            return (corner,)
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
        corner = self._corner(number, here, there, False, to_puck=self._contests)
        if corner is not None:
            return (corner, Dribble())
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
        if self.dribbles and round_rad > TAKE_HOLD_RAD and not self.endangers_our_goal(number, there):
            return self.intercept(number)
        return self.strike(number, shot, power, speed_share)

    def get_behind(self, number: int, puck: Point, aim_rad: float) -> Order:
        """Line up behind a place of the puck, without touching it on the way."""
        here = self.view.us[number].pose.point
        stage = _ahead(puck, aim_rad + math.pi, self.contact_m + (LINE_UP_LENGTHS - 0.5) * self.length_m)
        goal = self.inside(stage)
        corner = self._corner(number, here, goal, True)
        if corner is not None:
            return (corner,)
        speed_m_s = 0.5 * self.top_m_s
        return (Go(*goal, aim_rad, speed_m_s * math.cos(aim_rad), speed_m_s * math.sin(aim_rad)),)

    def turn_with_puck(self, number: int, shot: Shot, power: float = 1.0) -> Order:
        """Turn a held puck to the aim, no faster than it can follow, and kick when it is there."""
        pose = self.view.us[number].pose
        turn_rad = self._safe_turn(pose, shot.aim_rad)
        step_rad = min(HOLD_TURN_RAD, max(-HOLD_TURN_RAD, turn_rad))
        yaw_rad = pose.yaw_rad + step_rad
        # A little way forward keeps the puck at the front while it swings round; but never into our own goal.
        creep = 0.0 if self._faces_our_goal(pose) else 0.15 * self.top_m_s
        way_m = self.length_m if creep > 0.0 else 0.0
        drive = Go(*_ahead(pose.point, yaw_rad, way_m), yaw_rad, creep * math.cos(yaw_rad), creep * math.sin(yaw_rad))
        if abs(turn_rad) > HOLD_TURN_RAD:
            return (drive, Dribble())
        return (drive, Dribble(), self._kick(shot, power))

    def carry(self, number: int, place: Point) -> Order:
        """Dribble: drive on with the puck at the front, in curves that it can follow."""
        pose = self.view.us[number].pose
        turn_rad = self._safe_turn(pose, bearing(pose.point, place))
        yaw_rad = wrap(pose.yaw_rad + min(HOLD_TURN_RAD, max(-HOLD_TURN_RAD, turn_rad)))
        if self._faces_our_goal(pose):
            return (Go(*pose.point, yaw_rad), Dribble())
        speed_m_s = self.top_m_s * (0.8 if abs(turn_rad) < HOLD_TURN_RAD else 0.3)
        ahead = _ahead(pose.point, yaw_rad, 2.0 * self.length_m)
        return (Go(*ahead, yaw_rad, speed_m_s * math.cos(yaw_rad), speed_m_s * math.sin(yaw_rad)), Dribble())

    def shoot(self, number: int) -> Order:
        """At their goal, through the widest open angle."""
        return self.play_puck(number, self.shot_from(self.meeting(number).place))

    def pass_to(self, number: int, mate: int) -> Order:
        """To where the mate will be when the puck gets there, no harder than it can take."""
        return self.pass_into(number, self.pass_target(self._pass_from(number), mate))

    def pass_into(self, number: int, target: Point) -> Order:
        """Into a place, at a speed that a robot there can take."""
        here = self._pass_from(number)
        aim_rad = bearing(here, target)
        shot = Shot(aim_rad, 2.0 * math.atan2(0.4 * self.league.robot.width_m, max(distance(here, target), 1e-6)))
        power = self.pass_power(distance(here, target))
        return self.play_puck(number, shot, power, speed_share=0.4)

    def _pass_from(self, number: int) -> Point:
        return self.puck.pose.point if self.holds(number) else self.meeting(number).place

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
        y_m = self._covering_y_m(self.puck.pose.point, x_m)
        crossing_y_m = self.crosses_at(x_m)
        if crossing_y_m is not None and abs(crossing_y_m) < half_m + 2.0 * self.radius_m:
            y_m = crossing_y_m
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

    def _faces_our_goal(self, pose: Pose2D) -> bool:
        """Whether a puck that is pushed on, or let go of, would go at our goal from nearby."""
        goal = self.view.our_goal
        near = distance(pose.point, goal) < 2.0 * OWN_GOAL_SHARE * self.league.rink.length_m
        return near and abs(difference(bearing(pose.point, goal), pose.yaw_rad)) < FACES_GOAL_RAD

    def sweeps_our_goal(self, pose: Pose2D, turn_rad: float, margin_rad: float = 0.0) -> bool:
        """Whether the front of a robot that turns so far points at the middle of our goal on the way, or nearly so."""
        to_goal_rad = difference(bearing(pose.point, self.view.our_goal), pose.yaw_rad)
        passes = to_goal_rad * turn_rad > 0.0 and abs(to_goal_rad) < abs(turn_rad) + margin_rad
        return passes or abs(to_goal_rad) < margin_rad

    # --- ways

    def _kick(self, shot: Shot, power: float) -> Kick:
        return Kick(power, max(LEAST_AIM_RAD, AIM_SHARE * shot.open_rad))

    def _safe_turn(self, pose: Pose2D, aim_rad: float) -> float:
        """The turn that brings a held puck to the aim: the shorter one, unless near our goal it swings the puck past it."""
        goal = self.view.our_goal
        turn_rad = difference(aim_rad, pose.yaw_rad)
        if distance(pose.point, goal) > OWN_GOAL_SHARE * self.league.rink.length_m:
            return turn_rad
        passes_goal = self.sweeps_our_goal(pose, turn_rad)
        return turn_rad - math.copysign(2.0 * math.pi, turn_rad) if passes_goal else turn_rad

    def _corner(self, number: int, here: Point, goal: Point, round_puck: bool, *, to_puck: bool = False) -> Go | None:
        """The next corner of a way round others, and the velocity to pass it with; None when the way is straight."""
        others = [place for other, place in self._soon_us.items() if other != number]
        others += [place for place in self._soon_them if not to_puck or not self._may_be_checked(Point(*place), goal)]
        if round_puck:
            others.append([*self.puck.pose.point])
        if not others:
            return None
        way = np.array(goal)
        last = self._ways.get(number, way)
        free_after = reckoning.way_round(np.array(here), way, last.copy(), np.array(others), self.berth_m, self._room_m)
        self._ways[number] = way
        via = Point(*way.tolist())
        return Go(*via, None, *self._passing(here, via, goal, free_after)) if via != goal else None

    def _may_be_checked(self, opponent: Point, puck: Point) -> bool:
        """Whether an opponent is at the puck, and not in its crease, where nobody may be checked."""
        rink = self.league.rink
        room_m = self.league.robot.circumradius_m
        out_of_crease = opponent.x_m < self.view.their_goal.x_m - rink.goal_area_depth_m - room_m
        beside_crease = abs(opponent.y_m) > rink.goal_area_width_m / 2.0 + room_m
        return (out_of_crease or beside_crease) and distance(opponent, puck) < CONTEST_BERTHS * self.berth_m

    def _passing(self, here: Point, via: Point, goal: Point, free_after: bool) -> tuple[float, float]:
        """The velocity at which to pass a corner of a way, straight on: slower the sharper it is, and before another one."""
        in_rad = bearing(here, via)
        turn_rad = abs(difference(bearing(via, goal), in_rad))
        share = math.cos(min(turn_rad, math.pi / 2.0)) ** 2
        speed_m_s = self.top_m_s * min(1.0 if free_after else BEFORE_ANOTHER_CORNER_SHARE, max(SHARP_CORNER_SHARE, share))
        return speed_m_s * math.cos(in_rad), speed_m_s * math.sin(in_rad)

    def _covering_y_m(self, puck: Point, x_m: float) -> float:
        """Where the line from the puck to the middle of our goal crosses a keeper's line."""
        goal = self.view.our_goal
        ahead_m = max(puck.x_m - goal.x_m, 1e-6)
        return puck.y_m * min(1.0, (x_m - goal.x_m) / ahead_m)


def _ahead(origin: Point, heading_rad: float, reach_m: float) -> Point:
    return Point(origin.x_m + reach_m * math.cos(heading_rad), origin.y_m + reach_m * math.sin(heading_rad))
