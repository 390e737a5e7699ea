"""A recording in the browser: the page of a match with a time line instead of a referee."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Any

import viser

from robohockey_core.names import TEAMS
from robohockey_viz.graphs import maps_html
from robohockey_viz.heard import score
from robohockey_viz.page import MatchPage
from robohockey_viz.playback import Playback
from robohockey_viz.recording import Recording
from robohockey_viz.report import statistics_of
from robohockey_viz.show import Overlays, ShowPanel, Wanted
from robohockey_viz.statistics import ends_swapped

LEAD_S = 3.0
"""A jump goes this much before the call, to see how it came."""

FRAME_RATE_HZ = 30.0

SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "4", "8")


class ReplayPage:
    """Shows a recording and obeys the time line; `run` until it is stopped."""

    def __init__(self, server: viser.ViserServer, recording: Recording) -> None:
        self._recording = recording
        calls = recording.calls()
        self.playback = Playback(recording.worlds.times_s.tolist(), [call.time_s for call in calls])
        self._page = MatchPage(server, recording.league)
        self._page.banner = "REPLAY"
        self._overlays = Overlays(server, recording.league)
        self._drawn_s, self._changed = math.nan, False
        self._lit = dict.fromkeys(TEAMS, 0)
        self._add_controls(server)
        with server.gui.add_folder("Show"):
            self._show = ShowPanel(server, recording.league, live=False, on_change=self._on_wanted)
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

    def _add_controls(self, server: viser.ViserServer) -> None:
        gui, playback = server.gui, self.playback
        self._time_line = gui.add_slider("Time, s", 0.0, max(0.02, round(playback.end_s, 2)), 0.01, 0.0)
        self._time_line.on_update(self._seek)
        self._play = gui.add_button("Pause")
        self._play.on_click(self._now(lambda _: playback.pause() if playback.playing else playback.play()))
        speed = gui.add_button_group("Speed", SPEEDS)
        speed.on_click(lambda event: setattr(playback, "speed", float(event.target.value)))
        step = gui.add_button_group("Step", ("-10", "-1", "+1", "+10"))
        step.on_click(self._now(lambda event: playback.step(int(event.target.value))))
        jump = gui.add_button_group("Call", ("previous", "next"))
        jump.on_click(self._now(lambda event: playback.jump(1 if event.target.value == "next" else -1, LEAD_S)))
        calls = self._recording.calls()
        if calls:
            labels = {f"{call.time_s:6.1f} s  {call.values.get('rule', '').replace('_', ' ')}": call.time_s for call in calls}
            choice = gui.add_dropdown("Jump to", ("-", *labels))
            choice.on_update(
                self._now(lambda event: playback.seek(labels.get(event.target.value, playback.time_s + LEAD_S) - LEAD_S))
            )

    def _seek(self, event: Any) -> None:
        # The slider also moves by itself; only a hand on it comes with a client.
        if event.client is not None:
            self.playback.seek(float(event.target.value))

    def _now(self, act: Callable[[Any], None]) -> Callable[[Any], None]:
        """A button whose effect shows at once, also while it stands still."""

        def handle(event: Any) -> None:
            act(event)
            self._drawn_s = math.nan

        return handle
