"""The calibrate commands: colours, an overhead camera, an omni camera."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robohockey_core.checked import InputError, build
from robohockey_core.files import read_yaml
from robohockey_core.league import DEFAULT_LEAGUE, load_league
from robohockey_core.mirrors import MIXED, PROFILES, Mirror, load_mirror, save_mirror
from robohockey_core.overhead_view import OverheadView, save_view

_BOARD_SIZE = "9x6"


def add_calibration(commands: Any) -> None:
    """Add the calibrate commands to a parser's commands."""
    colors = commands.add_parser("calibrate-colors", help="learn colour classes from samples")
    colors.add_argument("samples", type=Path, help="YAML: class: [{image: file, box: [left, top, right, bottom]}, ...]")
    colors.add_argument("--output", type=Path, default=Path("colors.yaml"), help="file of classes (default colors.yaml)")
    colors.add_argument("--picture", type=Path, default=Path("colors.png"), help="what was learned (default colors.png)")
    colors.set_defaults(run=_colors)

    overhead = commands.add_parser("calibrate-overhead", help="find an overhead camera's place and lens")
    overhead.add_argument("image", type=Path, help="image of the empty rink")
    overhead.add_argument("--league", default=DEFAULT_LEAGUE, help=f"league preset or file (default {DEFAULT_LEAGUE})")
    corners = "the rink's corners in the image, x,y of each: blue's left and right are seen from behind blue's goal"
    overhead.add_argument(
        "--corners", nargs=4, metavar="X,Y", required=True, help=f"{corners}; blue left, red left, red right, blue right"
    )
    overhead.add_argument(
        "--height", type=float, default=0.0, help="height of the camera over the floor in m; needed without --boards"
    )
    overhead.add_argument("--boards", type=Path, help="folder with images of a chessboard, for the lens")
    overhead.add_argument("--board-size", default=_BOARD_SIZE, help=f"inner corners of the board (default {_BOARD_SIZE})")
    overhead.add_argument("--square", type=float, default=0.025, help="side of a square in m (default 0.025)")
    overhead.add_argument("--output", type=Path, default=Path("camera.yaml"), help="file of the camera (default camera.yaml)")
    overhead.set_defaults(run=_overhead)

    omni = commands.add_parser("calibrate-omni", help="find an omni camera's centre, radii and mirror law")
    omni.add_argument("marks", type=Path, help="YAML: images: [{image: file, marks: [[forward m, left m], ...]}, ...]")
    omni.add_argument("--league", default="msl_omni", help="league preset or file (default msl_omni)")
    omni.add_argument("--profile", choices=PROFILES, default=MIXED, help=f"shape of the mirror (default {MIXED})")
    omni.add_argument("--start", default="", help="file of a mirror to start from (default: that of the simulated camera)")
    omni.add_argument("--colors", default="", help="file of colour classes; the marks have that of the puck")
    omni.add_argument("--mark-height", type=float, default=0.0, help="height of the marks' middle over the floor in m")
    omni.add_argument("--output", type=Path, default=Path("mirror.yaml"), help="file of the mirror (default mirror.yaml)")
    omni.set_defaults(run=_omni)


def _colors(options: argparse.Namespace) -> int:
    from robohockey_vision.color_learning import learn, overlaps, picture, read_samples  # noqa: PLC0415
    from robohockey_vision.colors import save_colors  # noqa: PLC0415
    from robohockey_vision.images import write_image  # noqa: PLC0415

    samples = read_samples(options.samples)
    colors = learn(samples)
    save_colors(colors, options.output)
    write_image(options.picture, picture(samples, colors))
    for name, share in overlaps(samples, colors).items():
        c = colors[name]
        print(f"{name:10} hue {c.hue_deg:5.1f} +- {c.hue_width_deg:5.1f} deg; {100.0 * share:5.1f} % of its samples recognised")
    print(f"robohockey: wrote {options.output} and {options.picture}")
    return 0


