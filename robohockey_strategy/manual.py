"""Driving one robot by hand while the rest of the team plays: who is in command of a robot now.

Manual orders outrank the strategy, and hand back after a silence (Chen section II, manual control). A goal is said once, so
it holds while the robot comes nearer, and hands back when the robot is there or gets no further.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

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
GIVE_UP_S = 3.0
"""A goal that a robot has come no nearer to for this long is given up."""


_REST = Target()


@dataclass
class _Goal:
    """A manual goal, and how near the robot has come to it."""

    target: Target
    nearest_m: float = math.inf
    least_turn_rad: float = math.inf


class Pilot:
    """Commands for the robots of one team, from strategy targets and from manual orders."""

    def __init__(self, motion: Motion, target_timeout_s: float, robots: Iterable[RobotId]) -> None:
        self.refused_goals = 0
        self.last_refusal = ""
        self._motion = motion
        self._robots = tuple(robots)
        self._targets: dict[RobotId, Target] = {}
        self._twists: dict[RobotId, FloatArray] = {}
        self._goals: dict[RobotId, _Goal] = {}
        self._strategy_heard = Watchdog(target_timeout_s)
        self._twist_heard = Watchdog(HAND_BACK_S)
        self._goal_away = Watchdog(HAND_BACK_S)
        self._goal_nearing = Watchdog(GIVE_UP_S)
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

    def send_to(self, robot: RobotId, goal: Pose2D, now_s: float) -> bool:
        """Take a manual goal; it holds until it is reached, and a little longer. False for what is no place on the rink."""
        if not self._motion.on_rink(goal):
            self.refused_goals += 1
            self.last_refusal = f"{robot}: there is no place ({goal.x_m:g}, {goal.y_m:g}) facing {goal.yaw_rad:g} on the rink"
            return False
        self._goals[robot] = _Goal(Target(goal, face=True))
        self._goal_away.feed(robot, now_s)
        self._goal_nearing.feed(robot, now_s)
        return True

    def commands(self, world: WorldState) -> dict[RobotId, WheelCommand]:
        """A round of commands for every robot of the team that is in sight."""
        now_s, seen = world.stamp_s, world.robots
        self._motion.look(world)
        commands: dict[RobotId, WheelCommand] = {}
        asked = []
        for robot in self._robots:
            state = seen.get(robot)
            if state is None:
                continue
            if not self._twist_heard.silent(robot, now_s):
                kick = (0.0, 0.0) if self._kick_heard.silent(robot, now_s) else self._kicks[robot]
                commands[robot] = self._motion.manual(self._twists[robot], *kick)
            else:
                asked.append((robot, state, self._target(robot, state, now_s)))
        return {**commands, **self._motion.commands(asked, now_s)} if asked else commands

    def _target(self, robot: RobotId, state: BodyState, now_s: float) -> Target:
        """Where a robot should go that nobody drives: a goal by hand, else the strategy's, else nowhere."""
        goal = self._goals.get(robot)
        if goal is not None and self._pursues(robot, state, goal, now_s):
            return goal.target
        return _REST if self._strategy_heard.silent(robot, now_s) else self._targets[robot]

    def _pursues(self, robot: RobotId, state: BodyState, goal: _Goal, now_s: float) -> bool:
        """Whether a manual goal still stands; it is forgotten where it does not."""
        assert goal.target.pose is not None
        off_m, off_rad = self._motion.off(state, goal.target.pose)
        arrived_m, arrived_rad = self._motion.settings.arrived_m, self._motion.settings.arrived_rad
        if off_m > arrived_m or off_rad > arrived_rad:
            self._goal_away.feed(robot, now_s)
        # A tracked place jitters: to come nearer is to do so by as much as counts as being there.
        if off_m < goal.nearest_m - arrived_m:
            goal.nearest_m = off_m
            self._goal_nearing.feed(robot, now_s)
        if off_m <= arrived_m and off_rad < goal.least_turn_rad - arrived_rad:
            goal.least_turn_rad = off_rad
            self._goal_nearing.feed(robot, now_s)
        if self._goal_away.silent(robot, now_s) or self._goal_nearing.silent(robot, now_s):
            del self._goals[robot]
        return robot in self._goals


def _share(value: float) -> float:
    return min(1.0, max(0.0, value)) if math.isfinite(value) else 0.0


def make_pilot(league: League, team: str, settings: MotionSettings | None = None) -> Pilot:
    """The pilot of a league's team. A strategy may miss one decision before its robots stop."""
    timeout_s = league.timing.strategy_period_s + league.timing.command_timeout_s
    scheduled = settings is not None and settings.controller == SCHEDULED
    motion = ScheduledMotion(league, settings) if scheduled else Motion(league, settings)
    return Pilot(motion, timeout_s, (robot for robot in league.robots() if robot.team == team))
