"""The driver of the robots on one link: wheel commands in, frames out; telemetry in, joints out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from robohockey_core.checked import InputError
from robohockey_core.commands import CommandGate
from robohockey_core.joints import JointSample
from robohockey_core.league import League
from robohockey_core.names import TEAMS, RobotId, parse_robot
from robohockey_hw.protocol import (
    DELIMITER,
    EVERY_ROBOT,
    MAX_SPEED_RAD_S,
    MAX_WHEELS,
    SPEED_STEP_RAD_S,
    Decoder,
    Drive,
    Stop,
    Telemetry,
    encode,
)


def robots_with_addresses(league: League, owns: tuple[str, ...], addresses: tuple[int, ...]) -> dict[RobotId, int]:
    """Pair robots' names with their addresses. Raises InputError."""
    if not owns:
        raise InputError("owns is empty: a driver needs at least one robot, such as blue/0")
    if len(owns) != len(addresses):
        raise InputError(f"owns names {len(owns)} robots but addresses has {len(addresses)} numbers; one for each is needed")
    robots: dict[RobotId, int] = {}
    for name, address in zip(owns, addresses, strict=True):
        robot = parse_robot(name)
        if robot is None or robot not in league.robots():
            last = league.match.players - 1
            raise InputError(
                f"owns: {name!r} is no robot of {league.name}; it has <team>/0 to <team>/{last} of {', '.join(TEAMS)}"
            )
        if robot in robots:
            raise InputError(f"owns: {name} stands twice")
        if not 0 <= address < EVERY_ROBOT:
            raise InputError(f"addresses: {address} of {name} must be between 0 and {EVERY_ROBOT - 1}")
        if address in robots.values():
            raise InputError(f"addresses: {address} stands twice; every robot on a link needs its own")
        robots[robot] = address
    return robots


@dataclass(frozen=True, slots=True)
class Heard:
    """The last telemetry of a robot, and when it came."""

    telemetry: Telemetry
    at_s: float


class Driver:
    """Owns robots by name; each control period says what they shall do, and reads what they did."""

    def __init__(self, league: League, robots: Mapping[RobotId, int]) -> None:
        """Raise InputError when the league's wheels do not fit the wire."""
        self._wheel_names = league.robot.make_drive().wheel_names
        # A command may exceed the limit by a rounding error; half a step is far more than that.
        if league.robot.max_wheel_speed_rad_s > MAX_SPEED_RAD_S - SPEED_STEP_RAD_S / 2.0:
            raise InputError(
                f"{league.name}: robot.max_wheel_speed_rad_s = {league.robot.max_wheel_speed_rad_s:g}: "
                f"must be below {MAX_SPEED_RAD_S} for robots on a wire"
            )
        if len(self._wheel_names) > MAX_WHEELS:
            raise InputError(f"{league.name}: {len(self._wheel_names)} wheels; a robot on a wire has at most {MAX_WHEELS}")
        self._addresses = dict(robots)
        self._robots = {address: robot for robot, address in robots.items()}
        self._gate = CommandGate(league, robots)
        self._sequence = dict.fromkeys(robots, 0)
        self._decoder = Decoder()
        self._heard: dict[RobotId, Heard] = {}
        self.unexpected_count = 0

    @property
    def teams(self) -> tuple[str, ...]:
        """The teams that the driver has robots of."""
        return tuple(team for team in TEAMS if any(robot.team == team for robot in self._addresses))

    @property
    def bad_frame_count(self) -> int:
        return self._decoder.bad_count

    @property
    def refused_count(self) -> int:
        return self._gate.refused_count

    @property
    def last_refusal(self) -> str:
        """Why the last refused command was refused, "" when there was none."""
        return self._gate.last_refusal

    def offer(self, team: str, sample: JointSample, now_s: float) -> None:
        """Take a team's wheel commands, as far as they are fit and meant for robots of this driver."""
        self._gate.offer(team, sample, now_s)

    def frames(self, now_s: float) -> bytes:
        """The bytes of one control period: a Drive for every robot, with still wheels after silence."""
        burst = DELIMITER  # ends whatever noise or half a frame is on the line
        for robot, address in self._addresses.items():
            command = self._gate.command(robot, now_s)
            sequence = self._next_sequence(robot)
            burst += encode(Drive(address, sequence, command.wheel_speeds_rad_s, command.kick_power, command.dribble))
        return burst

    def stop_frames(self) -> bytes:
        """The last bytes: a Stop for every robot."""
        stops = (encode(Stop(address, self._next_sequence(robot))) for robot, address in self._addresses.items())
        return DELIMITER + b"".join(stops)

    def telemetry(self, data: bytes, now_s: float) -> JointSample | None:
        """Read what came over the wire; the joints of the robots that answered, or None."""
        answered: dict[RobotId, Telemetry] = {}
        for message in self._decoder.feed(data):
            robot = self._robots.get(message.address)
            wheels = len(message.wheel_angles_rad) if isinstance(message, Telemetry) else 0
            if robot is None or not isinstance(message, Telemetry) or wheels != len(self._wheel_names):
                self.unexpected_count += 1
                continue
            answered[robot] = message
            self._heard[robot] = Heard(message, now_s)
        if not answered:
            return None
        return JointSample(
            now_s,
            tuple(robot.joint(wheel) for robot in answered for wheel in self._wheel_names),
            position=np.array([angle for t in answered.values() for angle in t.wheel_angles_rad]),
            velocity=np.array([speed for t in answered.values() for speed in t.wheel_speeds_rad_s]),
        )

    def robots_said(self, now_s: float) -> dict[RobotId, str]:
        """A line for people on each robot: battery, faults, and how long ago it answered."""
        said = dict.fromkeys(self._addresses, "never answered")
        for robot, heard in self._heard.items():
            faults = heard.telemetry.faults
            complaints = (faults.name or f"{faults.value:#06x}") if faults else "no faults"
            said[robot] = f"{heard.telemetry.battery_v:.2f} V, {complaints}, answered {now_s - heard.at_s:.2f} s ago"
        return said

    def _next_sequence(self, robot: RobotId) -> int:
        sequence = self._sequence[robot]
        self._sequence[robot] = (sequence + 1) % 256
        return sequence
