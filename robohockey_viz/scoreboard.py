"""The scoreboard as a piece of HTML, from the key-values of `match/state`."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping

from robohockey_core.names import BLUE, RED
from robohockey_viz import palette

_PHASE_WORDS = 40


def clock_text(clock_s: str) -> str:
    """Minutes and seconds; dashes when there is no number."""
    try:
        value = float(clock_s)
    except ValueError:
        return "--:--"
    if not math.isfinite(value):
        return "--:--"
    minutes, seconds = divmod(max(0, int(value)), 60)
    return f"{minutes:02d}:{seconds:02d}"


def scoreboard_html(state: Mapping[str, str]) -> str:
    """Score, clock, phase and the referee's last explanation; what is missing is left open."""
    phase = state.get("phase", "").replace("_", " ")[:_PHASE_WORDS] or "waiting for the referee"
    explanation = state.get("explanation", "")
    return (
        '<div style="padding: 0.6em 0.75em 0.2em; font-family: inherit">'
        '<div style="display: flex; align-items: stretch; gap: 0.5em">'
        f"{_tile(BLUE, state)}"
        '<div style="flex: 1; text-align: center; align-self: center; line-height: 1.2">'
        '<div style="font-size: 1.75em; font-weight: 700; font-variant-numeric: tabular-nums">'
        f"{clock_text(state.get('clock_s', ''))}</div>"
        '<div style="font-size: 0.8em; opacity: 0.75; text-transform: uppercase; letter-spacing: 0.06em">'
        f"{html.escape(phase)}</div></div>"
        f"{_tile(RED, state)}"
        "</div>"
        '<div style="margin-top: 0.6em; font-size: 1.05em; line-height: 1.35; min-height: 2.7em">'
        f"{html.escape(explanation)}</div>"
        "</div>"
    )


def _tile(team: str, state: Mapping[str, str]) -> str:
    score = state.get(f"score_{team}", "-")
    return (
        f'<div style="background: {palette.TEAM[team].css}; color: white; border-radius: 0.4em; '
        'min-width: 3.4em; padding: 0.25em 0.4em; text-align: center; line-height: 1.1">'
        f'<div style="font-size: 0.7em; letter-spacing: 0.08em">{team.upper()}</div>'
        f'<div style="font-size: 2.2em; font-weight: 800">{html.escape(score[:4])}</div></div>'
    )
