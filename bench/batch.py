"""Many matches in one call against one match at a time, spread scene, 3v3: steps per second in one run.

python -m bench.batch
"""

from __future__ import annotations

import statistics
import time

import numpy as np

from robohockey_core.league import load_league
from robohockey_sim.batch import Batch
from robohockey_sim.world import World

MATCHES = 256
ROUNDS = 5
CONTROL_STEPS = 20


def batch_rate(batch: Batch, limit_rad_s: float, random: np.random.Generator) -> float:
    """Steps of all matches per second, new commands every 20 ms."""
    ticks = 20
    commands = random.uniform(-limit_rad_s, limit_rad_s, (ticks, *batch.wheel_commands.shape))
    started_s = time.perf_counter()
    for speeds in commands:
        batch.wheel_commands[:] = speeds
        batch.step(CONTROL_STEPS)
    return ticks * CONTROL_STEPS * MATCHES / (time.perf_counter() - started_s)


def single_rate(world: World, limit_rad_s: float, random: np.random.Generator) -> float:
    """Steps per second of one world, new commands every 20 ms."""
    ticks = 3000
    commands = random.uniform(-limit_rad_s, limit_rad_s, (ticks, len(world.robots), len(world.wheel_names)))
    started_s = time.perf_counter()
    for speeds in commands:
        world.step(CONTROL_STEPS, speeds)
    return ticks * CONTROL_STEPS / (time.perf_counter() - started_s)


def main() -> None:
    league = load_league("micro_hockey")
    limit_rad_s = league.robot.max_wheel_speed_rad_s
    random = np.random.default_rng(1)
    single, one, two = World(league), Batch(league, MATCHES), Batch(league, MATCHES, threads=2)
    for warm in (single, one, two):
        warm.step(1)
    rates: dict[str, list[float]] = {"single": [], "batch, one thread": [], "batch, two threads": []}
    for _ in range(ROUNDS):
        rates["single"].append(single_rate(single, limit_rad_s, random))
        rates["batch, one thread"].append(batch_rate(one, limit_rad_s, random))
        rates["batch, two threads"].append(batch_rate(two, limit_rad_s, random))
    base = statistics.median(rates["single"])
    print(f"{MATCHES} matches 3v3, spread, medians of {ROUNDS} rounds")
    for name, values in rates.items():
        median = statistics.median(values)
        print(f"{name:20} {median:12,.0f} steps/s {median / base:6.2f} x single")


if __name__ == "__main__":
    main()
