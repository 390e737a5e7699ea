"""Measurements of the way to real robots, with limits: `python -m bench.hardware [fit|fuzz|identify|goals|live]`, or all.

fit       air time of a radio at 115,200 baud, byte by byte, for eleven robots at 50 Hz
fuzz      ten million random and ten million mutated bytes into both decoders (--bytes)
identify  errors and intervals over some recordings of 60 s with realistic noise, with and without driver and firmware
          between commands and wheels (--seeds)
goals     goals a minute with serial bytes and firmware between command and wheel, beside the plain simulation (--minutes)
live      rehearsals in real time, through images and bytes: latencies from command and from glass to wheel, and goals a
          minute beside the engine with the same camera, detector and delay (--live-minutes)

Exit code 1 when a limit does not hold.
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

from robohockey_core.league import League, load_league
from robohockey_core.names import BLUE, RED
from robohockey_core.noise_spec import NOISE_PRESETS
from robohockey_hw.driver import GROUP, SINGLE, Driver
from robohockey_hw.firmware import CompiledFirmware, compiler
from robohockey_hw.protocol import Decoder
from robohockey_hw.robot_settings import settings_for
from robohockey_match.engine import Engine
from robohockey_match.seeing import OverheadEyes, SeeingEngine
from robohockey_strategy.team import load_strategy

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "unit"))

TEAM = "chaser"
WITHIN = 0.03
GOALS_WITHIN = 0.2
LEAST_COVERAGE = 0.85
"""Of intervals of 95 %: some hundred of them, of which many move together."""
MOST_GLASS_TO_WHEEL_P50_S, MOST_GLASS_TO_WHEEL_P99_S = 0.06, 0.25
_LIVE_MATCH_S = 300.0
_OF_A_SHARE = ("noise.robot_loss", "noise.reply_loss", "noise.command_loss")
_OF_BOTH_CONTROLS = ("robot.wheel_control_time_s", "noise.command_delay_s")

failures: list[str] = []


def hold(what: str, limit: str, holds: bool) -> None:
    """Print a limit, and remember one that does not hold."""
    print(f"{what}: {'holds' if holds else 'DOES NOT HOLD'} ({limit})", flush=True)
    if not holds:
        failures.append(what)


def fit(_options: argparse.Namespace) -> None:
    """A second of a radio's time."""
    from radio_channel import DRIVER, Channel  # noqa: PLC0415 (beside the tests)

    league = load_league("mirosot_11v11")
    robots = {robot: robot.number for robot in league.robots() if robot.team == BLUE}
    for frames in (SINGLE, GROUP):
        radio = Channel(league, robots, Driver(league, robots, frames))
        radio.play(2.0)
        talks = [talk for talk in radio.talks if 1.0 <= talk[0] < 2.0]
        down_s, up_s = (sum(end - begin for begin, end, who in talks if (who == DRIVER) is down) for down in (True, False))
        over = radio.collisions(1.0)
        print(
            f"fit, {frames} frames, 11 robots: {down_s:.0%} of the time to robots, {up_s:.0%} back, {over} times over another"
        )
        hold(f"fit, {frames}", "each way below 100 %", max(down_s, up_s) <= 1.0)
        if frames == GROUP:
            hold("fit, one channel", "together below 100 %, nobody over another", down_s + up_s <= 1.0 and over == 0)


def fuzz(options: argparse.Namespace) -> None:
    """Noise into both decoders; what passes has fooled a CRC of 16 bits."""
    from protocol_fuzz import mutated_frames, random_bytes  # noqa: PLC0415

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
        chance = shaped / 65536
        in_c = robot.frame_counts()[0] if robot is not None else taken
        print(
            f"fuzz, {fed / 1e6:.1f} million {name} bytes in {time.perf_counter() - started_s:.0f} s: no exception, "
            f"{taken + decoder.bad_count} frames, {shaped} of a frame's shape, {taken} taken, in C {in_c}"
        )
        most = math.ceil(chance + 4.0 * math.sqrt(chance) + 1.0)
        hold(f"fuzz, {name}", f"{chance:.1f} of them fool a CRC-16, {most} at most; C takes the same", in_c == taken <= most)


