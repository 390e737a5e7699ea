"""The serial ports of a plant: a pseudo-terminal for each robot, or one that they share as on a radio.

A thread lives in real time: it hands bytes to the firmware as they come and lets the world go on beside it.
"""

from __future__ import annotations

import contextlib
import os
import random
import select
import threading
import time
import tty
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from robohockey_core.names import RobotId
from robohockey_hw.protocol import Decoder, Drive, GroupDrive
from robohockey_match.air import Channel, Talk
from robohockey_match.plant import Plant
from robohockey_match.plant_names import link_name

_MOST_PERIODS_AT_ONCE = 20
"""After a stall the world catches up by this much and lets go of the rest."""


@dataclass
class Port:
    """One end of a cable; the other is a device with a name that stays the same when it is pulled and put back."""

    path: Path
    robots: Sequence[RobotId]
    master: int = -1
    slave: int = -1
    decoder: Decoder = field(default_factory=Decoder)
    channel: Channel = field(default_factory=Channel)
    listened_ms: int = 0

    def plug(self) -> None:
        if self.master < 0:
            self.master, self.slave = os.openpty()
            tty.setraw(self.slave)
            os.set_blocking(self.master, False)
            self.path.unlink(missing_ok=True)
            self.path.symlink_to(os.ttyname(self.slave))

    def unplug(self) -> None:
        if self.master >= 0:
            self.path.unlink(missing_ok=True)
            os.close(self.slave)
            os.close(self.master)
            self.master = self.slave = -1


class PlantPorts:
    """A plant that lives: ports to talk to, cables to pull, a radio to disturb."""

    def __init__(
        self,
        plant: Plant,
        folder: Path,
        *,
        shared: bool = False,
        loss: float = 0.0,
        seed: int = 1,
        on_drive: Callable[[RobotId, tuple[float, ...], float], None] | None = None,
    ) -> None:
        """`loss` is the chance that a frame is lost, each way. `on_drive` hears of every Drive that reaches a robot."""
        self.plant = plant
        self.lock = threading.RLock()  # whoever holds the world still may also pull its cables
        self.loss = loss
        self.silent: set[RobotId] = set()
        self._chance = random.Random(seed)
        self._on_drive = on_drive
        robots = tuple(plant.boards)
        groups = [robots] if shared and robots else [(robot,) for robot in robots]
        self.ports = [Port(folder / link_name(group[0], shared=shared), group) for group in groups]
        self._offset_s = 0.0
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._live, daemon=True)

    @property
    def links(self) -> Mapping[RobotId, Path]:
        return {robot: port.path for port in self.ports for robot in port.robots}

    @property
    def alive(self) -> bool:
        """Whether the world goes on."""
        return self._thread.is_alive()

    def start(self) -> None:
        with self.lock:
            for port in self.ports:
                port.plug()
        self._thread.start()

    def close(self) -> None:
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join()
        for port in self.ports:
            port.unplug()

    def unplug(self, robot: RobotId) -> None:
        with self.lock:
            self._port(robot).unplug()

    def plug(self, robot: RobotId) -> None:
        with self.lock:
            self._port(robot).plug()

    def _port(self, robot: RobotId) -> Port:
        return next(port for port in self.ports if robot in port.robots)

    def _live(self) -> None:
        self._offset_s = time.monotonic() - self.plant.time_s
        while not self._ending.is_set():
            due_s = self._offset_s + self.plant.time_s + self.plant.period_s
            with self.lock:
                masters = {port.master: port for port in self.ports if port.master >= 0}
            with contextlib.suppress(OSError, ValueError):  # a cable may be pulled while we wait
                select.select(list(masters), [], [], max(0.0, due_s - time.monotonic()))
            with self.lock:
                self.exchange()
                self._catch_up()

    def exchange(self) -> None:
        """Carry bytes both ways, once."""
        for port in self.ports:
            self._exchange(port)

    def _catch_up(self) -> None:
        periods = int((time.monotonic() - self._offset_s - self.plant.time_s) / self.plant.period_s)
        if periods > _MOST_PERIODS_AT_ONCE:
            self._offset_s += (periods - _MOST_PERIODS_AT_ONCE) * self.plant.period_s
            periods = _MOST_PERIODS_AT_ONCE
        for _ in range(periods):
            self.plant.advance()

    def _exchange(self, port: Port) -> None:
        """Bytes from the driver to all robots of a port, and their answers back."""
        if port.master < 0:
            return
        data = b""
        with contextlib.suppress(BlockingIOError, OSError):
            data = os.read(port.master, 1 << 16)
        now_s = self.plant.time_s
        if data:
            data = self._through_air(data)
            for message in port.decoder.feed(data) if self._on_drive else ():
                self._tell(message)
            for robot in port.robots:
                if robot not in self.silent:
                    self.plant.boards[robot].firmware.hear(data, now_s)
        answers = self._answers(port, now_s)
        if answers:
            with contextlib.suppress(BlockingIOError, OSError):
                os.write(port.master, self._through_air(answers))

    def _answers(self, port: Port, now_s: float) -> bytes:
        """What robots have said since the port was last looked at, and now; those that share it may disturb each other."""
        now_ms = round(1000.0 * now_s)
        talks = []
        for at_ms in (*range(port.listened_ms + 1, now_ms), now_ms):
            for robot in port.robots:
                said = self.plant.boards[robot].firmware.say(at_ms / 1000.0)
                if said and robot not in self.silent:
                    talks.append(Talk(at_ms / 1000.0, said))
        port.listened_ms = now_ms
        return port.channel.carry(talks) if len(port.robots) > 1 else b"".join(talk.data for talk in talks)

    def _tell(self, message: object) -> None:
        drives = message.drives if isinstance(message, GroupDrive) else (message,) if isinstance(message, Drive) else ()
        for drive in drives:
            for robot, board in self.plant.boards.items():
                if board.firmware.settings.address == drive.address and self._on_drive is not None:
                    self._on_drive(robot, drive.wheel_speeds_rad_s, time.monotonic())

    def _through_air(self, data: bytes) -> bytes:
        """Lose whole frames, as a radio does."""
        if self.loss <= 0.0:
            return data
        frames = data.split(b"\0")
        return b"\0".join(b"" if self._chance.random() < self.loss else frame for frame in frames)
