"""A process that serves visitors returns the memory that they took."""

from __future__ import annotations

import ctypes

_M_MMAP_THRESHOLD = -3
"""Parameter of glibc's mallopt (malloc.h)."""

_LARGE_BYTES = 128 * 1024


def return_memory() -> None:
    """Give memory of what was sent back to the system at once.

    Each visitor gets the whole scene, megabytes in a few pieces. Left alone, glibc raises the size from which a piece is
    returned on release above theirs as soon as the first one is released, and visit after visit leaves holes behind.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # only glibc has it
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)
