"""The same scenes in an independent engine, pymunk (Chipmunk): free flight, driving, and bounces of every pair of bodies.

pymunk gets the league's masses, sizes, restitution and friction and a fine step of its own. The floor's Coulomb friction is
its pivot joint with a limited force, Klancar's damping its own damping, and the curve of a robot a hinge about Chen's
centre of rotation. So nothing here is computed by our formulas twice.

Tolerances come from what both engines are:

* pymunk sees an impact up to a step late, and a body is then up to one step of its speed off, on both legs of the way;
* our robots bounce off each other and off boards within the step of the impact, a step of their speed early at most, and
  feel what the puck does to them from the next step on;
* where a round body meets a corner, pymunk's normal is off by the depth of its overlap over the radius;
* velocities differ by that, and by what is left when solving stops (1e-6 of a speed; 1e-4 for two contact points at once).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pymunk
import pytest
from headless import alone, put

from robohockey_core.commands import WheelCommand
from robohockey_core.league import League, load_league
from robohockey_core.names import BLUE, PUCK, RobotId
from robohockey_core.state import BodyState, Pose2D, Twist2D

GRAVITY_M_S2 = 9.81
HOCKEY = load_league("micro_hockey")
DT_S = HOCKEY.timing.physics_dt_s
PEER_DT_S = 2e-5
# Chipmunk's tolerances suit bodies of some units: centimetres.
UNIT = 100.0


def at(x: float, y: float, yaw: float = 0.0, vx: float = 0.0, vy: float = 0.0, turn: float = 0.0) -> BodyState:
    return BodyState(Pose2D(x, y, yaw), Twist2D(vx, vy, turn))


def gliding(**changes: dict[str, float]) -> League:
    """Robots on tyres that hold nothing and a floor without friction, so that contacts alone act."""
    puck = {"sliding_friction": 0.0, **changes.get("puck", {})}
    robot = {"tyre_traction": 1e-12, **changes.get("robot", {})}
    return replace(HOCKEY, puck=replace(HOCKEY.puck, **puck), robot=replace(HOCKEY.robot, **robot))


class Peer:
    """One rink in pymunk."""

    def __init__(self, league: League, bodies: dict[str, BodyState]) -> None:
        self.space = pymunk.Space()
        self.space.iterations = 60
        self.space.collision_slop = 1e-7 * UNIT
        self.space.damping = math.exp(-league.puck.rolling_damping_per_s)
        self._walls(league)
        self.bodies = {name: self._body(league, name, state) for name, state in bodies.items()}

    def step(self, duration_s: float) -> None:
        for _ in range(round(duration_s / PEER_DT_S)):
            self.space.step(PEER_DT_S)

    def hinge(self, name: str, x_m: float, y_m: float) -> None:
        body = self.bodies[name]
        self.space.add(pymunk.PivotJoint(self.space.static_body, body, (x_m * UNIT, y_m * UNIT)))

    def state(self, name: str) -> BodyState:
        body = self.bodies[name]
        (x, y), (vx, vy) = body.position, body.velocity
        return at(x / UNIT, y / UNIT, body.angle, vx / UNIT, vy / UNIT, body.angular_velocity)

    def _body(self, league: League, name: str, state: BodyState) -> pymunk.Body:
        robot, puck = league.robot, league.puck
        if name == PUCK:
            body = pymunk.Body(puck.mass_kg, pymunk.moment_for_circle(puck.mass_kg, 0.0, puck.radius_m * UNIT))
            shape: pymunk.Shape = pymunk.Circle(body, puck.radius_m * UNIT)
        else:
            size = (robot.length_m * UNIT, robot.width_m * UNIT)
            body = pymunk.Body(robot.mass_kg, pymunk.moment_for_box(robot.mass_kg, size))
            shape = pymunk.Poly.create_box(body, size)
        body.position, body.angle = (state.pose.x_m * UNIT, state.pose.y_m * UNIT), state.pose.yaw_rad
        body.velocity, body.angular_velocity = (
            (state.twist.vx_m_s * UNIT, state.twist.vy_m_s * UNIT),
            state.twist.yaw_rate_rad_s,
        )
        self.space.add(body, shape)
        shape.collision_type = 1 if name == PUCK else 2
        if name == PUCK and puck.sliding_friction:
            floor = pymunk.PivotJoint(self.space.static_body, body, tuple(body.position), (0.0, 0.0))
            floor.max_bias, floor.max_force = 0.0, puck.sliding_friction * puck.mass_kg * GRAVITY_M_S2 * UNIT
            self.space.add(floor)
        return body

    def _walls(self, league: League) -> None:
        """Boards between the rounded corners, far enough for the scenes, and one goal's posts."""
        rink, static = league.rink, self.space.static_body
        x, y, post = rink.length_m / 2.0, rink.width_m / 2.0, rink.goal_width_m / 2.0
        flat_x, flat_y, thick = x - rink.corner_radius_m, y - rink.corner_radius_m, 0.2
        boxes = [(-flat_x, y, flat_x, y + thick), (-flat_x, -y - thick, flat_x, -y)]
        boxes += [(sign * x, side * post, sign * (x + thick), side * flat_y) for sign in (-1, 1) for side in (-1, 1)]
        for x0, y0, x1, y1 in boxes:
            corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
            shape = pymunk.Poly(static, [(a * UNIT, b * UNIT) for a, b in corners])
            shape.collision_type = 3
            self.space.add(shape)
        # Restitution and friction stand for pairs of surfaces, which pymunk's shares for each shape cannot say.
        puck, robot = league.puck, league.robot
        pairs = {
            (1, 3): (puck.wall_restitution, puck.wall_friction),
            (1, 2): (puck.robot_restitution, puck.robot_friction),
            (2, 2): (robot.robot_restitution, robot.robot_friction),
            (2, 3): (robot.wall_restitution, robot.wall_friction),
        }
        for kinds, surface in pairs.items():
            self.space.on_collision(*kinds, pre_solve=_with(*surface))


