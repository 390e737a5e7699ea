"""Millions of random steps in every league: nothing sinks in, leaves, is lost or gains energy from nowhere.

Two million steps by default, shared by the leagues and seeds. The environment variable ROBOHOCKEY_FUZZ_STEPS gives
another total (10000000 takes some minutes), and ROBOHOCKEY_FUZZ_SEED other random numbers.
"""

from __future__ import annotations

import contextlib
import math
import os
from dataclasses import replace

import numba
import numpy as np
import pytest
from headless import PRESETS

from robohockey_core.checked import InputError
from robohockey_core.commands import WheelCommand
from robohockey_core.joints import bodies_sample
from robohockey_core.league import League, load_league
from robohockey_core.names import PUCK
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_sim.layout import COS, SIN, TURN, VX, VY, X, Y
from robohockey_sim.world import World

TOTAL_STEPS = int(os.environ.get("ROBOHOCKEY_FUZZ_STEPS", "2000000"))
SEED = int(os.environ.get("ROBOHOCKEY_FUZZ_SEED", "1"))
GRAVITY_M_S2 = 9.81
DEEPEST_M = 1e-6
STEPS_PER_COMMAND = 40
STEPS_PER_LOOK = 5
COMMANDS_PER_TELEPORT = 25
PUCK_SPEEDS_M_S = (0.0, 2.0, 5.0, 20.0)

# Columns of what `look` finds: depths of four kinds of pairs, the puck's speed, and the robots' energy.
PUCK_ROBOT, PUCK_BOARD, ROBOT_ROBOT, ROBOT_BOARD, PUCK_SPEED, ENERGY_J = range(6)
DEPTHS = ("puck in a robot", "puck in the boards", "robot in a robot", "robot in the boards")


@numba.njit
def box_depth(r, i, j, half_length, half_width):
    """Overlap of two boxes, from their corners alone; negative when a line separates them."""
    least = math.inf
    for axis in range(4):
        k = i if axis < 2 else j
        ax, ay = (r[k, COS], r[k, SIN]) if axis % 2 == 0 else (-r[k, SIN], r[k, COS])
        low, high = np.full(2, math.inf), np.full(2, -math.inf)
        for side in range(2):
            b = i if side == 0 else j
            for corner in range(4):
                u = half_length if corner % 2 == 0 else -half_length
                v = half_width if corner < 2 else -half_width
                x = r[b, X] + r[b, COS] * u - r[b, SIN] * v
                y = r[b, Y] + r[b, SIN] * u + r[b, COS] * v
                low[side], high[side] = min(low[side], ax * x + ay * y), max(high[side], ax * x + ay * y)
        least = min(least, high[0] - low[1], high[1] - low[0])
    return least


@numba.njit
def outside(x, y, length, width, corner):
    """How far a point is out of a rounded rectangle."""
    over_x, over_y = abs(x) - (length / 2.0 - corner), abs(y) - (width / 2.0 - corner)
    if over_x > 0.0 and over_y > 0.0:
        return math.hypot(over_x, over_y) - corner
    return max(over_x, over_y) - corner


@numba.njit
def puck_in_boards(x, y, radius, length, width, corner, goal_width, goal_depth):
    ax, ay = abs(x), abs(y)
    if ay < goal_width / 2.0 and ax > length / 2.0 - radius:
        if ax <= length / 2.0:
            return radius - math.hypot(ax - length / 2.0, ay - goal_width / 2.0)
        return max(ay + radius - goal_width / 2.0, ax + radius - length / 2.0 - goal_depth)
    return outside(x, y, length - 2.0 * radius, width - 2.0 * radius, max(0.0, corner - radius))


