"""Calibration of cameras whose truth is known: what is left unexplained, and what cannot be calibrated."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from bench.vision import calibrated_mirror
from robohockey_core.checked import InputError
from robohockey_core.league import load_league
from robohockey_core.mirrors import (
    CONIC,
    HYPERBOLIC,
    PROFILES,
    SPHERICAL,
    Mirror,
    load_mirror,
    load_ring,
    mirror_on,
    save_mirror,
)
from robohockey_core.overhead_view import OverheadView, load_view, view_above
from robohockey_core.state import BodyState, Pose2D
from robohockey_match.cli import main
from robohockey_sim.omni_camera import OmniCamera
from robohockey_sim.overhead_camera import OverheadCamera
from robohockey_vision.colors import default_colors
from robohockey_vision.images import write_image
from robohockey_vision.least_squares import fit
from robohockey_vision.omni import Unwarper, UnwarpSettings
from robohockey_vision.omni_calibration import Marks, calibrate_omni, find_rim
from robohockey_vision.omni_detector import OmniDetector
from robohockey_vision.overhead_calibration import lens_from_chessboards, rink_corners_m, view_from_rink

CHANCE = np.random.default_rng(8)


def askew(league):
    return replace(view_above(league), turn_x_rad=-0.012, turn_y_rad=0.015, turn_z_rad=-0.04, k1=-0.15)


def corners_px(league, view):
    return view.project(np.column_stack((rink_corners_m(league), np.zeros(4)))) + CHANCE.normal(0.0, 2.0, (4, 2))


def place_error_mm(league, found, truth):
    """Root mean square over the rink at the height of robots."""
    rink, height_m = league.rink, league.robot.height_m
    x, y = np.meshgrid(np.linspace(-0.48, 0.48, 15) * rink.length_m, np.linspace(-0.48, 0.48, 11) * rink.width_m)
    grid = np.column_stack((x.ravel(), y.ravel()))
    off = found.place(truth.project(np.column_stack((grid, np.full(len(grid), height_m)))), height_m) - grid
    return 1000.0 * math.sqrt(np.mean(np.sum(off * off, axis=1)))


def test_least_squares_finds_a_curve():
    x = np.linspace(0.0, 3.0, 30)
    solved, left = fit(lambda v: v[0] * np.exp(-v[1] * x) - 2.0 * np.exp(-0.7 * x), np.array([1.0, 0.1]), np.array([1.0, 1.0]))
    assert solved == pytest.approx((2.0, 0.7), abs=1e-6)
    assert np.abs(left).max() < 1e-6


@pytest.mark.parametrize("name", ["micro_hockey", "mirosot_5v5", "mixed_reality"])
def test_camera_and_lens_from_the_rinks_lines(name):
    league = load_league(name)
    truth = askew(league)
    image = OverheadCamera(league, truth).render({})
    found = view_from_rink(image, league, corners_px(league, truth), height_m=1.005 * truth.z_m)
    assert found.rms_px < 0.3
    assert place_error_mm(league, found.view, truth) < 1.5


def board_image(view, columns, rows, square_m):
    """A chessboard on the floor, its middle at the rink's. A lens bends smoothly: places lie evenly between every fourth."""
    pixels = np.stack(np.meshgrid(np.arange(160) * 4.0 + 1.5, np.arange(120) * 4.0 + 1.5), axis=2).reshape(-1, 2)
    places = cv2.resize(view.place(pixels).reshape(120, 160, 2), (1920, 1440), interpolation=cv2.INTER_LINEAR)
    cells = np.floor(places / square_m + np.array([columns + 1, rows + 1]) / 2.0).astype(int)
    on_board = ((cells >= 0) & (cells <= (columns, rows))).all(axis=2)
    fine = np.where(on_board & (cells.sum(axis=2) % 2 == 0), 20, 230).astype(np.uint8)
    return cv2.cvtColor(cv2.resize(fine, (640, 480), interpolation=cv2.INTER_AREA), cv2.COLOR_GRAY2BGR)


def boards(lens):
    """The camera around the board, looking at it or a little beside."""
    for i, (tilt_x, tilt_y) in enumerate([(0.4, 0.0), (-0.35, 0.25), (0.0, -0.4), (0.3, 0.3), (-0.3, -0.3), (0.0, 0.0)]):
        turned = replace(lens, turn_x_rad=tilt_x, turn_y_rad=tilt_y)
        x_m, y_m, z_m = -0.75 * turned.rotation[2]
        yield board_image(replace(turned, x_m=x_m + 0.04 * (i % 3 - 1), y_m=y_m - 0.03 * (i % 2), z_m=z_m), 9, 6, 0.04)


