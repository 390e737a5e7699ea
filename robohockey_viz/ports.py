"""Which port a server can have."""

from __future__ import annotations

import errno
import socket

from robohockey_core.checked import InputError

ATTEMPTS = 50
LAST_PORT = 65535


def free_port(host: str, first: int) -> int:
    """The first port from `first` on that nobody listens on. Raises InputError when there is none."""
    last = min(first + ATTEMPTS - 1, LAST_PORT)
    for port in range(first, last + 1):
        try:
            _try_to_listen(host, port)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                continue
            raise InputError(f"web view: cannot listen on host {host}, port {port}: {error.strerror or error}") from None
        return port
    raise InputError(f"web view: ports {first} to {last} of {host} are all in use; free one, or give another `port`")


def _try_to_listen(host: str, port: int) -> None:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    with socket.socket(family, kind, protocol) as attempt:
        # As the real server does: a port that was closed a moment ago is free.
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        attempt.bind(address)
        attempt.listen()
