"""Who may do more than watch: visitors on this machine, and those who know the token."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit


class Caller(NamedTuple):
    """Where a visitor's browser is, and which page of which server it says that it shows."""

    address: str
    origin: str = ""
    host: str = ""


def is_loopback(address: str) -> bool:
    try:
        plain = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address == "localhost"
    mapped = getattr(plain, "ipv4_mapped", None)
    return bool((mapped or plain).is_loopback)


def is_everywhere(address: str) -> bool:
    """Whether it stands for all addresses of this machine, as 0.0.0.0 does."""
    try:
        return ipaddress.ip_address(address).is_unspecified
    except ValueError:
        return not address


def host_name(host: str) -> str:
    """The name in a `Host` header, without its port; empty when it cannot be read."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def caller_of(connection: object) -> Caller:
    """Read a websocket connection of viser's server; what cannot be read counts as far away."""
    address = getattr(connection, "remote_address", None) or ("",)
    headers: Mapping[str, str] = getattr(getattr(connection, "request", None), "headers", {})
    return Caller(str(address[0]), headers.get("Origin", ""), headers.get("Host", ""))


class Access:
    """Remembers who may control. Watching is free."""

    def __init__(self, token: str | None = None) -> None:
        self.token = token or secrets.token_urlsafe(9)
        self._allowed: set[int] = set()

    def welcome(self, visitor: int, caller: Caller) -> bool:
        """Take in a visitor; True when they may control at once.

        A page of another site that runs in a browser of this machine comes from loopback too: its origin
        gives it away. One whose name its owner lets point at this machine (DNS rebinding) has the same origin as
        the host that it asks for, but that host is not called as this machine calls itself.
        """
        same_page = not caller.origin or caller.origin.partition("://")[2] == caller.host
        if is_loopback(caller.address) and same_page and is_loopback(host_name(caller.host)):
            self._allowed.add(visitor)
        return visitor in self._allowed

    def offer(self, visitor: int, token: str) -> bool:
        """A visitor says the token; True when it is right."""
        if hmac.compare_digest(token.strip().encode(), self.token.encode()):
            self._allowed.add(visitor)
        return visitor in self._allowed

    def may_control(self, visitor: int | None) -> bool:
        return visitor in self._allowed

    def forget(self, visitor: int) -> None:
        self._allowed.discard(visitor)
