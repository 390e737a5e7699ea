"""Potential fields summed over a rink, compiled.

The lowest place is looked for block by block. Distances and zones say how low a block of cells can be at best, so most blocks
are never looked into, and who hides or crowds a cell is asked only where that can decide.
"""

from __future__ import annotations

import math

import numpy as np

from robohockey_core.compiled import compiled
from robohockey_core.kinematics import FloatArray

# Rows of terms: kind, gain, and up to four numbers of its own.
BASE, DESTINATION, ZONE, SIGHT, PERSONAL = range(5)
TERM_VALUES = 6

# What is where, as one row: the puck's place, an opponent's half width, the personal radius, how many robots are opponents.
PUCK_X_M, PUCK_Y_M, HALF_WIDTH_M, PERSONAL_M, OPPONENTS = range(5)

_BLOCK_CELLS = 8
_REFINE_FROM_CELLS = 0.5
_FINEST_M = 0.001


@compiled
def in_shadow(puck_x: float, puck_y: float, x_m: float, y_m: float, half_m: float, at_x: float, at_y: float) -> bool:
    """Whether a place lies behind an opponent of this half width, seen from the puck (Chen eq 4)."""
    to_x, to_y = x_m - puck_x, y_m - puck_y
    gap_2 = to_x * to_x + to_y * to_y
    if gap_2 <= half_m * half_m:
        return False
    from_x, from_y = at_x - puck_x, at_y - puck_y
    along = from_x * to_x + from_y * to_y
    return along > gap_2 and abs(from_y * to_x - from_x * to_y) * math.sqrt(gap_2) < half_m * along


@compiled
def potential(
    terms: FloatArray, scene: FloatArray, robots: FloatArray, own: int, at_x: float, at_y: float, below: float
) -> float:
    """The sum of all terms at one place (Chen eq 1 to 5), or infinity as soon as it cannot be below a value.

    `robots` are places, opponents first; the one in row `own` is not in its own way.
    """
    total, sight, personal = 0.0, 0.0, 0.0
    for t in range(len(terms)):
        kind, gain = terms[t, 0], terms[t, 1]
        if kind <= DESTINATION:  # eq 1 and 2: proportional to a distance
            dx, dy = at_x - terms[t, 2], at_y - terms[t, 3]
            total += gain * math.sqrt(dx * dx + dy * dy)
        elif kind == ZONE:  # eq 3
            if not (terms[t, 2] <= at_x <= terms[t, 3] and terms[t, 4] <= at_y <= terms[t, 5]):
                total += gain
        elif kind == SIGHT:
            sight += gain
        else:
            personal += gain
    if not total + min(0.0, sight) + min(0.0, personal) < below:
        return math.inf
    if personal != 0.0:  # eq 5
        radius_2 = scene[PERSONAL_M] * scene[PERSONAL_M]
        for r in range(len(robots)):
            if r != own and (at_x - robots[r, 0]) ** 2 + (at_y - robots[r, 1]) ** 2 <= radius_2:
                total += personal
                break
    if sight != 0.0 and total + min(0.0, sight) < below:  # eq 4
        for o in range(int(scene[OPPONENTS])):
            if in_shadow(scene[PUCK_X_M], scene[PUCK_Y_M], robots[o, 0], robots[o, 1], scene[HALF_WIDTH_M], at_x, at_y):
                total += sight
                break
    return total if total < below else math.inf


@compiled
def least(terms: FloatArray, x_m: float, y_m: float, half_x_m: float, half_y_m: float) -> float:
    """How low the sum can be at best in a block of these half sides around a place."""
    total, reach_m = 0.0, math.sqrt(half_x_m * half_x_m + half_y_m * half_y_m)
    for t in range(len(terms)):
        kind, gain, a, b, c, d = terms[t]
        if kind <= DESTINATION:
            distance_m = math.sqrt((x_m - a) * (x_m - a) + (y_m - b) * (y_m - b))
            total += gain * max(0.0, distance_m - reach_m) if gain > 0.0 else gain * (distance_m + reach_m)
        else:
            outside = x_m + half_x_m < a or x_m - half_x_m > b or y_m + half_y_m < c or y_m - half_y_m > d
            if gain < 0.0 or (kind == ZONE and outside):
                total += gain
    return total


@compiled
def draw_potential(
    terms: FloatArray, scene: FloatArray, robots: FloatArray, own: int, xs: FloatArray, ys: FloatArray, out: FloatArray
) -> None:
    """The superposition over the whole rink, for pictures."""
    for i in range(len(xs)):
        for j in range(len(ys)):
            out[i, j] = potential(terms, scene, robots, own, xs[i], ys[j], math.inf)


@compiled
def lowest_among(terms: FloatArray, scene: FloatArray, robots: FloatArray, own: int, places: FloatArray) -> int:
    """Which of some places has the lowest potential; the first of equal ones."""
    best, found = math.inf, 0
    for k in range(len(places)):
        value = potential(terms, scene, robots, own, places[k, 0], places[k, 1], best)
        if value < best:
            best, found = value, k
    return found


@compiled
def lowest(
    terms: FloatArray, scene: FloatArray, robots: FloatArray, own: int, xs: FloatArray, ys: FloatArray
) -> tuple[float, float]:
    """The place of the lowest potential: the lowest cell, then steps that halve until they are below a millimetre."""
    cell_m = xs[1] - xs[0]
    columns, rows = -(-len(xs) // _BLOCK_CELLS), -(-len(ys) // _BLOCK_CELLS)
    half_m = (_BLOCK_CELLS - 1) * cell_m / 2.0
    bounds, first = np.empty(columns * rows), 0
    for block in range(columns * rows):
        x_m = xs[0] + block // rows * _BLOCK_CELLS * cell_m + half_m
        y_m = ys[0] + block % rows * _BLOCK_CELLS * cell_m + half_m
        bounds[block] = least(terms, x_m, y_m, half_m, half_m)
        if bounds[block] < bounds[first]:
            first = block
    best, x_m, y_m = math.inf, xs[0], ys[0]
    for turn in range(-1, columns * rows):
        # The most promising block goes first: what it holds rules most others out.
        block = first if turn < 0 else turn
        if bounds[block] >= best or turn == first:
            continue
        i0, j0 = block // rows * _BLOCK_CELLS, block % rows * _BLOCK_CELLS
        for i in range(i0, min(len(xs), i0 + _BLOCK_CELLS)):
            for j in range(j0, min(len(ys), j0 + _BLOCK_CELLS)):
                value = potential(terms, scene, robots, own, xs[i], ys[j], best)
                if value < best:
                    best, x_m, y_m = value, xs[i], ys[j]
    step = _REFINE_FROM_CELLS * cell_m
    while True:
        centre_x, centre_y = x_m, y_m
        for a in range(-1, 2):
            for b in range(-1, 2):
                at_x = min(xs[-1], max(xs[0], centre_x + a * step))
                at_y = min(ys[-1], max(ys[0], centre_y + b * step))
                value = potential(terms, scene, robots, own, at_x, at_y, best)
                if value < best:
                    best, x_m, y_m = value, at_x, at_y
        if centre_x == x_m and centre_y == y_m:
            if step < _FINEST_M:
                return x_m, y_m
            step *= 0.5
