"""A recording in the browser: the page of a match with a time line instead of a referee."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import viser

from robohockey_core.names import TEAMS
from robohockey_viz.access import Access
from robohockey_viz.graphs import maps_html
from robohockey_viz.guard import Doorkeeper, Guard, SharedInput
from robohockey_viz.heard import score
from robohockey_viz.page import MatchPage
from robohockey_viz.playback import Playback
from robohockey_viz.recording import Recording, Values
from robohockey_viz.report import statistics_of
from robohockey_viz.show import Overlays, ShowPanel, Wanted
from robohockey_viz.statistics import ends_swapped

LEAD_S = 3.0
"""A jump goes this much before the call, to see how it came."""

FRAME_RATE_HZ = 30.0

_NOWHERE = "-"
SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "4", "8")


class ReplayPage:
    """Shows a recording and obeys the time line; `run` until it is stopped."""

    def __init__(self, server: viser.ViserServer, recording: Recording, access: Access) -> None:
        self._recording = recording
        calls = recording.calls()
        self.playback = Playback(recording.worlds.times_s.tolist(), [call.time_s for call in calls])
        self._page = MatchPage(server, recording.league)
        self._page.banner = "REPLAY"
        self._overlays = Overlays(server, recording.league)
        self._drawn_s, self._changed = math.nan, False
        self._lit = dict.fromkeys(TEAMS, 0)
        self._add_controls(server, Guard(access))
        Doorkeeper(server, access, lambda _: None)
        with server.gui.add_folder("Show"):
            self._show = ShowPanel(server, recording.league, on_change=self._on_wanted)
        with server.gui.add_folder("Maps", expand_by_default=False):
            server.gui.add_html(maps_html(statistics_of(recording)))

    def run(self, stop: threading.Event) -> None:
        while not stop.wait(1.0 / FRAME_RATE_HZ):
            self.draw(time.monotonic())

    def draw(self, wall_s: float) -> None:
        """Show the moment that the time line stands at."""
        time_s = self.playback.tick(wall_s)
        self._play.label = "Pause" if self.playback.playing else "Play"
        if time_s == self._drawn_s:
            self._page.tick(wall_s)
        else:
            self._drawn_s, self._changed = time_s, True
            self._draw_moment(time_s, wall_s)
        if self._changed:
            self._changed = False
            world = self._recording.world_at(time_s)
            self._overlays.show(self._show.wanted, world, self._recording.targets_at(time_s))

    def _draw_moment(self, time_s: float, wall_s: float) -> None:
        recording = self._recording
        state = recording.state_at(time_s)
        jumped, self.playback.jumped = self.playback.jumped, False
        for team in TEAMS:
            goals = score(state, team, self._lit[team])
            if goals > self._lit[team] and not jumped:
                self._page.scene.light_lamp(team, wall_s, swapped=ends_swapped(state))
            self._lit[team] = goals
        self._page.show(recording.world_at(time_s), recording.wheels_at(time_s), wall_s)
        self._page.names = recording.names_at(time_s)
        self._page.show_state(state)
        self._time_line.value = round(time_s, 2)

    def _on_wanted(self, _wanted: Wanted) -> None:
        self._changed = True

    def _add_controls(self, server: viser.ViserServer, guard: Guard) -> None:
        gui, playback = server.gui, self.playback
        time_line = gui.add_slider("Time, s", 0.0, max(0.02, round(playback.end_s, 2)), 0.01, 0.0)
        self._time_line = SharedInput(time_line, guard, playback.seek)
        self._play = gui.add_button("Pause")
        self._play.on_click(guard(self._now(lambda _: playback.pause() if playback.playing else playback.play())))
        speed = gui.add_button_group("Speed", SPEEDS)
        speed.on_click(guard(lambda event: setattr(playback, "speed", float(event.target.value))))
        step = gui.add_button_group("Step", ("-10", "-1", "+1", "+10"))
        step.on_click(guard(self._now(lambda event: playback.step(int(event.target.value)))))
        jump = gui.add_button_group("Call", ("previous", "next"))
        jump.on_click(guard(self._now(lambda event: playback.jump(1 if event.target.value == "next" else -1, LEAD_S))))
        moments_s = call_labels(self._recording.calls())
        if moments_s:
            choice = gui.add_dropdown("Jump to", (_NOWHERE, *moments_s))
            SharedInput(choice, guard, lambda label: playback.seek(moments_s.get(label, playback.time_s + LEAD_S) - LEAD_S))

    def _now(self, act: Callable[[Any], None]) -> Callable[[Any], None]:
        """A button whose effect shows at once, also while it stands still."""

        def handle(event: Any) -> None:
            act(event)
            self._drawn_s = math.nan

        return handle


def call_labels(calls: Sequence[Values]) -> dict[str, float]:
    """Moments of calls by a text of their own: two that read the same are told apart by a number."""
    labels: dict[str, float] = {}
    for call in calls:
        label = f"{call.time_s:6.1f} s  {call.values.get('rule', '').replace('_', ' ')}"
        again = sum(known.partition(" (")[0] == label for known in labels)
        labels[f"{label} ({again + 1})" if again else label] = call.time_s
    return labels
