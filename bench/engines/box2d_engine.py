"""Box2D 2.3, through the Python binding of the same version."""

from __future__ import annotations

import math

import Box2D

from bench.engines import Peer
from bench.scenes import DT_S, Start, walls_of
from robohockey_core.league import League

# Box2D is made for bodies of 0.1 to 10 units, with a slop of 0.005: decimetres.
UNIT = 10.0
VELOCITY_ITERATIONS, POSITION_ITERATIONS = 8, 3

_ROBOT, _PUCK, _WALL, _MOUTH = 1, 2, 4, 8


class Box2dEngine(Peer):
    settings = (
        f"Box2D {Box2D.__version__}; {VELOCITY_ITERATIONS} velocity and {POSITION_ITERATIONS} position iterations, the puck a "
        "bullet, no friction, no sleeping, a call for each step"
    )

    def __init__(self, league: League, start: Start) -> None:
        super().__init__(league, start)
        self._world = Box2D.b2World(gravity=(0.0, 0.0), doSleep=False)
        robot, puck = league.robot, league.puck
        # Box2D takes the greater of two restitutions.
        for wall in walls_of(self.sizes):
            box = Box2D.b2PolygonShape(box=(wall.half_length_m * UNIT, wall.half_width_m * UNIT))
            category = _MOUTH if wall.robots_only else _WALL
            self._world.CreateStaticBody(
                position=(wall.x_m * UNIT, wall.y_m * UNIT),
                angle=wall.yaw_rad,
                fixtures=_fixture(box, 0.0, puck.wall_restitution, category, _ROBOT | _PUCK),
            )
        half = (robot.length_m * UNIT / 2.0, robot.width_m * UNIT / 2.0)
        density = robot.mass_kg / (robot.length_m * robot.width_m * UNIT * UNIT)
        self._robots = [
            self._world.CreateDynamicBody(
                position=(x_m * UNIT, y_m * UNIT),
                angle=yaw_rad,
                fixtures=_fixture(
                    Box2D.b2PolygonShape(box=half), density, puck.robot_restitution, _ROBOT, _ROBOT | _PUCK | _WALL | _MOUTH
                ),
            )
            for x_m, y_m, yaw_rad in start.poses.tolist()
        ]
        x_m, y_m, vx_m_s, vy_m_s = start.puck.tolist()
        disc, density = Box2D.b2CircleShape(radius=puck.radius_m * UNIT), puck.mass_kg / (math.pi * (puck.radius_m * UNIT) ** 2)
        self._puck = self._world.CreateDynamicBody(
            position=(x_m * UNIT, y_m * UNIT),
            linearVelocity=(vx_m_s * UNIT, vy_m_s * UNIT),
            bullet=True,
            fixtures=_fixture(disc, density, 0.0, _PUCK, _ROBOT | _WALL),
        )

    def read(self) -> None:
        rows = []
        for body in self._robots:
            x, y = body.position
            rows.append((x / UNIT, y / UNIT, body.angle))
        self.poses[:] = rows
        x, y = self._puck.position
        vx, vy = self._puck.linearVelocity
        self.puck[:] = x / UNIT, y / UNIT, vx / UNIT, vy / UNIT

    def look(self) -> None:
        self.poses[:, 2] = [body.angle for body in self._robots]
        vx, vy = self._puck.linearVelocity
        self.puck[2:] = vx / UNIT, vy / UNIT

    def push(self) -> None:
        for body, (vx_m_s, vy_m_s, yaw_rate_rad_s) in zip(self._robots, self.twists.tolist(), strict=True):
            body.linearVelocity = (vx_m_s * UNIT, vy_m_s * UNIT)
            body.angularVelocity = yaw_rate_rad_s
        _, _, vx_m_s, vy_m_s = self.puck.tolist()
        self._puck.linearVelocity = (vx_m_s * UNIT, vy_m_s * UNIT)

    def advance(self, steps: int) -> None:
        step = self._world.Step
        for _ in range(steps):
            step(DT_S, VELOCITY_ITERATIONS, POSITION_ITERATIONS)

    def put_puck(self, x_m: float, y_m: float) -> None:
        self._puck.position = (x_m * UNIT, y_m * UNIT)
        self._puck.linearVelocity = (0.0, 0.0)


class Box2dEachStep(Box2dEngine):
    each_step = True


def _fixture(shape: Box2D.b2Shape, density: float, restitution: float, category: int, mask: int) -> Box2D.b2FixtureDef:
    return Box2D.b2FixtureDef(
        shape=shape, density=density, friction=0.0, restitution=restitution, categoryBits=category, maskBits=mask
    )
