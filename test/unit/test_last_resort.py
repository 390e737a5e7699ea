"""A process that is stuck with the interpreter's lock held still ends, with the code it was given."""

from __future__ import annotations

import subprocess
import sys


def test_a_stuck_process_ends_with_the_given_code():
    # PyDLL keeps the interpreter's lock while pause() waits for a signal that never comes.
    stuck = (
        "import ctypes; from robohockey_core.ros.last_resort import exit_after;"
        "exit_after(1, 5); ctypes.PyDLL(None).pause(); raise SystemExit(3)"
    )
    assert subprocess.run([sys.executable, "-c", stuck], timeout=60, check=False).returncode == 5
