"""Potential fields summed over a rink, compiled.

What all robots of a team share, shadows of opponents and personal regions, is drawn once into masks; a robot's own sum then
costs little more than two distances a cell.
"""

from __future__ import annotations

import math

from robohockey_core.compiled import compiled
from robohockey_core.kinematics import FloatArray

# Rows of terms: kind, gain, and up to four numbers of its own.
BASE, DESTINATION, ZONE, SIGHT, PERSONAL = range(5)
TERM_VALUES = 6

_REFINE_FROM_CELLS = 0.5
_FINEST_M = 0.001


@compiled
def in_shadow(puck_x: float, puck_y: float, x_m: float, y_m: float, half_m: float, at_x: float, at_y: float) -> bool:
    """Whether a place lies behind an opponent of this half width, seen from the puck (Chen eq 4)."""
    to_x, to_y = x_m - puck_x, y_m - puck_y
    gap = math.hypot(to_x, to_y)
    if gap <= half_m:
        return False
    along = ((at_x - puck_x) * to_x + (at_y - puck_y) * to_y) / gap
    aside = ((at_y - puck_y) * to_x - (at_x - puck_x) * to_y) / gap
    return along > gap and abs(aside) * gap < half_m * along


@compiled
def draw_shadows(
    mask: FloatArray, xs: FloatArray, ys: FloatArray, puck: FloatArray, opponents: FloatArray, half_m: float
) -> None:
    """Mark the cells that some opponent hides from the puck."""
    for o in range(len(opponents)):
        to_x, to_y = opponents[o, 0] - puck[0], opponents[o, 1] - puck[1]
        gap = math.hypot(to_x, to_y)
        if gap <= half_m:
            continue
        for i in range(len(xs)):
            from_x = xs[i] - puck[0]
            for j in range(len(ys)):
                from_y = ys[j] - puck[1]
                along = from_x * to_x + from_y * to_y
                if along > gap * gap and abs(from_y * to_x - from_x * to_y) * gap < half_m * along:
                    mask[i, j] = 1.0


@compiled
def draw_discs(counts: FloatArray, xs: FloatArray, ys: FloatArray, places: FloatArray, radius_m: float, sign: float) -> None:
    """Add a sign to every cell within a radius of the places."""
    cell_m = xs[1] - xs[0]
    for p in range(len(places)):
        x_m, y_m = places[p, 0], places[p, 1]
        i0 = max(0, math.ceil((x_m - radius_m - xs[0]) / cell_m))
        i1 = min(len(xs) - 1, math.floor((x_m + radius_m - xs[0]) / cell_m))
        j0 = max(0, math.ceil((y_m - radius_m - ys[0]) / cell_m))
        j1 = min(len(ys) - 1, math.floor((y_m + radius_m - ys[0]) / cell_m))
        for i in range(i0, i1 + 1):
            for j in range(j0, j1 + 1):
                if (xs[i] - x_m) ** 2 + (ys[j] - y_m) ** 2 <= radius_m * radius_m:
                    counts[i, j] += sign


@compiled
def potential(terms: FloatArray, shadow: float, near: float, x_m: float, y_m: float) -> float:
    """The sum of all terms at one place (Chen eq 1 to 5), its shadow and nearness to others given."""
    total = 0.0
    for t in range(len(terms)):
        kind, gain = terms[t, 0], terms[t, 1]
        if kind <= DESTINATION:  # eq 1 and 2: proportional to a distance
            total += gain * math.hypot(x_m - terms[t, 2], y_m - terms[t, 3])
        elif kind == ZONE:  # eq 3
            if not (terms[t, 2] <= x_m <= terms[t, 3] and terms[t, 4] <= y_m <= terms[t, 5]):
                total += gain
        elif kind == SIGHT:  # eq 4
            total += gain * shadow
        else:  # eq 5
            total += gain * near
    return total


@compiled
def draw_potential(
    terms: FloatArray, shadows: FloatArray, near: FloatArray, xs: FloatArray, ys: FloatArray, out: FloatArray
) -> None:
    """The superposition over the whole rink, term by term so that the inner loops have no branches."""
    out[:] = 0.0
    for t in range(len(terms)):
        kind, gain, a, b, c, d = terms[t]
        if kind <= DESTINATION:
            for i in range(len(xs)):
                dx2 = (xs[i] - a) * (xs[i] - a)
                for j in range(len(ys)):
                    dy = ys[j] - b
                    out[i, j] += gain * math.sqrt(dx2 + dy * dy)
        elif kind == ZONE:
            for i in range(len(xs)):
                outside_x = xs[i] < a or xs[i] > b
                for j in range(len(ys)):
                    if outside_x or ys[j] < c or ys[j] > d:
                        out[i, j] += gain
        elif kind == SIGHT:
            for i in range(len(xs)):
                for j in range(len(ys)):
                    out[i, j] += gain * shadows[i, j]
        else:
            for i in range(len(xs)):
                for j in range(len(ys)):
                    if near[i, j] > 0.5:
                        out[i, j] += gain


@compiled
def lowest(
    terms: FloatArray,
    grid: FloatArray,
    xs: FloatArray,
    ys: FloatArray,
    puck: FloatArray,
    opponents: FloatArray,
    half_m: float,
    others: FloatArray,
    radius_m: float,
) -> tuple[float, float, float]:
    """Place and value of the lowest potential: the lowest cell, then steps that halve until they are below a millimetre."""
    best, x_m, y_m = math.inf, xs[0], ys[0]
    for i in range(len(xs)):
        for j in range(len(ys)):
            if grid[i, j] < best:
                best, x_m, y_m = grid[i, j], xs[i], ys[j]
    step = _REFINE_FROM_CELLS * (xs[1] - xs[0])
    while True:
        centre_x, centre_y = x_m, y_m
        for a in range(-1, 2):
            for b in range(-1, 2):
                at_x = min(xs[-1], max(xs[0], centre_x + a * step))
                at_y = min(ys[-1], max(ys[0], centre_y + b * step))
                shadow, near = 0.0, 0.0
                for o in range(len(opponents)):
                    if in_shadow(puck[0], puck[1], opponents[o, 0], opponents[o, 1], half_m, at_x, at_y):
                        shadow = 1.0
                for o in range(len(others)):
                    if (at_x - others[o, 0]) ** 2 + (at_y - others[o, 1]) ** 2 <= radius_m * radius_m:
                        near = 1.0
                value = potential(terms, shadow, near, at_x, at_y)
                if value < best:
                    best, x_m, y_m = value, at_x, at_y
        if centre_x == x_m and centre_y == y_m:
            if step < _FINEST_M:
                return x_m, y_m, best
            step *= 0.5
