"""pymunk (Chipmunk). States go in and out in bulk through `pymunk.batch`, its fastest way.

Chipmunk moves bodies at the beginning of a step, by the velocities that the last step's contacts have left. Whoever sets
velocities between steps drives bodies through each other. So a velocity is reached by the force that makes it within
one step, which the contacts answer in the same step.
"""

from __future__ import annotations

import numpy as np
import pymunk
from numba import njit
from pymunk import batch

from bench.engines import Peer
from bench.scenes import DT_S, Start, walls_of
from robohockey_core.league import League

# Chipmunk's tolerances suit bodies of some units: centimetres.
UNIT = 100.0
ITERATIONS = 10
SLOP_M = 1e-4

_STATE = batch.BodyFields.POSITION | batch.BodyFields.ANGLE | batch.BodyFields.VELOCITY | batch.BodyFields.ANGULAR_VELOCITY
_FORCE = batch.BodyFields.FORCE | batch.BodyFields.TORQUE
_ROBOT, _PUCK, _WALL, _MOUTH = 1, 2, 4, 8


class PymunkEngine(Peer):
    settings = (
        f"pymunk {pymunk.version}; {ITERATIONS} iterations, slop {SLOP_M * 1e3:g} mm, no friction, no sleeping, "
        "velocities reached by forces set in bulk, a call for each step"
    )

    def __init__(self, league: League, start: Start) -> None:
        super().__init__(league, start)
        self._space = pymunk.Space()
        self._space.iterations = ITERATIONS
        self._space.collision_slop = SLOP_M * UNIT
        self._add_walls()
        robot, puck = league.robot, league.puck
        size = (robot.length_m * UNIT, robot.width_m * UNIT)
        moment = pymunk.moment_for_box(robot.mass_kg, size)
        self._robot_load, self._puck_load = (robot.mass_kg / DT_S, moment / DT_S), puck.mass_kg / DT_S
        for x_m, y_m, yaw_rad in start.poses.tolist():
            body = pymunk.Body(robot.mass_kg, moment)
            body.position, body.angle = (x_m * UNIT, y_m * UNIT), yaw_rad
            # Chipmunk multiplies the two shares of elasticity; the puck's is 1.
            self._add(body, pymunk.Poly.create_box(body, size), _ROBOT, _ROBOT | _PUCK | _WALL | _MOUTH, puck.robot_restitution)
        body = pymunk.Body(puck.mass_kg, pymunk.moment_for_circle(puck.mass_kg, 0.0, puck.radius_m * UNIT))
        x_m, y_m, vx_m_s, vy_m_s = start.puck.tolist()
        body.position, body.velocity = (x_m * UNIT, y_m * UNIT), (vx_m_s * UNIT, vy_m_s * UNIT)
        self._add(body, pymunk.Circle(body, puck.radius_m * UNIT), _PUCK, _ROBOT | _WALL, 1.0)
        self._puck_body = body
        # One row for each body in the order of adding; the space's own static body comes last.
        rows = len(self.poses) + 2
        # With one row to spare: pymunk reallocates a buffer that is full, also when it is numpy's.
        self._state, self._force = np.zeros((rows + 1, 6)), np.zeros((rows, 3))
        self._out, self._in = batch.Buffer(), batch.Buffer()
        self._out.set_float_buf(self._state)
        self._in.set_float_buf(self._force)

    def read(self) -> None:
        self._out.clear()
        batch.get_space_bodies(self._space, _STATE, self._out)
        _unpack(self._state, self.poses, self.puck)

    look = read

    def push(self) -> None:
        _pack(self._robot_load, self._puck_load, self._state, self.twists, self.puck, self._force)
        batch.set_space_bodies(self._space, _FORCE, self._in)

    def advance(self, steps: int) -> None:
        step = self._space.step
        for _ in range(steps):
            step(DT_S)

    def put_puck(self, x_m: float, y_m: float) -> None:
        self._puck_body.position, self._puck_body.velocity = (x_m * UNIT, y_m * UNIT), (0.0, 0.0)

    def _add_walls(self) -> None:
        body = self._space.static_body
        for wall in walls_of(self.sizes):
            turn = pymunk.Transform.translation(wall.x_m * UNIT, wall.y_m * UNIT).rotated(wall.yaw_rad)
            ahead, aside = wall.half_length_m * UNIT, wall.half_width_m * UNIT
            corners = [(ahead, aside), (-ahead, aside), (-ahead, -aside), (ahead, -aside)]
            shape = pymunk.Poly(body, corners, transform=turn)
            shape.elasticity = self.league.puck.wall_restitution
            shape.filter = pymunk.ShapeFilter(categories=_MOUTH if wall.robots_only else _WALL)
            self._space.add(shape)

    def _add(self, body: pymunk.Body, shape: pymunk.Shape, category: int, mask: int, elasticity: float) -> None:
        shape.elasticity = elasticity
        shape.filter = pymunk.ShapeFilter(categories=category, mask=mask)
        self._space.add(body, shape)


class PymunkEachStep(PymunkEngine):
    each_step = True


@njit(cache=True)
def _unpack(state, poses, puck):
    count = poses.shape[0]
    for i in range(count):
        poses[i, 0], poses[i, 1], poses[i, 2] = state[i, 0] / UNIT, state[i, 1] / UNIT, state[i, 2]
    puck[0], puck[1], puck[2], puck[3] = (
        state[count, 0] / UNIT,
        state[count, 1] / UNIT,
        state[count, 3] / UNIT,
        state[count, 4] / UNIT,
    )


@njit(cache=True)
def _pack(robot_load, puck_load, state, twists, puck, force):
    count = twists.shape[0]
    for i in range(count):
        force[i, 0] = robot_load[0] * (twists[i, 0] * UNIT - state[i, 3])
        force[i, 1] = robot_load[0] * (twists[i, 1] * UNIT - state[i, 4])
        force[i, 2] = robot_load[1] * (twists[i, 2] - state[i, 5])
    force[count, 0] = puck_load * (puck[2] * UNIT - state[count, 3])
    force[count, 1] = puck_load * (puck[3] * UNIT - state[count, 4])
