"""Codecs of radios that exist, with the vectors of the hardware page."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robohockey_core.league import load_league
from robohockey_hw.radio import mirosot_frame, mirosot_read, mr_code, mr_frame, mr_read, mr_speed_m_s

CODES = np.array(load_league("mixed_reality").robot.wheel_speed_codes_m_s)
PAGE = (Path(__file__).parents[2] / "docs" / "hardware.md").read_text()
pairs = st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))


def vector(start: str) -> bytes:
    (row,) = re.findall(rf"^\| {re.escape(start)}.*\| `([0-9a-f ]+)` \|$", PAGE, re.M)
    return bytes.fromhex(row)


def test_vectors_of_the_hardware_page():
    assert vector("MR | robot 3") == mr_frame({3: (CODES[30], -CODES[1])}, CODES)
    assert vector("MR | robot 0") == mr_frame({0: (0.0, 0.0), 63: (CODES[15], -CODES[15])}, CODES)
    assert vector("MiroSot |") == mirosot_frame([(1.0, 1.0), (-0.504, 0.504), (0.0, 0.0)], full_speed=1.0)


# MR-Simulator paper, Table 1, in mm/s, code 0 first.
TABLE_1_MM_S = (
    *(0.0, 25.61, 27.17, 28.54, 29.72, 30.76, 31.71, 32.59, 33.48, 34.39, 35.39, 36.51, 37.77, 39.21, 40.84, 42.70),
    *(44.80, 47.15, 49.77, 52.65, 55.81, 59.24, 62.95, 66.96, 71.33, 76.19, 81.78, 88.59, 97.48, 110.16, 130.43),
)


def test_the_leagues_codes_are_those_of_the_paper():
    assert pytest.approx(np.array(TABLE_1_MM_S) / 1000.0, abs=1e-9) == CODES


def test_all_codes_of_table_1_come_back_both_ways():
    for code, speed_m_s in enumerate(CODES):
        assert mr_code(speed_m_s, CODES) == code
        assert mr_speed_m_s(code, CODES) == speed_m_s
        assert mr_speed_m_s(mr_code(-speed_m_s, CODES), CODES) == -speed_m_s
    assert len(CODES) == 31
    assert mr_code(0.0260, CODES) == 1
    assert mr_code(-9.9, CODES) == 32 + 30
    for bad in (31, 63, 64):
        with pytest.raises(ValueError, match=str(bad)):
            mr_speed_m_s(bad, CODES)


@given(st.dictionaries(st.integers(0, 63), pairs, max_size=12), st.data())
def test_a_byte_lost_costs_one_mr_robot(robots, data):
    frame = mr_frame(robots, CODES)
    whole = mr_read(frame, CODES)
    assert whole.keys() == robots.keys()
    if frame:
        lost = data.draw(st.integers(0, len(frame) - 1))
        rest = mr_read(frame[:lost] + frame[lost + 1 :], CODES)
        assert len(rest) == len(robots) - 1
        assert all(whole[robot] == speeds for robot, speeds in rest.items())


@given(st.lists(pairs, min_size=1, max_size=11))
def test_mirosot_speeds_come_back_within_half_a_step(robots):
    read = mirosot_read(mirosot_frame(robots, 1.0), 1.0)
    assert np.array(read) == pytest.approx(np.array(robots), abs=0.5 / 127 + 1e-9)


@given(st.lists(pairs, min_size=1, max_size=11), st.data())
def test_no_flipped_bit_in_a_mirosot_frame_is_taken(robots, data):
    frame = bytearray(mirosot_frame(robots, 1.0))
    # The checksum has seven bits: the top bit of a wheel byte, a sign, is what it cannot see.
    bit = data.draw(st.integers(0, 8 * len(frame) - 1).filter(lambda b: b % 8 != 7))
    frame[bit // 8] ^= 1 << bit % 8
    assert mirosot_read(bytes(frame), 1.0) is None


def test_what_the_radios_cannot_carry_is_refused():
    for robots in ([(1.1, 0.0)], [], [(0.0, 0.0)] * 12):
        with pytest.raises(ValueError, match=r"beyond|robots"):
            mirosot_frame(robots, 1.0)
    with pytest.raises(ValueError, match="robot 64"):
        mr_frame({64: (0.0, 0.0)}, CODES)
