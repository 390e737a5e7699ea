"""Drawing in one thread while the page's server sends in another: waking it up leaves its list of waiters alone."""

from __future__ import annotations

import asyncio
import contextlib
import threading

import pytest
from viser import _messages

from robohockey_viz.page import quiet_server
from robohockey_viz.ports import free_port
from robohockey_viz.safe_events import LoopEvent, SafeMessageBuffer

HOST = "127.0.0.1"


@pytest.fixture
def loop():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def on(loop, coroutine):
    return asyncio.run_coroutine_threadsafe(coroutine, loop)


def test_setting_the_event_from_another_thread_wakes_nobody(loop):
    event = LoopEvent()
    event.set()
    assert not event.is_set()

    async def set_it():
        event.set()

    on(loop, set_it()).result()
    assert event.is_set()


@pytest.mark.parametrize("atomic", [False, True])
def test_what_is_pushed_from_another_thread_arrives(loop, atomic):
    async def make():
        return SafeMessageBuffer(loop, persistent_messages=True)

    buffer = on(loop, make()).result()
    windows = buffer.window_generator(1)

    async def first_window():
        return await anext(windows)

    coming = on(loop, first_window())
    message = _messages.SetPositionMessage("/puck", (1.0, 2.0, 0.0))
    if atomic:
        buffer.atomic_start()
    buffer.push(message)
    if atomic:
        buffer.atomic_end()
    assert list(coming.result(timeout=60.0)) == [message]
    on(loop, windows.aclose()).result()


def test_the_pages_server_uses_it():
    server = quiet_server(HOST, free_port(HOST, 18600), "test")
    try:
        assert isinstance(server._websock_server.get_message_buffer(), SafeMessageBuffer)
    finally:
        with contextlib.redirect_stdout(None):
            server.stop()
