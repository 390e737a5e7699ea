"""Keys of a terminal as a stick: every key counts for a moment, so a hand that lets go stops the robot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

HELP = "w/s or arrows: drive   a/d or arrows: turn   z/c: sideways   space: kick   f: dribble   x: stop   q: end"


class Stroke(NamedTuple):
    """What one key asks for."""

    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0
    kick: bool = False
    dribble: bool = False
    end: bool = False


_KEYS = {
    "w": Stroke(forward=1.0),
    "s": Stroke(forward=-1.0),
    "a": Stroke(turn=1.0),
    "d": Stroke(turn=-1.0),
    "z": Stroke(left=1.0),
    "c": Stroke(left=-1.0),
    "x": Stroke(),
    " ": Stroke(kick=True),
    "f": Stroke(dribble=True),
    "q": Stroke(end=True),
    "\x1b[A": Stroke(forward=1.0),
    "\x1b[B": Stroke(forward=-1.0),
    "\x1b[D": Stroke(turn=1.0),
    "\x1b[C": Stroke(turn=-1.0),
}


def strokes_of(text: str) -> Iterator[Stroke]:
    """Read what a terminal sent; keys without a meaning are left out."""
    at = 0
    while at < len(text):
        length = 3 if text[at : at + 2] == "\x1b[" else 1
        stroke = _KEYS.get(text[at : at + length].lower() if length == 1 else text[at : at + length])
        at += length
        if stroke is not None:
            yield stroke
