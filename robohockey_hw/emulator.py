"""The reference firmware in Python, answer for answer: for machines without a C compiler, and to check the C one.

Single precision where the C code has it, so that both say the same bytes. Time comes in as an argument.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import numpy as np

from robohockey_hw.protocol import (
    EVERY_ROBOT,
    MAX_SPEED_RAD_S,
    NO_FAULT,
    Decoder,
    Drive,
    Fault,
    GroupDrive,
    Identify,
    Identity,
    Message,
    Part,
    Ping,
    Pong,
    Stop,
    Telemetry,
    encode,
)
from robohockey_hw.robot_settings import WATCHDOG_S, Acts, PidGains, RobotSettings, Sensed

FIRMWARE_VERSION = (1, 0)
_SPEED_WINDOW = 4
_MOST_ANSWERS = 4
_MILLISECONDS = 1000
_f = np.float32


class Pid:
    """One wheel's speed control (Minho eq 6), with an integral that stands while the motor is at its limit."""

    def __init__(self, gains: PidGains, dt_s: float) -> None:
        self._kp, self._td, self._forward = _f(gains.kp), _f(gains.td_s), _f(gains.feed_forward)
        self._inverse_ti = _f(1.0) / _f(gains.ti_s) if gains.ti_s > 0.0 else _f(0.0)
        self._acceleration, self._dt = _f(gains.acceleration_rad_s2), _f(dt_s)
        self.reset()

    def reset(self) -> None:
        self._integral, self._last_error, self._last_measured, self._started = _f(0.0), _f(0.0), _f(0.0), False

    def step(self, asked_rad_s: Any, measured_rad_s: Any) -> float:
        """Return a duty from -1 to 1."""
        error = asked_rad_s - measured_rad_s
        slope = (error - self._last_error) / self._dt if self._started else _f(0.0)
        integral = self._integral + (self._reachable(asked_rad_s) - measured_rad_s) * self._dt
        held = self._forward * asked_rad_s + self._kp * (error + self._td * slope)
        duty = held + self._kp * self._inverse_ti * integral
        self._last_error, self._last_measured, self._started = error, measured_rad_s, True
        if (duty > 1.0 and error > 0.0) or (duty < -1.0 and error < 0.0):
            duty = held + self._kp * self._inverse_ti * self._integral
        else:
            self._integral = integral
        return float(min(1.0, max(-1.0, duty)))

    def _reachable(self, asked_rad_s: Any) -> Any:
        most, change = self._acceleration * self._dt, asked_rad_s - self._last_measured
        if self._acceleration <= 0.0 or not self._started or abs(change) <= most:
            return asked_rad_s
        return self._last_measured + (most if change > 0.0 else -most)


