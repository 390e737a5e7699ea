"""Waiting for a condition, never for a time. Needs no ROS."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

PATIENCE_S = 60.0
"""Long enough for a cold start on a busy machine; a test that passes never waits this long."""


def wait_for(condition: Callable[[], Any], what: str, timeout_s: float = PATIENCE_S) -> Any:
    """Return the condition's first true value; fail with `what` when it does not come."""
    deadline = time.monotonic() + timeout_s
    pause = threading.Event()
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        pause.wait(0.01)
    raise AssertionError(f"not within {timeout_s} s: {what}")