def _with(restitution: float, friction: float) -> Callable[[pymunk.Arbiter, pymunk.Space, object], None]:
    def pre_solve(arbiter: pymunk.Arbiter, _space: pymunk.Space, _data: object) -> None:
        arbiter.restitution, arbiter.friction = restitution, friction

    return pre_solve


@dataclass(frozen=True)
class Scene:
    """Bodies at the start, how long they go, and how far the engines may be apart in the end."""

    bodies: dict[str, BodyState]
    duration_s: float
    apart_m: float
    apart_m_s: float
    league: League = field(default_factory=lambda: gliding(puck=SMOOTH))
    wheels_rad_s: tuple[float, float] = (0.0, 0.0)
    hinge_m: tuple[float, float] | None = None
    """Where pymunk hinges blue/0, the centre of its curve."""


SMOOTH = {"wall_friction": 0.0, "robot_friction": 0.0}
RESTING = at(0.0, 0.1)
ARC_M, ARC_RAD_S = 0.25, 1.6
RIM_M_S = tuple(ARC_RAD_S * (ARC_M + side * HOCKEY.robot.wheel_base_m / 2.0) for side in (-1.0, 1.0))

# The puck: one of pymunk's steps before the impact and one after, at up to 2 m/s.
PUCK_M, FLAT_M_S = 1e-4, 1e-6
# Its normal at a corner is off by 2 m/s * 20 us / 25 mm, which turns the velocity by twice that.
CORNER_M, CORNER_M_S = 2e-3, 7e-3
# Robots: a step of 1 ms at 1.3 m/s; while the gap is open, levers of 40 mm look longer by it: 3 % of some 0.5 m/s.
ROBOT_M, ROBOT_M_S = 2.5e-3, 1.5e-2

