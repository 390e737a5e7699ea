"""What a radio and real wheels would make of commands: the virtual robot control of MR section 3.1, noise of section 5.

Commands come late, or not at all; wheels lock ("wheels locks", MR future work); measured wheels get lost
on their way back. Pure and seeded: the same seed and the same commands give the same bits.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable

import numpy as np

from robohockey_core.commands import WheelCommand
from robohockey_core.joints import FloatArray, JointSample
from robohockey_core.league import League
from robohockey_core.names import RobotId, split_joint
from robohockey_core.watchdog import Watchdog
from robohockey_sim.noise import ROUNDING_S, DelayLine, stream

_MUTABLE = ("_loss", "_reply_loss", "_on_the_way", "_obeyed", "_watchdog", "_locks")


class WheelLocks:
    """When one wheel locks and comes free: it stays free for an exponential time, then stands for a fixed one.

    So it stands for rate * duration / (1 + rate * duration) of the time.
    """

    def __init__(self, chance: np.random.Generator, per_s: float, duration_s: float) -> None:
        self._chance, self._mean_free_s, self._duration_s = chance, 1.0 / per_s, duration_s
        self._start_s = math.nan

    def locked(self, now_s: float) -> bool:
        """Whether the wheel stands; time only moves on."""
        if math.isnan(self._start_s):
            self._start_s = now_s + self._chance.exponential(self._mean_free_s)
        while now_s + ROUNDING_S >= self._start_s + self._duration_s:
            self._start_s += self._duration_s + self._chance.exponential(self._mean_free_s)
        return now_s + ROUNDING_S >= self._start_s

    def next_change_s(self, now_s: float) -> float:
        """When the wheel next locks or comes free."""
        return self._start_s + self._duration_s if self.locked(now_s) else self._start_s


class VirtualControl:
    """The way from a command to the robot that obeys it. Time is the world's."""

    def __init__(self, league: League, robots: Iterable[RobotId], seed: int) -> None:
        self._spec = spec = league.noise
        self._perfect = not (spec.command_delay_s or spec.command_loss or spec.wheel_locks_per_s)
        self._robots = tuple(robots)
        self._seed = seed
        self._wheel_names = league.robot.make_drive().wheel_names
        self._timeout_s = league.timing.command_timeout_s
        self._step_s = league.timing.physics_dt_s
        self._stopped = WheelCommand((0.0,) * len(self._wheel_names))
        self.reset()

    def reset(self) -> None:
        """Begin a run: the same chances again, nothing on its way, all robots stand."""
        spec, seed = self._spec, self._seed
        self._loss = {robot: stream(seed, f"{robot} command loss") for robot in self._robots if spec.command_loss}
        self._reply_loss = {str(robot): stream(seed, f"{robot} reply loss") for robot in self._robots if spec.reply_loss}
        self._on_the_way: dict[RobotId, DelayLine[WheelCommand]] = {
            robot: DelayLine(spec.command_delay_s) for robot in self._robots if spec.command_delay_s
        }
        self._obeyed: dict[RobotId, WheelCommand] = {}
        self._watchdog = Watchdog(self._timeout_s)
        self._locks = {robot: self._wheel_locks(robot) for robot in self._robots if spec.wheel_locks_per_s}

    def offer(self, robot: RobotId, command: WheelCommand, now_s: float) -> None:
        """Send a command: one packet. A lost one changes nothing, the robot goes on with the last that it got."""
        if self._perfect:
            self._obeyed[robot] = command
            return
        if self._loss and self._loss[robot].random() < self._spec.command_loss:
            return
        if self._on_the_way:
            self._on_the_way[robot].put(command, now_s)
        else:
            self._arrive(robot, command, now_s)

    def due(self, robot: RobotId, now_s: float) -> WheelCommand:
        """What the robot obeys now. A perfect radio gives back the very command; else a robot that hears nothing stops."""
        if self._perfect:
            return self._obeyed.get(robot, self._stopped)
        if self._on_the_way:
            for arrived_s, command in self._on_the_way[robot].due(now_s):
                self._arrive(robot, command, min(arrived_s, now_s))
        command = self._stopped if self._watchdog.silent(robot, now_s) else self._obeyed[robot]
        return self._with_locks(robot, command, now_s) if self._locks else command

    def steps_until_change(self, now_s: float, most: int) -> int:
        """How many physics steps (1 to `most`) may pass before `due` can answer anew: delays end between control steps."""
        if not (self._on_the_way or self._locks):
            return most
        changes_s = [line.next_s() for line in self._on_the_way.values()]
        changes_s += [lock.next_change_s(now_s) for locks in self._locks.values() for lock in locks]
        steps = (min(changes_s) - now_s - ROUNDING_S) / self._step_s
        return most if steps >= most else max(1, math.ceil(steps))

    def heard(self, wheel_states: JointSample) -> JointSample:
        """What comes back of the robots' measured wheels: a lost reply takes all joints of its robot with it."""
        if not self._reply_loss:
            return wheel_states
        lost = {robot for robot, chance in self._reply_loss.items() if chance.random() < self._spec.reply_loss}
        kept = [i for i, name in enumerate(wheel_states.names) if split_joint(name)[0] not in lost]

        def of_kept(values: FloatArray) -> FloatArray:
            return values[kept] if len(values) else values

        return JointSample(
            wheel_states.stamp_s,
            tuple(wheel_states.names[i] for i in kept),
            *map(of_kept, (wheel_states.position, wheel_states.velocity, wheel_states.effort)),
        )

    def snapshot(self) -> object:
        """Everything that `restore` needs to go on from here, bit for bit."""
        return copy.deepcopy({name: self.__dict__[name] for name in _MUTABLE})

    def restore(self, snapshot: object) -> None:
        self.__dict__.update(copy.deepcopy(snapshot))  # type: ignore[call-overload]

    def _arrive(self, robot: RobotId, command: WheelCommand, now_s: float) -> None:
        self._obeyed[robot] = command
        self._watchdog.feed(robot, now_s)

    def _wheel_locks(self, robot: RobotId) -> tuple[WheelLocks, ...]:
        spec = self._spec
        return tuple(
            WheelLocks(stream(self._seed, f"{robot.joint(wheel)} locks"), spec.wheel_locks_per_s, spec.wheel_lock_s)
            for wheel in self._wheel_names
        )

    def _with_locks(self, robot: RobotId, command: WheelCommand, now_s: float) -> WheelCommand:
        locked = [lock.locked(now_s) for lock in self._locks[robot]]
        if not any(locked):
            return command
        speeds = (0.0 if stands else speed for stands, speed in zip(locked, command.wheel_speeds_rad_s, strict=True))
        return WheelCommand(tuple(speeds), command.kick_power, command.dribble)
