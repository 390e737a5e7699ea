"""The presets: they load, no number stands twice, they hold the papers' numbers; and what a bad file is told."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from headless import PRESETS

from robohockey_core.checked import InputError, to_plain
from robohockey_core.files import read_yaml
from robohockey_core.league import League, load_league, preset_files

MR_TABLE_1_MM_S = """
0 25.61 27.17 28.54 29.72 30.76 31.71 32.59 33.48 34.39 35.39 36.51 37.77 39.21 40.84 42.70
44.80 47.15 49.77 52.65 55.81 59.24 62.95 66.96 71.33 76.19 81.78 88.59 97.48 110.16 130.43
"""


def write(folder: Path, text: str, name: str = "mine.yaml") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def refusal(path: str) -> str:
    with pytest.raises(InputError) as error:
        load_league(path)
    text = str(error.value)
    assert "\n" not in text
    return text


def test_presets_are_these():
    assert sorted(preset_files()) == sorted(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_loads_under_its_own_name(name):
    assert load_league(name).name == name
    assert load_league(str(preset_files()[name])) == load_league(name)


def leaves(values: dict, base: dict, path: str = ""):
    for key, value in values.items():
        if isinstance(value, dict):
            yield from leaves(value, base[key], f"{path}{key}.")
        else:
            yield f"{path}{key}", value, base[key]


@pytest.mark.parametrize("name", PRESETS)
def test_no_overlay_repeats_the_number_it_lies_over(name):
    values = read_yaml(preset_files()[name])
    parent = values.pop("extends", None)
    base = to_plain(load_league(parent) if parent else League())
    repeated = [key for key, value, below in leaves(values, base) if value == below]
    assert repeated == []


def test_the_default_league_is_micro_hockey():
    assert load_league("micro_hockey") == League()


def test_mirosot_numbers_of_klancar_section_2():
    league = load_league("mirosot_5v5")
    assert (league.rink.length_m, league.rink.width_m, league.match.players) == (2.2, 1.8, 5)
    assert (league.robot.length_m, league.robot.width_m, league.robot.height_m) == (0.075, 0.075, 0.075)
    assert 2.0 * league.puck.radius_m == pytest.approx(0.0427)  # a golf ball, 42.7 mm and 45.93 g
    assert league.puck.mass_kg == pytest.approx(0.04593)
    large = load_league("mirosot_11v11")
    assert (large.rink.length_m, large.rink.width_m, large.match.players) == (4.0, 2.8, 11)
    assert (large.robot, large.puck) == (league.robot, league.puck)


def test_minho_numbers_of_section_4():
    robot = load_league("msl_omni").robot
    assert 2.0 * robot.wheel_radius_m == 0.1
    assert robot.max_wheel_speed_rad_s == pytest.approx(170.0 * 2.0 * math.pi / 60.0)
    assert robot.max_speed_m_s == pytest.approx(0.9, abs=0.02)
    assert np.degrees(robot.wheel_angles_rad) == pytest.approx([60.0, -60.0, 180.0])
    assert load_league("msl_omni").kicker.levels == 31


def test_mixed_reality_numbers_of_table_1():
    robot = load_league("mixed_reality").robot
    assert (robot.length_m, robot.width_m) == (0.025, 0.027)
    table = [float(speed) / 1000.0 for speed in MR_TABLE_1_MM_S.split()]
    assert len(table) == 31
    assert robot.wheel_speed_codes_m_s == pytest.approx(table)
    assert robot.max_speed_m_s == pytest.approx(table[-1])


def test_control_steps_are_whole_physics_steps():
    assert [load_league(name).physics_steps_per_control for name in PRESETS] == [20] * len(PRESETS)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rink: {length_m: long}", "rink.length_m = 'long': must be a number"),
        ("rink: {length_m: -1.0}", "rink.length_m = -1.0: must be above 0"),
        ("rink: {length_m: 51}", "rink.length_m = 51: must be at most 50"),
        ("rink: {length_m: .nan}", "rink.length_m = nan: must be finite"),
        ("rink: {lenght_m: 2}", "rink.lenght_m: unknown key; did you mean length_m?"),
        ("rinks: {}", "rinks: unknown key; did you mean rink?"),
        ("rink: 3", "rink = 3: must be a table of keys"),
        ("sport: cricket", "sport = 'cricket': must be one of hockey, soccer"),
        ("extends: micro_hokey", "extends = 'micro_hokey': unknown league; did you mean micro_hockey?"),
        ("extends: [micro_hockey]", "extends = ['micro_hockey']: unknown league"),
        (
            "timing: {control_dt_s: 0.0205}",
            "timing.control_dt_s = 0.0205: must be a whole multiple of timing.physics_dt_s = 0.001",
        ),
        ("timing: {control_dt_s: 0.0005}", "timing.control_dt_s = 0.0005: must be a whole multiple"),
        ("timing: {camera_period_s: 0.0333}", "timing.camera_period_s = 0.0333: must be a whole multiple"),
        ("rink: {goal_width_m: 1.0}", "rink.goal_width_m = 1.0: must be at most 0.9"),
        ("rink: {goal_depth_m: 0.04}", "rink.goal_depth_m = 0.04: must be above 0.05"),
        ("rink: {face_off_x_m: 1.1}", "rink.face_off_x_m = 1.1: must be at most 0.89"),
        ("rink: {face_off_y_m: 0.6}", "rink.face_off_y_m = 0.6: must be at most 0.49"),
        ("puck: {radius_m: 0.2}", "puck.radius_m = 0.2: must be below half of rink.goal_width_m = 0.4"),
        ("match: {players: 12}", "match.players = 12: must be at most 11"),
        ("match: {players: 0}", "match.players = 0: must be at least 1"),
        (
            "{robot: {length_m: 0.19, width_m: 0.19}, match: {players: 11}}",
            "match.players = 11: must leave half of the rink free",
        ),
        (
            "robot: {drive: omni, wheel_angles_rad: [0.0, 3.0]}",
            "robot.wheel_angles_rad = [0.0, 3.0]: an omni drive needs at least three",
        ),
        (
            "robot: {drive: omni, wheel_angles_rad: [1.0, 1.0, 1.0]}",
            "robot.wheel_angles_rad = [1.0, 1.0, 1.0]: an omni drive needs",
        ),
        ("robot: {wheel_speed_codes_m_s: [0.0, 0.2, 0.1]}", "robot.wheel_speed_codes_m_s = [0.0, 0.2, 0.1]: must rise from 0"),
        ("robot: {wheel_speed_codes_m_s: [0.1, 0.2]}", "robot.wheel_speed_codes_m_s = [0.1, 0.2]: must rise from 0"),
    ],
)
def test_a_bad_file_is_told_file_key_value_and_limit(tmp_path, text, told):
    path = write(tmp_path, text)
    said = refusal(path)
    assert said.startswith(f"{path}: ")
    assert told in said


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rink:\n  length_m: 2\n  length_m: 3\n", ", line 3: length_m stands twice"),
        ("rink:\n  length_m: [1\n", ", line 3: "),
        ("match: {players: 3\nrink: }\n", ", line 2: "),
        ("? [a, b]\n: 1\n", ", line 1: a key must be one word"),
        ("rink: !!python/object:os.system {}\n", ", line 1: "),
        ("- 1\n- 2\n", ": must be a table of keys, not list"),
        ("just words\n", ": must be a table of keys, not str"),
    ],
)
def test_broken_yaml_is_told_with_its_line(tmp_path, text, told):
    path = write(tmp_path, text)
    assert refusal(path).startswith(f"{path}{told}")


def test_missing_directory_and_binary_files(tmp_path):
    missing = str(tmp_path / "no.yaml")
    assert refusal(missing) == f"{missing}: cannot be read: No such file or directory"
    folder = tmp_path / "folder.yaml"
    folder.mkdir()
    assert refusal(str(folder)).startswith(f"{folder}: cannot be read: ")
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"name: \xff\xfe\x80")
    assert refusal(str(binary)).startswith(f"{binary}: is not UTF-8 text")


def test_an_empty_file_is_the_default_league_with_its_own_name(tmp_path):
    assert load_league(write(tmp_path, "")).name == "mine"


def test_a_file_may_extend_a_preset(tmp_path):
    league = load_league(write(tmp_path, "extends: mirosot_5v5\nmatch: {players: 2}\n"))
    assert (league.match.players, league.rink) == (2, load_league("mirosot_5v5").rink)


def test_unknown_preset_is_told_the_nearest():
    assert refusal("mirosot5v5") == ("unknown league mirosot5v5; did you mean mirosot_5v5? (or a path that ends in .yaml)")


def test_presets_that_extend_each_other_are_refused(tmp_path, monkeypatch):
    config = tmp_path / "share" / "robohockey" / "config"
    config.mkdir(parents=True)
    write(config, "extends: pong\n", "ping.yaml")
    write(config, "extends: ping\n", "pong.yaml")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    assert refusal("ping") == f"{config / 'ping.yaml'}: extends itself through ping -> pong"