@numba.njit
def look(r, puck, robot, rink, radius, found):
    """Fill `found` with the worst of every kind; NaN anywhere shows as an infinite depth."""
    half_length, half_width, mass, inertia = robot
    length, width, corner, goal_width, goal_depth = rink
    found[:] = -math.inf
    found[PUCK_BOARD] = puck_in_boards(puck[0], puck[1], radius, length, width, corner, goal_width, goal_depth)
    found[PUCK_SPEED] = math.hypot(puck[2], puck[3])
    found[ENERGY_J] = 0.0
    reach_squared = 4.0 * (half_length**2 + half_width**2)
    for i in range(r.shape[0]):
        dx, dy = puck[0] - r[i, X], puck[1] - r[i, Y]
        over_x = abs(r[i, COS] * dx + r[i, SIN] * dy) - half_length
        over_y = abs(r[i, COS] * dy - r[i, SIN] * dx) - half_width
        apart = math.hypot(max(over_x, 0.0), max(over_y, 0.0)) if max(over_x, over_y) > 0.0 else max(over_x, over_y)
        found[PUCK_ROBOT] = max(found[PUCK_ROBOT], radius - apart)
        for corner_index in range(4):
            u = half_length if corner_index % 2 == 0 else -half_length
            v = half_width if corner_index < 2 else -half_width
            x, y = r[i, X] + r[i, COS] * u - r[i, SIN] * v, r[i, Y] + r[i, SIN] * u + r[i, COS] * v
            found[ROBOT_BOARD] = max(found[ROBOT_BOARD], outside(x, y, length, width, corner))
        for j in range(i):
            if (r[i, X] - r[j, X]) ** 2 + (r[i, Y] - r[j, Y]) ** 2 < reach_squared:
                found[ROBOT_ROBOT] = max(found[ROBOT_ROBOT], box_depth(r, i, j, half_length, half_width))
        found[ENERGY_J] += 0.5 * mass * (r[i, VX] ** 2 + r[i, VY] ** 2) + 0.5 * inertia * r[i, TURN] ** 2
    if not (np.all(np.isfinite(r)) and np.all(np.isfinite(puck))):
        found[:] = math.inf


