"""Which port a server can have, and the addresses under which browsers find it."""

from __future__ import annotations

import errno
import socket

from robohockey_core.checked import InputError
from robohockey_viz.access import is_everywhere, is_loopback

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


LOCAL = "127.0.0.1"


def links(host: str, port: int) -> tuple[str, str]:
    """The page's address for a browser of this machine, and the one for others; empty where there is none."""
    if is_loopback(host):
        return _link(host, port), ""
    everywhere = is_everywhere(host)
    return _link(LOCAL if everywhere else host, port), _link(own_address() if everywhere else host, port)


def _link(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def own_address() -> str:
    """An address by which other machines know this one; its name when there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: only asks for the way
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])
