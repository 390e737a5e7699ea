"""A team is one class with `decide(view)`. Finding it, asking it, and turning its orders round for red."""

from __future__ import annotations

import importlib
import inspect
import math
import traceback
from collections.abc import Mapping
from importlib.metadata import entry_points
from random import Random
from types import TracebackType
from typing import Protocol, cast

from robohockey_core.actions import Orders, Target, target_of
from robohockey_core.checked import InputError, did_you_mean
from robohockey_core.league import League
from robohockey_core.match_state import PLACE, MatchState
from robohockey_core.names import RobotId
from robohockey_core.state import Pose2D, WorldState
from robohockey_strategy.fields import FieldPicture
from robohockey_strategy.strategy_files import class_in_file, is_file, one_line
from robohockey_strategy.view import TeamView, make_view

ENTRY_POINT_GROUP = "robohockey.strategies"

ASKERS = (__name__, "robohockey_strategy.thinker", "robohockey_match.engine")
"""The modules that ask a strategy."""

BUILT_IN = {
    "chaser": "robohockey_strategy.teams.chaser:Chaser",
    "idle": "robohockey_strategy.teams.idle:Idle",
    "manual": "robohockey_strategy.teams.manual:Manual",
    "potential_field": "robohockey_strategy.teams.potential_field:PotentialField",
    "roles": "robohockey_strategy.teams.roles:Roles",
}


class Team(Protocol):
    """What a strategy must offer."""

    def decide(self, view: TeamView) -> Orders:
        """Return orders by robot number; a robot without an order stands still."""
        ...


class PlacingTeam(Team, Protocol):
    """A strategy that also says where it wants its robots for the coming restart."""

    def place(self, view: TeamView) -> Mapping[int, Pose2D]:
        """Return places by robot number; the referee corrects what is not allowed, and places who is not named."""
        ...


class Coach:
    """Asks one team what to do, and answers for all robots of that team in the rink frame."""

    def __init__(self, league: League, team: str, strategy: Team, seed: int = 1) -> None:
        self._league = league
        self._chance = Random(f"{seed} {team}")
        self._team = team
        self._strategy = strategy
        self._robots = tuple(robot for robot in league.robots() if robot.team == team)

    def targets(self, world: WorldState, match: MatchState) -> dict[RobotId, Target]:
        """Targets for every robot: orders in play, the way to their places before it, else all stand still.

        The strategy's errors pass through.
        """
        orders: Orders = {}
        if match.playing:
            orders = self._strategy.decide(make_view(self._league, self._team, world, match, self._chance))
        if not isinstance(orders, Mapping):
            raise TypeError(f"decide returned {orders!r}; it must return orders by robot number")
        strangers = set(orders) - {robot.number for robot in self._robots}
        if strangers:
            raise ValueError(f"orders for {strangers.pop()!r}; the robots of {self._team} are 0 to {len(self._robots) - 1}")
        targets = {}
        for robot in self._robots:
            target = target_of(orders.get(robot.number, ()))
            if target.pose is not None and not all(map(math.isfinite, (*target.pose, *target.arrive))):
                raise ValueError(f"{robot} was ordered to {target.pose} at {target.arrive}, which is no place or speed")
            targets[robot] = target if match.attacks_plus_x(self._team) else target.mirrored()
            if match.phase == PLACE and str(robot) in match.places:
                targets[robot] = Target(match.places[str(robot)], face=True)
        return targets

    def placement(self, world: WorldState, match: MatchState) -> dict[RobotId, Pose2D]:
        """Where the team wants its robots for the coming restart, if it has a wish. The strategy's errors pass through."""
        place = getattr(self._strategy, "place", None)
        if place is None:
            return {}
        wishes = place(make_view(self._league, self._team, world, match, self._chance))
        places = {}
        for robot in self._robots:
            wish = wishes.get(robot.number)
            if wish is not None and all(map(math.isfinite, wish)):
                pose = Pose2D(*wish)
                places[robot] = pose if match.attacks_plus_x(self._team) else pose.mirrored()
        return places

    def field(self, number: int, match: MatchState) -> FieldPicture | None:
        """A robot's potential field in the rink frame, where the strategy plans by one. The strategy's errors pass through."""
        field = getattr(self._strategy, "field", None)
        picture = cast(FieldPicture | None, field(number)) if field is not None else None
        return picture if picture is None or match.attacks_plus_x(self._team) else picture.mirrored()


def trace_of(error: BaseException) -> str:
    """An error's traceback from the strategy's own code on; whoever wrote it knows nothing of those who asked."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None and trace.tb_next is not None and trace.tb_frame.f_globals.get("__name__") in ASKERS:
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))


def strategy_names() -> list[str]:
    """Every strategy that can be called by name."""
    return sorted({*BUILT_IN, *(entry.name for entry in entry_points(group=ENTRY_POINT_GROUP))})


def load_strategy(name: str) -> Team:
    """Make a strategy from a name, or from `path/to/file.py:Class`. Raises InputError."""
    if is_file(name):
        found = class_in_file(name)
    elif name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        found = getattr(importlib.import_module(module), attribute)
    else:
        installed = {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}
        if name not in installed:
            hint = did_you_mean(name, strategy_names())
            raise InputError(f"unknown strategy {name}{hint} (or path/to/file.py:Class)")
        try:
            found = installed[name].load()
        except (Exception, SystemExit) as error:
            raise InputError(f"strategy {name}: does not load: {one_line(error)}") from error
    if not inspect.isclass(found) or not callable(getattr(found, "decide", None)):
        raise InputError(f"strategy {name}: must be a class with a method decide(view)")
    try:
        return cast(Team, found())
    except (Exception, SystemExit) as error:
        raise InputError(f"strategy {name}: cannot be made: {one_line(error)}") from error
