"""The motion scheduler of Chen section III D, and the open-loop motion that is built on it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from robohockey_core.actions import Target
from robohockey_core.checked import InputError
from robohockey_core.commands import StateUpdate, WheelCommand
from robohockey_core.geometry import Point
from robohockey_core.league import DIFFERENTIAL, League
from robohockey_core.names import KICKER, RobotId
from robohockey_core.state import BodyState, Pose2D, WorldState
from robohockey_strategy.inverse_kinematics import (
    LEFT_WHEEL,
    RIGHT_WHEEL,
    Room,
    TwoWheels,
    first_waypoint,
    kick,
    leg_to,
    navigation,
)
from robohockey_strategy.motion import Motion, MotionSettings


class Scheduler:
    """Holds state updates until their time has come. Each robot's are its own: many robots move at once."""

    def __init__(self) -> None:
        self._waiting: dict[RobotId, list[StateUpdate]] = {}

    def add(self, updates: Iterable[StateUpdate]) -> None:
        """Take a new order. It replaces what it supersedes: what the same parts of the same robots still had from then on.

        What a part is to do before its new order begins stands, such as a stop or a kicker's way back.
        """
        new: dict[RobotId, list[StateUpdate]] = {}
        for update in updates:
            new.setdefault(update.robot, []).append(update)
        for robot, order in new.items():
            begins_s = {update.part: update.start_s for update in sorted(order, key=lambda update: -update.start_s)}
            waiting = self._waiting.get(robot, ())
            kept = [update for update in waiting if update.start_s < begins_s.get(update.part, math.inf)]
            self._waiting[robot] = sorted((*kept, *order), key=lambda update: update.start_s)

    def due(self, now_s: float) -> list[StateUpdate]:
        """Take out what is due, the earliest first."""
        released: list[StateUpdate] = []
        for robot, waiting in self._waiting.items():
            count = sum(update.start_s <= now_s for update in waiting)
            released += waiting[:count]
            self._waiting[robot] = waiting[count:]
        return sorted(released, key=lambda update: update.start_s)

    def idle(self, robot: RobotId) -> bool:
        """Whether a robot has nothing before it."""
        return not self._waiting.get(robot)


class ScheduledMotion(Motion):
    """Drives by Chen's open loop: the first leg to the target is planned, scheduled, and planned anew when it is over.

    Where the closed loop of `Motion` looks at every control step, this one looks between legs only, and believes as the
    paper does that wheels have their speed at once.
    """

    def __init__(self, league: League, settings: MotionSettings | None = None) -> None:
        super().__init__(league, settings)
        robot = league.robot
        if robot.drive != DIFFERENTIAL:
            raise InputError(f"controller scheduled: {league.name} has drive {robot.drive}; it needs {DIFFERENTIAL}")
        self._robot = TwoWheels.of(league)
        self._sensing_m = robot.sensing_range_m
        self._room = Room(*(side_m / 2.0 - robot.circumradius_m for side_m in (league.rink.length_m, league.rink.width_m)))
        self._scheduler = Scheduler()
        self._told: dict[RobotId, dict[str, float]] = {}
        self._goals: dict[RobotId, Pose2D | None] = {}
        self._places: dict[RobotId, Point] = {}

    def look(self, world: WorldState) -> None:
        """See where all robots are, for the detour."""
        self._places = {robot: state.pose.point for robot, state in world.robots.items()}

    def commands(self, asked: Sequence[tuple[RobotId, BodyState, Target]], now_s: float) -> dict[RobotId, WheelCommand]:
        """What the robots' parts were last told by now; plans when there is a new goal, or nothing left to do."""
        return {robot: self._command(robot, state, target, now_s) for robot, state, target in asked}

    def _command(self, robot: RobotId, state: BodyState, target: Target, now_s: float) -> WheelCommand:
        moved = self._goals.get(robot) != target.pose
        if moved or self._scheduler.idle(robot):
            self._goals[robot] = target.pose
            self._scheduler.add(self._plan(robot, state, target, now_s))
        for update in self._scheduler.due(now_s):
            self._told.setdefault(update.robot, {})[update.part] = update.omega_rad_s
        speeds = self._told.get(robot, {})
        kicks = target.kick_power if speeds.get(KICKER, 0.0) > 0.0 else 0.0
        return WheelCommand((speeds.get(LEFT_WHEEL, 0.0), speeds.get(RIGHT_WHEEL, 0.0)), kicks, target.dribble)

    def off(self, state: BodyState, goal: Pose2D) -> tuple[float, float]:
        """The open loop leads to a place, and faces as it comes."""
        return super().off(state, goal)[0], 0.0

    def _plan(self, robot: RobotId, state: BodyState, target: Target, now_s: float) -> list[StateUpdate]:
        here = state.pose.point
        if target.pose is None or self.arrived(state, target.pose):
            rest = leg_to(self._robot, state.pose, here)
            stop = navigation(robot, self._robot, rest, now_s)[-2:]
            return [*stop, *kick(robot, self._robot, now_s)] if target.kick_power > 0.0 else stop
        others = [place for other, place in self._places.items() if other != robot]
        goal = target.pose.point
        waypoint = first_waypoint(here, goal, self._sensing_m, others, self._room)
        leg = leg_to(self._robot, state.pose, waypoint)
        order = navigation(robot, self._robot, leg, now_s)
        if target.kick_power > 0.0 and waypoint == goal:
            order += kick(robot, self._robot, now_s + leg.turning_s + leg.forward_s)
        return order
