"""Graphs of a running match, and its heat map and shot map."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import numpy as np
import viser
from viser import uplot

from robohockey_core.joints import FloatArray
from robohockey_core.names import BLUE, PUCK, RED
from robohockey_viz import palette
from robohockey_viz.charts import heat_map, shot_map
from robohockey_viz.statistics import MatchStatistics

SPAN_S = 120.0
"""What the graphs show: the last two minutes."""

_HEIGHT_PX = 130


class GraphsPanel:
    """Lines over time and maps; `update` now and then, a few times a second at most."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._pace: deque[tuple[float, float]] = deque(maxlen=600)
        self._latency: dict[str, deque[tuple[float, float]]] = {}
        self._puck = _Chart(server, "Puck speed, m/s", {"puck": palette.FRONT.css})
        self._possession = _Chart(server, "Possession of blue, %", {"blue": palette.TEAM[BLUE].css}, top=100.0)
        self._error = _Chart(server, "Tracking error, mm", {"rms": palette.SENSED.css})
        self._factor = _Chart(server, "Real-time factor", {"held": palette.TRUE.css})
        colors = {"tracker": palette.SENSED.css, "motion": palette.FRONT.css}
        self._delay = _Chart(server, "Latency, ms: tracker, motion", colors)
        self._maps = server.gui.add_html("")

    def note_pace(self, time_s: float, factor: float) -> None:
        self._pace.append((time_s, factor))

    def note_latency(self, node: str, time_s: float, latency_s: float) -> None:
        """How long after a sight of the camera a node had its answer out."""
        self._latency.setdefault(node, deque(maxlen=1200)).append((time_s, latency_s))

    def update(self, stats: MatchStatistics) -> None:
        series = stats.series()
        times = series["time_s"]
        self._puck.show(times, series["puck_speed_m_s"])
        self._possession.show(times, 100.0 * series["possession_blue"])
        self._error.show(times, 1000.0 * series["tracking_error_m"])
        self._factor.show(*_columns(self._pace))
        tracker, motion = (_columns(self._latency.get(node, deque())) for node in ("tracker", "motion"))
        if len(tracker[0]) and len(motion[0]):
            self._delay.show(tracker[0], 1000.0 * tracker[1], 1000.0 * np.interp(tracker[0], *motion))
        content = maps_html(stats)
        if content != self._maps.content:
            self._maps.content = content


class _Chart:
    def __init__(self, server: viser.ViserServer, title: str, colors: Mapping[str, str], top: float | None = None) -> None:
        axis = uplot.Axis(stroke="#aab4c0", grid={"stroke": "#3a4250", "width": 1}, size=34)
        self._handle = server.gui.add_uplot(
            data=tuple(np.array([0.0, 1.0]) for _ in range(1 + len(colors))),
            series=(uplot.Series(label="s"), *(uplot.Series(label=name, stroke=c, width=1.5) for name, c in colors.items())),
            scales={"x": uplot.Scale(time=False), "y": uplot.Scale(range=(0.0, top))}
            if top
            else {"x": uplot.Scale(time=False)},
            axes=(axis, axis),
            legend=uplot.Legend(show=False),
            title=title,
            height=_HEIGHT_PX,
        )

    def show(self, times: FloatArray, *values: FloatArray) -> None:
        if len(times) < 2:
            return
        recent = times >= times[-1] - SPAN_S
        self._handle.data = (times[recent], *(np.nan_to_num(v[recent]) for v in values))


def _columns(pairs: deque[tuple[float, float]]) -> tuple[FloatArray, FloatArray]:
    table = np.array(pairs).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def maps_html(stats: MatchStatistics) -> str:
    """Shots, and where puck and teams were."""
    rink = stats.league.rink
    pictures = (
        ("Shots (goals filled)", shot_map(rink, stats.shots)),
        ("Puck", heat_map(rink, stats.seen[PUCK], palette.INK)),
        ("Blue", heat_map(rink, stats.seen[BLUE], palette.TEAM[BLUE])),
        ("Red", heat_map(rink, stats.seen[RED], palette.TEAM[RED])),
    )
    return "".join(f'<div style="padding:4px 10px;font-size:12px">{name}<br>{picture}</div>' for name, picture in pictures)