def _overhead(options: argparse.Namespace) -> int:
    from robohockey_vision.images import read_image  # noqa: PLC0415
    from robohockey_vision.overhead_calibration import view_from_rink  # noqa: PLC0415

    league = load_league(options.league)
    image = read_image(options.image)
    lens = _lens(options) if options.boards is not None else None
    found = view_from_rink(image, league, _points(options.corners), options.height, lens)
    save_view(found.view, options.output)
    view = found.view
    rms_mm = 1000.0 * found.rms_px / view.pixels_per_metre()
    print(f"{found.points} points of the rink's lines, {found.rms_px:.2f} px RMS: {rms_mm:.1f} mm")
    print(f"camera at x {view.x_m:.3f} m, y {view.y_m:.3f} m, height {view.z_m:.3f} m; focal length {view.focal_px:.1f} px")
    print(f"robohockey: wrote {options.output}")
    return 0


def _lens(options: argparse.Namespace) -> OverheadView:
    from robohockey_vision.images import read_image  # noqa: PLC0415
    from robohockey_vision.overhead_calibration import lens_from_chessboards  # noqa: PLC0415
    from robohockey_vision.sources import IMAGE_ENDINGS  # noqa: PLC0415

    if not options.boards.is_dir():
        raise InputError(f"--boards {options.boards}: there is no such folder")
    columns, _, rows = options.board_size.partition("x")
    if not (columns.isdigit() and rows.isdigit()):
        raise InputError(f"--board-size {options.board_size}: must be like {_BOARD_SIZE}")
    files = sorted(path for path in options.boards.iterdir() if path.suffix.lower() in IMAGE_ENDINGS)
    lens = lens_from_chessboards([read_image(path) for path in files], int(columns), int(rows), options.square)
    print(f"{lens.points} corners of chessboards, {lens.rms_px:.2f} px RMS")
    return lens.view


def _omni(options: argparse.Namespace) -> int:
    from robohockey_vision.colors import colors_for  # noqa: PLC0415
    from robohockey_vision.omni_calibration import calibrate_omni  # noqa: PLC0415

    league = load_league(options.league)
    guess = load_mirror(options.start, league)
    guess = build(Mirror, {"profile": options.profile}, "--profile:", guess)
    found = calibrate_omni(
        _marks(options.marks), guess, colors_for(league, ("puck",), options.colors), mark_height_m=options.mark_height
    )
    save_mirror(found.mirror, options.output, found.ring)
    print(f"{found.marks} marks, {found.rms_px:.2f} px RMS; distance {100.0 * found.distance_rms_share:.1f} % RMS")
    print(f"turned by {math.degrees(found.turn_rad):.2f} deg on the robot; rim at {found.rim_radius_px:.1f} px")
    print(f"centre at {found.center_x_px:.2f}, {found.center_y_px:.2f} px")
    print(f"robohockey: wrote {options.output}")
    return 0


def _marks(path: Path) -> Sequence[Any]:
    from robohockey_vision.images import read_image  # noqa: PLC0415
    from robohockey_vision.omni_calibration import Marks  # noqa: PLC0415

    entries = read_yaml(path).get("images")
    if not isinstance(entries, list) or not entries:
        raise InputError(f"{path}: images: must be a list of {{image: file, marks: [[forward, left], ...]}}")
    views = []
    for entry in entries:
        if not isinstance(entry, Mapping) or set(entry) != {"image", "marks"}:
            raise InputError(f"{path}: {entry!r}: must be {{image: file, marks: [[forward, left], ...]}}")
        try:
            places = np.array(entry["marks"], dtype=float).reshape(-1, 2)
        except (TypeError, ValueError):
            raise InputError(f"{path}: marks = {entry['marks']!r}: must be a list of [forward, left] in m") from None
        views.append(Marks(read_image(path.parent / str(entry["image"])), places))
    return views


def _points(texts: Sequence[str]) -> NDArray[np.float64]:
    points = []
    for text in texts:
        x, _, y = text.partition(",")
        try:
            points.append([float(x), float(y)])
        except ValueError:
            raise InputError(f"--corners {text}: must be x,y in pixels") from None
    return np.array(points)
