"""Copying pixels through a flat table of places (compiled): the remap table of Minho section 6.2 in its plainest form."""

from __future__ import annotations

from robohockey_core.compiled import compiled


@compiled
def gather_colors(pixels, places, out):
    """Copy pixel `places[i]` of three bytes to `out[i]`."""
    for i in range(places.shape[0]):
        place = places[i]
        out[i, 0] = pixels[place, 0]
        out[i, 1] = pixels[place, 1]
        out[i, 2] = pixels[place, 2]


@compiled
def gather_greys(pixels, places, out):
    """The same for one byte a pixel."""
    for i in range(places.shape[0]):
        out[i] = pixels[places[i]]
