"""A process that serves visitors beside a match: it takes processor time and memory only after the match has had its own."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
from pathlib import Path

NICENESS = 5

_AUTOGROUP = Path("/proc/self/autogroup")

_M_MMAP_THRESHOLD = -3
"""Parameter of glibc's mallopt (malloc.h)."""

_LARGE_BYTES = 128 * 1024


def step_back() -> None:
    """Let the match go first on a machine that is short of time.

    The runner gives every node a session of its own, and where the kernel groups processes by session
    (`sched_autogroup_enabled`, as on desktop systems) niceness counts only inside of a group: there the whole group has
    to step back. A session that is shared, with a launch file or a shell, is left as it is.
    """
    os.nice(NICENESS)
    if os.getsid(0) == os.getpid():
        with contextlib.suppress(OSError):  # a kernel without such groups
            _AUTOGROUP.write_text(str(NICENESS))


def return_memory() -> None:
    """Give memory of what was sent back to the system at once.

    Each visitor gets the whole scene, megabytes in a few pieces. Left alone, glibc raises the size from which a piece is
    returned on release above theirs as soon as the first one is released, and visit after visit leaves holes behind.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # only glibc has it
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)


def settle() -> None:
    """Once everything is built: let go of what building left over, and never look through the rest again."""
    gc.collect()
    gc.freeze()
