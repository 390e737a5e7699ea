"""Starting, watching and ending the processes of a match, for machines without the `launch` package."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from robohockey_core.launch_plan import NODE_CLASSES, NodeSpec

_END_PATIENCE_S = 5.0
"""How long a process may take to end after SIGTERM, before it is killed."""

_RESPAWN_PAUSE_S = 1.0
_MOST_RESPAWNS = 5
_BAD_INPUT_EXIT = 2
_OVER = -1
_POLL_S = 0.1
_PR_SET_PDEATHSIG = 1


def node_command(spec: NodeSpec, log_level: str) -> list[str]:
    """The command line of a node in a process of its own."""
    module = NODE_CLASSES[spec.executable].partition(":")[0]
    return [sys.executable, "-m", module, *spec.ros_arguments(log_level)]


@dataclass
class Job:
    """One process to keep running."""

    name: str
    command: Sequence[str]
    respawn: bool = True
    is_the_match: bool = False
    """Whether the match is over, as it should be, when this one ends with 0."""
    process: subprocess.Popen[str] | None = None
    respawns: int = 0
    start_again_s: float | None = None


@dataclass
class Crew:
    """The processes of one match. Whatever happens, none of them outlives it."""

    jobs: list[Job]
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def run(self) -> int:
        """Start all, wait for SIGINT or SIGTERM, end all; return the exit code."""
        asked_to_end = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: asked_to_end.set())
        failed = 0
        try:
            for job in self.jobs:
                self._start(job)
            while not asked_to_end.wait(_POLL_S) and not failed:
                failed = self._look_after()
        finally:
            codes = self._end_all()
        return max(codes, default=0) if failed == _OVER else failed or max(codes, default=0)

    def _start(self, job: Job) -> None:
        job.start_again_s = None
        job.process = subprocess.Popen(
            job.command,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            # Ctrl-C reaches only this process, which then ends the others in order.
            start_new_session=True,
            preexec_fn=_die_with_parent,  # noqa: PLW1509 (the child only makes one system call)
        )
        threading.Thread(target=_print_output, args=(job.name, job.process), daemon=True).start()

    def _look_after(self) -> int:
        """Start again what has died; return a code other than 0 when the match cannot go on."""
        for job in self.jobs:
            assert job.process is not None
            code = job.process.poll()
            if code is None:
                continue
            if code == 0 and job.is_the_match:
                return _OVER
            if code == _BAD_INPUT_EXIT or not job.respawn or job.respawns >= _MOST_RESPAWNS:
                if code != _BAD_INPUT_EXIT:
                    print(f"robohockey: {job.name} ended with {code}; the match ends", file=sys.stderr, flush=True)
                return code if code > 0 else 1
            now_s = time.monotonic()
            if job.start_again_s is None:
                print(f"robohockey: {job.name} ended with {code}; starting it again", file=sys.stderr, flush=True)
                job.start_again_s = now_s + _RESPAWN_PAUSE_S
            elif now_s >= job.start_again_s:
                job.respawns += 1
                self._start(job)
        return 0

    def _end_all(self) -> list[int]:
        """Ask, wait, then kill; return the exit codes, where ending because we asked counts as 0."""
        processes = [job.process for job in self.jobs if job.process is not None]
        for process in processes:
            if process.poll() is None:
                process.terminate()
        deadline_s = time.monotonic() + _END_PATIENCE_S
        codes = []
        for process in processes:
            try:
                code = process.wait(max(0.0, deadline_s - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
            codes.append(0 if code == -signal.SIGTERM else abs(code))
        return codes


def _print_output(name: str, process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        print(f"[{name}] {line.rstrip()}", flush=True)


def _die_with_parent() -> None:
    """Ask Linux to end this process with its parent, even when that is killed without a chance to clean up."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
