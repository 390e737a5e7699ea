"""What others say in key-values, read with care: a word that is no number must not end the page."""

from __future__ import annotations

import math
from collections.abc import Mapping

from robohockey_core.names import TEAMS


def number(text: object) -> float | None:
    """A finite number, or None."""
    try:
        value = float(str(text))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def score(state: Mapping[str, str], team: str, before: int = 0) -> int:
    """The goals that `match/state` tells; `before` where it tells of none, or of nonsense."""
    goals = number(state.get(f"score_{team}", ""))
    return int(goals) if goals is not None else before


def own_node(name: str, namespace: str) -> str | None:
    """The name of a node of the match in this namespace, without it; None for a node of another match.

    `/diagnostics` is one topic for all matches of a ROS domain, and its names are absolute.
    """
    prefix = f"/{namespace.strip('/')}/" if namespace.strip("/") else "/"
    absolute = f"/{name.lstrip('/')}"
    if not absolute.startswith(prefix):
        return None
    inner = absolute.removeprefix(prefix)
    # Below its own namespace a match has nodes of robots only; what else is there is another match.
    return inner if "/" not in inner or inner.partition("/")[0] in TEAMS else None
