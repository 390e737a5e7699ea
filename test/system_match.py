"""Matches started from the command line, for system tests."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

from harness import PATIENCE_S, environment

ROBOHOCKEY = [sys.executable, "-m", "robohockey_match.cli"]


def match(domain, *arguments):
    """A match started from the command line; killed if the test fails."""
    return command(domain, "match", *arguments)


@contextlib.contextmanager
def command(domain, *arguments):
    """Any command of `robohockey`; killed if the test fails."""
    process = subprocess.Popen(
        [*ROBOHOCKEY, *arguments],
        env=environment(domain),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def processes_in(domain):
    """Ids of all processes that live in a test's ROS domain, apart from this one."""
    found = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                variables = (entry / "environ").read_bytes().split(b"\0")
                if f"ROS_DOMAIN_ID={domain}".encode() in variables:
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found


def end(process):
    """Ctrl-C; returns all that was printed."""
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, output
    return output
