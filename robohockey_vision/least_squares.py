"""Levenberg and Marquardt's way to the least squares, for calibrations with a handful of unknowns."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

_ROUNDS = 60
_FIRST_DAMPING, _LEAST_GAIN = 1e-3, 1e-9


def fit(residuals: Callable[[FloatArray], FloatArray], start: FloatArray, scale: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The unknowns that make the residuals least, and those residuals. `scale` is what counts as a small change of each."""
    x, damping = start.astype(float), _FIRST_DAMPING
    r = residuals(x)
    cost = float(r @ r)
    for _ in range(_ROUNDS):
        jacobian = np.stack([(residuals(x + step) - r) / step.sum() for step in np.diag(scale * 1e-3)], axis=1) * scale
        normal, slope = jacobian.T @ jacobian, jacobian.T @ r
        step = np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-12), -slope) * scale
        tried = residuals(x + step)
        new_cost = float(tried @ tried)
        if np.isfinite(new_cost) and new_cost < cost:
            gained = (cost - new_cost) / max(cost, 1e-30)
            x, r, cost, damping = x + step, tried, new_cost, damping * 0.3
            if gained < _LEAST_GAIN:
                break
        else:
            damping *= 5.0
            if damping > 1e9:
                break
    return x, r
