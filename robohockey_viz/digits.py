"""Numbers as drawn strokes: they read from above without a font or a texture."""

from __future__ import annotations

import numpy as np

from robohockey_viz.meshes import FloatArray, Mesh, circle, flat, merged, ribbon

_ADVANCE = 0.82
_STROKE = 0.17

# Every digit is one line in a box from (-0.3, -0.5) to (0.3, 0.5).
_SIX = (
    (0.24, 0.42), (0.05, 0.5), (-0.15, 0.44), (-0.28, 0.2), (-0.3, -0.2), (-0.18, -0.44), (0.04, -0.5),
    (0.24, -0.4), (0.3, -0.18), (0.22, 0.04), (0.0, 0.1), (-0.24, 0.0),
)  # fmt: skip
_LINES = {
    "0": (
        (0.0, 0.5), (-0.2, 0.42), (-0.3, 0.2), (-0.3, -0.2), (-0.2, -0.42), (0.0, -0.5),
        (0.2, -0.42), (0.3, -0.2), (0.3, 0.2), (0.2, 0.42), (0.0, 0.5),
    ),
    "1": ((-0.18, 0.28), (0.06, 0.5), (0.06, -0.5)),
    "2": ((-0.3, 0.28), (-0.2, 0.45), (0.0, 0.5), (0.2, 0.45), (0.3, 0.28), (0.24, 0.06), (-0.3, -0.5), (0.3, -0.5)),
    "3": (
        (-0.28, 0.4), (-0.1, 0.5), (0.12, 0.5), (0.28, 0.36), (0.24, 0.13), (0.02, 0.04), (0.26, -0.08),
        (0.3, -0.32), (0.12, -0.5), (-0.12, -0.5), (-0.3, -0.36),
    ),
    "4": ((0.12, -0.5), (0.12, 0.5), (-0.3, -0.2), (0.32, -0.2)),
    "5": (
        (0.28, 0.5), (-0.22, 0.5), (-0.27, 0.06), (0.0, 0.14), (0.22, 0.06), (0.3, -0.16), (0.22, -0.4),
        (0.0, -0.5), (-0.28, -0.4),
    ),
    "6": _SIX,
    "7": ((-0.3, 0.5), (0.3, 0.5), (-0.08, -0.5)),
    "8": (
        (0.0, 0.05), (-0.22, 0.16), (-0.24, 0.38), (0.0, 0.5), (0.24, 0.38), (0.22, 0.16), (0.0, 0.05),
        (-0.27, -0.1), (-0.3, -0.36), (0.0, -0.5), (0.3, -0.36), (0.27, -0.1), (0.0, 0.05),
    ),
    "9": tuple((-x, -y) for x, y in _SIX),
}  # fmt: skip


def number(value: int, height_m: float, z_m: float) -> Mesh:
    """A whole number lying flat, centred, upright for a reader who looks along +y."""
    text = str(value)
    first_x = -0.5 * _ADVANCE * (len(text) - 1)
    strokes = []
    for place, digit in enumerate(text):
        offset = np.array([first_x + _ADVANCE * place, 0.0])
        strokes.append(_stroke(height_m * (np.array(_LINES[digit]) + offset), height_m, z_m))
    return merged(strokes)


def _stroke(line: FloatArray, height_m: float, z_m: float) -> Mesh:
    width_m = _STROKE * height_m
    joints = [flat(circle(width_m / 2.0, 12) + point, z_m) for point in line]
    return merged([*joints, *(ribbon(line[i : i + 2], width_m, z_m) for i in range(len(line) - 1))])
