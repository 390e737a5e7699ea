"""The engines that are compared, behind one small interface.

An engine is built from a league and a start, and then, once each control period, is read, driven and stepped.
A peer, an engine that is not ours, gets the robots' wheels as planar velocities and the puck's friction as
a slower puck, all of them from the same code (`bench.scenes.set_velocities`).

Each peer takes part twice: with velocities set once in 20 ms, which is the least that it can cost and leaves robots as
free bodies in between, and with velocities set at every step, which is how wheels act.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod

import numpy as np

from bench.scenes import CONTROL_S, DT_S, Sizes, Start, drive_numbers, set_velocities, sizes_of
from robohockey_core.kinematics import FloatArray
from robohockey_core.league import League

OURS = "ours"
ENGINES = {
    OURS: "bench.engines.ours:OurEngine",
    "pymunk": "bench.engines.pymunk_engine:PymunkEngine",
    "pymunk-1ms": "bench.engines.pymunk_engine:PymunkEachStep",
    "box2d": "bench.engines.box2d_engine:Box2dEngine",
    "box2d-1ms": "bench.engines.box2d_engine:Box2dEachStep",
    "mujoco": "bench.engines.mujoco_engine:MujocoEngine",
    "mujoco-1ms": "bench.engines.mujoco_engine:MujocoEachStep",
}


class Engine(ABC):
    """One rink in one engine."""

    settings = ""
    """Version and what was chosen, in one line."""

    def __init__(self, league: League, start: Start) -> None:
        self.league = league
        self.sizes: Sizes = sizes_of(league)
        self.poses, self.puck = start.poses.copy(), start.puck.copy()

    @abstractmethod
    def read(self) -> None:
        """Bring `poses` and `puck` up to date."""

    @abstractmethod
    def drive(self, commands: FloatArray) -> None:
        """Give every robot's wheels their speeds (robots, left and right, rad/s) for the coming control period."""

    @abstractmethod
    def step(self, steps: int) -> None:
        """Advance by whole steps of 1 ms."""

    @abstractmethod
    def put_puck(self, x_m: float, y_m: float) -> None:
        """Lay the puck down at rest."""


class Peer(Engine):
    """An engine that knows bodies and velocities, but no wheels."""

    each_step = False
    """Whether velocities are set at every step, or once in a control period."""

    def __init__(self, league: League, start: Start) -> None:
        super().__init__(league, start)
        self.twists: FloatArray = np.zeros((len(self.poses), 3))
        self._numbers = drive_numbers(league)
        self._wheel_speeds: FloatArray = np.zeros((len(self.poses), 2))
        self._commands: FloatArray = np.zeros((len(self.poses), 2))

    @abstractmethod
    def look(self) -> None:
        """Bring at least the yaws in `poses` and the velocity in `puck` up to date."""

    @abstractmethod
    def push(self) -> None:
        """Give the robots the velocities in `twists`, and the puck the one in `puck`."""

    @abstractmethod
    def advance(self, steps: int) -> None:
        """Advance without setting anything."""

    def drive(self, commands: FloatArray) -> None:
        self._commands[:] = commands
        if not self.each_step:
            self._set_velocities(CONTROL_S)

    def step(self, steps: int) -> None:
        if not self.each_step:
            self.advance(steps)
            return
        for _ in range(steps):
            self._set_velocities(DT_S)
            self.advance(1)

    def _set_velocities(self, period_s: float) -> None:
        self.look()
        set_velocities(self._numbers, period_s, self.poses, self._wheel_speeds, self._commands, self.twists, self.puck)
        self.push()


def installed_engines() -> tuple[dict[str, type[Engine]], dict[str, str]]:
    """The engines that can be imported, and why the others cannot."""
    found: dict[str, type[Engine]] = {}
    missing: dict[str, str] = {}
    for name, target in ENGINES.items():
        module, _, attribute = target.partition(":")
        try:
            found[name] = getattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError as error:
            missing[name] = str(error)
    return found, missing
