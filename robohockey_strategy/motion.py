"""From a target to wheel speeds: closed-loop pursuit for differential drives, straight lines for omni."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robohockey_core.actions import Target
from robohockey_core.angles import difference
from robohockey_core.checked import limited
from robohockey_core.commands import WheelCommand
from robohockey_core.joints import FloatArray
from robohockey_core.kinematics import FORWARD, LEFT, TURN
from robohockey_core.league import League
from robohockey_core.state import BodyState, Pose2D

_SETTLING_S = 0.3
"""A robot that would leave its place no sooner than this counts as standing."""


@dataclass(frozen=True)
class MotionSettings:
    turn_gain_per_s: float = limited(8.0, "turn rate per radian of heading error", above=0.0)
    braking_share: float = limited(0.6, "share of the wheels' acceleration that braking may use", above=0.0, high=1.0)
    arrived_m: float = limited(0.006, "a target nearer than this is reached", above=0.0)


class Motion:
    """Turns one robot's target into a wheel command that the wheels can follow."""

    def __init__(self, league: League, settings: MotionSettings | None = None) -> None:
        self._settings = settings or MotionSettings()
        robot = league.robot
        self.drive = robot.make_drive()
        self._max_wheel_speed_rad_s = robot.max_wheel_speed_rad_s
        self._max_speed_m_s = robot.max_speed_m_s
        wheel_braking_rad_s2 = robot.max_wheel_acceleration_rad_s2 * self._settings.braking_share
        self._braking_m_s2 = wheel_braking_rad_s2 * robot.wheel_radius_m
        self._braking_rad_s2 = wheel_braking_rad_s2 / float(np.abs(self.drive.matrix[:, TURN]).max())

    def command(self, state: BodyState, target: Target) -> WheelCommand:
        """The command that brings a robot nearer to its target."""
        twist = self._holonomic_twist(state, target) if self.drive.holonomic else self._pursuit_twist(state, target)
        return self._wheels(twist, target.kick_power, target.dribble)

    def manual(self, body_twist: FloatArray, kick_power: float = 0.0, dribble: float = 0.0) -> WheelCommand:
        """The command for a twist in the robot's own frame, such as a joystick's."""
        return self._wheels(np.where(np.isfinite(body_twist), body_twist, 0.0), kick_power, dribble)

    def arrived(self, state: BodyState, goal: Pose2D) -> bool:
        return math.dist(state.pose[:2], goal[:2]) <= self._settings.arrived_m

    def _wheels(self, twist: FloatArray, kick_power: float = 0.0, dribble: float = 0.0) -> WheelCommand:
        limited_twist = self.drive.saturate(twist, self._max_wheel_speed_rad_s)
        return WheelCommand(tuple(self.drive.wheel_speeds(limited_twist).tolist()), kick_power, dribble)

    def _speed_towards(self, distance_m: float, arrive_speed_m_s: float) -> float:
        """The highest speed from which braking still arrives with the wanted one."""
        return min(self._max_speed_m_s, math.sqrt(arrive_speed_m_s**2 + 2.0 * self._braking_m_s2 * distance_m))

    def _turn_towards(self, error_rad: float) -> float:
        """A turn rate in proportion to the error, but never one that braking cannot end in time."""
        fastest_rad_s = math.sqrt(2.0 * self._braking_rad_s2 * abs(error_rad))
        return math.copysign(min(self._settings.turn_gain_per_s * abs(error_rad), fastest_rad_s), error_rad)

    def _pursuit_twist(self, state: BodyState, target: Target) -> FloatArray:
        if target.pose is None:
            return np.zeros(3)
        pose, goal = state.pose, target.pose
        distance_m = math.dist(pose[:2], goal[:2])
        arrive_m_s = target.arrive.speed_m_s
        if distance_m <= self._settings.arrived_m and arrive_m_s == 0.0:
            turn = self._turn_towards(difference(goal.yaw_rad, pose.yaw_rad)) if target.face else 0.0
            # One wheel speeds up while the other brakes, so a robot that turns before it stands rolls on.
            speed_m_s = state.twist.speed_m_s
            calm = min(1.0, self._settings.arrived_m / (_SETTLING_S * speed_m_s)) if speed_m_s > 0.0 else 1.0
            return np.array([0.0, 0.0, calm * turn])
        error_rad = difference(math.atan2(goal.y_m - pose.y_m, goal.x_m - pose.x_m), pose.yaw_rad)
        # A robot drives whichever end is nearer, unless it is to pass through facing a given way.
        leads_with_front = target.kick_power > 0.0 or (target.face and arrive_m_s > 0.0)
        backwards = abs(error_rad) > math.pi / 2.0 and not leads_with_front
        if backwards:
            error_rad = difference(error_rad, math.pi)
        speed_m_s = self._speed_towards(distance_m, arrive_m_s) * max(0.0, math.cos(error_rad)) ** 3
        return np.array([-speed_m_s if backwards else speed_m_s, 0.0, self._turn_towards(error_rad)])

    def _holonomic_twist(self, state: BodyState, target: Target) -> FloatArray:
        twist = np.zeros(3)
        if target.pose is None:
            return twist
        pose, goal = state.pose, target.pose
        dx_m, dy_m = goal.x_m - pose.x_m, goal.y_m - pose.y_m
        distance_m = math.hypot(dx_m, dy_m)
        arrive_m_s = target.arrive.speed_m_s
        if target.face:
            twist[TURN] = self._turn_towards(difference(goal.yaw_rad, pose.yaw_rad))
        if distance_m > self._settings.arrived_m or arrive_m_s > 0.0:
            speed_m_s = self._speed_towards(distance_m, arrive_m_s)
            along = math.atan2(dy_m, dx_m) - pose.yaw_rad
            twist[FORWARD], twist[LEFT] = speed_m_s * math.cos(along), speed_m_s * math.sin(along)
        return twist
