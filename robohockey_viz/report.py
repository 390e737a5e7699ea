"""The report of a recorded match: one HTML page that needs nothing beside it."""

from __future__ import annotations

import html
import statistics
from collections.abc import Iterable

import numpy as np

from robohockey_core.joints import FloatArray, world_of
from robohockey_core.names import BLUE, PUCK, RED, TEAMS
from robohockey_viz import palette
from robohockey_viz.charts import LATENCY_COLORS, heat_map, line_chart, shot_map
from robohockey_viz.recording import Recording, Values
from robohockey_viz.scoreboard import clock_text
from robohockey_viz.statistics import MatchStatistics

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#1d2733;background:#eef2f6;margin:0}
main{max-width:1180px;margin:0 auto;padding:24px}
section{background:#fff;border-radius:12px;padding:18px 22px;margin:0 0 18px;box-shadow:0 1px 4px #0002}
h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:0 0 10px}
.score{display:flex;align-items:center;justify-content:center;gap:26px;font-size:54px;font-weight:800}
.score span{color:#fff;border-radius:10px;padding:2px 26px}.score small{font-size:17px;font-weight:500;color:#5b6573}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(440px,1fr));gap:16px}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;padding:4px 8px;border-bottom:1px solid #e4e9ef;vertical-align:top}
figure{margin:0}figcaption{color:#5b6573;font-size:13px}.muted{color:#5b6573}
.bar{display:flex;height:22px;border-radius:6px;overflow:hidden;color:#fff;font-size:13px}
.bar div{padding:0 8px;white-space:nowrap}
"""


def statistics_of(recording: Recording) -> MatchStatistics:
    """Watch the whole recording once."""
    stats = MatchStatistics(recording.league)
    states = iter(recording.states)
    coming = next(states, None)
    shown: Values | None = None
    # Tracked and true places are compared of the same moment of the match, not of the same arrival.
    truths = {_stamp_key(sample.stamp_s): sample for _, sample in recording.truth}
    for time_s, sample in recording.worlds:
        while coming is not None and coming.time_s <= time_s:
            shown, coming = coming, next(states, None)
        truth = truths.get(_stamp_key(sample.stamp_s), recording.truth.at(time_s))
        stats.watch(time_s, world_of(sample), shown.values if shown else {}, world_of(truth) if truth is not None else None)
    return stats


def _stamp_key(stamp_s: float) -> int:
    """Stamps in tenths of a millisecond: equal ones stay equal through nanoseconds and floats."""
    return round(stamp_s * 1e4)


def report_html(recording: Recording) -> str:
    """Score, calls, maps and graphs."""
    stats = statistics_of(recording)
    final = recording.states[-1].values if recording.states else {}
    match, league = recording.match, recording.league
    names = {team: html.escape(recording.names(team)) for team in TEAMS}
    title = f"{names[BLUE]} against {names[RED]}"
    about = (
        f"{html.escape(league.description)} &middot; {clock_text(final.get('clock_s', ''))} played &middot; "
        f"{recording.duration_s:.0f} s recorded &middot; seed {html.escape(str(match.get('seed', '?')))}"
    )
    score = "".join(
        f'<span style="background:{palette.TEAM[team].css}">{html.escape(final.get(f"score_{team}", "0"))}</span>'
        if kind == "score"
        else f"<small>{names[team]}</small>"
        for team, kind in ((BLUE, "name"), (BLUE, "score"), (RED, "score"), (RED, "name"))
    )
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body><main>'
        f'<section><h1>{title}</h1><p class="muted">{about}</p><div class="score">{score}</div></section>'
        f"{_numbers(stats)}{_maps(recording, stats)}{_graphs(recording, stats)}{_calls(recording)}"
        "</main></body></html>"
    )


def _numbers(stats: MatchStatistics) -> str:
    shares = {team: stats.possession_share(team) for team in TEAMS}
    bar = "".join(
        f'<div style="width:{100.0 * shares[team]:.1f}%;background:{palette.TEAM[team].css}">'
        f"{team} {100.0 * shares[team]:.0f} %</div>"
        for team in TEAMS
    )
    rows = []
    for label, count in (
        ("shots at goal", lambda team: sum(shot.team == team for shot in stats.shots)),
        ("goals from these shots", lambda team: sum(shot.team == team and shot.goal for shot in stats.shots)),
        ("hardest shot, m/s", lambda team: f"{max((s.speed_m_s for s in stats.shots if s.team == team), default=0.0):.2f}"),
    ):
        rows.append(f"<tr><td>{count(BLUE)}</td><th>{label}</th><td>{count(RED)}</td></tr>")
    return (
        f'<section><h2>Possession</h2><div class="bar">{bar}</div>'
        f"<table><tr><th>blue</th><th></th><th>red</th></tr>{''.join(rows)}</table></section>"
    )


def _maps(recording: Recording, stats: MatchStatistics) -> str:
    rink = recording.league.rink
    figures = [("Shots; goals are filled", shot_map(rink, stats.shots))]
    figures += [
        (f"Where {label} was", heat_map(rink, stats.seen[name], color))
        for name, label, color in (
            (PUCK, "the puck", palette.INK),
            (BLUE, "blue", palette.TEAM[BLUE]),
            (RED, "red", palette.TEAM[RED]),
        )
    ]
    return f'<section><h2>Maps</h2><div class="grid">{_figures(figures)}</div></section>'


def _graphs(recording: Recording, stats: MatchStatistics) -> str:
    series = stats.series()
    times = series["time_s"]
    pace = np.array(recording.pace).reshape(-1, 2)
    figures = [
        ("Puck speed, m/s", line_chart(times, series["puck_speed_m_s"], palette.INK)),
        ("Blue's share of possession", line_chart(times, series["possession_blue"], palette.TEAM[BLUE], top=1.0)),
        ("Tracking error, mm", line_chart(times, 1000.0 * series["tracking_error_m"], palette.TEAM[RED])),
        ("Real-time factor", line_chart(pace[:, 0], pace[:, 1], palette.TEAM[BLUE])),
    ]
    figures += [
        (f"Latency of {node.replace('_', ' ')}, ms", line_chart(*_latency_ms(recording, node), color))
        for node, color in LATENCY_COLORS.items()
        if node in recording.latencies
    ]
    median = statistics.median(f for _, f in recording.pace) if recording.pace else None
    held = f'<p class="muted">Real-time factor held: {median:.2f} (median)</p>' if median is not None else ""
    return f'<section><h2>Over time</h2><div class="grid">{_figures(figures)}</div>{held}</section>'


def _latency_ms(recording: Recording, node: str) -> tuple[FloatArray, FloatArray]:
    table = np.array(recording.latencies[node]).reshape(-1, 2)
    return table[:, 0], 1000.0 * table[:, 1]


def _calls(recording: Recording) -> str:
    rows = "".join(
        f"<tr><td>{call.time_s:.1f} s</td><td>{html.escape(call.values.get('rule', '').replace('_', ' '))}</td>"
        f"<td>{html.escape(call.values.get('explanation') or call.values.get('message', ''))}</td>"
        f"<td>{html.escape(call.values.get('score_blue', ''))} : {html.escape(call.values.get('score_red', ''))}</td></tr>"
        for call in recording.calls()
    )
    return (
        "<section><h2>Calls of the referee</h2><table><tr><th>time</th><th>call</th><th>why</th><th>score</th></tr>"
        f"{rows or '<tr><td colspan=4>none</td></tr>'}</table></section>"
    )


def _figures(figures: Iterable[tuple[str, str]]) -> str:
    return "".join(f"<figure>{picture}<figcaption>{html.escape(caption)}</figcaption></figure>" for caption, picture in figures)
