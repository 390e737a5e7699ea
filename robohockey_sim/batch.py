"""Many matches in one call, for search and learning: the same physics, arrays in and arrays out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from robohockey_core.checked import InputError
from robohockey_core.joints import FloatArray
from robohockey_core.league import League
from robohockey_sim.kernel import advance_many
from robohockey_sim.layout import TURN, VX, WHEELS, X
from robohockey_sim.match_arrays import batch_arrays, match_of
from robohockey_sim.world import World, free_goals


class Batch:
    """Matches of one league that step together. `worlds` are the single matches, sharing the batch's memory.

    `wheel_commands` is written and `poses` and `pucks` are read in place: (match, robot, ...), rad/s, m and rad.
    """

    def __init__(self, league: League, matches: int, threads: int = 1) -> None:
        """Raise InputError for numbers below one."""
        if matches < 1 or threads < 1:
            raise InputError(f"a batch of {matches} matches on {threads} threads: both must be at least 1")
        wheels = len(league.robot.make_drive().wheel_names)
        self._arrays = batch_arrays(matches, len(league.robots()), free_goals(league), wheels)
        self.worlds = tuple(World(league, arrays=match_of(self._arrays, match)) for match in range(matches))
        robots = self._arrays.robots[:, : len(league.robots())]
        self.poses: FloatArray = robots[:, :, X : X + 3]
        self.velocities: FloatArray = robots[:, :, VX : TURN + 1]
        self.wheel_commands: FloatArray = robots[:, :, WHEELS + wheels : WHEELS + 2 * wheels]
        self.pucks: FloatArray = self._arrays.puck
        share = -(-matches // threads)
        self._parts = [(first, min(first + share, matches)) for first in range(0, matches, share)]
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def step(self, steps: int) -> None:
        """Advance every match by whole physics steps."""
        # This thread does a part itself: waking another one takes a while.
        others = [self._pool.submit(self._step_part, part, steps) for part in self._parts[1:]] if self._pool else []
        self._step_part(self._parts[0], steps)
        for other in others:
            other.result()
        for world in self.worlds:
            world.steps_done += steps

    def _step_part(self, part: tuple[int, int], steps: int) -> None:
        first, last = part
        constants = self.worlds[0].kernel_constants()
        advance_many(*constants, *self._arrays, first, last, steps)  # type: ignore[call-arg]
