"""The page of a live match: a node tells it what it hears and lets it draw; it knows nothing of ROS."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping

import numpy as np
import viser
from numpy.typing import NDArray

from robohockey_core.actions import Target
from robohockey_core.league import League
from robohockey_core.match_state import PAUSE
from robohockey_core.names import TEAMS, RobotId
from robohockey_core.state import BodyState, WorldState
from robohockey_viz.access import Access
from robohockey_viz.control_panel import ControlPanel, StateEditor
from robohockey_viz.controls import MatchControls
from robohockey_viz.drive_panel import DriveDesk
from robohockey_viz.graphs import MAPS_PERIOD_S, GraphsPanel
from robohockey_viz.guard import Doorkeeper, Guard
from robohockey_viz.heard import number, score
from robohockey_viz.instant_replay import InstantReplay
from robohockey_viz.page import MatchPage
from robohockey_viz.show import Grid, Overlays, ShowPanel, Wanted, field_hint
from robohockey_viz.statistics import MatchStatistics, ends_swapped

_SLOW_PERIOD_S = 0.5
"""Tables change this often: people read them."""

_GRAPH_PERIOD_S = 1.0
_ALONE_PERIOD_S = 0.5
"""With nobody watching it is enough that the first visitor finds the match about where it is."""

_CLEAR_UP_PERIOD_S = 5.0
"""What visitors leave are handles that refer to each other: Python lets go of them only when it looks for such circles."""

_TRUTHS_KEPT = 100


class LivePage:
    """Everything on the page. The `note_` functions take what was heard; `draw` shows it."""

    def __init__(
        self,
        server: viser.ViserServer,
        league: League,
        controls: MatchControls,
        access: Access,
        movable: Collection[str] | None = None,
    ) -> None:
        """`movable` are the bodies that can be put somewhere; None: all."""
        self._league, self._controls = league, controls
        self._server = server
        self.page = MatchPage(server, league)
        self.statistics = MatchStatistics(league)
        self._replay = InstantReplay()
        self._replay_wish: float | None = None
        self._world: WorldState | None = None
        self._fresh = False
        self._wheels: dict[str, float] = {}
        self._state: Mapping[str, str] = {}
        self._score: dict[str, int] | None = None
        self._targets: dict[RobotId, Target] = {}
        self._detections: Mapping[str, BodyState] = {}
        self._truths: OrderedDict[float, Callable[[], WorldState]] = OrderedDict()
        self._field: Grid | None = None
        self._field_of: RobotId | None = None
        self._health: dict[str, str] = {}
        self._next_s = {"table": 0.0, "graphs": 0.0, "maps": 0.0, "alone": 0.0, "clear_up": 0.0}
        self._seen_s = 0.0
        self._refused_places = 0.0
        self._build(server, Guard(access), movable)
        Doorkeeper(server, access, self._desk.welcome)

    @property
    def wanted(self) -> Wanted:
        return self._show.wanted

    def note_world(self, world: WorldState) -> None:
        self._world, self._fresh = world, True
        self._replay.keep(world, self._wheels, held=self._state.get("phase") == PAUSE)

    def note_wheels(self, angles: Mapping[str, float]) -> None:
        """Several speak of joints, the physics and each driver: every one says its own."""
        self._wheels.update(angles)

    def note_state(self, state: Mapping[str, str]) -> None:
        self._state = state

    def note_targets(self, targets: Mapping[RobotId, Target]) -> None:
        self._targets.update(targets)

    def note_detections(self, bodies: Mapping[str, BodyState]) -> None:
        self._detections = bodies

    def note_truth(self, stamp_s: float, read: Callable[[], WorldState]) -> None:
        """Where everything truly is. Truths come often and few are shown: each is read when it is needed."""
        self._truths[stamp_s] = read
        self._truths.move_to_end(stamp_s)
        while len(self._truths) > _TRUTHS_KEPT:
            self._truths.popitem(last=False)

    def note_field(self, grid: Grid) -> None:
        self._field = grid

    def note_pictures(self, omni: NDArray[np.uint8] | None, strip: NDArray[np.uint8] | None) -> None:
        self._show.show_pictures(omni, strip)

    def note_status(self, name: str, values: Mapping[str, str]) -> None:
        """Health of a node of this match, as it stands in `/diagnostics`."""
        factor = number(values.get("real_time_factor", ""))
        if factor is not None:
            self._graphs.note_pace(self._seen_s, factor)
            self._health["real-time factor"] = f"{factor:.2f}"
        if values.get("team") in TEAMS and "strategy" in values:
            known = tuple(values.get("strategies", "").split())
            self._panel.show_strategies(values["team"], values["strategy"], known)
            self.page.names = {**self.page.names, values["team"]: values["strategy"]}
        refused = number(values.get("refused_places", "")) or 0.0
        if refused > self._refused_places and self._editor.just_placed():
            self.tell(f"Not put there: {values.get('last_refused_place', '')}")
        self._refused_places = max(refused, self._refused_places)
        troubles = [f"{values[key]} {key}" for key in ("errors", "late") if values.get(key, "0") != "0"]
        if troubles:
            self._health[name] = f"{', '.join(troubles)}, see /diagnostics"

    def note_latency(self, node: str, latency_s: float | None) -> None:
        if latency_s is not None:
            self._graphs.note_latency(node, self._seen_s, latency_s)

    def tell(self, text: str) -> None:
        """Say something to everybody who watches."""
        for client in tuple(self._server.get_clients().values()):
            client.add_notification("RoboHockey", text, auto_close_seconds=6.0)

    def draw(self, wall_s: float) -> None:
        """Show what there is now, or what the instant replay is at."""
        self._desk.tick(wall_s)
        self._watch(wall_s)
        if self.page.somebody_left and self._due("clear_up", wall_s, _CLEAR_UP_PERIOD_S):
            self.page.somebody_left = False
            gc.collect()
        if not self._due("alone", wall_s, _ALONE_PERIOD_S) and not self.page.visitor_count:
            return
        self._start_or_stop_replay(wall_s)
        again = self._replay.due(wall_s) if self._replay.running else None
        self.page.banner = "INSTANT REPLAY" if again is not None else ""
        self.page.show_state(self._state)
        if again is not None:
            self.page.show(again.world, again.wheels, wall_s)
        elif self._world is not None:
            self.page.show(self._world, self._wheels, wall_s)
        if self._world is not None:
            self._show_overlays(self._world, live=again is None)
            self._show_slow_things(self._world, wall_s)

    def _show_overlays(self, world: WorldState, *, live: bool) -> None:
        """What is wanted over the ice; nothing in an instant replay, for it all is of now."""
        wanted = self.wanted if live else Wanted()
        truth = next(reversed(self._truths.values()))() if wanted.detections and self._truths else None
        self._overlays.show(wanted, world, self._targets, self._detections, truth)
        self._overlays.show_field(self._field if wanted.field and wanted.robot else None)

    def _watch(self, wall_s: float) -> None:
        """Count and keep a new world, whether or not anybody looks."""
        self._light_lamps(wall_s)
        if self._world is None or not self._fresh:
            return
        self._fresh = False
        self._seen_s = self._world.stamp_s
        truth = self._truth_at(self._seen_s) if self.statistics.row_due(self._seen_s) else None
        self.statistics.watch(self._seen_s, self._world, self._state, truth)

    def _truth_at(self, stamp_s: float) -> WorldState | None:
        """The truth that is nearest to a moment."""
        nearest_s = min(self._truths, key=lambda heard_s: abs(heard_s - stamp_s), default=None)
        return self._truths[nearest_s]() if nearest_s is not None else None

    def _light_lamps(self, wall_s: float) -> None:
        before = self._score
        self._score = {team: score(self._state, team, before[team] if before else 0) for team in TEAMS} if self._state else None
        if self._score is None or before is None:
            return
        for team in TEAMS:
            if self._score[team] > before[team]:
                self.page.scene.light_lamp(team, wall_s, swapped=ends_swapped(self._state))

    def _show_slow_things(self, world: WorldState, wall_s: float) -> None:
        if self._due("table", wall_s, _SLOW_PERIOD_S):
            self._editor.show(world, self._state)
            driven = ", ".join(sorted(map(str, self._desk.taken()))) or "nobody"
            self._show.show_hint(field_hint(self.wanted, self._field))
            self._panel.show_health({**self._health, "driven by hand": driven, "visitors": str(self.page.visitor_count)})
        if not self.page.visitor_count:
            return
        if self._due("graphs", wall_s, _GRAPH_PERIOD_S):
            self._graphs.update(self.statistics)
        if self._due("maps", wall_s, MAPS_PERIOD_S):
            self._graphs.show_maps(self.statistics)

    def _start_or_stop_replay(self, wall_s: float) -> None:
        wish, self._replay_wish = self._replay_wish, None
        if wish is None:
            return
        if wish > 0.0:
            self._replay.start(wall_s, wish)
        else:
            self._replay.stop()

    def _due(self, what: str, wall_s: float, period_s: float) -> bool:
        if wall_s < self._next_s[what]:
            return False
        self._next_s[what] = wall_s + period_s
        return True

    def _build(self, server: viser.ViserServer, guard: Guard, movable: Collection[str] | None) -> None:
        self._desk = DriveDesk(server, self._league, self._controls)
        self._overlays = Overlays(server, self._league)
        tabs = server.gui.add_tab_group()
        with tabs.add_tab("Match"):
            self._panel = ControlPanel(server, self._league, self._controls, guard, self._ask_for_replay)
        with tabs.add_tab("States"):
            self._editor = StateEditor(server, self._league, self._controls, guard, movable)
        with tabs.add_tab("Show"):
            self._show = ShowPanel(server, self._league, guard=guard, on_change=self._on_wanted)
        with tabs.add_tab("Graphs"):
            self._graphs = GraphsPanel(server)

    def _ask_for_replay(self, speed: float) -> None:
        self._replay_wish = speed

    def _on_wanted(self, wanted: Wanted) -> None:
        robot = wanted.robot if wanted.field else None
        if robot != self._field_of:
            before, self._field_of, self._field = self._field_of, robot, None
            for team in {r.team for r in (before, robot) if r is not None}:
                self._controls.show_field(team, robot.number if robot is not None and robot.team == team else None)
