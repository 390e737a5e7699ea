"""Whose sight is it? Names of detected robots, put right where cameras mix them up or cannot tell.

Two robots of a team whose names are swapped in a frame are each far from their own track and near the other's: the track's
name is kept. When a camera insists for long, it was the track that was wrong. A camera that knows a robot's team only names
it `red/?0`, `red/?1` ...: such a sight goes to the nearest track of that team, or to a robot that nobody has seen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from robohockey_core.joints import JointSample
from robohockey_core.names import BODY_JOINTS, RobotId, parse_robot, split_joint

ANONYMOUS = "?"
# A camera that names a robot otherwise than its track for this many frames on end is right.
_PATIENCE_FRAMES = 15


class Known(NamedTuple):
    """Where a body should be by now, and how far from there a sight of it may be."""

    x_m: float
    y_m: float
    gate_m: float


def anonymous(team: str, number: int) -> str:
    """The name of a robot of which only the team is known; numbers tell those of one frame apart."""
    return f"{team}/{ANONYMOUS}{number}"


class Identities:
    """Renames the bodies of samples. Remembers only how long a camera has insisted."""

    def __init__(self, bodies: Iterable[str]) -> None:
        self._robots = [robot for body in bodies if (robot := parse_robot(body)) is not None]
        self._insists: Counter[str] = Counter()

    def forget(self) -> None:
        self._insists.clear()

    @property
    def doubts(self) -> bool:
        """Whether a camera has named somebody otherwise than its track lately."""
        return bool(self._insists)

    def resolve(self, sample: JointSample, known: Mapping[str, Known]) -> tuple[str, ...]:
        """The joint names of a sample as the tracker should read them."""
        places = _places(sample)
        renamed = self._unswapped(places, known)
        renamed |= self._named(places, known, {renamed.get(body, body) for body in places})
        if not renamed:
            return sample.names
        names = []
        for joint in sample.names:
            body, part = split_joint(joint)
            names.append(f"{renamed.get(body, body)}/{part}")
        return tuple(names)

    def _unswapped(self, places: Mapping[str, tuple[float, float]], known: Mapping[str, Known]) -> dict[str, str]:
        """Robots that stand where another one of their team should be, while that one is not seen there."""
        team_of = {str(robot): robot.team for robot in self._robots}
        strays = {b for b in places if b in team_of and (b not in known or _gap_m(places[b], known[b]) > known[b].gate_m)}
        renamed = {}
        for body in strays:
            others = [
                other
                for other in known
                if other != body
                and team_of.get(other) == team_of[body]
                and (other not in places or other in strays)
                and _gap_m(places[body], known[other]) < known[other].gate_m
            ]
            if others and body in known:
                renamed[body] = min(others, key=lambda other: _gap_m(places[body], known[other]))
        # Two sights must not become one robot, and a name that is still used by its own sight is taken.
        counts = Counter(renamed.get(body, body) for body in places)
        renamed = {body: to for body, to in renamed.items() if counts[to] == 1}
        for body in renamed:
            self._insists[body] += 1
        # Taken back by a sight of the robot where its track is. Samples that do not show it say nothing about it: other
        # cameras look at other robots.
        taken_back = (places.keys() - strays) | (self._insists.keys() - known.keys())
        for body in self._insists.keys() & taken_back:
            del self._insists[body]
        if any(self._insists[body] > _PATIENCE_FRAMES for body in renamed):
            self._insists.clear()
            return {}
        return renamed

    def _named(self, places: Mapping[str, tuple[float, float]], known: Mapping[str, Known], taken: set[str]) -> dict[str, str]:
        """Names for sights of which only the team is known, the surest first."""
        nameless = [body for body in places if body.partition("/")[2].startswith(ANONYMOUS)]
        pairs = sorted(
            (_gap_m(places[body], known[str(robot)]), body, robot)
            for body in nameless
            for robot in self._robots
            if robot.team == body.partition("/")[0]
            and str(robot) in known
            and _gap_m(places[body], known[str(robot)]) < known[str(robot)].gate_m
        )
        renamed: dict[str, str] = {}
        for _, body, robot in pairs:
            if body not in renamed and str(robot) not in taken:
                renamed[body] = str(robot)
                taken.add(str(robot))
        for body in nameless:
            if body not in renamed:
                unseen = self._unseen(body.partition("/")[0], known, taken)
                if unseen is not None:
                    renamed[body] = str(unseen)
                    taken.add(str(unseen))
        return renamed

    def _unseen(self, team: str, known: Mapping[str, Known], taken: set[str]) -> RobotId | None:
        free = (r for r in self._robots if r.team == team and str(r) not in known and str(r) not in taken)
        return next(free, None)


def _places(sample: JointSample) -> dict[str, tuple[float, float]]:
    """Where each body of a sample is, those with finite x and y."""
    values: dict[str, dict[str, float]] = {}
    for name, value in zip(sample.names, sample.position.tolist(), strict=True):
        body, part = split_joint(name)
        values.setdefault(body, {})[part] = value
    x, y, _ = BODY_JOINTS
    found = {body: (parts.get(x, math.nan), parts.get(y, math.nan)) for body, parts in values.items()}
    return {body: place for body, place in found.items() if all(map(math.isfinite, place))}


def _gap_m(place: tuple[float, float], known: Known) -> float:
    return math.hypot(place[0] - known.x_m, place[1] - known.y_m)