def test_lens_from_chessboards_and_camera_from_lines(tmp_path, capsys):
    league = load_league("micro_hockey")
    truth = askew(league)
    lens = replace(OverheadView(), focal_px=truth.focal_px, k1=truth.k1, k2=truth.k2)
    lens = replace(lens, center_x_px=truth.center_x_px, center_y_px=truth.center_y_px)
    images = list(boards(lens))
    found = lens_from_chessboards(images, 9, 6, 0.04)
    assert found.rms_px < 0.3
    assert found.view.focal_px == pytest.approx(truth.focal_px, rel=0.02)
    # The same from the command line, which needs no height then.
    (tmp_path / "boards").mkdir()
    for number, image in enumerate(images):
        write_image(tmp_path / "boards" / f"{number}.png", image)
    write_image(tmp_path / "rink.png", OverheadCamera(league, truth).render({}))
    corners = [f"{x:.0f},{y:.0f}" for x, y in corners_px(league, truth)]
    output = tmp_path / "camera.yaml"
    arguments = ["calibrate-overhead", str(tmp_path / "rink.png"), "--corners", *corners, "--output", str(output)]
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--boards", str(tmp_path / "boards"), "--square", "0.04"])
    assert ended.value.code == 0
    assert "px RMS" in capsys.readouterr().out
    assert place_error_mm(league, load_view(str(output), league), truth) < 4.0
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "the camera's height over the floor must be given" in capsys.readouterr().err


def test_what_cannot_be_calibrated():
    league = load_league("micro_hockey")
    blank = np.full((480, 640, 3), 200, np.uint8)
    corners = corners_px(league, view_above(league))
    with pytest.raises(InputError, match="points of the rink's lines were found"):
        view_from_rink(blank, league, corners, height_m=2.5)
    with pytest.raises(InputError, match="board of 9 x 6 corners was found in 0 images"):
        lens_from_chessboards([blank] * 4, 9, 6, 0.05)
    with pytest.raises(InputError, match="the lens is for 640 x 480"):
        view_from_rink(blank[:240], league, corners, lens=OverheadView())


def test_mirror_law_from_marks():
    league = load_league("msl_omni")
    truth = mirror_on(league)
    found = calibrated_mirror(league, truth)
    assert found.rms_px < 0.4
    assert found.distance_rms_share < 0.02
    assert (found.center_x_px, found.center_y_px) == pytest.approx((319.5, 239.5), abs=0.2)
    assert abs(found.turn_rad) < math.radians(0.3)
    radius = truth.radius_px(np.array([0.5, 1.0, 2.0, 3.0]))
    assert found.mirror.distance_m(radius) == pytest.approx([0.5, 1.0, 2.0, 3.0], rel=0.03)


@pytest.mark.parametrize("profile", PROFILES)
def test_the_rim_is_found_on_every_mirror(profile):
    mirror = Mirror(profile=profile)
    image = OmniCamera(load_league("msl_omni"), mirror).render(Pose2D(0.0, 0.0, 0.0), {})
    x_px, y_px, radius_px = find_rim([image])
    assert (x_px, y_px) == pytest.approx((319.5, 239.5), abs=0.5)
    assert radius_px == pytest.approx(mirror.rim_radius_px, abs=1.0)


def test_a_turned_camera_off_the_middle_is_calibrated_and_read_as_if_it_were_straight(tmp_path):
    """What the file holds is enough to find the puck: the images are shifted and turned by known amounts."""
    league = load_league("msl_omni")
    disc = replace(league, puck=replace(league.puck, shape="puck", height_m=0.002, radius_m=0.12))
    camera, turn_rad = OmniCamera(disc, mirror_on(league)), 0.12
    shift = np.array([[1.0, 0.0, 9.0], [0.0, 1.0, -6.0]])

    def image_of(bearing_rad, distance_m):
        # A camera that is turned to the left sees everything farther to its right, and the other way round.
        seen_at = bearing_rad + turn_rad
        place = Pose2D(distance_m * math.cos(seen_at), distance_m * math.sin(seen_at))
        return cv2.warpAffine(camera.render(Pose2D(0.0, 0.0, 0.0), {"puck": BodyState(place)}), shift, (640, 480))

    polar = [(1.6 * (n % 4), 0.5 + 0.25 * n) for n in range(12)]
    views = [Marks(image_of(b, d), np.array([[d * math.cos(b), d * math.sin(b)]])) for b, d in polar]
    found = calibrate_omni(views, mirror_on(league), default_colors(league, ("puck",)))
    assert found.turn_rad == pytest.approx(turn_rad, abs=0.01)
    save_mirror(found.mirror, tmp_path / "mirror.yaml", found.ring)
    ring = load_ring(str(tmp_path / "mirror.yaml"))
    assert (ring.center_x_px, ring.center_y_px) == pytest.approx((328.5, 233.5), abs=0.3)
    unwarper = Unwarper(UnwarpSettings(**vars(ring)), 640, 480)
    detector = OmniDetector(disc, load_mirror(str(tmp_path / "mirror.yaml"), league), unwarper)
    sight = detector.look(unwarper.unwarp(image_of(0.7, 1.7))).puck
    assert sight is not None
    assert sight.bearing_rad == pytest.approx(0.7, abs=math.radians(1.0))
    assert sight.distance_m == pytest.approx(1.7, rel=0.03)


