"""Colour classes learned from samples, boxes in images with the name of what they show; and a picture of what was learned."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from robohockey_core.checked import InputError, did_you_mean
from robohockey_core.files import read_yaml
from robohockey_vision.colors import CLASSES, ColorClass, Colors, ColorTable, classify, hsv_of
from robohockey_vision.images import read_image

FloatArray = NDArray[np.float64]
Image = NDArray[np.uint8]

# The outermost samples are edges and glints; light may change by this much between the samples and the match.
_OUTER_PERCENT = 3.0
_DARKER, _BRIGHTER = 0.6, 1.5
_PALER = 0.75
_LEAST_HUE_WIDTH_DEG = 9.0
# Paler than this, a colour has no hue to go by.
_GREY = 0.25
_LEAST_PIXELS = 10
_ROW_PX, _WIDTH_PX = 48, 640


def read_samples(path: Path) -> dict[str, list[Image]]:
    """Read a samples file: for each class a list of `{image, box: [left, top, right, bottom]}`. Raises InputError."""
    samples: dict[str, list[Image]] = {}
    for name, entries in read_yaml(path).items():
        if name not in CLASSES:
            raise InputError(f"{path}: {name}: unknown colour class{did_you_mean(str(name), CLASSES)}")
        if not isinstance(entries, Sequence) or isinstance(entries, str) or not entries:
            raise InputError(f"{path}: {name}: must be a list of {{image: file, box: [left, top, right, bottom]}}")
        samples[name] = [_sample(path, name, entry) for entry in entries]
    if not samples:
        raise InputError(f"{path}: no samples")
    return samples


def _sample(path: Path, name: str, entry: Any) -> Image:
    if not isinstance(entry, Mapping) or set(entry) != {"image", "box"}:
        raise InputError(f"{path}: {name}: {entry!r}: must be {{image: file, box: [left, top, right, bottom]}}")
    file = path.parent / str(entry["image"])
    image = read_image(file)
    box = entry["box"]
    if not isinstance(box, Sequence) or len(box) != 4 or not all(isinstance(value, int) for value in box):
        raise InputError(f"{path}: {name}: box = {box!r}: must be four whole numbers: left, top, right, bottom")
    left, top, right, bottom = box
    if not (0 <= left < right <= image.shape[1] and 0 <= top < bottom <= image.shape[0]):
        raise InputError(f"{path}: {name}: box = {box!r}: must lie in {file.name}, {image.shape[1]} x {image.shape[0]} px")
    return image[top:bottom, left:right]


def learn(samples: Mapping[str, Sequence[Image]]) -> Colors:
    """A class around the samples of each name, wide enough for other light. Raises InputError."""
    return {name: _class_of(name, np.vstack([image.reshape(-1, 3) for image in images])) for name, images in samples.items()}


def _class_of(name: str, pixels: Image) -> ColorClass:
    if len(pixels) < _LEAST_PIXELS:
        raise InputError(f"{name}: {len(pixels)} pixels of samples; {_LEAST_PIXELS} at least are needed")
    hue, saturation, value = np.moveaxis(hsv_of(pixels[np.newaxis])[0].astype(float), 1, 0)
    low, high = _OUTER_PERCENT, 100.0 - _OUTER_PERCENT
    value_low, value_high = np.percentile(value, low) * _DARKER, min(1.0, np.percentile(value, high) * _BRIGHTER)
    if np.median(saturation) < _GREY:
        most = min(1.0, float(np.percentile(saturation, high)) + 0.12)
        return ColorClass(hue_width_deg=180.0, saturation_high=most, value_low=float(value_low), value_high=float(value_high))
    angle = np.radians(hue)
    weight = saturation * value
    middle = math.atan2(float(np.sum(weight * np.sin(angle))), float(np.sum(weight * np.cos(angle))))
    off_deg = np.abs(np.degrees(np.angle(np.exp(1j * (angle - middle)))))
    width = max(_LEAST_HUE_WIDTH_DEG, 1.5 * float(np.percentile(off_deg, high)))
    return ColorClass(
        hue_deg=math.degrees(middle) % 360.0,
        hue_width_deg=min(180.0, width),
        saturation_low=float(np.percentile(saturation, low)) * _PALER,
        value_low=float(value_low),
    )


def overlaps(samples: Mapping[str, Sequence[Image]], colors: Colors) -> dict[str, float]:
    """For each class, the share of its own samples that the classes together give to it."""
    table = ColorTable(colors)
    shares = {}
    for name, images in samples.items():
        numbers = np.concatenate([classify(image, table).ravel() for image in images])
        shares[name] = float(np.mean(numbers == table.number[name]))
    return shares


def picture(samples: Mapping[str, Sequence[Image]], colors: Colors) -> Image:
    """One row a class: its name, its samples, the samples that were recognised, and all hues that it takes."""
    table = ColorTable(colors)
    shares = overlaps(samples, colors)
    rows = []
    for name, images in samples.items():
        row = np.full((_ROW_PX, _WIDTH_PX, 3), 32, dtype=np.uint8)
        label = f"{name} {100.0 * shares[name]:.0f} %"
        cv2.putText(row, label, (6, _ROW_PX // 2 + 5), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1, cv2.LINE_AA)
        sample = images[0]
        seen = np.where((classify(sample, table) == table.number[name])[:, :, np.newaxis], sample, 0).astype(np.uint8)
        for place, shown in ((150, sample), (230, seen)):
            row[4:-4, place : place + 72] = cv2.resize(shown, (72, _ROW_PX - 8), interpolation=cv2.INTER_NEAREST)
        row[4:-4, 310:-6] = _hues_taken(table, name, _WIDTH_PX - 316, _ROW_PX - 8)
        rows.append(row)
    return np.vstack(rows)


def _hues_taken(table: ColorTable, name: str, width_px: int, height_px: int) -> Image:
    """Hue from left to right, saturation from top to bottom, at middle light; black where the class takes nothing."""
    hue, saturation = np.meshgrid(np.linspace(0.0, 359.0, width_px), np.linspace(1.0, 0.0, height_px))
    hsv = np.stack((hue, saturation, np.full_like(hue, 0.85)), axis=2).astype(np.float32)
    image = np.clip(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR) * 255.0, 0.0, 255.0).astype(np.uint8)
    taken = classify(image, table) == table.number[name]
    return np.where(taken[:, :, np.newaxis], image, 0).astype(np.uint8)
