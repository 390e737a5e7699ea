"""The scoreboard over the picture, as a piece of HTML from the key-values of `match/state`."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping

from robohockey_core.match_state import ASK, OVER, PLAY
from robohockey_core.names import BLUE, RED
from robohockey_viz import palette
from robohockey_viz.heard import number

PANEL_PX = 330
"""Width of the panel beside the picture: the scoreboard is centred on what is left."""

_LONGEST_TEXT = 220
_MOST_NAMES = 8
_LOUD = {"goal": "GOAL", "own_goal": "OWN GOAL"}


def clock_text(clock_s: str) -> str:
    """Minutes and seconds; dashes when there is no number."""
    value = number(clock_s)
    if value is None:
        return "--:--"
    minutes, seconds = divmod(max(0, int(value)), 60)
    return f"{minutes:02d}:{seconds:02d}"


def scoreboard_html(state: Mapping[str, str], names: Mapping[str, str] | None = None, banner: str = "") -> str:
    """Score, clock, phase and the referee's explanation, large; what is missing is left open."""
    phase = " ".join(filter(None, (_words(state, "period"), _words(state, "phase")))) or "waiting for the referee"
    restart = _words(state, "restart")
    if restart and state.get("phase") not in ("play", "over"):
        phase += f" · {restart}"
    wait = _waiting(state)
    explanation = state.get("explanation", "")[:_LONGEST_TEXT]
    loud = _LOUD.get(state.get("last_event", ""), "") if state.get("phase") != "play" else ""
    off = _line("sent off", state.get("off", ""))
    called = f'<b style="color:#ffd257;letter-spacing:0.06em">{loud}</b> ' if loud else ""
    return (
        f'<div id="scoreboard" style="position:fixed;top:14px;left:calc((100vw - {PANEL_PX}px) / 2);'
        "transform:translateX(-50%);z-index:20;pointer-events:none;text-align:center;color:#f4f7fb;"
        'font-family:system-ui,sans-serif;width:max-content;max-width:min(720px,calc(100vw - 360px))">'
        '<div style="display:inline-flex;align-items:stretch;border-radius:12px;overflow:hidden;'
        'background:rgba(12,17,26,0.92);box-shadow:0 4px 18px rgba(0,0,0,0.45)">'
        f"{_tile(BLUE, state, names)}"
        '<div style="padding:6px 22px;min-width:150px;line-height:1.15">'
        '<div style="font-size:34px;font-weight:750;font-variant-numeric:tabular-nums">'
        f"{clock_text(state.get('clock_s', ''))}</div>"
        '<div style="font-size:13px;opacity:0.85;text-transform:uppercase;letter-spacing:0.08em">'
        f"{html.escape(phase)}</div></div>"
        f"{_tile(RED, state, names)}</div>"
        f"{_strip(called + html.escape(explanation) + wait + off) if explanation or wait or off else ''}"
        f"{_banner(banner) if banner else ''}</div>"
    )


def _waiting(state: Mapping[str, str]) -> str:
    """The seconds that are left of a wait, and whom it waits for; in a call that is asked about, whose word is awaited."""
    phase = state.get("phase", "")
    left_s = number(state.get("countdown_s", "")) or 0.0
    for_whom = state.get("waiting_for", "").split()[:_MOST_NAMES]
    said = []
    if phase == ASK:
        said.append("confirm or overrule")
    if left_s > 0.0 and phase not in (PLAY, OVER):
        said.append(f"{math.ceil(left_s)} s")
    if for_whom:
        said.append(f"waiting for {' '.join(for_whom)}")
    if not said:
        return ""
    text = html.escape(" · ".join(said))
    return f'<div style="font-size:15px;color:#ffd257;font-variant-numeric:tabular-nums">{text}</div>'


def _words(state: Mapping[str, str], key: str) -> str:
    return state.get(key, "").replace("_", " ")[:40]


def _line(what: str, names: str) -> str:
    return f'<div style="font-size:14px;color:#ffd257">{what}: {html.escape(names)}</div>' if names else ""


def _strip(content: str) -> str:
    return (
        '<div style="margin-top:8px"><span style="display:inline-block;background:rgba(12,17,26,0.82);border-radius:9px;'
        f'padding:6px 16px;font-size:18px;line-height:1.35">{content}</span></div>'
    )


def _banner(text: str) -> str:
    return (
        '<div style="margin-top:8px"><span style="background:#ffd257;color:#1a1f29;border-radius:7px;padding:3px 14px;'
        f'font-size:15px;font-weight:700;letter-spacing:0.08em">{html.escape(text)}</span></div>'
    )


def _tile(team: str, state: Mapping[str, str], names: Mapping[str, str] | None) -> str:
    score = html.escape(state.get(f"score_{team}", "-")[:4])
    name = html.escape((names or {}).get(team, team)[:18])
    side = "row" if team == BLUE else "row-reverse"
    return (
        f'<div style="display:flex;flex-direction:{side};align-items:center;gap:16px;background:{palette.TEAM[team].css};'
        'padding:4px 18px">'
        f'<span style="font-size:16px;letter-spacing:0.06em;text-transform:uppercase">{name}</span>'
        f'<span style="font-size:46px;font-weight:800;line-height:1.1">{score}</span></div>'
    )
