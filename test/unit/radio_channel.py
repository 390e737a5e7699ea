"""One radio channel in the air, byte by byte: who speaks when, and over whom."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from robohockey_core.commands import WheelCommand, commands_sample
from robohockey_core.league import League
from robohockey_core.names import RobotId
from robohockey_hw.driver import Driver
from robohockey_hw.emulator import RobotEmulator
from robohockey_hw.robot_settings import settings_for

BYTE_S = 10 / 115_200
_STEP_S = 0.00025
_LOOK_S = 0.005
DRIVER = "driver"


@dataclass
class Channel:
    """A driver and robots, each with a clock of its own, who hear the driver's bytes as they come through the air."""

    league: League
    robots: Mapping[RobotId, int]
    driver: Driver
    seed: int = 1
    talks: list[tuple[float, float, str]] = field(default_factory=list)
    """Begin, end, and who."""

    def __post_init__(self) -> None:
        chance = random.Random(self.seed)
        self.firmware = {
            robot: RobotEmulator(settings_for(self.league, address, str(robot))) for robot, address in self.robots.items()
        }
        self._clock_s = {robot: chance.uniform(0.0, 1.0) for robot in self.robots}
        self._down: list[tuple[float, bytes]] = []
        self._up: list[tuple[float, bytes]] = []
        self._down_free_s = 0.0

    def play(self, seconds: float) -> None:
        """Commands for all robots at 50 Hz, the teams a little apart."""
        wheels = len(self.driver.wheel_names)
        for step in range(round(seconds / _STEP_S)):
            now_s = step * _STEP_S
            for team, after_s in zip(self.driver.teams, (0.0, 0.002), strict=False):
                if step % round(0.02 / _STEP_S) == round(after_s / _STEP_S):
                    speeds = {r: WheelCommand((11.11,) * wheels, 0.5, 0.5) for r in self.robots if r.team == team}
                    self.driver.offer(team, commands_sample(now_s, self.driver.wheel_names, speeds), now_s)
                    self._speak(self.driver.frames(now_s), now_s)
            if step % round(_LOOK_S / _STEP_S) == 0:
                through = b"".join(data for end_s, data in self._up if end_s <= now_s)
                self._up = [(end_s, data) for end_s, data in self._up if end_s > now_s]
                self.driver.telemetry(through, now_s)
                self._speak(self.driver.frames(now_s), now_s)
            self._through_the_air(now_s)

    def collisions(self, after_s: float = 0.0, *, of_robots: bool = False) -> int:
        """How often somebody began while another one still spoke."""
        talks = sorted(talk for talk in self.talks if talk[0] >= after_s and not (of_robots and talk[2] == DRIVER))
        count, end_s = 0, 0.0
        for begin_s, until_s, _ in talks:
            count += begin_s < end_s - 1e-9
            end_s = max(end_s, until_s)
        return count

    def _speak(self, data: bytes, now_s: float) -> None:
        if not data:
            return
        begin_s = max(now_s, self._down_free_s)
        self._down_free_s = begin_s + len(data) * BYTE_S
        self.talks.append((begin_s, self._down_free_s, DRIVER))
        self._down += [(begin_s + (k + 1) * BYTE_S, data[k : k + 1]) for k in range(len(data))]

    def _through_the_air(self, now_s: float) -> None:
        heard = b"".join(byte for at_s, byte in self._down if at_s <= now_s)
        self._down = [(at_s, byte) for at_s, byte in self._down if at_s > now_s]
        for robot, firmware in self.firmware.items():
            mine_s = now_s + self._clock_s[robot]
            firmware.hear(heard, mine_s)
            said = firmware.say(mine_s)
            if said:
                end_s = now_s + len(said) * BYTE_S
                self.talks.append((now_s, end_s, str(robot)))
                self._up.append((end_s, said))
