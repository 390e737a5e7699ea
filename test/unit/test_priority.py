"""What serves visitors steps back, what keeps the time of a match steps ahead, also where the kernel weighs whole sessions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from robohockey_core.priority import AHEAD_NICENESS, BEHIND_NICENESS

AUTOGROUP = Path("/proc/self/autogroup")
"""Where the kernel groups processes by session; empty for a process that is in no such group."""


def group_of_this_run() -> str:
    return AUTOGROUP.read_text() if AUTOGROUP.exists() else ""


def said_after(code: str, *, own_session: bool) -> list[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, start_new_session=own_session).stdout.split("\n")


STEP = """
import os
from pathlib import Path
from robohockey_core.priority import {step}
before = os.nice(0)
{step}()
print(os.nice(0) - before)
group = Path("/proc/self/autogroup")
print(group.read_text().strip() if group.exists() else "")
"""


def test_a_process_in_a_session_of_its_own_steps_back_with_its_group():
    niceness, group, *_ = said_after(STEP.format(step="step_back"), own_session=True)
    assert niceness == str(BEHIND_NICENESS)
    if not group:
        pytest.skip("this kernel does not group processes by session")
    assert group.split()[-1] == str(BEHIND_NICENESS)


def test_a_session_that_others_share_is_left_alone():
    # The child is in the session of this test run, whose group must not change.
    before = group_of_this_run()
    niceness, *_ = said_after(STEP.format(step="step_back"), own_session=False)
    assert niceness == str(BEHIND_NICENESS)
    assert group_of_this_run() == before


def test_where_the_system_allows_it_a_process_steps_ahead():
    # Nobody but root may; for others nothing changes, and nothing fails.
    niceness, *_ = said_after(STEP.format(step="step_ahead"), own_session=True)
    assert niceness == str(AHEAD_NICENESS if os.geteuid() == 0 else 0)