SCENES = {
    "puck slides to rest": Scene({PUCK: at(-0.5, 0.1, vx=0.3, vy=0.1)}, 2.0, PUCK_M, FLAT_M_S, HOCKEY),
    "puck slides, fast": Scene({PUCK: at(-0.8, 0.1, vx=2.0, vy=0.3)}, 0.8, PUCK_M, FLAT_M_S, HOCKEY),
    "ball rolls out, damped": Scene(
        {PUCK: at(-0.5, 0.1, vx=1.0)}, 0.9, PUCK_M, FLAT_M_S, gliding(puck={"rolling_damping_per_s": 0.35})
    ),
    "puck to board, straight": Scene({PUCK: at(0.0, 0.3, vy=1.0)}, 0.5, PUCK_M, FLAT_M_S),
    "puck to board, 30 degrees": Scene({PUCK: at(0.0, 0.3, vx=0.5, vy=0.9)}, 0.5, PUCK_M, FLAT_M_S),
    "puck to board, 60 degrees, rubbing": Scene({PUCK: at(-0.2, 0.3, vx=0.9, vy=0.5)}, 0.7, PUCK_M, FLAT_M_S, gliding()),
    "puck to board, rolling off": Scene(
        {PUCK: at(-0.2, 0.3, vx=0.9, vy=0.5)}, 0.7, PUCK_M, FLAT_M_S, gliding(puck={"wall_friction": 0.6})
    ),
    "spinning puck to board": Scene({PUCK: at(-0.2, 0.3, vx=0.2, vy=1.0, turn=-60.0)}, 0.5, PUCK_M, FLAT_M_S, gliding()),
    "puck to three boards": Scene({PUCK: at(0.4, 0.3, vx=0.8, vy=1.0)}, 1.5, 3.0 * PUCK_M, FLAT_M_S),
    "puck to post": Scene({PUCK: at(0.8, 0.19, vx=1.0)}, 0.3, CORNER_M, CORNER_M_S),
    "puck to resting robot's face": Scene({PUCK: at(-0.3, 0.1, vx=2.0), "blue/0": RESTING}, 0.3, PUCK_M, FLAT_M_S),
    "puck to resting robot's face, off centre": Scene({PUCK: at(-0.3, 0.12, vx=2.0), "blue/0": RESTING}, 0.3, PUCK_M, 1e-5),
    "puck to resting robot's corner": Scene({PUCK: at(-0.3, 0.15, vx=2.0), "blue/0": RESTING}, 0.3, CORNER_M, CORNER_M_S),
    "moving robot to resting puck": Scene({PUCK: at(0.1, 0.1), "blue/0": at(-0.1, 0.1, vx=1.0)}, 0.3, PUCK_M, FLAT_M_S),
    "moving, turning robot to moving puck": Scene(
        {PUCK: at(0.1, 0.13, vx=-1.0), "blue/0": at(-0.1, 0.1, vx=1.0, turn=3.0)}, 0.3, 2.0 * PUCK_M, 1e-4
    ),
    "two robots head-on": Scene(
        {"blue/0": at(-0.2, 0.1, vx=0.8), "red/0": at(0.1, 0.1, math.pi, vx=-0.5)}, 0.3, ROBOT_M, ROBOT_M_S
    ),
    "two robots, half beside each other": Scene(
        {"blue/0": at(-0.2, 0.1, vx=1.0), "red/0": at(0.1, 0.15)}, 0.3, ROBOT_M, ROBOT_M_S
    ),
    "two robots, oblique": Scene(
        {"blue/0": at(-0.2, 0.1, vx=1.0, vy=0.3), "red/0": at(0.1, 0.17, vx=-0.2)}, 0.3, ROBOT_M, ROBOT_M_S
    ),
    "robot's corner to robot's side": Scene(
        {"blue/0": at(-0.2, 0.1, math.pi / 4.0, vx=1.0), "red/0": at(0.1, 0.12)}, 0.3, ROBOT_M, ROBOT_M_S
    ),
    "robot to board, flush": Scene({"blue/0": at(0.0, 0.4, math.pi / 2.0, vy=1.0)}, 0.3, ROBOT_M, ROBOT_M_S),
    "robot to board, one corner": Scene({"blue/0": at(0.0, 0.4, 0.3, vx=0.3, vy=1.0)}, 0.2, ROBOT_M, ROBOT_M_S),
    "robot drives an arc": Scene(
        {"blue/0": at(0.0, -0.3, vx=ARC_RAD_S * ARC_M, turn=ARC_RAD_S)},
        2.0,
        PUCK_M,
        FLAT_M_S * 10.0,
        HOCKEY,
        wheels_rad_s=tuple(rim / HOCKEY.robot.wheel_radius_m for rim in RIM_M_S),
        hinge_m=(0.0, -0.3 + ARC_M),
    ),
}