def test_a_calibration_with_a_bad_ring_is_told_in_one_line(tmp_path):
    file = tmp_path / "mirror.yaml"
    file.write_text("profile: mixed\nring: 7\n")
    with pytest.raises(InputError, match="ring = 7: must be a table"):
        load_ring(str(file))
    file.write_text("ring: {turn: 1.0}\n")
    with pytest.raises(InputError, match=r"ring\.turn: unknown key; did you mean turn_rad"):
        load_ring(str(file))


@pytest.mark.parametrize(
    ("truth", "marks_m"),
    [
        (Mirror(profile=SPHERICAL, sphere_radius_m=0.12), (0.4, 0.6, 0.8, 1.1, 1.5, 2.0)),
        (Mirror(profile=CONIC, cone_slope=0.5), (1.3, 1.5, 1.8, 2.2, 2.6, 3.0)),
        (Mirror(profile=HYPERBOLIC), (0.5, 0.7, 1.0, 1.4, 1.9, 2.4)),
    ],
    ids=[SPHERICAL, CONIC, HYPERBOLIC],
)
def test_the_law_of_other_mirrors_from_marks(truth, marks_m):
    found = calibrated_mirror(load_league("msl_omni"), truth, marks_m)
    assert found.mirror.profile == truth.profile
    assert found.rms_px < 0.5
    assert found.distance_rms_share < 0.03
    between_m = np.array([marks_m[0] + 0.1, marks_m[3] + 0.1])
    assert found.mirror.distance_m(truth.radius_px(between_m)) == pytest.approx(between_m, rel=0.03)


def test_calibrate_omni_command(tmp_path, capsys):
    league = load_league("msl_omni")
    disc = replace(league, puck=replace(league.puck, shape="puck", height_m=0.002, radius_m=0.12))
    camera = OmniCamera(disc, mirror_on(league))
    lines = ["images:"]
    for number in range(10):
        distance_m, bearing_rad = 0.5 + 0.3 * number, 0.9 * number
        x_m, y_m = distance_m * math.cos(bearing_rad), distance_m * math.sin(bearing_rad)
        write_image(tmp_path / f"{number}.png", camera.render(Pose2D(0.0, 0.0, 0.0), {"puck": BodyState(Pose2D(x_m, y_m))}))
        lines.append(f"  - {{image: {number}.png, marks: [[{x_m:.4f}, {y_m:.4f}]]}}")
    (tmp_path / "marks.yaml").write_text("\n".join(lines))
    with pytest.raises(SystemExit) as ended:
        main(["calibrate-omni", str(tmp_path / "marks.yaml"), "--output", str(tmp_path / "mirror.yaml")])
    words = capsys.readouterr()
    assert ended.value.code == 0, words.err
    assert "10 marks" in words.out
    assert "centre at 319." in words.out
    assert load_ring(str(tmp_path / "mirror.yaml")).outer_radius_px in (104, 105)
    mirror = load_mirror(str(tmp_path / "mirror.yaml"), league)
    assert mirror.distance_m(mirror.radius_px(np.array([2.0])))[0] == pytest.approx(2.0, rel=1e-3)
    (tmp_path / "marks.yaml").write_text("images: [{image: 0.png, marks: [[1.0, 0.0], [2.0, 0.0]]}]")
    with pytest.raises(SystemExit) as ended:
        main(["calibrate-omni", str(tmp_path / "marks.yaml")])
    assert ended.value.code == 2
    assert "2 marks of colour puck should be seen, 1 are" in capsys.readouterr().err
