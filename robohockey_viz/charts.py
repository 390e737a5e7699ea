"""Pictures as SVG text: the rink from above with a heat map or shots on it, and lines over time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from robohockey_core.joints import FloatArray
from robohockey_core.league import RinkSpec
from robohockey_core.names import TEAMS
from robohockey_viz import palette
from robohockey_viz.latency import TRACKER
from robohockey_viz.palette import Color
from robohockey_viz.rink_model import behind_m, end_m
from robohockey_viz.statistics import Shot

_RINK_WIDTH_PX = 560.0
_HEAT_LEVELS = 12

LATENCY_COLORS = {
    TRACKER: palette.SENSED,
    **{f"{team}_strategy": palette.TEAM[team] for team in TEAMS},
    **{f"{team}_motion": palette.PALE[team] for team in TEAMS},
}
"""Nodes whose latency is shown."""
_PLOT = (680.0, 150.0)
_LEFT_PX, _BOTTOM_PX, _TOP_PX = 44.0, 20.0, 8.0


def heat_map(rink: RinkSpec, seen: FloatArray, color: Color) -> str:
    """Where something was: darker where longer. Cells count along x, then y."""
    columns, rows = seen.shape
    # The square root lets short stays show beside long ones.
    shares = np.sqrt(seen / seen.max()) if seen.any() else np.zeros(seen.shape)
    levels = np.ceil(shares * _HEAT_LEVELS - 1e-9).astype(int)
    width, height = rink.length_m / columns, rink.width_m / rows
    place = f"translate({-rink.length_m / 2.0:.4f} {rink.width_m / 2.0:.4f}) scale({width:.5f} {-height:.5f})"
    paths = [
        f'<path d="{_cells(levels == level)}" fill-opacity="{level / _HEAT_LEVELS:.3f}"/>'
        for level in range(1, _HEAT_LEVELS + 1)
        if (levels == level).any()
    ]
    return _rink(rink, (f'<g transform="{place}" fill="{color.css}">', *paths, "</g>"))


def _cells(marked: NDArray[np.bool_]) -> str:
    """Marked cells as one outline in units of cells; neighbours along x are one piece."""
    edges = np.diff(np.pad(marked.astype(np.int8), ((1, 1), (0, 0))), axis=0).T
    starts, ends = np.nonzero(edges == 1), np.nonzero(edges == -1)[1]
    return "".join(f"M{first} {row}H{end}v1H{first}" for row, first, end in zip(*starts, ends, strict=True))


def shot_map(rink: RinkSpec, shots: Iterable[Shot]) -> str:
    """Every shot from its place toward the goal line; goals are filled."""
    marks = []
    size = 0.014 * rink.length_m
    for shot in shots:
        line_m = math.copysign(rink.length_m / 2.0, shot.side)
        color = palette.TEAM[shot.team].css
        marks.append(
            f'<line x1="{shot.x_m:.3f}" y1="{-shot.y_m:.3f}" x2="{line_m:.3f}" y2="{-shot.toward_y_m:.3f}" stroke="{color}" '
            f'stroke-width="{0.25 * size:.4f}" stroke-opacity="{0.8 if shot.goal else 0.3}"/>'
            f'<circle cx="{shot.x_m:.3f}" cy="{-shot.y_m:.3f}" r="{size:.4f}" stroke="{color}" stroke-width="{0.3 * size:.4f}" '
            f'fill="{color if shot.goal else "white"}"><title>{shot.team} at {shot.time_s:.1f} s, '
            f"{shot.speed_m_s:.2f} m/s{', goal' if shot.goal else ''}</title></circle>"
        )
    return _rink(rink, marks)


def line_chart(times_s: FloatArray, values: FloatArray, color: Color, *, unit: str = "", top: float | None = None) -> str:
    """One value over time, with its axis from 0 to `top` or to the largest value."""
    width, height = _PLOT
    good = np.isfinite(values)
    if not good.any():
        return _empty_plot()
    times, numbers = _thinned(times_s[good], values[good])
    highest = top if top is not None else float(numbers.max()) * 1.05 or 1.0
    first, last = float(times[0]), max(float(times[-1]), float(times[0]) + 1e-6)
    x = _LEFT_PX + (times - first) / (last - first) * (width - _LEFT_PX - 8.0)
    y = height - _BOTTOM_PX - np.clip(numbers / highest, 0.0, 1.0) * (height - _BOTTOM_PX - _TOP_PX)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    grid = []
    for share in (0.0, 0.5, 1.0):
        level = height - _BOTTOM_PX - share * (height - _BOTTOM_PX - _TOP_PX)
        grid.append(f'<line x1="{_LEFT_PX}" y1="{level:.1f}" x2="{width - 8.0}" y2="{level:.1f}" stroke="#ccd2da"/>')
        grid.append(f'<text x="{_LEFT_PX - 5.0}" y="{level + 4.0:.1f}" text-anchor="end">{share * highest:.3g}{unit}</text>')
    for tick in _ticks(first, last):
        at = _LEFT_PX + (tick - first) / (last - first) * (width - _LEFT_PX - 8.0)
        grid.append(f'<text x="{at:.1f}" y="{height - 5.0}" text-anchor="middle">{tick:g} s</text>')
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" font-size="11" fill="#5b6573">{"".join(grid)}'
        f'<polyline points="{points}" fill="none" stroke="{color.css}" stroke-width="1.6"/></svg>'
    )


def _empty_plot() -> str:
    width, height = _PLOT
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" font-size="12" fill="#5b6573">'
        f'<text x="{width / 2.0}" y="{height / 2.0}" text-anchor="middle">not recorded</text></svg>'
    )


def _thinned(times: FloatArray, values: FloatArray, most: int = 1200) -> tuple[FloatArray, FloatArray]:
    """Fewer points than pixels are enough; of each group the largest value stays."""
    group = -(-len(values) // most)
    if group <= 1:
        return times, values
    whole = len(values) // group * group
    return times[:whole:group], values[:whole].reshape(-1, group).max(axis=1)


def _ticks(first: float, last: float) -> Sequence[float]:
    step = next((s for s in (1, 2, 5, 10, 20, 30, 60, 120, 300, 600) if (last - first) / s <= 8), 1200)
    return [float(t) for t in np.arange(math.ceil(first / step) * step, last + 1e-9, step)]


def _rink(rink: RinkSpec, content: Iterable[str]) -> str:
    """The rink from above in metres, y upward on the page, with content between ice and lines."""
    edge = 0.02 * rink.length_m
    left, top = -behind_m(rink) - edge, -rink.width_m / 2.0 - edge
    width, height = -2.0 * left, -2.0 * top
    line = 0.004 * rink.length_m
    half_x, half_y, goal = end_m(rink), rink.width_m / 2.0, rink.goal_width_m / 2.0
    goal_x = rink.length_m / 2.0
    goals = "".join(
        f'<rect x="{x:.4f}" y="{-goal:.4f}" width="{rink.goal_depth_m:.4f}" height="{2.0 * goal:.4f}" fill="none" '
        f'stroke="{palette.TEAM[team].css}" stroke-width="{1.5 * line:.4f}"/>'
        for team, x in (("blue", -goal_x - rink.goal_depth_m), ("red", goal_x))
    )
    return (
        f'<svg viewBox="{left:.4f} {top:.4f} {width:.4f} {height:.4f}" style="width:100%;max-width:{_RINK_WIDTH_PX:g}px">'
        f'<rect x="{-half_x:.4f}" y="{-half_y:.4f}" width="{2.0 * half_x:.4f}" height="{rink.width_m:.4f}" '
        f'rx="{rink.corner_radius_m:.4f}" fill="#f4f8fb"/>{"".join(content)}'
        f'<g fill="none" stroke="#8894a3" stroke-width="{line:.4f}">'
        f'<rect x="{-half_x:.4f}" y="{-half_y:.4f}" width="{2.0 * half_x:.4f}" height="{rink.width_m:.4f}" '
        f'rx="{rink.corner_radius_m:.4f}"/><line x1="0" y1="{-half_y:.4f}" x2="0" y2="{half_y:.4f}"/>'
        f'<circle cx="0" cy="0" r="{rink.center_circle_radius_m:.4f}"/></g>{goals}</svg>'
    )
