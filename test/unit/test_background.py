"""The web view beside a match: it steps back, also where the kernel weighs whole sessions, and returns memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from robohockey_viz.background import NICENESS

AUTOGROUP = Path("/proc/self/autogroup")
"""Where the kernel groups processes by session; empty for a process that is in no such group."""


def group_of_this_run() -> str:
    return AUTOGROUP.read_text() if AUTOGROUP.exists() else ""


def said_after(code: str, *, own_session: bool) -> list[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, start_new_session=own_session).stdout.split("\n")


STEP_BACK = """
import os
from pathlib import Path
from robohockey_viz.background import step_back
before = os.nice(0)
step_back()
print(os.nice(0) - before)
group = Path("/proc/self/autogroup")
print(group.read_text().strip() if group.exists() else "")
"""


def test_a_process_in_a_session_of_its_own_steps_back_with_its_group():
    niceness, group, *_ = said_after(STEP_BACK, own_session=True)
    assert niceness == str(NICENESS)
    if not group:
        pytest.skip("this kernel does not group processes by session")
    assert group.split()[-1] == str(NICENESS)


def test_a_session_that_others_share_is_left_alone():
    # The child is in the session of this test run, whose group must not change.
    before = group_of_this_run()
    niceness, *_ = said_after(STEP_BACK, own_session=False)
    assert niceness == str(NICENESS)
    assert group_of_this_run() == before


PIECES = """
import ctypes, re
from pathlib import Path
from robohockey_viz.background import return_memory
return_memory()

def in_use_kb():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

# A large piece that comes and goes raises glibc's own limit; pieces below it then stay in the heap, held by small ones
# that were made after them.
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
libc.free(libc.malloc(16 << 20))
before_kb = in_use_kb()
pieces, small = [], []
for _ in range(64):
    pieces.append(libc.malloc(1 << 20))
    ctypes.memset(pieces[-1], 1, 1 << 20)
    small.append(libc.malloc(512))
for piece in pieces:
    libc.free(piece)
print(in_use_kb() - before_kb)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_large_pieces_go_back_to_the_system_when_they_are_released():
    (kept_kb, *_) = said_after(PIECES, own_session=True)
    assert int(kept_kb) < 4096
