"""What reaches a robot's motors, and the gate that every wheel command passes, simulated or real."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from robohockey_core.joints import FloatArray, JointSample, complaint
from robohockey_core.league import League
from robohockey_core.names import DRIBBLER, KICKER, RobotId, parse_robot, split_joint
from robohockey_core.watchdog import Watchdog

# Commands are computed and carried in float64; this much over the limit is rounding, not a wish.
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class StateUpdate:
    """A low-level command that takes effect at its start time (Chen, Tables I and II)."""

    robot: RobotId
    part: str
    omega_rad_s: float
    alpha_rad_s2: float
    start_s: float


class WheelCommand(NamedTuple):
    """One robot's command: wheel speeds in the drive's order, kick power and dribbler from 0 to 1."""

    wheel_speeds_rad_s: tuple[float, ...]
    kick_power: float = 0.0
    dribble: float = 0.0


def commands_sample(stamp_s: float, wheel_names: tuple[str, ...], commands: dict[RobotId, WheelCommand]) -> JointSample:
    """Write commands as the joints of the `<team>/wheel_commands` topic."""
    parts = (*wheel_names, KICKER, DRIBBLER)
    names = tuple(robot.joint(part) for robot in commands for part in parts)
    velocity = np.array([v for c in commands.values() for v in (*c.wheel_speeds_rad_s, 0.0, 0.0)])
    still = (0.0,) * len(wheel_names)
    effort = np.array([v for c in commands.values() for v in (*still, c.kick_power, c.dribble)])
    return JointSample(stamp_s, names, velocity=velocity, effort=effort)


def quantise(speed_rad_s: float, wheel_radius_m: float, codes_m_s: FloatArray) -> float:
    """Return the nearest speed that a radio code can carry (MR Table 1), sign kept."""
    nearest = int(np.abs(codes_m_s - abs(speed_rad_s) * wheel_radius_m).argmin())
    return math.copysign(float(codes_m_s[nearest]) / wheel_radius_m, speed_rad_s)


class CommandGate:
    """Takes commands for the robots that one node owns; refuses and counts what must not reach a motor.

    Each team speaks for its own robots only, on its own topic.
    A robot's command is taken whole or not at all, so a bad value for one wheel never pairs an old
    speed with a new one. What was refused changes nothing: the last good command stands until the
    watchdog stops the robot.
    """

    def __init__(self, league: League, owned: Iterable[RobotId]) -> None:
        self._owned = tuple(owned)
        self._known = frozenset(league.robots())
        self._limit_rad_s = league.robot.max_wheel_speed_rad_s * (1.0 + _ROUNDING)
        self._wheel_radius_m = league.robot.wheel_radius_m
        self._codes_m_s = np.array(league.robot.wheel_speed_codes_m_s)
        self._wheel_names = league.robot.make_drive().wheel_names
        self._watchdog = Watchdog(league.timing.command_timeout_s)
        self._last: dict[RobotId, WheelCommand] = {}
        self._stopped = WheelCommand((0.0,) * len(self._wheel_names))
        self.refused_count = 0
        self.last_refusal = ""

    def offer(self, team: str, sample: JointSample, now_s: float) -> None:
        """Take what is fit for the team's robots that are owned here; count and remember what is not."""
        wrong = complaint(sample)
        if wrong is None and len(sample.velocity) == 0:
            wrong = "a command without velocities"
        if wrong:
            self._refuse(wrong)
            return
        for robot, parts in self._by_robot(team, sample).items():
            if robot not in self._owned:
                continue
            wrong = self._wrong_with(robot, parts)
            if wrong:
                self._refuse(wrong)
            else:
                self.take(robot, self._command(parts), now_s)

    def take(self, robot: RobotId, command: WheelCommand, now_s: float) -> None:
        """Take a command that was made in this process: it is whole, known and within the limits already."""
        self._last[robot] = self._as_carried(command)
        self._watchdog.feed(robot, now_s)

    def command(self, robot: RobotId, now_s: float) -> WheelCommand:
        """The command to obey now: the last good one, or standing still after silence."""
        return self._stopped if self._watchdog.silent(robot, now_s) else self._last[robot]

    def stop_all(self) -> None:
        """Forget every command: all owned robots stand still until a new one comes."""
        self._last.clear()
        self._watchdog = Watchdog(self._watchdog.timeout_s)

    def _by_robot(self, team: str, sample: JointSample) -> dict[RobotId, dict[str, tuple[float, float]]]:
        effort = sample.effort if len(sample.effort) else np.zeros(len(sample.names))
        robots: dict[RobotId, dict[str, tuple[float, float]]] = {}
        strangers: dict[str, str] = {}
        for name, speed, push in zip(sample.names, sample.velocity.tolist(), effort.tolist(), strict=True):
            body, part = split_joint(name)
            robot = parse_robot(body)
            if robot is None or robot not in self._known:
                strangers[body] = "no such robot in this league"
            elif robot.team != team:
                strangers[body] = f"not a robot of {team}"
            elif part in robots.setdefault(robot, {}):
                strangers[body] = f"{part} stands twice"
            else:
                robots[robot][part] = (speed, push)
        for body, why in strangers.items():
            self._refuse(f"{body}: {why}")
        return {robot: parts for robot, parts in robots.items() if str(robot) not in strangers}

    def _wrong_with(self, robot: RobotId, parts: dict[str, tuple[float, float]]) -> str | None:
        for part, (speed, push) in parts.items():
            name = robot.joint(part)
            if part in self._wheel_names:
                if not math.isfinite(speed):
                    return f"{name}: velocity {speed} is not finite"
                if abs(speed) > self._limit_rad_s:
                    return f"{name}: velocity {speed:g} rad/s is beyond the limit of {self._limit_rad_s:g}"
            elif part in (KICKER, DRIBBLER):
                if not 0.0 <= push <= 1.0:
                    return f"{name}: effort {push} is not between 0 and 1"
            else:
                return f"{name}: no such part; allowed: {', '.join((*self._wheel_names, KICKER, DRIBBLER))}"
        missing = [wheel for wheel in self._wheel_names if wheel not in parts]
        return f"{robot}: no velocity for {', '.join(missing)}" if missing else None

    def _command(self, parts: dict[str, tuple[float, float]]) -> WheelCommand:
        none = (0.0, 0.0)
        speeds = tuple(parts[wheel][0] for wheel in self._wheel_names)
        return WheelCommand(speeds, parts.get(KICKER, none)[1], parts.get(DRIBBLER, none)[1])

    def _as_carried(self, command: WheelCommand) -> WheelCommand:
        """What a radio with a few speed codes makes of a command."""
        if not len(self._codes_m_s):
            return command
        speeds = tuple(quantise(s, self._wheel_radius_m, self._codes_m_s) for s in command.wheel_speeds_rad_s)
        return WheelCommand(speeds, command.kick_power, command.dribble)

    def _refuse(self, why: str) -> None:
        self.refused_count += 1
        self.last_refusal = why
