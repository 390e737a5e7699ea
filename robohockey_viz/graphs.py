"""Graphs of a running match, and its heat map and shot map."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence

import numpy as np
import viser
from viser import uplot

from robohockey_core.joints import FloatArray
from robohockey_core.names import BLUE, PUCK, RED
from robohockey_viz import palette
from robohockey_viz.charts import LATENCY_COLORS, heat_map, shot_map
from robohockey_viz.statistics import MatchStatistics

SPAN_S = 120.0
"""What the graphs show: the last two minutes."""

_HEIGHT_PX = 130
_LATENCY_TOPS_MS = (5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
"""How far the axis of the latencies may go up: a chart is built anew for another one, so they are few."""

ERROR_TITLE = "Tracking error, mm"

MAPS_PERIOD_S = 5.0
"""Maps are drawn anew this often: they change slowly, and everybody on the page gets them."""


class GraphsPanel:
    """Lines over time and maps; `update` now and then, a few times a second at most."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._pace: deque[tuple[float, float]] = deque(maxlen=600)
        self._latency: dict[str, deque[tuple[float, float]]] = defaultdict(lambda: deque(maxlen=1200))
        self._puck = _Chart(server, "Puck speed, m/s", {"puck": palette.FRONT.css})
        self._possession = _Chart(server, "Possession of blue, %", {"blue": palette.TEAM[BLUE].css}, top=100.0)
        self._error = _Chart(server, ERROR_TITLE, {"rms": palette.SENSED.css})
        self._factor = _Chart(server, "Real-time factor", {"held": palette.TRUE.css})
        names = {node.replace("_", " "): color.css for node, color in LATENCY_COLORS.items()}
        self._delay = _Chart(server, "Latency, ms", names, top=_LATENCY_TOPS_MS[0], legend=True)
        self._maps = server.gui.add_html("")

    def note_pace(self, time_s: float, factor: float) -> None:
        _append(self._pace, time_s, factor)

    def note_latency(self, node: str, time_s: float, latency_s: float) -> None:
        """How long after a sight of the camera a node had its answer out."""
        _append(self._latency[node], time_s, latency_s)

    def update(self, stats: MatchStatistics) -> None:
        series = stats.series()
        times = series["time_s"]
        self._puck.show(times, series["puck_speed_m_s"])
        self._possession.show(times, 100.0 * series["possession_blue"])
        self._show_error(times, 1000.0 * series["tracking_error_m"])
        self._factor.show(*_columns(self._pace))
        moments, delays = common_times([_columns(self._latency[node]) for node in LATENCY_COLORS])
        self._delay.show(moments, *(1000.0 * delay for delay in delays))
        # Uplot finds no range by itself where a line has no numbers.
        self._delay.set_top(next((top for top in _LATENCY_TOPS_MS if not np.any(delays > top / 1000.0)), _LATENCY_TOPS_MS[-1]))

    def show_maps(self, stats: MatchStatistics) -> None:
        """Draw the maps anew, every `MAPS_PERIOD_S` or so."""
        content = maps_html(stats)
        if content != self._maps.content:
            self._maps.content = content

    def _show_error(self, times: FloatArray, errors_mm: FloatArray) -> None:
        """The error where a truth was heard of; what is not known is no zero."""
        known = np.isfinite(errors_mm) & (times >= times[-1] - SPAN_S if len(times) else True)
        self._error.show(times[known], errors_mm[known])
        self._error.title = ERROR_TITLE if known.any() else f"{ERROR_TITLE}: no truth to compare with"


class _Chart:
    def __init__(
        self,
        server: viser.ViserServer,
        title: str,
        colors: Mapping[str, str],
        top: float | None = None,
        *,
        legend: bool = False,
    ) -> None:
        self._top = top
        axis = uplot.Axis(stroke="#aab4c0", grid={"stroke": "#3a4250", "width": 1}, size=34)
        self._handle = server.gui.add_uplot(
            data=_nothing(len(colors)),
            series=(uplot.Series(label="s"), *(uplot.Series(label=name, stroke=c, width=1.5) for name, c in colors.items())),
            scales=_scales(top),
            axes=(axis, axis),
            legend=uplot.Legend(show=legend, live=False),
            title=title,
            height=_HEIGHT_PX,
        )

    def set_top(self, top: float) -> None:
        if top != self._top:
            self._top = top
            self._handle.scales = _scales(top)

    @property
    def title(self) -> str:
        return str(self._handle.title)

    @title.setter
    def title(self, title: str) -> None:
        if title != self._handle.title:
            self._handle.title = title

    @property
    def data(self) -> tuple[FloatArray, ...]:
        return tuple(self._handle.data)

    def show(self, times: FloatArray, *values: FloatArray) -> None:
        """Lines over the last `SPAN_S`; nothing is drawn where a value is no number."""
        if len(times) < 2:
            self._handle.data = _nothing(len(values))
            return
        recent = times >= times[-1] - SPAN_S
        self._handle.data = (times[recent], *(v[recent] for v in values))


def _nothing(lines: int) -> tuple[FloatArray, ...]:
    """What a chart shows before there is anything to show."""
    return (np.array([0.0, 1.0]), *(np.full(2, np.nan) for _ in range(lines)))


def _append(values: deque[tuple[float, float]], time_s: float, value: float) -> None:
    """Go on with a line, or begin it anew when time was set back."""
    if values and time_s < values[-1][0]:
        values.clear()
    values.append((time_s, value))


def _scales(top: float | None) -> dict[str, uplot.Scale]:
    across = {"x": uplot.Scale(time=False)}
    return {**across, "y": uplot.Scale(range=(0.0, top))} if top is not None else across


def common_times(lines: Sequence[tuple[FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
    """Lines with times of their own, as rows on the times of the longest; one without any value has no number anywhere."""
    times = max(lines, key=lambda line: len(line[0]))[0]
    rows = [np.interp(times, *line) if len(line[0]) else np.full(len(times), np.nan) for line in lines]
    return times, np.array(rows)


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
