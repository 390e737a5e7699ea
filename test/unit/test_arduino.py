"""The Arduino example with a stand-in for Arduino: it compiles, answers, and kicks as long as it says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from robohockey_hw.firmware import compiler, source_folder
from robohockey_hw.protocol import Decoder, Drive, Identify, Identity, Telemetry, encode

STAND_IN = Path(__file__).parent / "arduino"
CXX = next((found for name in ("c++", "g++", "clang++") if (found := shutil.which(name))), None)
WARNINGS = ("-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror")

pytestmark = pytest.mark.skipif(CXX is None or compiler() is None, reason="no C and C++ compiler here")


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    folder, firmware = tmp_path_factory.mktemp("arduino"), source_folder()
    example = firmware / "arduino" / "robohockey_robot"
    for source in sorted(firmware.glob("rh_*.c")):
        subprocess.run([compiler(), "-std=c99", "-c", source, "-o", folder / f"{source.stem}.o"], check=True)
    include = [f"-I{path}" for path in (STAND_IN, firmware, example)]
    sources = [STAND_IN / "board.cpp", example / "hardware_uno.cpp"]
    command = [CXX, "-std=c++11", *WARNINGS, *include, *sources, *sorted(folder.glob("*.o")), "-o", folder / "board"]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return folder / "board"


def told(board, *messages) -> list[list[str]]:
    frames = [encode(message).hex() for message in messages]
    return [line.split() for line in subprocess.check_output([board, *frames], text=True).splitlines()]


def test_it_answers(board):
    said = [Decoder().feed(bytes.fromhex("".join(words))) for what, *words in told(board, Identify(0, 1)) if what == "says"]
    ((identity,),) = said
    assert isinstance(identity, Identity)
    assert (identity.name, identity.wheels) == ("uno", 2)


def test_its_watchdog_stops_it(board):
    lines = told(board, Drive(0, 1, (20.0, 20.0)))
    times_ms = {what: int(words[0]) / 1000.0 for what, *words in lines if what in ("drives", "stands")}
    assert 250.0 < times_ms["stands"] - 700.0 <= 261.0  # it looks once in a control period
    (answer,) = [Decoder().feed(bytes.fromhex("".join(words))) for what, *words in lines if what == "says"]
    assert isinstance(answer[0], Telemetry)


@pytest.mark.parametrize("steps", [1, 17, 60, 136, 255])
def test_a_kick_is_a_pulse_as_long_as_its_power(board, steps):
    """1/17 ms for each step of power, 15 ms at most, and not a control period more."""
    pulses_us = [int(words[0]) for what, *words in told(board, Drive(0, 1, (0.0, 0.0), steps / 255)) if what == "pulse"]
    assert len(pulses_us) == 1
    assert pulses_us[0] == pytest.approx(1000.0 * steps / 17.0, abs=110.0)  # a loop takes 0.1 ms here
