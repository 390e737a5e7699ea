"""Measurements of the way to real robots: `python -m bench.hardware [fit|fuzz|identify|goals|live]`; all but live by default.

fit       bytes of a control period at 115,200 baud, for eleven robots at 50 Hz
fuzz      ten million random and ten million mutated bytes into both decoders (--bytes)
identify  errors of the identification over some recordings of 60 s with realistic noise (--seeds)
goals     goals a minute with serial bytes and firmware between command and wheel, beside the plain simulation (--minutes)
live      a rehearsal in real time: latencies from command and from glass to wheel, p50 and p99 (--minutes)
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from robohockey_core.commands import WheelCommand, commands_sample
from robohockey_core.league import League, load_league
from robohockey_core.names import BLUE, RED, RobotId
from robohockey_core.noise_spec import NOISE_PRESETS
from robohockey_hw.driver import GROUP, SINGLE, Driver
from robohockey_hw.emulator import RobotEmulator
from robohockey_hw.firmware import CompiledFirmware, compiler
from robohockey_hw.protocol import Decoder, Drive, encode
from robohockey_hw.robot_settings import settings_for
from robohockey_match.engine import Engine
from robohockey_match.plant import Plant
from robohockey_match.plant_names import address_of
from robohockey_sim.simulated_rink import SimulatedRink
from robohockey_strategy.team import load_strategy

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "unit"))

BAUD_RATE = 115_200
BITS_A_BYTE = 10


def fit(_options: argparse.Namespace) -> None:
    """The driver's and the robots' bytes of one second."""
    league = load_league("mirosot_11v11")
    robots = {robot: robot.number for robot in league.robots() if robot.team == BLUE}
    capacity = BAUD_RATE / BITS_A_BYTE
    for frames in (SINGLE, GROUP):
        driver = Driver(league, robots, frames)
        firmware = [RobotEmulator(settings_for(league, address)) for address in robots.values()]
        down = up = 0
        for tick in range(50):
            speeds = {robot: WheelCommand((11.11, -22.22), 0.5, 0.5) for robot in robots}
            driver.offer(BLUE, commands_sample(0.0, driver.wheel_names, speeds), 0.02 * tick)
            data = driver.frames(0.02 * tick)
            down += len(data)
            for robot in firmware:
                robot.hear(data, 0.02 * tick)
                up += len(robot.say(0.02 * tick + 0.019))
        print(
            f"fit, {frames} frames, 11 robots at 50 Hz: {down} B/s to robots ({down / capacity:.0%} of {BAUD_RATE} baud), "
            f"{up} B/s back ({up / capacity:.0%}), together {(down + up) / capacity:.0%}"
        )


def fuzz(options: argparse.Namespace) -> None:
    """Noise into both decoders; what passes has fooled a CRC of 16 bits."""
    from protocol_fuzz import mutated_frames, random_bytes  # noqa: PLC0415 (beside the tests)

    for name, noise in (("random", random_bytes), ("mutated", mutated_frames)):
        decoder, taken, fed = Decoder(), 0, 0
        robot = CompiledFirmware(settings_for(League(), 3)) if compiler() else None
        started_s = time.perf_counter()
        for data in noise(seed=3, total_bytes=options.bytes):
            taken += len(decoder.feed(data))
            fed += len(data)
            if robot is not None:
                robot.hear(data, 0.0)
        shaped = taken + decoder.bad["crc"]
        in_c = f", in C {robot.frame_counts()[0]}" if robot is not None else ""
        print(
            f"fuzz, {fed / 1e6:.1f} million {name} bytes in {time.perf_counter() - started_s:.0f} s: no exception, "
            f"{taken + decoder.bad_count} frames, {shaped} of a frame's shape, {taken} taken{in_c} (a CRC-16 lets "
            f"{shaped / 65536:.1f} through)"
        )


def identify_robots(options: argparse.Namespace) -> None:
    """Largest error of each number over some seeds."""
    from recorded_robot import ROBOT, record, true_league  # noqa: PLC0415

    from robohockey_match.identify import identify  # noqa: PLC0415
    from robohockey_match.robot_recording import read_recording  # noqa: PLC0415

    worst: dict[str, float] = {}
    inside: Counter[str] = Counter()
    for seed in range(1, options.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            record(Path(folder) / "bag", 60.0, seed)
            estimates = identify(read_recording(Path(folder) / "bag", ROBOT, ("left_wheel", "right_wheel")), League())
        for key, estimate in estimates.items():
            section, _, name = key.partition(".")
            true = getattr(getattr(true_league(), section), name)
            worst[key] = max(worst.get(key, 0.0), abs(estimate.value / true - 1.0))
            inside[key] += abs(estimate.value - true) <= estimate.half_width + 1e-9
    for key, error in worst.items():
        print(
            f"identify, {options.seeds} recordings: {key:34} off by {error:6.2%} at most, in its interval {inside[key]} times"
        )


class SerialRink(SimulatedRink):
    """A rink whose robots get their commands as bytes and run the firmware; camera and radio as they were."""

    def __init__(self, league: League, seed: int) -> None:
        super().__init__(league, seed=seed)
        self._plant = Plant(league, {robot: address_of(robot) for robot in self.robots}, world=self.world)
        self._periods = round(league.timing.control_dt_s / self._plant.period_s)
        self._sequence = 0

    def advance(self, command: Callable[[RobotId, float], WheelCommand]) -> None:
        for robot in self.robots:
            self.control.offer(robot, command(robot, self.world.time_s), self.world.time_s)
        for _ in range(self._periods):
            now_s = self.world.time_s
            self._sequence = (self._sequence + 1) % 256
            data = b""
            for robot in self.robots:
                due = self.control.due(robot, now_s)
                drive = Drive(address_of(robot), self._sequence, due.wheel_speeds_rad_s, due.kick_power, due.dribble)
                data += encode(drive)
            for board in self._plant.boards.values():
                board.firmware.hear(data, now_s)
                board.firmware.say(now_s)
            self._plant.advance()


def goals(options: argparse.Namespace) -> None:
    """Whole matches with realistic noise and delay, with and without the wire."""
    league = replace(load_league("micro_hockey"), noise=NOISE_PRESETS["realistic"])
    match_s = league.match.halves * league.match.half_duration_s
    counts = {}
    for name in ("plain", "serial"):
        count, played_s, seed = 0, 0.0, 1
        while played_s < 60.0 * options.minutes:
            engine = Engine(league, {team: load_strategy("chaser") for team in (BLUE, RED)}, seed)
            if name == "serial":
                engine.rink = SerialRink(league, seed)
            state = engine.play()
            count, played_s, seed = count + state.score_blue + state.score_red, played_s + match_s, seed + 1
        counts[name] = count
        rate, sigma = count / played_s * 60.0, math.sqrt(count) / played_s * 60.0
        print(f"goals, {name}: {count} in {played_s / 60.0:.0f} min, {rate:.2f} +- {sigma:.2f} a minute", flush=True)
    ratio = counts["serial"] / counts["plain"]
    sigma = ratio * math.sqrt(1.0 / counts["serial"] + 1.0 / counts["plain"])
    print(f"goals, serial beside plain: {ratio:.2f} +- {sigma:.2f}")


def live(options: argparse.Namespace) -> None:
    """A rehearsal in real time."""
    for shows in ("detections", "images"):
        command = [sys.executable, "-m", "robohockey_match.cli", "rehearse", "--shows", shows]
        command += ["--duration", str(60.0 * options.minutes)]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for line in re.findall(r"the match is over: .*", output):
            print(f"live, {shows}: {line}", flush=True)


TASKS = {"fit": fit, "fuzz": fuzz, "identify": identify_robots, "goals": goals, "live": live}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", choices=TASKS, default=[name for name in TASKS if name != "live"])
    parser.add_argument("--bytes", type=int, default=10_000_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=60.0)
    options = parser.parse_args()
    for task in options.tasks:
        TASKS[task](options)


if __name__ == "__main__":
    main()
