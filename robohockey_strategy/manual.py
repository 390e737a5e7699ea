"""Driving one robot by hand while the rest of the team plays: who is in command of a robot now.

Manual orders outrank the strategy, and hand back after a silence (Chen section II, manual control).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from robohockey_core.actions import Target
from robohockey_core.commands import WheelCommand
from robohockey_core.joints import FloatArray
from robohockey_core.league import League
from robohockey_core.names import RobotId
from robohockey_core.state import BodyState, Pose2D, WorldState
from robohockey_core.watchdog import Watchdog
from robohockey_strategy.motion import SCHEDULED, Motion, MotionSettings
from robohockey_strategy.scheduler import ScheduledMotion

HAND_BACK_S = 0.5


class Pilot:
    """Commands for the robots of one team, from strategy targets and from manual orders."""

    def __init__(self, motion: Motion, target_timeout_s: float, robots: Iterable[RobotId] = ()) -> None:
        self._motion = motion
        self._robots = tuple(robots)
        self._targets: dict[RobotId, Target] = {}
        self._twists: dict[RobotId, FloatArray] = {}
        self._goals: dict[RobotId, Pose2D] = {}
        self._strategy_heard = Watchdog(target_timeout_s)
        self._twist_heard = Watchdog(HAND_BACK_S)
        self._goal_pursued = Watchdog(HAND_BACK_S)
        self._kicks: dict[RobotId, tuple[float, float]] = {}
        self._kick_heard = Watchdog(HAND_BACK_S)

    def set_targets(self, targets: dict[RobotId, Target], now_s: float) -> None:
        for robot, target in targets.items():
            self._targets[robot] = target
            self._strategy_heard.feed(robot, now_s)

    def drive(self, robot: RobotId, body_twist: FloatArray, now_s: float) -> None:
        """Take a manual twist in the robot's own frame; it ends an earlier manual goal."""
        self._twists[robot] = body_twist
        self._goals.pop(robot, None)
        self._twist_heard.feed(robot, now_s)

    def kick(self, robot: RobotId, power: float, dribble: float, now_s: float) -> None:
        """Take a manual order to kick or dribble, 0 to 1, for a robot that is driven by hand."""
        self._kicks[robot] = (_share(power), _share(dribble))
        self._kick_heard.feed(robot, now_s)

    def send_to(self, robot: RobotId, goal: Pose2D, now_s: float) -> None:
        """Take a manual goal; it holds until it is reached, and a little longer. What is no place is left out."""
        if not all(map(math.isfinite, goal)):
            return
        self._goals[robot] = goal
        self._goal_pursued.feed(robot, now_s)

    def commands(self, world: WorldState) -> dict[RobotId, WheelCommand]:
        """A round of commands for every robot of the team that is in sight."""
        now_s, seen = world.stamp_s, world.robots
        self._motion.look(world)
        return {robot: self.command(robot, seen[robot], now_s) for robot in self._robots if robot in seen}

    def command(self, robot: RobotId, state: BodyState, now_s: float) -> WheelCommand:
        """What the robot should do now: twist by hand, else goal by hand, else the strategy, else stand."""
        if not self._twist_heard.silent(robot, now_s):
            kick = (0.0, 0.0) if self._kick_heard.silent(robot, now_s) else self._kicks[robot]
            return self._motion.manual(self._twists[robot], *kick)
        goal = self._goals.get(robot)
        if goal is not None:
            if not self._motion.arrived(state, goal):
                self._goal_pursued.feed(robot, now_s)
            elif self._goal_pursued.silent(robot, now_s):
                del self._goals[robot]
            return self._motion.command(robot, state, Target(goal, face=True), now_s)
        target = Target() if self._strategy_heard.silent(robot, now_s) else self._targets[robot]
        return self._motion.command(robot, state, target, now_s)


def _share(value: float) -> float:
    return min(1.0, max(0.0, value)) if math.isfinite(value) else 0.0


def make_pilot(league: League, team: str, settings: MotionSettings | None = None) -> Pilot:
    """The pilot of a league's team. A strategy may miss one decision before its robots stop."""
    timeout_s = league.timing.strategy_period_s + league.timing.command_timeout_s
    scheduled = settings is not None and settings.controller == SCHEDULED
    motion = ScheduledMotion(league, settings) if scheduled else Motion(league, settings)
    return Pilot(motion, timeout_s, (robot for robot in league.robots() if robot.team == team))
