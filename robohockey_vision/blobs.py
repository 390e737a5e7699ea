"""Connected pixels of one class, found in one pass: runs along the rows, joined by a forest (compiled)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robohockey_core.compiled import compiled

CLASS, AREA, SUM_X, SUM_Y, LOW_X, HIGH_X, LOW_Y, HIGH_Y = range(8)
"""Columns of a blob."""
_MOST_RUNS = 60000


@compiled
def look_up(image, table, numbers):
    """Write the class number of each pixel."""
    for row in range(image.shape[0]):
        for column in range(image.shape[1]):
            b, g, r = image[row, column, 0], image[row, column, 1], image[row, column, 2]
            numbers[row, column] = table[(np.int64(b >> 2) << 12) | (np.int64(g >> 2) << 6) | np.int64(r >> 2)]


@compiled
def _root(parent, run):
    while parent[run] != run:
        parent[run] = parent[parent[run]]
        run = parent[run]
    return run


@compiled
def _collect(numbers, wanted, runs, parent):
    """Fill `runs` (class, row, first, last) and join those that touch, corners too; return how many there are."""
    count, above_first, above_end = 0, 0, 0
    for row in range(numbers.shape[0]):
        row_first, above = count, above_first
        column = 0
        while column < numbers.shape[1]:
            number = numbers[row, column]
            if not wanted[number]:
                column += 1
                continue
            first = column
            while column < numbers.shape[1] and numbers[row, column] == number:
                column += 1
            if count == runs.shape[0]:
                return count
            runs[count, 0], runs[count, 1], runs[count, 2], runs[count, 3] = number, row, first, column - 1
            parent[count] = count
            while above < above_end and runs[above, 3] < first - 1:
                above += 1
            other = above
            while other < above_end and runs[other, 2] <= column:
                if runs[other, 0] == number:
                    a, b = _root(parent, other), _root(parent, count)
                    parent[max(a, b)] = min(a, b)
                other += 1
            count += 1
        above_first, above_end = row_first, count
    return count


@compiled
def _sum_up(runs, parent, count, blobs, slot):
    found = 0
    for run in range(count):
        root = _root(parent, run)
        if root == run:
            slot[run] = found
            blobs[found, LOW_X], blobs[found, LOW_Y] = runs[run, 2], runs[run, 1]
            blobs[found, CLASS] = runs[run, 0]
            found += 1
        blob = blobs[slot[root]]
        row, first, last = runs[run, 1], runs[run, 2], runs[run, 3]
        length = last - first + 1
        blob[AREA] += length
        blob[SUM_X] += 0.5 * (first + last) * length
        blob[SUM_Y] += row * length
        blob[LOW_X], blob[HIGH_X] = min(blob[LOW_X], first), max(blob[HIGH_X], last)
        blob[HIGH_Y] = max(blob[HIGH_Y], row)
    return found


class BlobFinder:
    """Finds blobs in images of class numbers; its buffers are made once."""

    def __init__(self) -> None:
        self._runs = np.empty((_MOST_RUNS, 4), dtype=np.int64)
        self._parent = np.empty(_MOST_RUNS, dtype=np.int64)
        self._slot = np.empty(_MOST_RUNS, dtype=np.int64)

    def find(self, numbers: NDArray[np.uint8], wanted: NDArray[np.bool_], least_area: int = 1) -> NDArray[np.float64]:
        """One row a blob of the wanted classes (`wanted[class number]`), with the columns named above."""
        count = _collect(numbers, wanted, self._runs, self._parent)
        blobs = np.zeros((count, 8))
        found = _sum_up(self._runs, self._parent, count, blobs, self._slot)
        kept: NDArray[np.float64] = blobs[:found]
        return kept[kept[:, AREA] >= least_area]


def centers(blobs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Column and row of the middle of each blob, with fractions."""
    middle: NDArray[np.float64] = blobs[:, [SUM_X, SUM_Y]] / blobs[:, [AREA]]
    return middle
