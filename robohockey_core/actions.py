"""What a strategy may ask a robot for.

A strategy orders one action or several for a robot: `(Go(0.3, 0.1), Kick(0.8))`. `target_of` folds them
into the one target that travels on the `<team>/targets` topic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from robohockey_core.state import Pose2D, Twist2D


class Go(NamedTuple):
    """Drive to a place. Without a yaw a robot may arrive facing anywhere."""

    x_m: float
    y_m: float
    yaw_rad: float | None = None
    arrive_vx_m_s: float = 0.0
    arrive_vy_m_s: float = 0.0


class Kick(NamedTuple):
    """Kick as soon as the puck is in reach; power from 0 to 1.

    With `within_rad` only while the robot faces the yaw of its `Go` to within that angle: it aims, then shoots.
    """

    power: float = 1.0
    within_rad: float | None = None


class Dribble(NamedTuple):
    """Hold the puck at the rim; strength from 0 to 1."""

    strength: float = 1.0


class Stop(NamedTuple):
    """Stand still."""


Action: TypeAlias = Go | Kick | Dribble | Stop
Orders: TypeAlias = Mapping[int, Action | Sequence[Action]]
"""Orders by robot number. A robot without an order stands still."""


@dataclass(frozen=True, slots=True)
class Target:
    """One robot's orders folded into one: a pose (None: stand still) and what to do with the puck."""

    pose: Pose2D | None = None
    face: bool = False
    arrive: Twist2D = Twist2D()
    kick_power: float = 0.0
    dribble: float = 0.0
    kick_within_rad: float | None = None

    def mirrored(self) -> Target:
        pose = self.pose.mirrored() if self.pose is not None else None
        arrive = self.arrive.mirrored()
        return Target(pose, self.face, arrive, self.kick_power, self.dribble, self.kick_within_rad)


def target_of(order: Action | Sequence[Action]) -> Target:
    """Fold one order into a target; later actions of the same kind win. Raises TypeError."""
    actions = (order,) if isinstance(order, (Go, Kick, Dribble, Stop)) else tuple(order)
    pose: Pose2D | None = None
    within_rad: float | None = None
    face, arrive, kick_power, dribble = False, Twist2D(), 0.0, 0.0
    for action in actions:
        match action:
            case Go(x_m, y_m, yaw_rad, vx_m_s, vy_m_s):
                pose = Pose2D(x_m, y_m, yaw_rad if yaw_rad is not None else 0.0)
                face, arrive = yaw_rad is not None, Twist2D(vx_m_s, vy_m_s)
            case Kick(power, within_rad):
                kick_power = min(1.0, max(0.0, power))
            case Dribble(strength):
                dribble = min(1.0, max(0.0, strength))
            case Stop():
                pose = None
            case _:
                raise TypeError(f"{action!r} is no action; allowed: Go, Kick, Dribble, Stop")
    return Target(pose, face, arrive, kick_power, dribble, within_rad)
