"""The rules by name. A profile lists the ones that it plays by."""

from __future__ import annotations

from robohockey_referee.rules.areas import AttackersInArea, DefendersInArea, GoalkeeperCharged, GoalkeeperHolding
from robohockey_referee.rules.base import Rule
from robohockey_referee.rules.conduct import DoubleTouch, Holding, OverDribbling, Pushing, TooManyRobots
from robohockey_referee.rules.goals import Goal, OwnGoal
from robohockey_referee.rules.puck import NoProgress, OneSide, PuckOut, PuckStuck, Standoff

__all__ = ["RULES", "Rule"]

RULES: dict[str, type[Rule]] = {
    rule.name: rule
    for rule in (
        Goal,
        OwnGoal,
        PuckOut,
        PuckStuck,
        Standoff,
        NoProgress,
        OneSide,
        AttackersInArea,
        DefendersInArea,
        GoalkeeperCharged,
        GoalkeeperHolding,
        Pushing,
        Holding,
        OverDribbling,
        DoubleTouch,
        TooManyRobots,
    )
}
