"""A robot without a robot: answers on the wire as firmware should, for tests and rehearsals.

Wheels turn at the commanded speed at once. Time comes in as an argument.
"""

from __future__ import annotations

import math

from robohockey_hw.protocol import EVERY_ROBOT, NO_FAULT, Decoder, Drive, Fault, Stop, Telemetry, encode

WATCHDOG_S = 0.25
"""Silence after which a robot stops by itself, whatever its driver does."""


class RobotEmulator:
    """One robot on a link, which it may share with others: it hears all and answers what is meant for it."""

    def __init__(self, address: int, wheel_count: int, battery_v: float = 7.4) -> None:
        self.address = address
        self.battery_v = battery_v
        self.angles_rad = [0.0] * wheel_count
        self.bad_drives = 0
        self.decoder = Decoder()
        self._still = Drive(address, 0, (0.0,) * wheel_count)
        self._drive = self._still
        self._stops_at_s = math.inf
        self._now_s = -math.inf
        self._faults = NO_FAULT

    @property
    def drive(self) -> Drive:
        """What the robot does now."""
        return self._drive

    def advance(self, now_s: float) -> None:
        """Turn the wheels up to now; the watchdog stops them on the way when nothing was heard."""
        moving_until_s = min(now_s, self._stops_at_s)
        if math.isfinite(self._now_s) and moving_until_s > self._now_s:
            for wheel, speed_rad_s in enumerate(self._drive.wheel_speeds_rad_s):
                self.angles_rad[wheel] += speed_rad_s * (moving_until_s - self._now_s)
        if now_s > self._stops_at_s:
            self._faults |= Fault.COMMANDS_LOST
            self._rest()
        self._now_s = now_s

    def receive(self, data: bytes, now_s: float) -> bytes:
        """Take bytes off the wire and return the answers: one Telemetry for each command to this robot."""
        self.advance(now_s)
        answers = b""
        for message in self.decoder.feed(data):
            if isinstance(message, Telemetry) or message.address not in (self.address, EVERY_ROBOT):
                continue
            self._obey(message, now_s)
            if message.address == self.address:
                answers += self._answer(message.sequence)
        return answers

    def _obey(self, message: Drive | Stop, now_s: float) -> None:
        if isinstance(message, Stop):
            self._rest()
        elif len(message.wheel_speeds_rad_s) != len(self.angles_rad):
            self.bad_drives += 1
        else:
            self._drive = message
            self._stops_at_s = now_s + WATCHDOG_S

    def _rest(self) -> None:
        self._drive = self._still
        self._stops_at_s = math.inf

    def _answer(self, sequence: int) -> bytes:
        faults, self._faults = self._faults, Fault(0)
        speeds = self._drive.wheel_speeds_rad_s
        return encode(Telemetry(self.address, sequence, tuple(self.angles_rad), speeds, self.battery_v, faults))
