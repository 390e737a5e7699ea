"""The arrays behind one match, or behind many: state and room to work in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robohockey_core.joints import FloatArray
from robohockey_sim.layout import WHEELS
from robohockey_sim.robots import contact_room

IntArray = NDArray[np.int64]


class MatchArrays(NamedTuple):
    """In the order in which the compiled code takes them; for a batch, with the match as first index."""

    robots: FloatArray
    puck: FloatArray
    near: IntArray
    pairs: IntArray
    who: IntArray
    contact: FloatArray
    memory: FloatArray
    notes: FloatArray


def match_arrays(robots: int, wheels: int) -> MatchArrays:
    """Arrays of one match."""
    who, contact, memory = contact_room(robots)
    return MatchArrays(
        robots=np.zeros((robots, WHEELS + 3 * wheels)),
        puck=np.zeros(5),
        near=np.zeros(robots, dtype=np.int64),
        pairs=np.zeros((robots * (robots - 1) // 2, 2), dtype=np.int64),
        who=who,
        contact=contact,
        memory=memory,
        notes=np.zeros(5),
    )


def batch_arrays(matches: int, robots: int, wheels: int) -> MatchArrays:
    """Arrays of many matches, each lying together in memory."""
    return MatchArrays(*(np.zeros((matches, *one.shape), dtype=one.dtype) for one in match_arrays(robots, wheels)))


def match_of(arrays: MatchArrays, match: int) -> MatchArrays:
    """One match's part of a batch, sharing its memory."""
    return MatchArrays(*(values[match] for values in arrays))
