"""The driver of the robots on one link: wheel commands in, frames out; telemetry in, joints out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from robohockey_core.checked import InputError
from robohockey_core.commands import CommandGate
from robohockey_core.joints import JointSample
from robohockey_core.league import League
from robohockey_core.match_file import GROUP_FRAMES, SINGLE_FRAMES
from robohockey_core.names import TEAMS, RobotId, parse_robot
from robohockey_hw.framing import DELIMITER
from robohockey_hw.link import DEFAULT_BAUD_RATE
from robohockey_hw.link_quality import LinkQuality
from robohockey_hw.odometry import WheelOdometry
from robohockey_hw.protocol import (
    EVERY_ROBOT,
    MAX_SPEED_RAD_S,
    MAX_WHEELS,
    SPEED_STEP_RAD_S,
    Decoder,
    Drive,
    GroupDrive,
    Identify,
    Identity,
    Message,
    Ping,
    Pong,
    Stop,
    Telemetry,
    encode,
)
from robohockey_hw.robot_settings import WATCHDOG_S
from robohockey_hw.turns import Turns

SINGLE, GROUP = SINGLE_FRAMES, GROUP_FRAMES
"""A frame for each robot, all answered at once; or one broadcast frame for all, answered by some in turn, so that robots
on one radio channel do not talk at the same time."""

# Of a control period. Commands that come faster wait: the wire has its limits. A robot without a new one hears its last
# one again a little after a period, so that a command which comes on time always finds the wire free.
_SOONEST_SHARE = 0.5
_LATEST_SHARE = 1.25
_ROUNDING_S = 1e-6
_ASK_PERIOD_S = 0.1
# Two teams' commands are made of the same picture and come almost together: one frame is to carry both.
_GATHER_S = 0.005
_SPEAKS_S = 0.1


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


@dataclass
class Line:
    """What the driver knows of one robot."""

    address: int
    odometry: WheelOdometry
    quality: LinkQuality = field(default_factory=LinkQuality)
    sequence: int = 0
    sent_s: float = -math.inf
    asked_s: float = -math.inf
    fresh: bool = False
    telemetry: Telemetry | None = None
    identity: Identity | None = None
    misfits: tuple[str, ...] = ()
    """What does not fit of what the robot says it is."""

    def next_sequence(self) -> int:
        sequence, self.sequence = self.sequence, (self.sequence + 1) % 256
        return sequence


class Driver:
    """Owns robots by name; says what they shall do, and reads what they did.

    A command goes out when it comes; a robot that gets none is told its last one, or to stand, a little later.
    """

    def __init__(
        self, league: League, robots: Mapping[RobotId, int], frames: str = SINGLE, baud_rate: int = DEFAULT_BAUD_RATE
    ) -> None:
        """Raise InputError when the league's wheels do not fit the wire, or the robots do not fit the radio."""
        drive = league.robot.make_drive()
        self.wheel_names = drive.wheel_names
        # A command may exceed the limit by a rounding error; half a step is far more than that.
        if league.robot.max_wheel_speed_rad_s > MAX_SPEED_RAD_S - SPEED_STEP_RAD_S / 2.0:
            raise InputError(
                f"{league.name}: robot.max_wheel_speed_rad_s = {league.robot.max_wheel_speed_rad_s:g}: "
                f"must be below {MAX_SPEED_RAD_S} for robots on a wire"
            )
        if len(self.wheel_names) > MAX_WHEELS:
            raise InputError(f"{league.name}: {len(self.wheel_names)} wheels; a robot on a wire has at most {MAX_WHEELS}")
        self._lines = {robot: Line(address, WheelOdometry(drive)) for robot, address in robots.items()}
        self._robots = {address: robot for robot, address in robots.items()}
        self._gate = CommandGate(league, robots)
        self._period_s = league.timing.control_dt_s
        self._turns = Turns(len(robots), len(self.wheel_names), baud_rate, self._period_s) if frames == GROUP else None
        self._offered_s: dict[str, float] = {}
        self._decoder = Decoder()
        self.unexpected_count = 0
        self.emergency = False
        """While true, every robot is told to stop and nothing else."""

    @property
    def teams(self) -> tuple[str, ...]:
        """The teams that the driver has robots of."""
        return tuple(team for team in TEAMS if any(robot.team == team for robot in self._lines))

    @property
    def robots(self) -> tuple[RobotId, ...]:
        return tuple(self._lines)

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
        self._offered_s[team] = now_s
        for robot, line in self._lines.items():
            line.fresh |= robot.team == team

    def frames(self, now_s: float) -> bytes:
        """The bytes to send now: for robots with a new command, and for those that heard nothing for a control period.

        Robots that have not said who they are are asked beside it.
        """
        due = [robot for robot, line in self._lines.items() if self._is_due(line, now_s)]
        if not due:
            return b""
        if self._turns is not None:
            return self._in_turns(self._turns, now_s)
        if self.emergency:
            return self._burst(Stop(self._ask(robot, now_s), self._lines[robot].next_sequence()) for robot in due)
        drives = [self._drive(robot, self._lines[robot].next_sequence(), now_s) for robot in due]
        return self._burst([*drives, *(self._question(robot, now_s) for robot in due if self._is_stranger(robot, now_s))])

    def ask_frames(self, now_s: float) -> bytes:
        """Bytes that move nothing: who are you to robots that have not said it, are you there to the others."""
        due = [robot for robot, line in self._lines.items() if now_s - line.asked_s >= _ASK_PERIOD_S - _ROUNDING_S]
        if self._turns is not None:
            if not self._turns.is_free(now_s):
                return b""
            due = sorted(due, key=lambda robot: self._lines[robot].asked_s)[:1]
            self._turns.take_for_question(now_s)
        return self._burst([self._question(robot, now_s) for robot in due]) if due else b""

    def stop_frames(self) -> bytes:
        """The last bytes: a Stop for all, which nobody answers, and one for each robot in case that it was damaged."""
        stops = [Stop(line.address, line.next_sequence()) for line in self._lines.values()]
        return self._burst([Stop(EVERY_ROBOT, 0), *stops])

    def hold(self) -> None:
        """Forget every command: robots stand until a new one comes."""
        self._gate.stop_all()

    def telemetry(self, data: bytes, now_s: float, stamp_s: float | None = None) -> JointSample | None:
        """Read what came over the wire; the joints of the robots that answered, or None. The stamp is `now_s` by default."""
        answered: dict[RobotId, Telemetry] = {}
        for message in self._decoder.feed(data):
            robot = self._robots.get(message.address)
            if robot is None or not self._fits(message):
                self.unexpected_count += 1
                continue
            line = self._lines[robot]
            line.quality.answered(message.sequence, now_s)
            if isinstance(message, Identity):
                line.identity, line.misfits = message, tuple(self._misfits(message))
            elif isinstance(message, Telemetry):
                line.telemetry = answered[robot] = message
                line.odometry.take(message.wheel_angles_rad, message.wheel_speeds_rad_s, now_s)
        if not answered:
            return None
        return JointSample(
            now_s if stamp_s is None else stamp_s,
            tuple(robot.joint(wheel) for robot in answered for wheel in self.wheel_names),
            position=np.concatenate([self._lines[robot].odometry.angles_rad for robot in answered]),
            velocity=np.array([speed for t in answered.values() for speed in t.wheel_speeds_rad_s]),
        )

    def odometry(self, robot: RobotId) -> WheelOdometry:
        return self._lines[robot].odometry

    def line(self, robot: RobotId) -> Line:
        """What is known of a robot."""
        return self._lines[robot]

    def _fits(self, message: Message) -> bool:
        if isinstance(message, Telemetry):
            return len(message.wheel_angles_rad) == len(self.wheel_names)
        return isinstance(message, Identity | Pong)

    def _misfits(self, identity: Identity) -> Iterator[str]:
        if identity.wheels != len(self.wheel_names):
            yield f"has {identity.wheels} wheels and not {len(self.wheel_names)}"
        if identity.watchdog_s > WATCHDOG_S:
            yield f"stops only {identity.watchdog_s:g} s after the last command and not {WATCHDOG_S:g} s"

    def _is_due(self, line: Line, now_s: float) -> bool:
        share = _SOONEST_SHARE if line.fresh else _LATEST_SHARE
        return now_s - line.sent_s >= share * self._period_s - _ROUNDING_S

    def _is_stranger(self, robot: RobotId, now_s: float) -> bool:
        """Whether a robot has to be asked who it is."""
        line = self._lines[robot]
        return line.identity is None and now_s - line.asked_s >= _ASK_PERIOD_S - _ROUNDING_S

    def _question(self, robot: RobotId, now_s: float) -> Message:
        line = self._lines[robot]
        line.asked_s = now_s
        line.quality.asked(line.sequence, now_s)
        return (Identify if line.identity is None else Ping)(line.address, line.next_sequence())

    def _ask(self, robot: RobotId, now_s: float) -> int:
        """Note that a robot is sent something that it answers; return its address."""
        line = self._lines[robot]
        line.sent_s, line.fresh = now_s, False
        line.quality.asked(line.sequence, now_s)
        return line.address

    def _drive(self, robot: RobotId, sequence: int, now_s: float, *, answers: bool = True) -> Drive:
        line, command = self._lines[robot], self._gate.command(robot, now_s)
        line.sent_s, line.fresh = now_s, False
        if answers:
            line.quality.asked(sequence, now_s)
        return Drive(line.address, sequence, command.wheel_speeds_rad_s, command.kick_power, command.dribble)

    def _in_turns(self, turns: Turns, now_s: float) -> bytes:
        """One burst for all robots of a radio channel, as soon as the answers to the last one are through."""
        if not turns.is_free(now_s) or self._awaits_a_team(now_s):
            return b""
        robots = self.robots
        if self.emergency:
            turns.take_for_question(now_s)
            robot = min(robots, key=lambda robot: self._lines[robot].sent_s)
            return self._burst([Stop(EVERY_ROBOT, 0), Stop(self._ask(robot, now_s), self._lines[robot].next_sequence())])
        strangers = [robot for robot in robots if self._is_stranger(robot, now_s)][:1]
        turn = turns.take_for_drives(now_s, question=bool(strangers))
        messages: list[Message] = []
        for places in turn.frames:
            members = [robots[place] for place in places]
            first, answers = (turn.first, turn.answers) if places is turn.frames[-1] else (0, 0)
            asked = {members[(first + k) % len(members)] for k in range(answers)}
            sequence = self._lines[members[0]].next_sequence()
            drives = tuple(self._drive(robot, sequence, now_s, answers=robot in asked) for robot in members)
            messages.append(GroupDrive(sequence, drives, first, answers, turns.slot_s))
        return self._burst([*messages, *(self._question(robot, now_s) for robot in strangers)])

    def _awaits_a_team(self, now_s: float) -> bool:
        """Whether one team has spoken just now and the other one is about to."""
        ages_s = [now_s - then_s for team, then_s in self._offered_s.items() if self._speaks(team)]
        quiet = [t for t, s in self._offered_s.items() if now_s - s < _SPEAKS_S and not self._speaks(t)]
        return bool(ages_s) and max(ages_s) < _GATHER_S - _ROUNDING_S and bool(quiet)

    def _speaks(self, team: str) -> bool:
        return any(line.fresh for robot, line in self._lines.items() if robot.team == team)

    @staticmethod
    def _burst(messages: Iterable[Message]) -> bytes:
        return DELIMITER + b"".join(map(encode, messages))  # the first zero ends noise or half a frame on the line
