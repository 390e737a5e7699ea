"""Colour classes: which pixels are puck, team, goal or line. In YAML, learned from samples, looked up in one table.

A class is a sector of hue with limits of saturation and value, which light changes least. All classes become one table with
an entry for each colour of 6 bits a channel, so that a pixel costs one lookup however many classes there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import yaml
from numpy.typing import NDArray

from robohockey_core.appearance import GOAL_COLOR, GRASS, IDENTITY_COLORS, PUCK_COLOR, TEAM_COLOR, Color
from robohockey_core.checked import InputError, build, did_you_mean, limited, to_plain
from robohockey_core.files import read_yaml
from robohockey_core.league import League
from robohockey_core.names import BLUE, PUCK, RED

Image = NDArray[np.uint8]

LINE, FLOOR = "line", "floor"
GOAL = {BLUE: "blue_goal", RED: "red_goal"}
OVERHEAD_CLASSES = (PUCK, BLUE, RED, *IDENTITY_COLORS)
OMNI_CLASSES = (PUCK, BLUE, RED, *GOAL.values(), LINE, FLOOR)
CLASSES = tuple(dict.fromkeys((*OVERHEAD_CLASSES, *OMNI_CLASSES)))

NOTHING = 0
"""The number of no class; class i of a table's names has number i + 1."""
_BITS = 6
_HALF_HUE = 180.0


@dataclass(frozen=True)
class ColorClass:
    """A sector of hue, with limits of saturation and value."""

    hue_deg: float = limited(0.0, "middle of the hue's sector", low=0.0, high=360.0)
    hue_width_deg: float = limited(20.0, "how far the hue may be off; 180 for any", above=0.0, high=180.0)
    saturation_low: float = limited(0.0, "least saturation", low=0.0, high=1.0)
    saturation_high: float = limited(1.0, "most saturation", low=0.0, high=1.0)
    value_low: float = limited(0.0, "least value: the brightest channel", low=0.0, high=1.0)
    value_high: float = limited(1.0, "most value", low=0.0, high=1.0)


Colors = Mapping[str, ColorClass]


def default_colors(league: League, names: tuple[str, ...]) -> Colors:
    """Classes for the colours that simulated cameras paint, in light from 0.6 to 1.4."""
    hockey = league.sport == "hockey"
    painted: dict[str, Color] = {PUCK: PUCK_COLOR, **TEAM_COLOR, **IDENTITY_COLORS}
    painted |= {GOAL[team]: color for team, color in GOAL_COLOR.items()}
    classes = {name: _around(color) for name, color in painted.items()}
    classes[LINE] = ColorClass(hue_width_deg=180.0, saturation_high=0.35, value_low=0.42)
    surface = ColorClass(hue_width_deg=180.0, saturation_high=0.3, value_low=0.4)
    classes[FLOOR] = surface if hockey else replace(_around(GRASS), hue_width_deg=25.0, value_low=0.15, saturation_low=0.3)
    return {name: classes[name] for name in names}


def _around(color: Color) -> ColorClass:
    hue_deg, saturation, value = hsv_of(np.array([[color]], dtype=np.uint8)[:, :, ::-1])[0, 0]
    return ColorClass(
        hue_deg=round(float(hue_deg), 1),
        hue_width_deg=15.0,
        saturation_low=round(0.6 * float(saturation), 3),
        value_low=round(0.5 * float(value), 3),
    )


def load_colors(path: Path) -> Colors:
    """Read colour classes from YAML. Raises InputError."""
    classes = {}
    for name, values in read_yaml(path).items():
        if name not in CLASSES:
            raise InputError(f"{path}: {name}: unknown colour class{did_you_mean(str(name), CLASSES)}")
        if not isinstance(values, Mapping):
            raise InputError(f"{path}: {name} = {values!r}: must be a table of keys")
        classes[name] = build(ColorClass, values, f"{path}: {name}")
    return classes


def save_colors(colors: Colors, path: Path) -> None:
    path.write_text(yaml.safe_dump({name: to_plain(c) for name, c in colors.items()}, sort_keys=False), encoding="utf-8")


def colors_for(league: League, names: tuple[str, ...], file: str) -> Colors:
    """The classes that a detector needs: those of the file, or of the simulated cameras. Raises InputError."""
    if not file:
        return default_colors(league, names)
    loaded = load_colors(Path(file))
    missing = [name for name in names if name not in loaded]
    if missing:
        raise InputError(f"{file}: no colour class {', '.join(missing)}; learn it with robohockey calibrate-colors")
    return {name: loaded[name] for name in names}


def hsv_of(image: Image) -> NDArray[np.float32]:
    """Hue in degrees, saturation and value from 0 to 1, of a bgr image."""
    converted: NDArray[np.float32] = cv2.cvtColor(image.astype(np.float32) / 255.0, cv2.COLOR_BGR2HSV)
    return converted


class ColorTable:
    """A number for each colour of 6 bits a channel, blue first: 0, or 1 + the place of the class in `names`."""

    def __init__(self, colors: Colors) -> None:
        self.names = tuple(colors)
        self.number = {name: i + 1 for i, name in enumerate(self.names)}
        steps = 1 << _BITS
        levels = ((np.arange(steps) + 0.5) * (256 / steps)).astype(np.uint8)
        every = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=3).reshape(1, -1, 3)
        hue, saturation, value = np.moveaxis(hsv_of(every)[0], 1, 0)
        best, numbers = np.full(hue.shape, np.inf), np.zeros(hue.shape, dtype=np.uint8)
        for name, c in colors.items():
            off = np.abs((hue - c.hue_deg + _HALF_HUE) % (2.0 * _HALF_HUE) - _HALF_HUE) / c.hue_width_deg
            fits = (off <= 1.0) & (saturation >= c.saturation_low) & (saturation <= c.saturation_high)
            fits &= (value >= c.value_low) & (value <= c.value_high) & (off < best)
            best[fits], numbers[fits] = off[fits], self.number[name]
        self.flat: Image = numbers


def classify(image: Image, table: ColorTable) -> Image:
    """The class number of each pixel of a bgr image."""
    from robohockey_vision.blobs import look_up  # noqa: PLC0415 (importing it loads the compiler)

    numbers = np.empty(image.shape[:2], dtype=np.uint8)
    look_up(np.ascontiguousarray(image), table.flat, numbers)
    return numbers