class Fuzz:
    """One league under random commands, kicks and teleports."""

    def __init__(self, league: League, seed: int) -> None:
        self.league, self.world, self.random = league, World(league), np.random.default_rng(seed)
        robot, rink = league.robot, league.rink
        self.drive = robot.make_drive()
        inertia = robot.mass_kg * (robot.length_m**2 + robot.width_m**2) / 12.0
        self.robot = (robot.length_m / 2.0, robot.width_m / 2.0, robot.mass_kg, inertia)
        self.rink = (rink.length_m, rink.width_m, rink.corner_radius_m, rink.goal_width_m, rink.goal_depth_m)
        # Fastest surface of a robot: its wheels at full speed, at the corner; twice, for spins out of bumps.
        turn = np.abs(self.drive.inverse[2]).sum() * robot.max_wheel_speed_rad_s
        self.surface_m_s = 2.0 * (2.0 * robot.max_speed_m_s + turn * robot.circumradius_m)
        # Tossed between two robots that come nearer, v -> V + e (V + v) ends at V (1 + e) / (1 - e); or kicked.
        e = league.puck.robot_restitution
        self.own_limit_m_s = self.surface_m_s * (1.0 + e) / (1.0 - e) + league.kicker.max_puck_speed_m_s
        self.limit_m_s = self.own_limit_m_s
        self.found, self.worst = np.empty(6), np.full(6, -math.inf)

    def teleport(self) -> None:
        """Try a new place for the puck and for a robot; refused ones are left where they are."""
        rink, random = self.league.rink, self.random
        speed, way = random.choice(PUCK_SPEEDS_M_S), random.uniform(-math.pi, math.pi)
        twist = Twist2D(speed * math.cos(way), speed * math.sin(way), random.uniform(-20.0, 20.0))
        names = [PUCK, random.choice(self.world.bodies[:-1])]
        for name, velocity in zip(names, (twist, Twist2D()), strict=True):
            x, y, yaw = random.uniform(-0.5, 0.5, 3) * (rink.length_m, rink.width_m, 2.0 * math.pi)
            with contextlib.suppress(InputError):
                self.world.set_state(bodies_sample(0.0, {name: BodyState(Pose2D(x, y, yaw), velocity)}))
                if name == PUCK:
                    self.limit_m_s = max(self.own_limit_m_s, speed)

    def command(self) -> None:
        """Half of the time a scrum: everybody at the puck; else random, or straight on."""
        random, r, puck = self.random, self.world._r, self.world._puck
        count, top = len(self.world.robots), self.league.robot.max_wheel_speed_rad_s
        twist = np.zeros((count, 3))
        dx, dy = puck[0] - r[:, X], puck[1] - r[:, Y]
        ahead, aside = r[:, COS] * dx + r[:, SIN] * dy, r[:, COS] * dy - r[:, SIN] * dx
        twist[:, 0] = self.league.robot.max_speed_m_s
        twist[:, 2] = 4.0 * np.arctan2(aside, ahead)
        wheels = twist @ self.drive.matrix.T
        mode = random.random()
        if mode > 0.75:
            wheels = random.uniform(-top, top, wheels.shape)
        elif mode > 0.5:
            wheels = np.sign(random.uniform(-1.0, 1.0, (count, 1))) * np.abs(wheels)
        kicks = np.where(random.random(count) < 0.2, random.random(count), 0.0)
        for robot, speeds, kick in zip(self.world.robots, np.clip(wheels, -top, top).tolist(), kicks.tolist(), strict=True):
            self.world.command(robot, WheelCommand(tuple(speeds), kick))

    def most_energy_from_wheels_j(self, steps: int) -> float:
        """What tyres at their grip add to the robots in some steps, at the speeds that they have."""
        robot, dt_s = self.league.robot, self.league.timing.physics_dt_s
        _, _, mass, inertia = self.robot
        r, grip = self.world._r, robot.tyre_traction * GRAVITY_M_S2 * steps * dt_s
        turn_grip = grip * mass * min(robot.length_m, robot.width_m) / 2.0 / inertia
        linear = mass * grip * (np.hypot(r[:, VX], r[:, VY]) + grip)
        return float((linear + inertia * turn_grip * (np.abs(r[:, TURN]) + turn_grip)).sum())

    def run(self, steps: int) -> None:
        for number in range(steps // STEPS_PER_COMMAND):
            if number % COMMANDS_PER_TELEPORT == 0:
                self.teleport()
            self.command()
            energy_j = math.inf
            for _ in range(STEPS_PER_COMMAND // STEPS_PER_LOOK):
                most_j = energy_j + self.most_energy_from_wheels_j(STEPS_PER_LOOK)
                puck_j = 0.5 * self.league.puck.mass_kg * float(self.world._puck[2] ** 2 + self.world._puck[3] ** 2)
                self.world.step(STEPS_PER_LOOK)
                look(self.world._r, self.world._puck, self.robot, self.rink, self.league.puck.radius_m, self.found)
                self.check(most_j + puck_j)
                energy_j = float(self.found[ENERGY_J])

    def check(self, most_j: float) -> None:
        found, when = self.found, f"after {self.world.steps_done} steps"
        np.maximum(self.worst, found, out=self.worst)
        if not (found[: len(DEPTHS)] <= DEEPEST_M).all():
            depths = {name: float(depth) for name, depth in zip(DEPTHS, found, strict=False) if not depth <= DEEPEST_M}
            pytest.fail(f"{self.league.name} {when}: {depths} m")
        assert found[PUCK_SPEED] <= self.limit_m_s * (1.0 + 1e-9), f"{self.league.name} {when}: the puck is too fast"
        assert found[ENERGY_J] <= most_j, f"{self.league.name} {when}: the robots gained energy"


# Nets that stand free have a fuzz of their own, in test_behind_goals.
WALLED = [name for name in PRESETS if load_league(name).rink.room_behind_goals_m == 0.0]
LEAGUES = [(name, motion) for name in WALLED for motion in ("kinematic", "dynamic")] + [("mixed_reality", "wheel_trajectory")]


@pytest.mark.parametrize(("name", "motion"), LEAGUES)
def test_random_steps_leave_everything_inside_apart_and_without_energy_from_nowhere(name, motion):
    league = load_league(name)
    # Wheels of the dynamic model weigh a share of their robot, whatever its size.
    robot = replace(league.robot, motion=motion, wheel_mass_kg=0.02 * league.robot.mass_kg)
    Fuzz(replace(league, robot=robot), SEED).run(TOTAL_STEPS // len(LEAGUES))
