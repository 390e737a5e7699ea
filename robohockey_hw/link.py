"""A serial line that may come and go: pyserial's URLs, never an exception, and never a call that waits for long.

Opening and closing can take seconds (a socket that nobody answers, a Bluetooth port), so they run in a
thread of their own and the control loop only picks up the result. A write waits 20 ms at most, once: then the port is lost.
"""

from __future__ import annotations

import queue
import socket
import termios
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import serial

from robohockey_core.checked import InputError

DEFAULT_BAUD_RATE = 115200
FIRST_RETRY_S, LAST_RETRY_S = 0.25, 2.0

# A port that takes no byte for this long has thousands of them waiting, all of them old: it counts as lost.
_WRITE_TIMEOUT_S = 0.02
_READ_BYTES = 4096
_ALLOWED = "a device such as /dev/ttyUSB0, socket://host:port or another URL that pyserial knows"

# What pyserial's ports let through beside their own SerialException, which is an OSError.
_PORT_ERRORS = (OSError, ValueError, TypeError, KeyError, queue.Full, termios.error)

Port = Any
"""A pyserial port: read, write, close."""


def open_port(url: str, baud_rate: int) -> Port:
    """Open a port for one user, with reads that return at once. Raises what pyserial raises."""
    port = serial.serial_for_url(url, baudrate=baud_rate, timeout=0, write_timeout=_WRITE_TIMEOUT_S, exclusive=True)
    if urlsplit(url).scheme == "socket":
        # Nagle's algorithm would hold a command back until the robot has acknowledged the one before, up to 40 ms.
        with socket.fromfd(port.fileno(), socket.AF_INET, socket.SOCK_STREAM) as same:
            same.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return port


def open_link(url: str, baud_rate: int = DEFAULT_BAUD_RATE) -> Link:
    """Make a link that opens by itself when it is first used. Raises InputError on a URL that can never work.

    A device that is not there is no mistake: it may be plugged in later.
    """
    if not url:
        raise InputError(f"link is empty; allowed: {_ALLOWED}")
    try:
        parts = urlsplit(url)
        if parts.scheme in ("socket", "rfc2217") and not (parts.hostname and parts.port):
            raise ValueError("host and port are needed")
        serial.serial_for_url(url, do_not_open=True)
    except serial.SerialException:
        pass
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"link = {url!r}: {error}; allowed: {_ALLOWED}") from None
    return Link(url, lambda: open_port(url, baud_rate))


def _in_thread(work: Callable[[], None]) -> None:
    threading.Thread(target=work, daemon=True).start()


class Link:
    """Reads and writes while the port is there; opens it again, later and later, when it is not."""

    def __init__(
        self, url: str, open_it: Callable[[], Port], in_background: Callable[[Callable[[], None]], None] = _in_thread
    ) -> None:
        self.url = url
        self.open_count = 0
        self.error_count = 0
        self.last_error = ""
        self._open_it = open_it
        self._in_background = in_background
        self._port: Port = None
        self._opened: queue.SimpleQueue[Port | Exception] = queue.SimpleQueue()
        self._opening = False
        # A port that opens after the link was closed belongs to nobody: counted, so that its thread can tell.
        self._closings = 0
        self._lock = threading.Lock()
        self._retry_s = FIRST_RETRY_S
        self._next_try_s: float | None = None

    @property
    def up(self) -> bool:
        return self._port is not None

    @property
    def reopen_count(self) -> int:
        return max(0, self.open_count - 1)

    def read(self, now_s: float) -> bytes:
        """Return what has come in; nothing while the port is down."""
        self._keep_open(now_s)
        return self._try(lambda port: bytes(port.read(_READ_BYTES)), now_s) or b""

    def write(self, data: bytes, now_s: float) -> bool:
        """Send all of it, or lose the port; False while the port is down, and then nothing is kept for later."""
        self._keep_open(now_s)
        sent = self._try(lambda port: port.write(data), now_s)
        if sent is not None:
            self._retry_s = FIRST_RETRY_S
        return sent is not None

    def close(self) -> None:
        """Close at once, after what was written has gone out as far as the port can tell."""
        with self._lock:
            self._closings += 1
            self._opening = False
            while not self._opened.empty():
                _close(self._opened.get())
        if self._port is not None:
            _close(self._port)
            self._port = None

    def _try(self, use: Callable[[Port], Any], now_s: float) -> Any:
        if self._port is None:
            return None
        try:
            return use(self._port)
        except _PORT_ERRORS as error:
            port, self._port = self._port, None
            self._in_background(lambda: _discard(port))
            self._fail(error, now_s)
            return None

    def _keep_open(self, now_s: float) -> None:
        if self._port is not None:
            return
        if not self._opening and (self._next_try_s is None or now_s >= self._next_try_s):
            self._opening = True
            closings = self._closings
            self._in_background(lambda: self._open(closings))
        if self._opened.empty():
            return
        result = self._opened.get()
        self._opening = False
        if isinstance(result, Exception):
            self._fail(result, now_s)
        else:
            self._port = result
            self.open_count += 1

    def _open(self, closings: int) -> None:
        result: Port | Exception
        try:
            result = self._open_it()
        except _PORT_ERRORS as error:
            result = error
        with self._lock:
            if closings == self._closings:
                self._opened.put(result)
                return
        _close(result)

    def _fail(self, error: Exception, now_s: float) -> None:
        self.error_count += 1
        self.last_error = " ".join(str(error).split()) or type(error).__name__
        self._next_try_s = now_s + self._retry_s
        self._retry_s = min(2.0 * self._retry_s, LAST_RETRY_S)


def _discard(port: Port) -> None:
    """Close a lost port without sending the old commands that wait in it."""
    try:
        port.reset_output_buffer()
    except _PORT_ERRORS:
        pass
    finally:
        _close(port)


def _close(port: Port | Exception) -> None:
    if isinstance(port, Exception):
        return  # it never opened
    try:
        port.close()
    except _PORT_ERRORS:
        return
