"""A batch plays the very matches that single worlds play."""

from __future__ import annotations

import numpy as np
import pytest

from robohockey_core.checked import InputError
from robohockey_core.commands import WheelCommand
from robohockey_core.league import load_league
from robohockey_sim.batch import Batch
from robohockey_sim.world import World

LEAGUE = load_league("micro_hockey")


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_batch_equals_single_worlds_bit_for_bit(threads):
    batch, singles = Batch(LEAGUE, 5, threads), [World(LEAGUE) for _ in range(5)]
    random = np.random.default_rng(3)
    for _ in range(30):
        commands = random.uniform(-60.0, 60.0, batch.wheel_commands.shape)
        batch.wheel_commands[:] = commands
        batch.step(20)
        for world, by_robot in zip(singles, commands, strict=True):
            for robot, wheels in zip(world.robots, by_robot, strict=True):
                world.command(robot, WheelCommand(tuple(wheels)))
            world.step(20)
    for single, shared in zip(singles, batch.worlds, strict=True):
        assert single.truth().position.tobytes() == shared.truth().position.tobytes()
        assert single.time_s == shared.time_s
    assert len({tuple(poses) for poses in batch.poses[:, 0].tolist()}) == 5


def test_one_match_of_a_batch_can_be_reset_alone():
    batch = Batch(LEAGUE, 3)
    batch.wheel_commands[:] = 30.0
    batch.step(100)
    batch.worlds[1].reset()
    assert batch.poses[1] == pytest.approx(World(LEAGUE).truth().position[:-3].reshape(-1, 3))
    assert batch.poses[0, 0, 0] != batch.poses[1, 0, 0]


@pytest.mark.parametrize(("matches", "threads"), [(0, 1), (1, 0)])
def test_an_empty_batch_is_refused(matches, threads):
    with pytest.raises(InputError, match="at least 1"):
        Batch(LEAGUE, matches, threads)
