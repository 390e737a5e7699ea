"""A rink whose robots get their commands as bytes and run the firmware, without ROS and without waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from robohockey_core.commands import WheelCommand
from robohockey_core.joints import JointSample
from robohockey_core.league import League
from robohockey_core.names import RobotId
from robohockey_hw.driver import Driver
from robohockey_hw.protocol import Drive, encode
from robohockey_match.plant import Plant
from robohockey_match.plant_names import address_of
from robohockey_sim.simulated_rink import SimulatedRink


class SerialRink(SimulatedRink):
    """Camera, delays and losses of the radio as they were; between radio and wheels, frames and firmware."""

    def __init__(self, league: League, seed: int, owned: Iterable[str] | None = None) -> None:
        super().__init__(league, owned, seed)
        addresses = {robot: address_of(robot) for robot in self.robots}
        self.plant = Plant(league, addresses, puck="puck" in self.world.owned, world=self.world)
        self._driver = Driver(league, addresses)
        self._periods = round(league.timing.control_dt_s / self.plant.period_s)
        self._sequence = 0
        self.told: JointSample | None = None
        """What the driver makes of the robots' last answers."""

    def advance(self, command: Callable[[RobotId, float], WheelCommand]) -> None:
        for robot in self.robots:
            self.control.offer(robot, command(robot, self.world.time_s), self.world.time_s)
        for _ in range(self._periods):
            self._sequence = (self._sequence + 1) % 256
            now_s = self.world.time_s
            data = b""
            for robot in self.robots:
                due = self.control.due(robot, now_s)
                drive = Drive(address_of(robot), self._sequence, due.wheel_speeds_rad_s, due.kick_power, due.dribble)
                data += encode(drive)
            for board in self.plant.boards.values():
                board.firmware.hear(data, now_s)
            self.plant.advance()
            said = b"".join(board.firmware.say(self.world.time_s) for board in self.plant.boards.values())
            self.told = self._driver.telemetry(said, self.world.time_s)
