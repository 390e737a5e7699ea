"""MuJoCo, kept in the plane by two slides and a hinge for each body."""

from __future__ import annotations

import math

import mujoco

from bench.engines import Peer
from bench.scenes import DT_S, GRAVITY_M_S2, Start, walls_of
from robohockey_core.league import League

# The shortest time constant that MuJoCo's manual advises for contacts: two steps.
CONTACT_RATE_PER_S = 1.0 / (2.0 * DT_S)
# A robot's motors reach the asked velocity with this time constant, with no more force than its tyres pass on.
MOTOR_TIME_S = 0.005
SOLVER_ITERATIONS = 10

_ROBOT, _PUCK, _WALL, _MOUTH = 1, 2, 4, 8


class MujocoEngine(Peer):
    settings = (
        f"MuJoCo {mujoco.__version__}; planar joints with velocity actuators, implicitfast, Newton with "
        f"{SOLVER_ITERATIONS} iterations, condim 1, contact time constant {1e3 / CONTACT_RATE_PER_S:g} ms, no gravity, "
        "as many steps in a call as can be"
    )

    def __init__(self, league: League, start: Start) -> None:
        super().__init__(league, start)
        self._model = mujoco.MjModel.from_xml_string(self._xml())
        self._data = mujoco.MjData(self._model)
        self._data.qpos[:-2] = start.poses.ravel()
        # MuJoCo's own memory, seen as the arrays that others fill.
        self.poses = self._data.qpos[:-2].reshape(-1, 3)
        self.twists = self._data.ctrl.reshape(-1, 3)
        self._puck_place, self._puck_velocity = self._data.qpos[-2:], self._data.qvel[-2:]
        self._puck_place[:], self._puck_velocity[:] = start.puck[:2], start.puck[2:]
        mujoco.mj_forward(self._model, self._data)

    def read(self) -> None:
        self.puck[:2] = self._puck_place
        self.puck[2:] = self._puck_velocity

    def look(self) -> None:
        self.puck[2:] = self._puck_velocity

    def push(self) -> None:
        self._puck_velocity[:] = self.puck[2:]

    def advance(self, steps: int) -> None:
        mujoco.mj_step(self._model, self._data, steps)

    def put_puck(self, x_m: float, y_m: float) -> None:
        self._puck_place[:] = x_m, y_m
        self._puck_velocity[:] = 0.0

    def _xml(self) -> str:
        robot, puck = self.league.robot, self.league.puck
        height_m = robot.height_m / 2.0
        # The higher priority decides how a contact bounces: walls before the puck before robots.
        walls = "".join(
            f'<geom type="box" size="{w.half_length_m} {w.half_width_m} {height_m}" pos="{w.x_m} {w.y_m} 0" '
            f'euler="0 0 {w.yaw_rad}" contype="{_MOUTH if w.robots_only else _WALL}" conaffinity="0" priority="2" '
            f'solref="{_solref(puck.wall_restitution)}"/>'
            for w in walls_of(self.sizes)
        )
        inertia = robot.mass_kg * (robot.length_m**2 + robot.width_m**2) / 12.0
        grip_n = robot.mass_kg * GRAVITY_M_S2
        drives = ((robot.mass_kg, grip_n), (robot.mass_kg, grip_n), (inertia, grip_n * robot.wheel_base_m / 2.0))
        robots, actuators = "", ""
        for i in range(len(self.poses)):
            # Two robots meet through one's contype and the other's conaffinity.
            robots += (
                f'<body name="r{i}">{_joints(f"r{i}", yaw=True)}'
                f'<inertial pos="0 0 0" mass="{robot.mass_kg}" diaginertia="{inertia} {inertia} {inertia}"/>'
                f'<geom type="box" size="{robot.length_m / 2} {robot.width_m / 2} {height_m}" '
                f'contype="{_ROBOT}" conaffinity="{_ROBOT | _PUCK | _WALL | _MOUTH}" solref="{_solref(0.0)}"/></body>'
            )
            for axis, (load, limit) in zip(("x", "y", "yaw"), drives, strict=True):
                actuators += f'<velocity joint="r{i}{axis}" kv="{load / MOTOR_TIME_S}" forcerange="{-limit} {limit}"/>'
        # In the plane a sphere at the height of the boxes' middle touches as a disc does, and costs less.
        disc = (
            f'<body name="puck">{_joints("puck", yaw=False)}'
            f'<inertial pos="0 0 0" mass="{puck.mass_kg}" diaginertia="1 1 1"/>'
            f'<geom type="sphere" size="{puck.radius_m}" contype="{_PUCK}" conaffinity="{_WALL}" priority="1" '
            f'solref="{_solref(puck.robot_restitution)}"/></body>'
        )
        return (
            f'<mujoco><compiler angle="radian"/><option timestep="{DT_S}" integrator="implicitfast" solver="Newton" '
            f'iterations="{SOLVER_ITERATIONS}" gravity="0 0 0"/>'
            f'<default><geom condim="1"/></default><worldbody>{walls}{robots}{disc}</worldbody>'
            f"<actuator>{actuators}</actuator></mujoco>"
        )


class MujocoEachStep(MujocoEngine):
    each_step = True


def _joints(name: str, *, yaw: bool) -> str:
    slides = "".join(
        f'<joint name="{name}{axis}" type="slide" axis="{direction}"/>' for axis, direction in (("x", "1 0 0"), ("y", "0 1 0"))
    )
    return slides + (f'<joint name="{name}yaw" type="hinge" axis="0 0 1"/>' if yaw else "")


def _solref(restitution: float) -> str:
    """Stiffness and damping of a contact that gives back this share of the speed: a damped spring's half swing."""
    lost = -math.log(restitution) if restitution > 0.0 else math.inf
    damping_ratio = lost / math.hypot(math.pi, lost) if math.isfinite(lost) else 1.0
    return f"{-(CONTACT_RATE_PER_S**2)} {-2.0 * damping_ratio * CONTACT_RATE_PER_S}"
