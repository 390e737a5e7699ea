"""What the virtual camera and the virtual radio share: seeded streams of chance, and a delay line.

How much noise there is stands in the league's `noise` section (`robohockey_core.noise_spec.NoiseSpec`).
"""

from __future__ import annotations

import math
import zlib
from collections import deque
from typing import Generic, TypeVar

import numpy as np

from robohockey_core.checked import InputError

# Times are whole physics steps plus a delay; what is due within this is due now, or rounding would cost a step.
ROUNDING_S = 1e-9

T = TypeVar("T")


def stream(seed: int, purpose: str) -> np.random.Generator:
    """Chance for one purpose: each has a stream of its own, so that one effect never shifts the draws of another."""
    if seed < 0:
        raise InputError(f"seed = {seed}: must be at least 0")
    return np.random.Generator(np.random.PCG64([seed, zlib.crc32(purpose.encode())]))


class DelayLine(Generic[T]):
    """Things on their way: what is put in comes out after the delay, in order."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s
        self._waiting: deque[tuple[float, T]] = deque()

    def put(self, item: T, now_s: float) -> None:
        self._waiting.append((now_s + self._delay_s, item))

    def due(self, now_s: float) -> list[tuple[float, T]]:
        """Take out what has arrived by now, each with its time of arrival."""
        arrived = []
        while self._waiting and self._waiting[0][0] <= now_s + ROUNDING_S:
            arrived.append(self._waiting.popleft())
        return arrived

    def next_s(self) -> float:
        """When the next one arrives; infinity when nothing is on its way."""
        return self._waiting[0][0] if self._waiting else math.inf
