"""Who controls and who watches, on the page itself: the door, the guard before every order, and inputs that all share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import viser

from robohockey_viz.access import Access, Caller, caller_of

Act = Callable[[Any], None]


class Doorkeeper:
    """Takes in every visitor: one who may control is told to `on_right`, everybody else has a field for the token."""

    def __init__(self, server: viser.ViserServer, access: Access, on_right: Callable[[viser.ClientHandle], None]) -> None:
        self._access, self._on_right = access, on_right
        # Viser tells nobody where a visitor comes from. Should another version keep this elsewhere, nothing may start.
        self._connections = server._websock_server._live_connections
        server.on_client_connect(self._welcome)
        server.on_client_disconnect(lambda client: access.forget(client.client_id))

    def _welcome(self, client: viser.ClientHandle) -> None:
        if self._access.welcome(client.client_id, self._caller(client)):
            self._on_right(client)
            return
        token = client.gui.add_text("Token", "", order=90.0)
        token.on_update(lambda event: self._offer(client, token, event.target.value))

    def _caller(self, client: viser.ClientHandle) -> Caller:
        return caller_of(self._connections.get(client.client_id))

    def _offer(self, client: viser.ClientHandle, field: Any, token: str) -> None:
        if not self._access.may_control(client.client_id) and self._access.offer(client.client_id, token):
            field.visible = False
            client.add_notification("Controls are yours", "The token is right.", auto_close_seconds=4.0)
            self._on_right(client)


class Guard:
    """Lets only visitors through who may control; the others are told what is missing."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def __call__(self, act: Act) -> Act:
        def handle(event: Any) -> None:
            if event.client is None:
                return  # the server's own change of a value
            if self.allows(event):
                act(event)
            else:
                self.refuse(event.client)

        return handle

    def allows(self, event: Any) -> bool:
        return event.client is not None and self._access.may_control(event.client.client_id)

    def refuse(self, client: viser.ClientHandle) -> None:
        client.add_notification(
            "Only watching",
            "To control the match from another machine, give the token under Token.",
            auto_close_seconds=6.0,
        )


class SharedInput:
    """An input that all visitors see and that only those who may control can change.

    Viser takes over whatever any browser sends before it asks. `value` is what the last visitor with the right chose, and
    that is what counts; what somebody else chose is put back on all pages.
    """

    def __init__(
        self,
        handle: Any,
        guard: Guard,
        act: Callable[[Any], None] | None = None,
        needs_right: Callable[[], bool] = lambda: True,
    ) -> None:
        """`act` is told a new value; where the value counts for pictures only, `needs_right` may let anybody choose it."""
        self.handle = handle
        self._guard, self._act, self._needs_right = guard, act, needs_right
        self._value = handle.value
        handle.on_update(self._update)

    @property
    def value(self) -> Any:
        return self._value

    @value.setter
    def value(self, value: Any) -> None:
        self._value = value
        self.handle.value = value

    async def _update(self, event: Any) -> None:
        # Viser runs a coroutine before it reads the next message: nobody else's value can have come in between.
        if event.client is None:
            return  # set by `value`
        if self._guard.allows(event) or not self._needs_right():
            self._value = self.handle.value
            if self._act is not None:
                self._act(self._value)
        else:
            self.handle.value = self._value
            self._guard.refuse(event.client)
