"""Simulated cameras beside a match in real time: `python -m bench.cameras`.

A 3v3 match of micro_hockey by overhead images at 30 Hz, while blue/0 also carries an omni camera of 50 Hz whose images are
unwarped. Counted is what arrives: images by those who read them, time by what the physics says of itself, second by second.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "test")]

from harness import own_domain, probe, wait_for  # noqa: E402
from system_match import end, match  # noqa: E402

from robohockey_core.ros.conversions import seconds, status_values  # noqa: E402
from robohockey_core.ros.topics import DIAGNOSTICS, MATCH_STATE  # noqa: E402
from robohockey_core.ros_environment import local_environment  # noqa: E402

MATCH = "league: micro_hockey\nvision: overhead\nview: false\nrobots: {blue/0: {omni_camera: true}}\n"
READERS = {"/overhead_detector": 30.0, "/blue/robot_0/omni/omni_unwarp": 50.0}
PHYSICS = "/physics"
# A second's count may be one frame off, and a busy machine may lose one now and then.
LEAST_SHARE = 0.97
LEAST_FACTOR = 0.99


def series(diagnostics: list, name: str, key: str) -> list[tuple[float, float]]:
    """A node's number over time, by the match's clock."""
    return [
        (seconds(message.header.stamp), float(status_values(status)[key]))
        for message in diagnostics
        for status in message.status
        if status.name == name
    ]


def measure(duration_s: float) -> tuple[float, dict[str, float]]:
    """The physics' real-time factor, and images a second of each reader."""
    os.environ.update(local_environment(os.environ))
    with tempfile.TemporaryDirectory() as folder, own_domain() as domain, probe(domain) as here:
        config = Path(folder) / "match.yaml"
        config.write_text(MATCH)
        diagnostics, state = here.hear(DIAGNOSTICS), here.hear(MATCH_STATE)
        with match(domain, "--config", str(config)) as process:
            wait_for(lambda: state and status_values(state[-1])["phase"] == "play", "play", timeout_s=180.0)
            for name in READERS:
                wait_for(lambda name=name: series(diagnostics, name, "frames"), f"images at {name}")
            diagnostics.clear()
            wait_for(lambda: len(series(diagnostics, PHYSICS, "real_time_factor")) >= duration_s, "time", 20.0 * duration_s)
            heard = list(diagnostics)
            end(process)
    factors = [factor for _, factor in series(heard, PHYSICS, "real_time_factor")]
    rates_hz = {}
    for name in READERS:
        counts = series(heard, name, "frames")
        (first_s, first), (last_s, last) = counts[0], counts[-1]
        rates_hz[name] = (last - first) / (last_s - first_s)
    return statistics.mean(factors), rates_hz


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to measure (default 60)")
    parser.add_argument("--quick", action="store_true", help="ten seconds only")
    options, _ = parser.parse_known_args()
    factor, rates_hz = measure(10.0 if options.quick else options.seconds)
    print(f"3v3 with simulated cameras: real-time factor {factor:.3f} (wanted: {LEAST_FACTOR:g})")
    wrong = [] if factor >= LEAST_FACTOR else ["slower than real time"]
    for name, wanted_hz in READERS.items():
        print(f"{name:32} {rates_hz[name]:6.1f} images a second (wanted: {wanted_hz:g})")
        wrong += [f"too few images at {name}"] if rates_hz[name] < LEAST_SHARE * wanted_hz else []
    print("all limits are held" if not wrong else f"NOT HELD: {'; '.join(wrong)}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
