"""A node's part in keeping the emergency stop: it hears orders, and tells and hears what is held."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from std_msgs.msg import Bool

from robohockey_core.emergency_stop import EmergencyStop
from robohockey_core.ros import conversions, topics


class EmergencyStopKeeper:
    """Keeps the emergency stop beside all other keepers. `on_change` hears when it begins and ends."""

    def __init__(self, node: Any, on_change: Callable[[bool], None] = lambda _on: None) -> None:
        self._name = node.get_name()
        self._stop = EmergencyStop()
        self._on_change = on_change
        self._told = False
        self.informed = False
        """Whether anybody has told what holds."""
        self._order = topics.publisher(node, topics.EMERGENCY_STOP)
        self._state = topics.publisher(node, topics.EMERGENCY_STATE)
        topics.subscription(node, topics.EMERGENCY_STOP, self._obey)
        topics.subscription(node, topics.EMERGENCY_STATE, self._hear)

    @property
    def on(self) -> bool:
        return self._stop.on

    def order(self, on: bool) -> None:
        """Say it to every keeper; this one obeys at once."""
        self._obey(Bool(data=on))
        self._order.publish(Bool(data=on))

    def tell(self) -> None:
        """Say what is held here, also to who comes later."""
        summary = "emergency stop" if self.on else "robots may drive"
        self._state.publish(conversions.status_message(self._name, summary, self._stop.values(), healthy=not self.on))

    def _obey(self, message: Bool) -> None:
        self._stop.order(message.data)
        self._tell_news()

    def _hear(self, message: Any) -> None:
        if self._stop.hear(conversions.status_values(message)):
            self._tell_news()
        self.informed = True

    def _tell_news(self) -> None:
        self.tell()
        if self.on != self._told:
            self._told = self.on
            self._on_change(self.on)
