"""A robot at the other end of a pseudo terminal that runs the firmware: for tests, as good as one on a serial port."""

from __future__ import annotations

import math
import os
import select
import threading
import time
import tty

from robohockey_core.league import League
from robohockey_hw.firmware import make_firmware
from robohockey_hw.protocol import Decoder, Drive, Message
from robohockey_hw.robot_settings import Sensed, settings_for

LEAGUE = League()


class RobotOnPty:
    """A robot whose wheels follow the voltage at once, behind a device path."""

    def __init__(self, address: int, wheels: int = 2) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self.heard: list[Message] = []
        self.firmware = make_firmware(settings_for(LEAGUE, address, "pty"))
        self.angles_rad = [0.0] * wheels
        self.wheel_speeds_rad_s = [0.0] * wheels
        self.stopped_s = math.inf
        """When the wheels last came to rest."""
        self.battery_v = 7.4
        self.deaf = self.mute = False
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()

    def _live(self) -> None:
        decoder = Decoder()
        period_s = self.firmware.settings.control_period_ms / 1000.0
        next_s = time.monotonic()
        while not self._ending.is_set():
            if select.select([self._master], [], [], max(0.0, next_s - time.monotonic()))[0]:
                data = os.read(self._master, 4096)
                if not self.deaf:
                    self.firmware.hear(data, time.monotonic())
                    self.heard += decoder.feed(data)
            said = self.firmware.say(time.monotonic())
            if said and not self.mute:
                os.write(self._master, said)
            while next_s <= time.monotonic():
                next_s += period_s
                self._control(period_s, next_s)

    def _control(self, period_s: float, now_s: float) -> None:
        per_turn = self.firmware.settings.counts_per_turn
        counts = tuple(round(angle / math.tau * per_turn) for angle in self.angles_rad)
        acts = self.firmware.control(Sensed(counts, battery_v=self.battery_v), now_s)
        speeds = [duty * LEAGUE.robot.max_wheel_speed_rad_s for duty in acts.duty]
        if any(self.wheel_speeds_rad_s) and not any(speeds):
            self.stopped_s = now_s
        self.wheel_speeds_rad_s = speeds
        self.angles_rad = [angle + speed * period_s for angle, speed in zip(self.angles_rad, speeds, strict=True)]

    def speeds_heard(self) -> list[tuple[float, ...]]:
        return [tuple(round(s, 6) for s in m.wheel_speeds_rad_s) for m in list(self.heard) if isinstance(m, Drive)]

    def unplug(self) -> None:
        if not self._ending.is_set():
            self._ending.set()
            self._thread.join()
            os.close(self._slave)
            os.close(self._master)
