"""Which process goes first on a machine that is short of time."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

BEHIND_NICENESS = 5
"""Of what serves visitors: the match goes first."""
AHEAD_NICENESS = -10
"""Of what must keep the time of a match: others wait."""

_AUTOGROUP = Path("/proc/self/autogroup")


def step_back() -> None:
    """Let others go first."""
    _change(BEHIND_NICENESS)


def step_ahead() -> None:
    """Go before others, where the system allows it: for root, or within the limit of RLIMIT_NICE."""
    with contextlib.suppress(PermissionError):
        _change(AHEAD_NICENESS)


def _change(niceness: int) -> None:
    """The runner gives every node a session of its own, and where the kernel groups processes by session
    (`sched_autogroup_enabled`, as on desktop systems) niceness counts only inside of a group: there the whole group has
    to change. A session that is shared, with a launch file or a shell, is left as it is.
    """
    os.nice(niceness)
    if os.getsid(0) == os.getpid():
        with contextlib.suppress(OSError):  # a kernel without such groups
            _AUTOGROUP.write_text(str(niceness))
