"""The omni unwarp by its table, against no table (Minho section 6.2): `python bench/unwarp.py`.

All ways make the same strip, 630 x 96 from a round image in 640 x 480 bgr, in one run; the medians
are compared as ratios, because the times themselves belong to the machine.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from robohockey_vision.omni import Unwarper, UnwarpSettings

ROUNDS = 500
SLOW_ROUNDS = 3
WARM_UP_ROUNDS = 20
MOST_OF_BARE, LEAST_OF_NUMPY, LEAST_OF_PYTHON = 1.1, 12.0, 200.0


def unwarp_per_pixel(settings: UnwarpSettings, image: Any) -> Any:
    """Equation 7 for each pixel in plain Python, from the paper alone: the reference that the table must equal."""
    image_height, image_width = image.shape[:2]
    center_x = settings.center_x_px if settings.center_x_px >= 0 else (image_width - 1) / 2
    center_y = settings.center_y_px if settings.center_y_px >= 0 else (image_height - 1) / 2
    strip = np.zeros((settings.height_px, settings.width_px, *image.shape[2:]), image.dtype)
    for row in range(settings.height_px):
        share = (row + 0.5) / settings.height_px
        radius = settings.outer_radius_px + share * (settings.inner_radius_px - settings.outer_radius_px)
        for column in range(settings.width_px):
            alpha_deg = 360.0 * (column + 0.5) / settings.width_px
            x = center_x - radius * math.sin(math.radians(alpha_deg + 180.0))
            y = center_y - radius * math.cos(math.radians(alpha_deg + 180.0))
            strip[row, column] = image[round(y), round(x)]
    return strip


def median_times_s(ways: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median time of each way; the order changes, so that none always runs in the cache that the same other one left."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    order = random.Random(1)
    for _ in range(rounds):
        for name in order.sample(list(ways), len(ways)):
            start_s = time.perf_counter()
            ways[name]()
            times[name].append(time.perf_counter() - start_s)
    return {name: statistics.median(spent) for name, spent in times.items()}


def broken(whole_s: float, bare_s: float, numpy_s: float, python_s: float) -> list[str]:
    """The limits that the whole call does not hold, in words."""
    found = []
    if whole_s > MOST_OF_BARE * bare_s:
        found.append(f"{whole_s / bare_s:.2f} times a bare cv2.remap (limit {MOST_OF_BARE:g})")
    for name, slow_s, least in (("numpy", numpy_s, LEAST_OF_NUMPY), ("Python", python_s, LEAST_OF_PYTHON)):
        if slow_s < least * whole_s:
            found.append(f"{slow_s / whole_s:.0f} times faster than {name} (wanted: {least:g})")
    return found


def main() -> None:
    settings = UnwarpSettings()
    image = np.random.default_rng(1).integers(0, 256, (480, 640, 3), dtype=np.uint8)
    unwarper = Unwarper(settings, 640, 480)
    out = np.empty((*unwarper.shape, 3), np.uint8)
    x, y = (np.rint(values).astype(np.float32) for values in unwarper.source_points())
    pairs, _ = cv2.convertMaps(x, y, cv2.CV_16SC2, nninterpolation=True)

    def equation_7_in_numpy() -> Any:
        columns, rows = unwarper.source_points()
        return image[np.rint(rows).astype(np.intp), np.rint(columns).astype(np.intp)]

    whole = "unwarp, the whole call"
    ways: dict[str, Callable[[], Any]] = {
        whole: lambda: unwarper.unwarp(image, out),
        "bare cv2.remap, float maps": lambda: cv2.remap(image, x, y, cv2.INTER_NEAREST, dst=out),
        "bare cv2.remap, 16-bit pairs": lambda: cv2.remap(image, pairs, None, cv2.INTER_NEAREST, dst=out),
    }
    # Apart, because they push everything else out of the cache and would slow down whoever comes next.
    gather = "compiled gather, flat table"
    ways[gather] = lambda: unwarper.gather(image, out)
    numpy_ways = {"equation 7 in numpy, every frame": equation_7_in_numpy}
    python_ways = {"equation 7 in Python, every pixel": lambda: unwarp_per_pixel(settings, image)}
    strip = unwarper.unwarp(image)
    for name, way in {**ways, **numpy_ways, **python_ways}.items():
        if not np.array_equal(way(), strip):
            sys.exit(f"{name}: another strip")
    median_times_s(ways, WARM_UP_ROUNDS)
    medians_s = median_times_s(ways, ROUNDS) | median_times_s(numpy_ways, ROUNDS) | median_times_s(python_ways, SLOW_ROUNDS)
    print(f"640 x 480 bgr to {settings.width_px} x {settings.height_px}, OpenCV {cv2.__version__}, equal strips; medians:")
    for name, median_s in medians_s.items():
        print(f"{name:36}{median_s * 1e6:12.1f} us {median_s / medians_s[whole]:10.2f} x")
    bare_s = min(median_s for name, median_s in medians_s.items() if name.startswith("bare"))
    (numpy_s,), (python_s,) = ([medians_s[name] for name in group] for group in (numpy_ways, python_ways))
    wrong = broken(medians_s[whole], bare_s, numpy_s, python_s)
    print("all limits are held" if not wrong else f"NOT HELD: {'; '.join(wrong)}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
