"""Looking outwards along the columns of a strip: lines on the floor, and where the floor ends (compiled)."""

from __future__ import annotations

from robohockey_core.compiled import compiled

_MOST_LINE_PX = 14
_MOST_A_COLUMN = 8


@compiled
def scan_columns(numbers, columns, line, floor, seen):
    """Fill `seen` with column, row and kind (0: middle of a line, 1: end of the floor); return how many there are.

    A line has floor on both sides. The floor ends where neither floor nor line follows for three pixels; a line may lie
    right at its end. One pixel of anything else may be noise or a blurred edge.
    """
    count = 0
    for column in columns:
        row = numbers.shape[0] - 1
        while row >= 0 and numbers[row, column] != floor:
            row -= 1
        line_near, line_far, strange, found = -1, -1, 0, 0
        last_good = row
        while row >= 0 and found < _MOST_A_COLUMN and count < seen.shape[0]:
            number = numbers[row, column]
            if number == floor:
                if line_near >= 0:
                    if line_near - line_far < _MOST_LINE_PX:
                        seen[count, 0], seen[count, 1], seen[count, 2] = column, 0.5 * (line_near + line_far), 0.0
                        count += 1
                        found += 1
                    line_near = -1
                last_good, strange = row, 0
            elif number == line:
                if line_near < 0:
                    line_near = row
                line_far, last_good, strange = row, row, 0
            else:
                strange += 1
                if strange >= 3:
                    seen[count, 0], seen[count, 1], seen[count, 2] = column, last_good - 0.5, 1.0
                    count += 1
                    break
            row -= 1
    return count