# Off centre with friction, the robot's turning couples the impulses along and across the normal.
COUPLED_SCENES = {
    "puck to resting robot's face, off centre, rubbing": Scene(
        {PUCK: at(-0.3, 0.12, vx=2.0, vy=0.1), "blue/0": RESTING}, 0.3, PUCK_M, 1e-4, gliding()
    ),
    "moving, turning robot to moving puck, rubbing": Scene(
        {PUCK: at(0.1, 0.13, vx=-1.0), "blue/0": at(-0.1, 0.1, vx=1.0, turn=3.0)}, 0.3, 2.0 * PUCK_M, 1e-4, gliding()
    ),
}


def farthest_apart(scene: Scene, dt_s: float) -> tuple[float, float]:
    """Play a scene in both engines; the largest distance and difference of speed of any point of any body at the end."""
    league = replace(scene.league, timing=replace(scene.league.timing, physics_dt_s=dt_s))
    world, peer = alone(league), Peer(league, scene.bodies)
    put(world, **{name.replace("/", "_"): state for name, state in scene.bodies.items()})
    world.command(RobotId(BLUE, 0), WheelCommand(scene.wheels_rad_s))
    if scene.hinge_m is not None:
        peer.hinge("blue/0", *scene.hinge_m)
    world.step(round(scene.duration_s / dt_s))
    peer.step(scene.duration_s)
    apart_m = apart_m_s = 0.0
    for name in scene.bodies:
        ours, theirs = world.body(name), peer.state(name)
        reach_m = league.puck.radius_m if name == PUCK else league.robot.circumradius_m
        turned_rad = 0.0 if name == PUCK else abs(math.remainder(ours.pose.yaw_rad - theirs.pose.yaw_rad, math.tau))
        turns_rad_s = abs(ours.twist.yaw_rate_rad_s - theirs.twist.yaw_rate_rad_s)
        apart_m = max(apart_m, math.dist(ours.pose[:2], theirs.pose[:2]) + reach_m * turned_rad)
        apart_m_s = max(apart_m_s, math.dist(ours.twist[:2], theirs.twist[:2]) + reach_m * turns_rad_s)
    return apart_m, apart_m_s


def check(name: str, scene: Scene, dt_s: float = DT_S, share: float = 1.0) -> None:
    apart_m, apart_m_s = farthest_apart(scene, dt_s)
    row = f"{name}: {apart_m:.2e} m (allowed {share * scene.apart_m:.1e}), {apart_m_s:.2e} m/s ({share * scene.apart_m_s:.1e})"
    print(row)
    assert apart_m <= share * scene.apart_m, row
    assert apart_m_s <= share * scene.apart_m_s, row


@pytest.mark.parametrize("name", SCENES)
def test_pymunk_agrees(name):
    check(name, SCENES[name])


@pytest.mark.parametrize("name", [name for name, scene in SCENES.items() if scene.apart_m == ROBOT_M])
def test_pymunk_agrees_ten_times_better_on_robots_at_a_tenth_of_the_step(name):
    """What is left between the engines is the step, and not another law of impact."""
    check(name, SCENES[name], DT_S / 10.0, 0.1)


@pytest.mark.parametrize("name", COUPLED_SCENES)
def test_pymunk_agrees_where_friction_turns_the_robot(name):
    check(name, COUPLED_SCENES[name])
