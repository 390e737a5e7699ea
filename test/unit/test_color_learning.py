"""Colour classes: learned from samples, kept in files, shown as a picture; and samples that are none."""

from __future__ import annotations

import numpy as np
import pytest

from robohockey_core.appearance import patch_color, patches
from robohockey_core.checked import InputError
from robohockey_core.league import load_league
from robohockey_core.names import RobotId
from robohockey_core.overhead_view import view_above
from robohockey_core.state import BodyState, Pose2D
from robohockey_match.cli import main
from robohockey_sim.camera_light import LightSettings
from robohockey_sim.overhead_camera import OverheadCamera
from robohockey_vision.color_learning import learn
from robohockey_vision.colors import ColorClass, colors_for, load_colors, save_colors
from robohockey_vision.images import read_image, write_image
from robohockey_vision.overhead import OverheadDetector

LEAGUE = load_league("micro_hockey")


def samples_file(folder):
    """An image of all robots and the puck, and boxes around what they wear."""
    view = view_above(LEAGUE)
    robots = {robot: Pose2D(-0.6 + 0.4 * i, 0.25, 0.4) for i, robot in enumerate(LEAGUE.robots()[:4])}
    bodies = {str(robot): BodyState(pose) for robot, pose in robots.items()} | {"puck": BodyState(Pose2D(0.1, -0.3))}
    write_image(folder / "rink.png", OverheadCamera(LEAGUE, view).render(bodies))
    boxes = {"puck": [view.project(np.array([[0.1, -0.3, 0.01]]))[0]]}
    for robot, pose in robots.items():
        for patch in patches(robot):
            middle = patch.corners_m(LEAGUE.robot.length_m, LEAGUE.robot.width_m).mean(axis=0)
            cos, sin = np.cos(pose.yaw_rad), np.sin(pose.yaw_rad)
            place = [pose.x_m + cos * middle[0] - sin * middle[1], pose.y_m + sin * middle[0] + cos * middle[1], 0.075]
            boxes.setdefault(patch.color, []).append(view.project(np.array([place]))[0])
    lines = []
    for name, middles in boxes.items():
        lines.append(f"{name}:")
        for x, y in middles:
            lines.append(f"  - {{image: rink.png, box: [{int(x) - 1}, {int(y) - 1}, {int(x) + 3}, {int(y) + 3}]}}")
    (folder / "samples.yaml").write_text("\n".join(lines))
    return folder / "samples.yaml"


def test_learned_colours_find_everybody_in_other_light(tmp_path, capsys):
    samples, output, shown = samples_file(tmp_path), tmp_path / "colors.yaml", tmp_path / "learned.png"
    with pytest.raises(SystemExit) as ended:
        main(["calibrate-colors", str(samples), "--output", str(output), "--picture", str(shown)])
    assert ended.value.code == 0
    words = capsys.readouterr().out
    assert "puck" in words
    assert read_image(shown).shape[0] == 48 * 7
    colors = colors_for(LEAGUE, tuple(load_colors(output)), str(output))
    view = view_above(LEAGUE)
    detector = OverheadDetector(LEAGUE, view, colors)
    bodies = {"blue/1": BodyState(Pose2D(0.5, 0.1, 2.0)), "red/2": BodyState(Pose2D(-0.5, 0.1, -1.0))}
    bodies["puck"] = BodyState(Pose2D(0.0, 0.4))
    for light in (0.75, 1.25):
        robots, puck = detector.sights(OverheadCamera(LEAGUE, view, LightSettings(light=light)).render(bodies))
        assert {str(sight.robot) for sight in robots} == {"blue/1", "red/2"}
        assert puck is not None


def test_hue_goes_round():
    reds = np.array([[(10, 0, 200), (0, 10, 200)] * 20], dtype=np.uint8)
    red = learn({"red": [reds]})["red"]
    assert min(red.hue_deg, 360.0 - red.hue_deg) < 3.0


def test_grey_has_no_hue():
    white = np.full((5, 5, 3), 230, dtype=np.uint8)
    assert learn({"line": [white]})["line"].hue_width_deg == 180.0


def test_files(tmp_path):
    colors = {"puck": ColorClass(hue_deg=20.0, saturation_low=0.5), "line": ColorClass(hue_width_deg=180.0)}
    save_colors(colors, tmp_path / "colors.yaml")
    assert load_colors(tmp_path / "colors.yaml") == colors
    with pytest.raises(InputError, match="no colour class blue; learn it"):
        colors_for(LEAGUE, ("puck", "blue"), str(tmp_path / "colors.yaml"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no samples"),
        ("pukc: []", "unknown colour class; did you mean puck"),
        ("puck: []", "must be a list of"),
        ("puck: [{image: rink.png}]", "must be {image: file, box"),
        ("puck: [{image: nothing.png, box: [0, 0, 5, 5]}]", "there is no such file"),
        ("puck: [{image: rink.png, box: [0, 0, 5000, 5]}]", "must lie in rink.png, 640 x 480 px"),
        ("puck: [{image: rink.png, box: [a, 0, 5, 5]}]", "must be four whole numbers"),
        ("puck: [{image: samples.yaml, box: [0, 0, 5, 5]}]", "is no image that can be read"),
        ("puck: [{image: rink.png, box: [0, 0, 2, 2]}]", "4 pixels of samples"),
    ],
)
def test_wrong_samples_are_told_in_one_line(tmp_path, capsys, text, complaint):
    samples_file(tmp_path).write_text(text)
    with pytest.raises(SystemExit) as ended:
        main(["calibrate-colors", str(tmp_path / "samples.yaml"), "--output", str(tmp_path / "c.yaml")])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert len(error.splitlines()) == 1


def test_every_patch_has_a_colour():
    assert all(patch_color(patch.color) for patch in patches(RobotId("red", 10)))