def identify_robots(options: argparse.Namespace) -> None:
    """Largest error of each number over some seeds, and how often its interval holds the truth."""
    from recorded_robot import ROBOT, record, true_league  # noqa: PLC0415

    from robohockey_match.identify import identify  # noqa: PLC0415
    from robohockey_match.robot_recording import read_recording  # noqa: PLC0415

    for way, through_plant in (("wheels", False), ("firmware", True)):
        worst: dict[str, float] = {}
        inside: Counter[str] = Counter()
        for seed in range(1, options.seeds + 1):
            with tempfile.TemporaryDirectory() as folder:
                record(Path(folder) / "bag", 60.0, seed, through_plant=through_plant)
                estimates = identify(read_recording(Path(folder) / "bag", ROBOT, ("left_wheel", "right_wheel")), League())
            for key, estimate in estimates.items():
                section, _, name = key.partition(".")
                true = getattr(getattr(true_league(), section), name)
                worst[key] = max(worst.get(key, 0.0), abs(estimate.value / true - 1.0))
                inside[key] += abs(estimate.value - true) <= estimate.half_width + 1e-9
        apart = _OF_BOTH_CONTROLS if through_plant else ()
        for key, error in worst.items():
            note = "of both speed controls" if key in apart else f"in its interval {inside[key]} times"
            print(f"identify, {way}, {options.seeds} recordings: {key:34} off by {error:6.2%} at most, {note}")
        counted = [key for key in worst if key not in apart]
        coverage = sum(inside[key] for key in counted) / (options.seeds * len(counted))
        measured = [worst[key] for key in counted if key not in _OF_A_SHARE]
        hold(f"identify, {way}", f"all but counted shares within {WITHIN:.0%}: {max(measured):.2%}", max(measured) <= WITHIN)
        what = f"{coverage:.0%} of the 95 % intervals hold the truth, at least {LEAST_COVERAGE:.0%}"
        hold(f"identify, {way}, intervals", what, coverage >= LEAST_COVERAGE)


def goals(options: argparse.Namespace) -> None:
    """Whole matches with realistic noise and delay, with and without the wire."""
    from serial_rink import SerialRink  # noqa: PLC0415

    league = replace(load_league("micro_hockey"), noise=NOISE_PRESETS["realistic"])

    def engine(seed: int, serial: bool) -> Engine:
        played = Engine(league, {team: load_strategy(TEAM) for team in (BLUE, RED)}, seed)
        if serial:
            played.rink = SerialRink(league, seed)
        return played

    counts = {}
    for name, serial in (("plain", False), ("serial", True)):
        counts[name] = _play(f"goals, {name}", lambda seed, serial=serial: engine(seed, serial), options.minutes)
    _compare("goals, serial beside plain", counts["serial"], counts["plain"])


