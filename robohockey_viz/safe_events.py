"""Viser's wake-up call, made safe for threads.

Its message buffer sets an asyncio event from whichever thread draws, and right after that once more on the server's loop.
Events of asyncio are not for several threads: while visitors come and go, the first call can find the list of those who
wait changed under its hands, and raises in the middle of a picture. The second call is all that is needed.
"""

from __future__ import annotations

import asyncio
from typing import Any

from viser.infra._async_message_buffer import AsyncMessageBuffer


class LoopEvent(asyncio.Event):
    """An event that only its loop can set."""

    def set(self) -> None:
        """Wake up who waits; in any other thread do nothing."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return
        super().set()


class SafeMessageBuffer(AsyncMessageBuffer):  # type: ignore[misc]  # viser is not typed for us
    """The same buffer with such an event."""

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self.message_event = LoopEvent()
