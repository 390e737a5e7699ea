"""Identification from a 60 s recording with realistic noise. `python -m bench.hardware identify` tries more seeds."""

from __future__ import annotations

import contextlib
import io
import re

import pytest
import yaml
from recorded_robot import ROBOT, record, true_league

from robohockey_core.checked import InputError
from robohockey_core.files import read_yaml
from robohockey_core.league import League, load_league
from robohockey_match.cli import main
from robohockey_match.driving_pattern import DURATION_S
from robohockey_match.identify import Estimate, identify, overlay
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
    """Of 14 intervals of 95 % one or two may miss it, and none by far."""
    estimates, _ = found
    off = {key: abs(e.value - truth(key)) / max(e.half_width, 1e-6 * truth(key)) for key, e in estimates.items()}
    assert sum(ratio > 1.0 for ratio in off.values()) <= 2, off
    assert max(off.values()) < 2.5, off


# What the speed control of a firmware changes: the two act as one.
OF_BOTH = ("robot.wheel_control_time_s", "noise.command_delay_s")


@pytest.mark.slow
def test_a_robot_with_firmware_behind_a_wire_is_found_too(tmp_path):
    """Driver, frames, the firmware's PID and its answers between the recorded commands and the recorded wheels."""
    record(tmp_path / "bag", DURATION_S, through_plant=True)
    estimates = identify(read_recording(tmp_path / "bag", ROBOT, WHEELS), League())
    for key in estimates.keys() - {*COUNTED, *OF_BOTH}:
        assert estimates[key].value == pytest.approx(truth(key), rel=WITHIN), key
    for key in OF_BOTH:
        assert 0.0 < estimates[key].value < 0.05, key


def test_a_robot_of_a_league_file_is_laid_over_that_file(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("extends: mirosot_5v5\nrobot: {mass_kg: 0.51, wheel_radius_m: 0.03}\nrink: {length_m: 2.3}\n")
    values = overlay({"robot.wheel_radius_m": Estimate(0.0212, 0.0001)}, load_league(str(mine)), read_yaml(mine))
    output = tmp_path / "found.yaml"
    output.write_text(yaml.safe_dump(values))
    found = load_league(str(output))
    assert (found.robot.mass_kg, found.robot.wheel_radius_m, found.robot.motion) == (0.51, 0.0212, "dynamic")
    assert found.rink == load_league(str(mine)).rink


def test_a_robot_that_is_no_differential_drive_is_refused_in_one_line(bag):
    with pytest.raises(InputError, match="must be differential"):
        identify(read_recording(bag, ROBOT, WHEELS), load_league("msl_omni"))


def test_an_overlay_names_only_what_was_found():
    values = overlay({"robot.wheel_radius_m": Estimate(0.0212, 0.0001)}, League())
    assert values["extends"] == "micro_hockey"
    assert values["robot"] == {"motion": "dynamic", "wheel_radius_m": 0.0212}


def test_recordings_that_do_not_serve_are_refused_in_one_line(bag, tmp_path):
    for path, robot, named in ((tmp_path / "nothing", "blue/0", "nothing"), (bag, "red/1", "red/wheel_commands")):
        with pytest.raises(InputError, match=named) as refusal:
            read_recording(path, ROBOT._replace(team=robot[:-2], number=int(robot[-1])), WHEELS)
        assert "\n" not in str(refusal.value)