class RobotEmulator:
    """One robot on a link, which it may share with others: it hears all and answers what is meant for it."""

    def __init__(self, settings: RobotSettings) -> None:
        self.settings = settings
        self.decoder = Decoder()
        self._period_s = _f(0.001) * _f(settings.control_period_ms)
        self._pids = [Pid(settings.gains, float(self._period_s)) for _ in range(settings.wheels)]
        self._counts: deque[tuple[int, ...]] = deque(maxlen=_SPEED_WINDOW + 1)
        self._sensed = Sensed((0,) * settings.wheels, battery_v=0.0, temperature_c=0, kicker_charge=0.0)
        self._answers: list[tuple[Message, int]] = []
        self._lost = NO_FAULT
        self._empty = False
        self._kick_was_asked = False
        self._heard_ms = 0
        self.drive: Drive | None = None
        """What the robot was asked to do; None while it rests."""

    def hear(self, data: bytes, now_s: float) -> None:
        """Take bytes off the wire, obey what is meant for this robot and keep the answers for `say`."""
        now_ms = _whole_ms(now_s)
        for message in self.decoder.feed(data):
            if message.address in (self.settings.address, EVERY_ROBOT):
                self._act_on(message, now_ms)

    def say(self, now_s: float) -> bytes:
        """Answers that are due."""
        now_ms = _whole_ms(now_s)
        due = [message for message, at_ms in self._answers if at_ms <= now_ms]
        self._answers = [(message, at_ms) for message, at_ms in self._answers if at_ms > now_ms]
        return b"".join(encode(self._answer(message, now_ms)) for message in due)

    def control(self, sensed: Sensed, now_s: float) -> Acts:
        """Once in a control period: what the motors shall do now."""
        self._sensed = sensed
        self._counts.appendleft(sensed.counts)
        self._watch(sensed, _whole_ms(now_s))
        if self.drive is None or self._empty:
            return Acts((0.0,) * self.settings.wheels)
        asked = (_f(0.01) * _f(round(100.0 * speed)) for speed in self.drive.wheel_speeds_rad_s)
        duty = tuple(pid.step(speed, self._speed(k, 1)) for k, (pid, speed) in enumerate(zip(self._pids, asked, strict=True)))
        dribble = self.drive.dribble if Part.DRIBBLER in self.settings.parts else 0.0
        return Acts(duty, self._kick_now(self.drive.kick_power, sensed), dribble)

    def _act_on(self, message: Message, now_ms: int) -> None:
        mine = message.address == self.settings.address
        if isinstance(message, Drive):
            self._obey(message, now_ms)
            self._keep(message, now_ms)
        elif isinstance(message, Stop):
            self._rest()
            if mine:
                self._keep(message, now_ms)
        elif isinstance(message, GroupDrive):
            for drive in message.drives:
                if drive.address == self.settings.address:
                    self._obey(drive, now_ms)
                    slot = message.answer_place(drive.address)
                    if slot is not None:
                        self._keep(drive, now_ms + slot * _whole_ms(message.slot_s))
                    break
        elif isinstance(message, Ping | Identify):
            self._keep(message, now_ms)

    def _keep(self, message: Message, at_ms: int) -> None:
        if len(self._answers) < _MOST_ANSWERS:
            self._answers.append((message, at_ms))

    def _obey(self, drive: Drive, now_ms: int) -> None:
        if len(drive.wheel_speeds_rad_s) == self.settings.wheels:
            self.drive, self._heard_ms = drive, now_ms

    def _rest(self) -> None:
        self.drive = None
        for pid in self._pids:
            pid.reset()

    def _watch(self, sensed: Sensed, now_ms: int) -> None:
        if self.drive is not None and now_ms - self._heard_ms > WATCHDOG_S * _MILLISECONDS:
            self._lost = Fault.COMMANDS_LOST
            self._rest()
        if sensed.battery_v < self.settings.empty_battery_v:
            self._empty = True
        elif sensed.battery_v >= self.settings.low_battery_v:
            self._empty = False
        if self._empty:
            for pid in self._pids:
                pid.reset()

    def _kick_now(self, power: float, sensed: Sensed) -> float:
        rising = power > 0.0 and not self._kick_was_asked
        self._kick_was_asked = power > 0.0
        if Part.KICKER not in self.settings.parts or power == 0.0 or sensed.kicker_charge < 1.0:
            return 0.0
        return power if (sensed.puck_near if Part.PUCK_SENSOR in self.settings.parts else rising) else 0.0

    def _speed(self, wheel: int, periods: int) -> Any:
        """Mean speed of a wheel over the last control periods."""
        window = min(periods, len(self._counts) - 1)
        if window < 1:
            return _f(0.0)
        turned = self._counts[0][wheel] - self._counts[window][wheel]
        per_count = _f(math.tau) / _f(self.settings.counts_per_turn)
        return _f(turned) * per_count / (self._period_s * _f(window))

    def _answer(self, message: Message, now_ms: int) -> Message:
        settings = self.settings
        if isinstance(message, Ping):
            return Pong(settings.address, message.sequence, now_ms / _MILLISECONDS)
        if isinstance(message, Identify):
            return Identity(
                settings.address,
                message.sequence,
                settings.wheels,
                FIRMWARE_VERSION,
                settings.parts,
                WATCHDOG_S,
                settings.name,
            )
        counts = self._counts[0] if self._counts else (0,) * settings.wheels
        return Telemetry(
            settings.address,
            message.sequence,
            tuple(count * math.tau / settings.counts_per_turn for count in counts),
            tuple(_to_wire(self._speed(k, _SPEED_WINDOW)) for k in range(settings.wheels)),
            self._sensed.battery_v,
            self._sensed.temperature_c,
            self._sensed.kicker_charge,
            self._sensed.puck_near,
            self._faults(),
        )

    def _faults(self) -> Fault:
        faults, self._lost = self._sensed.faults | self._lost, NO_FAULT
        if self._sensed.battery_v < self.settings.low_battery_v:
            faults |= Fault.LOW_BATTERY
        if self._empty:
            faults |= Fault.EMPTY_BATTERY
        if self._sensed.temperature_c > self.settings.hot_c:
            faults |= Fault.HOT
        return faults


def _to_wire(speed_rad_s: Any) -> float:
    """In whole hundredths as C rounds them, half away from zero, and never beyond what the wire carries."""
    steps = _f(100.0) * speed_rad_s
    whole = int(steps - _f(0.5) if steps < 0.0 else steps + _f(0.5))
    return max(-MAX_SPEED_RAD_S, min(MAX_SPEED_RAD_S, whole * 0.01))


def _whole_ms(time_s: float) -> int:
    return round(time_s * _MILLISECONDS)
