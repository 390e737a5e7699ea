"""From targets to wheel speeds in closed loop: pursuit for differential drives, straight lines for omni."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robohockey_core.actions import Target
from robohockey_core.angles import difference
from robohockey_core.checked import limited
from robohockey_core.commands import WheelCommand
from robohockey_core.joints import FloatArray
from robohockey_core.kinematics import TURN
from robohockey_core.league import League
from robohockey_core.names import RobotId
from robohockey_core.state import BodyState, Pose2D, WorldState
from robohockey_strategy.steering import GAINS, MEMORIES, TARGET_VALUES, steer

CLOSED_LOOP, SCHEDULED = "closed_loop", "scheduled"
"""Looking at every control step; or Chen's open loop, planned leg by leg."""


@dataclass(frozen=True)
class MotionSettings:
    controller: str = limited(CLOSED_LOOP, "how targets become wheel speeds", choices=(CLOSED_LOOP, SCHEDULED))
    heading_kp_per_s: float = limited(11.0, "heading PID, ideal form: gain (Minho eq 6, Kp)", above=0.0)
    heading_ti_s: float = limited(2.0, "heading PID: integral time (Minho eq 6, Ti)", above=0.0)
    heading_td_s: float = limited(0.01, "heading PID: derivative time (Minho eq 6, Td)", low=0.0)
    integral_zone_rad: float = limited(0.1, "heading errors above this are not integrated", low=0.0)
    acceleration_share: float = limited(
        0.85, "share of the wheels' acceleration for speeding up; the rest is left for steering", above=0.0, high=1.0
    )
    braking_share: float = limited(0.7, "share of the wheels' acceleration that braking may use", above=0.0, high=1.0)
    turn_braking_share: float = limited(0.75, "the same for ending a turn", above=0.0, high=1.0)
    arrived_m: float = limited(0.006, "a target nearer than this is reached", above=0.0)
    arrived_rad: float = limited(0.05, "a manual goal's yaw is reached when it is off by less", above=0.0, high=3.0)
    lookahead_s: float = limited(0.12, "a line is met again about this far ahead", low=0.0)


class Motion:
    """Turns targets into wheel commands that the wheels can follow; remembers each robot's last step."""

    def __init__(self, league: League, settings: MotionSettings | None = None) -> None:
        self.settings = s = settings or MotionSettings()
        robot = league.robot
        self.drive = robot.make_drive()
        self._max_wheel_speed_rad_s = robot.max_wheel_speed_rad_s
        self._matrix = np.ascontiguousarray(self.drive.matrix)
        wheel_m_s2 = robot.max_wheel_acceleration_rad_s2 * robot.wheel_radius_m
        wheel_per_turn = float(np.abs(self.drive.matrix[:, TURN]).max())
        alpha_rad_s2 = robot.max_wheel_acceleration_rad_s2 / wheel_per_turn
        self._gains = np.array(
            [
                *(s.heading_kp_per_s, s.heading_ti_s, s.heading_td_s, s.integral_zone_rad),
                *(robot.max_speed_m_s, s.acceleration_share * wheel_m_s2, s.braking_share * wheel_m_s2),
                *(robot.max_wheel_speed_rad_s / wheel_per_turn, s.turn_braking_share * alpha_rad_s2),
                *(s.arrived_m, robot.length_m, s.lookahead_s),
                *(robot.max_wheel_speed_rad_s, league.timing.control_dt_s, float(self.drive.holonomic), alpha_rad_s2),
            ]
        )
        assert len(self._gains) == GAINS
        rink = league.rink
        self._half_m = (rink.length_m / 2.0 + rink.room_behind_goals_m, rink.width_m / 2.0)
        self._known: dict[RobotId, tuple[int, Target]] = {}
        self._memories, self._wishes = np.zeros((1, MEMORIES)), np.zeros((1, TARGET_VALUES))

    def look(self, world: WorldState) -> None:
        """See the whole rink before a round of commands; the closed loop needs each robot's own state only."""

    def command(self, robot: RobotId, state: BodyState, target: Target, now_s: float = 0.0) -> WheelCommand:
        """The command that brings a robot nearer to its target."""
        return self.commands([(robot, state, target)], now_s)[robot]

    def commands(self, asked: Sequence[tuple[RobotId, BodyState, Target]], now_s: float) -> dict[RobotId, WheelCommand]:
        """The same for some robots at once: one compiled call for all of them."""
        rows = np.array([self._row_of(robot, target) for robot, _, target in asked], dtype=np.intp)
        states = np.array([(*state.pose, *state.twist) for _, state, _ in asked])
        speeds = np.empty((len(asked), len(self._matrix)))
        steer(self._gains, self._matrix, self._memories, self._wishes, states, rows, speeds)
        return {
            robot: WheelCommand(tuple(wheels), _kick_now(state, target), target.dribble)
            for (robot, state, target), wheels in zip(asked, speeds.tolist(), strict=True)
        }

    def _row_of(self, robot: RobotId, target: Target) -> int:
        """The robot's row in the arrays, in which its target stands now."""
        row, known = self._known.get(robot, (len(self._known), None))
        if known is not target:
            if known is None and row >= len(self._memories):
                self._memories, self._wishes = (np.vstack((a, np.zeros_like(a))) for a in (self._memories, self._wishes))
            self._known[robot] = row, target
            self._wishes[row] = _wish(target)
        return row

    def manual(self, body_twist: FloatArray, kick_power: float = 0.0, dribble: float = 0.0) -> WheelCommand:
        """The command for a twist in the robot's own frame, such as a joystick's."""
        twist = self.drive.saturate(np.where(np.isfinite(body_twist), body_twist, 0.0), self._max_wheel_speed_rad_s)
        return WheelCommand(tuple(self.drive.wheel_speeds(twist).tolist()), kick_power, dribble)

    def arrived(self, state: BodyState, goal: Pose2D) -> bool:
        """Whether a robot is in its place, facing anywhere."""
        return math.dist(state.pose[:2], goal[:2]) <= self.settings.arrived_m

    def off(self, state: BodyState, goal: Pose2D) -> tuple[float, float]:
        """How far a robot is from a pose that it is to reach: metres, and radians as far as this controller turns it."""
        return math.dist(state.pose[:2], goal[:2]), abs(difference(goal.yaw_rad, state.pose.yaw_rad))

    def on_rink(self, goal: Pose2D) -> bool:
        """Whether a pose is one of numbers, within the boards."""
        within = all(abs(to_m) <= half_m for to_m, half_m in zip(goal[:2], self._half_m, strict=True))
        return within and math.isfinite(goal.yaw_rad)


def _wish(target: Target) -> tuple[float, ...]:
    """A target as `steer` reads it. One that stands still has no place; numbers stand in for it."""
    pose = target.pose if target.pose is not None else Pose2D(0.0, 0.0)
    standing = target.pose is None
    return (*pose, target.arrive.vx_m_s, target.arrive.vy_m_s, standing, target.face, target.kick_power > 0.0)


def _kick_now(state: BodyState, target: Target) -> float:
    """The kick's power, held back while the robot faces too far from where it is to face."""
    if target.kick_power > 0.0 and target.kick_within_rad is not None and target.face and target.pose is not None:
        off_rad = abs(difference(target.pose.yaw_rad, state.pose.yaw_rad))
        return target.kick_power if off_rad <= target.kick_within_rad else 0.0
    return target.kick_power
