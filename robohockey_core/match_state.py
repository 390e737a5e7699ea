"""The state of a match as the referee tells it, and as it travels in key-values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from robohockey_core.geometry import Point
from robohockey_core.names import BLUE
from robohockey_core.state import Pose2D

PLACE, PLAY, PAUSE, RESUME, ASK, BREAK, OVER = "place", "play", "pause", "resume", "ask", "break", "over"
PHASES = (PLACE, PLAY, PAUSE, RESUME, ASK, BREAK, OVER)
"""Robots go to their places; play; held by hand; going on as before it was held; a human is asked; half-time; the end."""

FACE_OFF, KICK_OFF, FREE_BALL, FREE_KICK = "face_off", "kick_off", "free_ball", "free_kick"
GOAL_KICK, PENALTY, THROW_IN, SHOOT_OUT = "goal_kick", "penalty", "throw_in", "shoot_out"
RESTARTS = (FACE_OFF, KICK_OFF, FREE_BALL, FREE_KICK, GOAL_KICK, PENALTY, THROW_IN, SHOOT_OUT)
"""How play can begin anew."""

SEND_OFF, SEND_ON = "send_off", "send_on"
"""What a human may order of a robot in a match."""


@dataclass(frozen=True)
class MatchState:
    """Phase, score, clock, and why it is so."""

    phase: str = PLAY
    period: str = ""
    restart: str = ""
    """The restart that comes or that play came from."""
    restart_team: str = ""
    """Who takes it; empty where both do."""
    score_blue: int = 0
    score_red: int = 0
    shoot_out_blue: int = 0
    shoot_out_red: int = 0
    clock_s: float = 0.0
    """Time played."""
    remaining_s: float = 0.0
    """What is left of the period."""
    countdown_s: float = 0.0
    """What is left of the present wait."""
    ends_swapped: bool = False
    """Whether blue defends the goal at +x now."""
    off: tuple[str, ...] = ()
    """Robots that are sent off."""
    turn: str = ""
    """The team whose placement is asked for now."""
    places: Mapping[str, Pose2D] = field(default_factory=dict)
    """Where bodies belong for the coming restart, as far as that is settled."""
    waiting_for: tuple[str, ...] = ()
    """Bodies that are not yet in their place."""
    fouls_blue: int = 0
    fouls_red: int = 0
    last_event: str = ""
    """The rule that was called last; the fields below tell of that call."""
    robot: str = ""
    place: Point | None = None
    evidence: Mapping[str, float] = field(default_factory=dict)
    """The numbers that triggered the call, and their limits."""
    next: str = ""
    explanation: str = ""

    @property
    def playing(self) -> bool:
        return self.phase in (PLAY, RESUME)

    def score(self, team: str) -> int:
        return self.score_blue if team == BLUE else self.score_red

    def shoot_out(self, team: str) -> int:
        return self.shoot_out_blue if team == BLUE else self.shoot_out_red

    def attacks_plus_x(self, team: str) -> bool:
        """Blue begins with the goal at -x behind it."""
        return (team == BLUE) != self.ends_swapped

    def with_goal(self, team: str) -> MatchState:
        return self._one_more("score", team)

    def with_shoot_out_goal(self, team: str) -> MatchState:
        return self._one_more("shoot_out", team)

    def with_foul(self, team: str) -> MatchState:
        return self._one_more("fouls", team)

    def _one_more(self, count: str, team: str) -> MatchState:
        key = f"{count}_{team}"
        return replace(self, **{key: getattr(self, key) + 1})

    def to_values(self) -> dict[str, str]:
        return {f.name: _CODECS[str(f.type)][0](getattr(self, f.name)) for f in fields(self)}

    @classmethod
    def from_values(cls, values: Mapping[str, str]) -> MatchState:
        """Read key-values; missing ones keep their defaults. Raises ValueError on what is not as `to_values` writes it."""
        return cls(**{f.name: _CODECS[str(f.type)][1](values[f.name]) for f in fields(cls) if f.name in values})


def _read_flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(f"{text!r} is neither true nor false")
    return text == "true"


def _write_numbers(numbers: tuple[float, ...]) -> str:
    return ",".join(f"{number:.4f}" for number in numbers)


def _read_numbers(text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in text.split(","))


def _read_pairs(text: str) -> dict[str, str]:
    pairs = (word.partition("=") for word in text.split())
    return {key: value for key, _, value in pairs}


def _read_poses(text: str) -> dict[str, Pose2D]:
    places = {name: _read_numbers(value) for name, value in _read_pairs(text).items()}
    if any(len(place) != 3 for place in places.values()):
        raise ValueError(f"{text!r}: a pose is x,y,yaw")
    return {name: Pose2D(*place) for name, place in places.items()}


def _read_point(text: str) -> Point | None:
    numbers = _read_numbers(text) if text else None
    if numbers is not None and len(numbers) != 2:
        raise ValueError(f"{text!r}: a point is x,y")
    return Point(*numbers) if numbers else None


# How a field of each type is written and read.
_CODECS: Mapping[str, tuple[Callable[[Any], str], Callable[[str], Any]]] = {
    "str": (str, str),
    "int": (str, int),
    "float": (lambda value: f"{value:.3f}", float),
    "bool": (lambda value: "true" if value else "false", _read_flag),
    "tuple[str, ...]": (" ".join, lambda text: tuple(text.split())),
    "Point | None": (lambda point: _write_numbers(point) if point is not None else "", _read_point),
    "Mapping[str, float]": (
        lambda numbers: " ".join(f"{key}={value:.4g}" for key, value in numbers.items()),
        lambda text: {key: float(value) for key, value in _read_pairs(text).items()},
    ),
    "Mapping[str, Pose2D]": (
        lambda poses: " ".join(f"{name}={_write_numbers(pose)}" for name, pose in poses.items()),
        _read_poses,
    ),
}
