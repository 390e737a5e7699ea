"""What a referee must not forget: everything that another one needs to go on, as plain values for a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from robohockey_core.checked import InputError, to_plain
from robohockey_core.geometry import Point
from robohockey_core.match_state import PLACE, MatchState
from robohockey_core.names import parse_robot
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_referee.advantage import Advantage
from robohockey_referee.calls import Call, Decision, Restart
from robohockey_referee.discipline import Discipline
from robohockey_referee.match_clock import MatchClock, Period, ShootOut


@dataclass(frozen=True)
class Memory:
    """How far a match is, apart from what rules remember of the last seconds."""

    clock: MatchClock
    league: str = ""
    profile: str = ""
    """The match is of this league, by these rules."""
    state: MatchState = MatchState(phase=PLACE)
    played_s: float = 0.0
    discipline: Discipline = Discipline()
    shoot_out: ShootOut | None = None
    restart: Restart | None = None
    """The one that comes, or that play came from."""
    turns: tuple[str, ...] = ()
    """Teams that are still to be asked for their placement."""
    left_s: float = 0.0
    """Time left of the present wait."""
    attempt_s: float = 0.0
    """Time left of an attempt of the shoot-out."""
    waited_s: float = 0.0
    """Time since the countdown was over, with somebody not in place."""
    returning: tuple[str, ...] = ()
    """Robots that may be on again and are not yet seen there."""
    paused: MatchState | None = None
    """What was told before a pause."""
    pending: Decision | None = None
    """What a human is asked about, or what led here."""
    advantage: Advantage = Advantage()
    held: Mapping[str, BodyState] = field(default_factory=dict)
    """Bodies as they were when play was held."""


def to_json(memory: Memory) -> str:
    values = {f.name: to_plain(getattr(memory, f.name)) for f in fields(memory)}
    values["state"] = memory.state.to_values()
    values["held"] = {name: [*state.pose, *state.twist] for name, state in memory.held.items()}
    values["paused"] = memory.paused.to_values() if memory.paused is not None else None
    if memory.pending is not None:
        values["pending"] = {"call": _plain_call(memory.pending.call), "brings": memory.pending.brings}
    values["advantage"]["fouls"] = [_plain_call(foul) for foul in memory.advantage.fouls]
    return json.dumps(values)


def _plain_call(call: Call) -> dict[str, Any]:
    values: dict[str, Any] = to_plain(call)
    return {**values, "robot": str(call.robot) if call.robot is not None else None}


def from_json(text: str, where: str) -> Memory:
    """Read what `to_json` wrote. Raises InputError."""
    try:
        return _memory(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f"{where}: is no memory of a match ({type(error).__name__}: {error}); remove it to begin anew"
        ) from error


def _memory(values: dict[str, Any]) -> Memory:
    clock = values["clock"]
    return Memory(
        league=str(values["league"]),
        profile=str(values["profile"]),
        clock=MatchClock(tuple(Period(**period) for period in clock["periods"]), clock["index"], clock["period_s"]),
        state=MatchState.from_values(values["state"]),
        played_s=float(values["played_s"]),
        discipline=Discipline(**values["discipline"]),
        shoot_out=ShootOut(**values["shoot_out"]) if values["shoot_out"] is not None else None,
        restart=_restart(values["restart"]),
        turns=tuple(values["turns"]),
        left_s=float(values["left_s"]),
        attempt_s=float(values["attempt_s"]),
        waited_s=float(values["waited_s"]),
        returning=tuple(values["returning"]),
        paused=MatchState.from_values(values["paused"]) if values["paused"] is not None else None,
        pending=_decision(values["pending"]),
        advantage=Advantage(tuple(_call(foul) for foul in values["advantage"]["fouls"]), float(values["advantage"]["until_s"])),
        held={name: BodyState(Pose2D(*v[:3]), Twist2D(*v[3:])) for name, v in values["held"].items()},
    )


def _restart(values: dict[str, Any] | None) -> Restart | None:
    return Restart(values["kind"], Point(*values["spot"]), values["team"]) if values is not None else None


def _decision(values: dict[str, Any] | None) -> Decision | None:
    return Decision(_call(values["call"]), str(values["brings"])) if values is not None else None


def _call(values: dict[str, Any]) -> Call:
    call = Call(**values)
    return replace(
        call,
        place=Point(*values["place"]) if values["place"] is not None else None,
        robot=parse_robot(values["robot"]) if values["robot"] is not None else None,
        restart=_restart(values["restart"]),
    )


class MemoryFile:
    """The memory on disk, always whole: written beside and moved into place."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._written = ""

    def write(self, memory: Memory) -> None:
        """Write what has changed. Raises InputError where that is not possible."""
        text = to_json(memory)
        if text == self._written:
            return
        beside = self.path.with_name(f"{self.path.name}.new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_text(text, encoding="utf-8")
            beside.replace(self.path)
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error.strerror}") from None
        self._written = text

    def read(self) -> Memory | None:
        """What was written last; None when nothing was. Raises InputError."""
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror}") from None
        return from_json(text, str(self.path))
