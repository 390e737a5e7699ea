"""The arrays behind one match, or behind many: state and room to work in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robohockey_core.joints import FloatArray
from robohockey_sim.contacts import contact_room
from robohockey_sim.layout import BOARD_SURFACES, MOST_VICES, NOTES, SURFACE_WIDTH, VICE_WIDTH, WHEELS

IntArray = NDArray[np.int64]


class MatchArrays(NamedTuple):
    """In the order in which the compiled code takes them; for a batch, with the match as first index."""

    robots: FloatArray
    puck: FloatArray
    pairs: IntArray
    wait: FloatArray
    points: IntArray
    who: IntArray
    contact: FloatArray
    rows: IntArray
    surface: FloatArray
    vice: FloatArray
    notes: FloatArray


def match_arrays(robots: int, goals: int, wheels: int) -> MatchArrays:
    """Arrays of one match; goals that stand free are rows after the robots."""
    return MatchArrays(
        robots=np.zeros((robots + goals, WHEELS + 3 * wheels)),
        puck=np.zeros(5),
        **contact_room(robots + goals),
        surface=np.zeros((robots + BOARD_SURFACES, SURFACE_WIDTH)),
        vice=np.zeros((2 * MOST_VICES, VICE_WIDTH)),
        notes=np.zeros(NOTES),
    )


def batch_arrays(matches: int, robots: int, goals: int, wheels: int) -> MatchArrays:
    """Arrays of many matches, each lying together in memory."""
    return MatchArrays(*(np.zeros((matches, *one.shape), dtype=one.dtype) for one in match_arrays(robots, goals, wheels)))


def match_of(arrays: MatchArrays, match: int) -> MatchArrays:
    """One match's part of a batch, sharing its memory."""
    return MatchArrays(*(values[match] for values in arrays))
