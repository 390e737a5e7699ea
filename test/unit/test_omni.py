"""The unwarp's table against equation 7 of the Minho paper, its limit cases, and what it refuses."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robohockey_core.checked import InputError
from robohockey_vision.encodings import as_bgr
from robohockey_vision.omni import FrameUnwarper, Unwarper, UnwarpSettings, round_image_point

WIDTH_PX, HEIGHT_PX = 640, 480

BENCH = runpy.run_path(str(Path(__file__).parents[2] / "bench" / "unwarp.py"))
unwarp_per_pixel = BENCH["unwarp_per_pixel"]


def noise_image(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).integers(0, 256, shape, dtype=np.uint8)


@pytest.fixture
def unwarper() -> Unwarper:
    return Unwarper(UnwarpSettings(), WIDTH_PX, HEIGHT_PX)


@pytest.mark.parametrize(
    ("alpha_deg", "x_px", "y_px"),
    [
        (180.0, 50.0, 40.0),  # the middle of the strip reads above the centre: the robot's front
        (90.0, 60.0, 50.0),  # its left half reads to the right: the robot's left, seen by a camera that looks up
        (270.0, 40.0, 50.0),
        (0.0, 50.0, 60.0),
        (360.0, 50.0, 60.0),
    ],
)
def test_equation_7_limit_cases(alpha_deg, x_px, y_px):
    assert round_image_point(math.radians(alpha_deg), 10.0, 50.0, 50.0) == pytest.approx((x_px, y_px))


@pytest.mark.parametrize("shape", [(HEIGHT_PX, WIDTH_PX, 3), (HEIGHT_PX, WIDTH_PX)])
def test_table_equals_the_equation_pixel_by_pixel(unwarper, shape):
    image = noise_image(*shape)
    np.testing.assert_array_equal(unwarper.unwarp(image), unwarp_per_pixel(UnwarpSettings(), image))


@pytest.mark.parametrize(
    "settings",
    [
        UnwarpSettings(width_px=101, height_px=200, inner_radius_px=0, outer_radius_px=20, center_x_px=25.3, center_y_px=19.5),
        UnwarpSettings(width_px=1, height_px=1, inner_radius_px=3, outer_radius_px=4, center_x_px=45.0),
        UnwarpSettings(width_px=7, height_px=3, inner_radius_px=2, outer_radius_px=20, center_y_px=20.0),
    ],
)
def test_other_circles_and_strips(settings):
    image = noise_image(40, 50, 3) if settings.center_y_px != 20.0 else noise_image(41, 50, 3)
    strip = Unwarper(settings, image.shape[1], image.shape[0]).unwarp(image)
    np.testing.assert_array_equal(strip, unwarp_per_pixel(settings, image))


@pytest.mark.parametrize(
    ("x_px", "y_px", "bearing_deg"),
    [(320, 180, 0.0), (380, 240, 90.0), (260, 240, -90.0), (362, 198, 45.0), (320, 300, 180.0)],
)
def test_a_mark_in_the_round_image_appears_at_its_bearing_and_radius(unwarper, x_px, y_px, bearing_deg):
    image = np.zeros((HEIGHT_PX, WIDTH_PX), np.uint8)
    image[y_px - 1 : y_px + 2, x_px - 1 : x_px + 2] = 255
    rows, columns = np.nonzero(unwarper.unwarp(image))
    bearings_rad = unwarper.pixel_bearing_rad(columns.astype(float))
    mean_rad = math.atan2(np.sin(bearings_rad).mean(), np.cos(bearings_rad).mean())
    assert math.remainder(mean_rad - math.radians(bearing_deg), 2 * math.pi) == pytest.approx(0.0, abs=0.015)
    assert unwarper.pixel_radius_px(rows.astype(float)).mean() == pytest.approx(60.0, abs=1.0)


def test_far_is_on_top_and_left_is_left(unwarper):
    assert unwarper.pixel_radius_px(0) == pytest.approx(104.5)
    assert unwarper.pixel_radius_px(95) == pytest.approx(9.5)
    assert unwarper.pixel_bearing_rad(314.5) == pytest.approx(0.0)
    assert unwarper.pixel_bearing_rad(157.0) == pytest.approx(math.pi / 2)
    assert unwarper.pixel_bearing_rad(-0.5) == pytest.approx(math.pi)
    assert unwarper.pixel_bearing_rad(629.5) == pytest.approx(-math.pi)


@given(column=st.floats(-0.4, 629.4), row=st.floats(-0.5, 95.5), turns=st.integers(-3, 3))
def test_inverses(column, row, turns):
    unwarper = Unwarper(UnwarpSettings(), WIDTH_PX, HEIGHT_PX)
    bearing_rad = unwarper.pixel_bearing_rad(column) + 2 * math.pi * turns
    assert unwarper.bearing_column(bearing_rad) == pytest.approx(column, abs=1e-6)
    assert unwarper.radius_row(unwarper.pixel_radius_px(row)) == pytest.approx(row, abs=1e-9)


def test_strip_goes_where_it_is_told(unwarper):
    image = noise_image(HEIGHT_PX, WIDTH_PX, 3)
    out = np.zeros((96, 630, 3), np.uint8)
    assert unwarper.unwarp(image, out) is out
    np.testing.assert_array_equal(out, unwarper.unwarp(image))


def test_rows_with_padding_are_read_right(unwarper):
    padded = noise_image(HEIGHT_PX, WIDTH_PX + 8, 3)[:, :WIDTH_PX]
    np.testing.assert_array_equal(unwarper.unwarp(padded), unwarper.unwarp(padded.copy()))


def test_unfit_out_is_refused_instead_of_left_empty(unwarper):
    with pytest.raises(ValueError, match=r"out is \(96, 630\) uint8, the strip is \(96, 630, 3\) uint8"):
        unwarper.unwarp(noise_image(HEIGHT_PX, WIDTH_PX, 3), np.zeros((96, 630), np.uint8))


def test_image_of_another_size_is_refused(unwarper):
    with pytest.raises(ValueError, match="the image is 320 x 240 px, the table is for 640 x 480 px"):
        unwarper.unwarp(noise_image(240, 320, 3))


def test_circle_may_touch_the_edges():
    settings = UnwarpSettings(outer_radius_px=20)
    image = noise_image(40, 40)
    np.testing.assert_array_equal(Unwarper(settings, 40, 40).unwarp(image), unwarp_per_pixel(settings, image))


@pytest.mark.parametrize(
    ("settings", "size_px", "complaint"),
    [
        (UnwarpSettings(), (640, 209), r"outer_radius_px = 105 about \(319.5, 104\) does not fit in an image of 640 x 209 px"),
        (UnwarpSettings(center_x_px=104.4), (640, 480), r"about \(104.4, 239.5\) does not fit"),
        (UnwarpSettings(center_x_px=600.0), (640, 480), r"about \(600, 239.5\) does not fit"),
        (UnwarpSettings(center_y_px=10.0), (640, 480), r"about \(319.5, 10\) does not fit"),
        (UnwarpSettings(), (40000, 480), "40000 x 480 px is too large"),
    ],
)
def test_circle_that_does_not_fit_is_refused(settings, size_px, complaint):
    with pytest.raises(InputError, match=complaint) as caught:
        Unwarper(settings, *size_px)
    assert "\n" not in str(caught.value)


def test_ring_without_width_is_refused():
    with pytest.raises(InputError, match="outer_radius_px = 9: must be above inner_radius_px = 9"):
        UnwarpSettings(outer_radius_px=9)


@pytest.mark.parametrize("shape", [(HEIGHT_PX, WIDTH_PX, 3), (HEIGHT_PX, WIDTH_PX)])
def test_gather_and_remap_are_equal_pixel_by_pixel(unwarper, shape):
    image = noise_image(*shape)
    np.testing.assert_array_equal(unwarper.gather(image), unwarper.unwarp(image))
    with pytest.raises(ValueError, match="the table is for"):
        unwarper.gather(image[:100])


def test_bayer_frames_are_turned_to_colours_only_where_the_mirror_is():
    raw = noise_image(HEIGHT_PX, WIDTH_PX)
    settings = UnwarpSettings(center_x_px=301.0, center_y_px=233.0)
    frames = FrameUnwarper(settings)
    strip, encoding = frames.unwarp(raw, "bayer_rggb8")
    assert encoding == "bgr8"
    whole = Unwarper(settings, WIDTH_PX, HEIGHT_PX).unwarp(as_bgr(raw, "bayer_rggb8"))
    np.testing.assert_array_equal(strip, whole)
    assert frames.ring_px == (9.0, 105.0, 301.0, 233.0)
    # The size and the encoding may change from frame to frame.
    assert frames.unwarp(noise_image(HEIGHT_PX, WIDTH_PX, 3), "rgb8")[1] == "rgb8"
    assert frames.ring_px == (9.0, 105.0, 301.0, 233.0)


@pytest.mark.parametrize("way", ["gather", "fastest"])
@pytest.mark.parametrize("encoding", ["bgr8", "mono8", "bayer_rggb8"])
def test_every_way_makes_the_same_strip(way, encoding):
    image = noise_image(HEIGHT_PX, WIDTH_PX, 3) if encoding == "bgr8" else noise_image(HEIGHT_PX, WIDTH_PX)
    expected, _ = FrameUnwarper(UnwarpSettings()).unwarp(image, encoding)
    np.testing.assert_array_equal(FrameUnwarper(UnwarpSettings(way=way)).unwarp(image, encoding)[0], expected)


def test_the_benchmark_knows_its_limits():
    broken = BENCH["broken"]
    assert broken(1.05, 1.0, 13.0, 300.0) == []
    assert broken(1.2, 1.0, 13.0, 100.0) == [
        "1.20 times a bare cv2.remap (limit 1.1)",
        "11 times faster than numpy (wanted: 12)",
        "83 times faster than Python (wanted: 200)",
    ]
