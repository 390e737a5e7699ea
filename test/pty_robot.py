"""An emulated robot at the other end of a pseudo terminal: for tests, as good as one on a serial port."""

from __future__ import annotations

import os
import select
import threading
import time
import tty

from robohockey_hw.emulator import RobotEmulator
from robohockey_hw.protocol import Decoder, Drive, Stop


class RobotOnPty:
    """An emulated robot behind a device path."""

    def __init__(self, address: int, wheels: int) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self.heard: list[Drive | Stop] = []
        self.robot = RobotEmulator(address, wheels)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()

    def _live(self) -> None:
        decoder = Decoder()
        while not self._ending.is_set():
            if select.select([self._master], [], [], 0.05)[0]:
                data = os.read(self._master, 4096)
                os.write(self._master, self.robot.receive(data, time.monotonic()))
                self.heard += decoder.feed(data)

    def speeds_heard(self) -> list[tuple[float, ...]]:
        return [tuple(round(s, 6) for s in m.wheel_speeds_rad_s) for m in list(self.heard) if isinstance(m, Drive)]

    def unplug(self) -> None:
        if not self._ending.is_set():
            self._ending.set()
            self._thread.join()
            os.close(self._slave)
            os.close(self._master)
