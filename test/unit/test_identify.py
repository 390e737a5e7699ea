"""Identification from a 60 s recording with realistic noise. `python -m bench.hardware identify` tries more seeds."""

from __future__ import annotations

import contextlib
import io
import re

import pytest
from recorded_robot import ROBOT, record, true_league

from robohockey_core.checked import InputError
from robohockey_core.league import League, load_league
from robohockey_match.cli import main
from robohockey_match.driving_pattern import DURATION_S
from robohockey_match.identify import Estimate, overlay
from robohockey_match.robot_recording import read_recording

WHEELS = ("left_wheel", "right_wheel")
WITHIN = 0.03
# Counted in 60 s, a share is as sure as its interval says, and no surer.
COUNTED = ("noise.robot_loss", "noise.reply_loss", "noise.command_loss")


def truth(key: str) -> float:
    section, _, name = key.partition(".")
    return getattr(getattr(true_league(), section), name)


@pytest.fixture(scope="module")
def bag(tmp_path_factory):
    path = tmp_path_factory.mktemp("bags") / "pattern"
    record(path, DURATION_S)
    return path


@pytest.fixture(scope="module")
def found(bag, tmp_path_factory):
    """What the command prints, and the league file that it writes."""
    output = tmp_path_factory.mktemp("leagues") / "found.yaml"
    with contextlib.redirect_stdout(io.StringIO()) as printed, pytest.raises(SystemExit) as ended:
        main(["identify", str(bag), "--robot", str(ROBOT), "--output", str(output)])
    assert ended.value.code == 0
    rows = re.findall(r"^  (\S+) +(\S+) \+- (\S+)$", printed.getvalue(), re.M)
    return {key: Estimate(float(value), float(half)) for key, value, half in rows}, output


def test_a_robot_is_found_within_3_percent(found):
    estimates, output = found
    assert len(estimates) == 14
    for key in estimates.keys() - set(COUNTED):
        assert estimates[key].value == pytest.approx(truth(key), rel=WITHIN), key
    league = load_league(str(output))
    assert league.robot.wheel_radius_m == pytest.approx(truth("robot.wheel_radius_m"), rel=WITHIN)
    assert (league.robot.motion, league.rink) == ("dynamic", League().rink)


def test_the_truth_lies_in_the_intervals(found):
    estimates, _ = found
    for key in (*COUNTED, "robot.wheel_radius_m", "robot.wheel_base_m", "robot.tyre_traction"):
        assert abs(estimates[key].value - truth(key)) <= 2.0 * estimates[key].half_width, key


def test_an_overlay_names_only_what_was_found():
    values = overlay({"robot.wheel_radius_m": Estimate(0.0212, 0.0001)}, League())
    assert values["extends"] == "micro_hockey"
    assert values["robot"] == {"motion": "dynamic", "wheel_radius_m": 0.0212}


def test_recordings_that_do_not_serve_are_refused_in_one_line(bag, tmp_path):
    for path, robot, named in ((tmp_path / "nothing", "blue/0", "nothing"), (bag, "red/1", "red/wheel_commands")):
        with pytest.raises(InputError, match=named) as refusal:
            read_recording(path, ROBOT._replace(team=robot[:-2], number=int(robot[-1])), WHEELS)
        assert "\n" not in str(refusal.value)
