"""Blobs against OpenCV's, and colour tables against the classes that they are made from."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from robohockey_core.appearance import IDENTITY_COLORS, PUCK_COLOR, TEAM_COLOR
from robohockey_core.league import load_league
from robohockey_vision import blobs as blob
from robohockey_vision.colors import NOTHING, OVERHEAD_CLASSES, ColorTable, classify, default_colors


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_the_same_blobs_as_opencv(seed, share):
    chance = np.random.default_rng(seed)
    numbers = (chance.random((40, 60)) < share).astype(np.uint8) * chance.integers(1, 3, (40, 60)).astype(np.uint8)
    finder = blob.BlobFinder()
    for number in (1, 2):
        wanted = np.array([False, number == 1, number == 2])
        found = finder.find(numbers, wanted)
        count, _, stats, middles = cv2.connectedComponentsWithStats((numbers == number).astype(np.uint8), connectivity=8)
        assert len(found) == count - 1
        mine = sorted(zip(found[:, blob.AREA], *blob.centers(found).T, found[:, blob.LOW_X], found[:, blob.LOW_Y], strict=True))
        areas, left, top = stats[1:, cv2.CC_STAT_AREA], stats[1:, cv2.CC_STAT_LEFT], stats[1:, cv2.CC_STAT_TOP]
        np.testing.assert_allclose(mine, sorted(zip(areas, *middles[1:].T, left, top, strict=True)))


def test_noise_without_end_ends():
    numbers = np.indices((480, 640)).sum(axis=0).astype(np.uint8) % 2
    assert len(blob.BlobFinder().find(numbers, np.array([False, True]))) > 0


@pytest.mark.parametrize("light", [0.7, 1.0, 1.3])
def test_painted_colours_are_recognised_in_any_light(light):
    table = ColorTable(default_colors(load_league("mirosot_5v5"), OVERHEAD_CLASSES))
    painted = {"puck": PUCK_COLOR, **TEAM_COLOR, **IDENTITY_COLORS}
    for name, color in painted.items():
        pixel = np.clip(np.array([[color[::-1]]]) * light, 0, 255).astype(np.uint8)
        assert classify(pixel, table)[0, 0] == table.number[name], name


def test_ice_grass_and_boards_are_nothing():
    table = ColorTable(default_colors(load_league("micro_hockey"), OVERHEAD_CLASSES))
    plain = np.array([[(249, 239, 226), (54, 112, 34), (30, 26, 26), (240, 242, 240)]], dtype=np.uint8)
    assert (classify(plain, table) == NOTHING).all()
