"""What firmware knows of its robot, feels and does: the same for the C firmware and for the one in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from robohockey_core.league import League
from robohockey_hw.protocol import NO_FAULT, Fault, Part

WATCHDOG_S = 0.25
"""Silence after which a robot stops by itself, whatever its driver does."""


@dataclass(frozen=True)
class PidGains:
    """The ideal PID of Minho eq 6, y = Kp (x + 1/Ti integral(x) + Td dx/dt), beside a feed-forward."""

    kp: float
    ti_s: float
    td_s: float
    feed_forward: float
    acceleration_rad_s2: float = 0.0
    """What the wheel can do at best; 0: no such limit."""


@dataclass(frozen=True)
class RobotSettings:
    """One robot as its firmware is told of it."""

    address: int
    wheels: int
    gains: PidGains
    name: str = ""
    parts: Part = Part.KICKER | Part.DRIBBLER | Part.PUCK_SENSOR | Part.ENCODERS
    control_period_ms: int = 5
    counts_per_turn: int = 4096
    low_battery_v: float = 6.8
    empty_battery_v: float = 6.4
    hot_c: int = 70


@dataclass(frozen=True)
class Sensed:
    """What a robot's board reads."""

    counts: tuple[int, ...]
    battery_v: float = 7.4
    temperature_c: int = 25
    kicker_charge: float = 1.0
    puck_near: bool = False
    faults: Fault = NO_FAULT


@dataclass(frozen=True)
class Acts:
    """What a robot's board does: voltages as shares of the full one, kick power (0: none) and dribbler."""

    duty: tuple[float, ...]
    kick_power: float = 0.0
    dribble: float = 0.0


class Firmware(Protocol):
    """A robot's own program: bytes and readings in, bytes and voltages out. Time is an argument."""

    settings: RobotSettings

    def hear(self, data: bytes, now_s: float) -> None:
        """Take bytes off the wire."""
        ...

    def say(self, now_s: float) -> bytes:
        """Answers that are due."""
        ...

    def control(self, sensed: Sensed, now_s: float) -> Acts:
        """Once in a control period: what the motors shall do now."""
        ...


def settings_for(league: League, address: int, name: str = "") -> RobotSettings:
    """Settings for a league's robot whose free wheels turn at `max_wheel_speed_rad_s` under full voltage.

    The feed-forward does most of the work. The gain stays below 1 in units of it, so that even a wheel that follows
    its voltage within one control period does not swing; the integral takes away what load and a weak battery cost,
    and gathers nothing from a wheel that speeds up as fast as it can; there is no derivative: encoder steps would make
    it noise.
    """
    full_rad_s = league.robot.max_wheel_speed_rad_s
    gains = PidGains(
        kp=0.5 / full_rad_s,
        ti_s=0.1,
        td_s=0.0,
        feed_forward=1.0 / full_rad_s,
        acceleration_rad_s2=league.robot.max_wheel_acceleration_rad_s2,
    )
    wheels = len(league.robot.make_drive().wheel_names)
    return RobotSettings(address, wheels, gains, name)