def live(options: argparse.Namespace) -> None:
    """Rehearsals in real time, and the engine with the same eyes and as late."""
    name, teams = "micro_hockey", ("--blue", TEAM, "--red", TEAM)
    league = load_league(name)
    command = [sys.executable, "-m", "robohockey_match.cli", "rehearse", "--league", name, *teams]
    scored, played_s, seed, glass_s = 0, 0.0, 0, []
    while played_s < 60.0 * options.live_minutes - 1.0:
        duration_s = min(_LIVE_MATCH_S, 60.0 * options.live_minutes - played_s)
        seed, played_s = seed + 1, played_s + duration_s
        arguments = ["--duration", str(duration_s), "--seed", str(seed)]
        output = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True).stdout
        blue, red, told = re.findall(r"the match is over: (\d+) : (\d+); (.*)", output)[-1]
        print(f"live, match {seed}: {blue} : {red}; {told}", flush=True)
        scored += int(blue) + int(red)
        glass_s.append([float(ms) / 1000.0 for ms in re.findall(r"glass to wheel p\d+ s ([\d.]+) ms", told)])
    p50_s, p99_s = (max(times) for times in zip(*glass_s, strict=True))
    hold(
        "live, glass to wheel p50", f"{p50_s:.3f} s, at most {MOST_GLASS_TO_WHEEL_P50_S} s", p50_s <= MOST_GLASS_TO_WHEEL_P50_S
    )
    hold(
        "live, glass to wheel p99", f"{p99_s:.3f} s, at most {MOST_GLASS_TO_WHEEL_P99_S} s", p99_s <= MOST_GLASS_TO_WHEEL_P99_S
    )
    rate, sigma = scored / played_s * 60.0, math.sqrt(scored) / played_s * 60.0
    print(f"live, rehearsed: {scored} goals in {played_s / 60.0:.0f} min, {rate:.2f} +- {sigma:.2f} a minute", flush=True)

    # The newest picture is half a period old on average when the engine decides, beside the delay of its eyes.
    delay_s = max(0.0, p50_s - 0.5 * OverheadEyes.period_s)
    match_s = min(_LIVE_MATCH_S, 60.0 * options.live_minutes)
    short = replace(league, match=replace(league.match, half_duration_s=match_s / league.match.halves))

    def engine(seed: int) -> Engine:
        strategies = {team: load_strategy(TEAM) for team in (BLUE, RED)}
        return SeeingEngine(short, strategies, [OverheadEyes(short, seed=seed)], seed, vision_delay_s=delay_s)

    simulated = _play(f"live, engine with images {1000.0 * delay_s:.0f} ms late", engine, options.live_minutes)
    _compare("live, rehearsed beside engine", (scored, played_s), simulated)


def _play(what: str, make: Callable[[int], Engine], minutes: float) -> tuple[int, float]:
    """Goals, and seconds of play."""
    count, played_s, seed = 0, 0.0, 1
    while played_s < 60.0 * minutes - 1.0:
        state = make(seed).play()
        count, played_s, seed = count + state.score_blue + state.score_red, played_s + state.clock_s, seed + 1
    rate, sigma = count / played_s * 60.0, math.sqrt(count) / played_s * 60.0
    print(f"{what}: {count} goals in {played_s / 60.0:.0f} min, {rate:.2f} +- {sigma:.2f} a minute", flush=True)
    return count, played_s


def _compare(what: str, measured: tuple[int, float], beside: tuple[int, float]) -> None:
    """Hold two rates of goals against each other, as far as so many goals can tell."""
    (goals_a, time_a), (goals_b, time_b) = measured, beside
    ratio = goals_a / time_a * time_b / max(1, goals_b)
    sigma = ratio * math.sqrt(1.0 / max(1, goals_a) + 1.0 / max(1, goals_b))
    within = 1.0 - GOALS_WITHIN - 2.0 * sigma <= ratio <= 1.0 + GOALS_WITHIN + 2.0 * sigma
    hold(what, f"{ratio:.2f} +- {sigma:.2f}, within {GOALS_WITHIN:.0%} by two deviations", within)


TASKS = {"fit": fit, "fuzz": fuzz, "identify": identify_robots, "goals": goals, "live": live}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", choices=TASKS, default=list(TASKS))
    parser.add_argument("--bytes", type=int, default=10_000_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=60.0, help="of simulated play, each way (default 60)")
    parser.add_argument("--live-minutes", type=float, default=10.0, help="of play in real time (default 10)")
    parser.add_argument("--quick", action="store_true", help="a look: little of everything")
    options = parser.parse_args()
    if options.quick:
        options.bytes, options.seeds, options.minutes, options.live_minutes = 1_000_000, 1, 10.0, 1.0
    for task in options.tasks:
        TASKS[task](options)
    if failures:
        print(f"limits that do not hold: {'; '.join(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
