"""The overhead camera's geometry: against OpenCV, both ways, in files."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from robohockey_core.checked import InputError
from robohockey_core.league import load_league
from robohockey_core.overhead_view import (
    OverheadView,
    load_view,
    rotation_matrix,
    rotation_vector,
    save_view,
    turn_from_looking_down,
    view_above,
)

LEAGUE = load_league("mirosot_5v5")
ASKEW = replace(view_above(LEAGUE), turn_x_rad=0.1, turn_y_rad=-0.2, turn_z_rad=0.7, p1=0.001, p2=-0.002, k3=0.01)


@pytest.mark.parametrize("view", [view_above(LEAGUE), ASKEW])
def test_the_same_pixels_as_opencv(view):
    places = np.random.default_rng(1).uniform((-1.1, -0.9, 0.0), (1.1, 0.9, 0.1), (50, 3))
    turn = cv2.Rodrigues(view.rotation)[0]
    shift = -view.rotation @ view.position_m
    expected, _ = cv2.projectPoints(places, turn, shift, view.matrix, view.distortion)
    np.testing.assert_allclose(view.project(places), expected[:, 0, :], atol=1e-6)


@pytest.mark.parametrize("view", [view_above(LEAGUE), ASKEW])
@pytest.mark.parametrize("height_m", [0.0, 0.075])
def test_pixels_lead_back_to_their_places(view, height_m):
    places = np.random.default_rng(2).uniform((-1.1, -0.9), (1.1, 0.9), (50, 2))
    pixels = view.project(np.column_stack((places, np.full(50, height_m))))
    np.testing.assert_allclose(view.place(pixels, height_m), places, atol=1e-5)


def test_looking_down_the_image_is_the_rink():
    """Columns along x, rows against y; a higher thing is nearer to the camera and so farther out."""
    view = OverheadView(z_m=2.0)
    middle, ahead, left, high = view.project(np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.5, 0.0, 0.1]]))
    np.testing.assert_allclose(middle, (319.5, 239.5))
    assert ahead[0] > middle[0]
    assert ahead[1] == pytest.approx(middle[1])
    assert left[1] < middle[1]
    assert high[0] - ahead[0] == pytest.approx(686.0 * 0.5 / 1.9 - 686.0 * 0.5 / 2.0)


@pytest.mark.parametrize("vector", [(0.0, 0.0, 0.0), (0.3, -0.2, 0.9), (0.0, 3.0, 0.0)])
def test_rotations_both_ways(vector):
    np.testing.assert_allclose(rotation_vector(rotation_matrix(np.array(vector))), vector, atol=1e-9)
    np.testing.assert_allclose(rotation_matrix(np.array(vector)), cv2.Rodrigues(np.array(vector))[0], atol=1e-12)


@pytest.mark.parametrize("name", ["micro_hockey", "mirosot_5v5", "mirosot_11v11", "mixed_reality", "msl_omni"])
def test_every_league_fits_in_its_camera(name):
    league = load_league(name)
    view = view_above(league)
    x, y = league.rink.length_m / 2.0 + league.rink.goal_depth_m, league.rink.width_m / 2.0
    corners = np.array([[sx * x, sy * y, 0.0] for sx in (-1, 1) for sy in (-1, 1)])
    pixels = view.project(corners)
    assert (pixels > 0.0).all()
    assert (pixels < (639.0, 479.0)).all()


def test_files(tmp_path):
    save_view(ASKEW, tmp_path / "camera.yaml")
    assert load_view(str(tmp_path / "camera.yaml"), LEAGUE) == ASKEW
    np.testing.assert_allclose(turn_from_looking_down(ASKEW.rotation), (0.1, -0.2, 0.7))
    (tmp_path / "wrong.yaml").write_text("focal_px: -3\n")
    with pytest.raises(InputError, match="focal_px = -3: must be above 0"):
        load_view(str(tmp_path / "wrong.yaml"), LEAGUE)
