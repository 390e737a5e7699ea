"""The simulated rink: state arrays, commands in, states out. Pure, seeded, without a clock."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robohockey_core.angles import wrap
from robohockey_core.checked import InputError, did_you_mean
from robohockey_core.commands import WheelCommand
from robohockey_core.formation import face_off_formation
from robohockey_core.geometry import OrientedBox
from robohockey_core.joints import JointSample, bodies_of, bodies_sample, complaint
from robohockey_core.league import League
from robohockey_core.names import PUCK, RobotId, body_joints
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_sim.boundary import nearest_inside
from robohockey_sim.constants import GRAVITY_M_S2, box_outline, make_constants
from robohockey_sim.drive_parameters import drive_parameters, model_of
from robohockey_sim.kernel import advance
from robohockey_sim.layout import (
    FORWARD,
    HELD_STEPS,
    KICK,
    OWNED,
    PAIR_BUDGET_M,
    SIN,
    SIN0,
    TURN,
    VX,
    VY,
    WHEELS,
    X0,
    YAW,
    X,
    Y,
    robot_matrix,
)
from robohockey_sim.robots import contact_room

# Places are given in decimal fractions: this much of an overlap is rounding.
_TOUCHING_M = 1e-6


class World:
    """Robots and puck of one match.

    It simulates the bodies that it owns. The others, real ones that a camera tracks, are moved by
    `follow` and stand in the way of the simulated ones.
    """

    def __init__(self, league: League, owned: Iterable[str] | None = None) -> None:
        self.league = league
        self.robots = league.robots()
        self.bodies = (*map(str, self.robots), PUCK)
        self.owned = tuple(owned) if owned is not None else self.bodies
        for body in self.owned:
            if body not in self.bodies:
                raise InputError(f"{body}: no such body in {league.name}{did_you_mean(body, self.bodies)}")
        drive = league.robot.make_drive()
        self.wheel_names = drive.wheel_names
        self._twist_to_wheels = drive.matrix
        self._constants = make_constants(league)
        self._model = model_of(league.robot)
        self._drive = drive_parameters(league.robot, GRAVITY_M_S2)
        self._outline = box_outline(league.robot.length_m, league.robot.width_m)
        self._wheels_to_twist = np.ascontiguousarray(drive.inverse)
        self._row = {robot: i for i, robot in enumerate(self.robots)}
        count = len(self.robots)
        wheels = len(self.wheel_names)
        self._r = robot_matrix(count, wheels)
        self._speed_columns, self._command_columns, self._angle_columns = (
            slice(WHEELS + k * wheels, WHEELS + (k + 1) * wheels) for k in range(3)
        )
        self._r[:, OWNED] = [str(robot) in self.owned for robot in self.robots]
        self._puck = np.zeros(5)
        self._near = np.zeros(count, dtype=np.int64)
        self._pairs = np.zeros((count * (count - 1) // 2, 2), dtype=np.int64)
        self._who, self._contact, self._memory = contact_room(count)
        self._notes = np.zeros(5)
        self.reset()

    def reset(self) -> None:
        """Back to the face-off at time zero."""
        self.steps_done = 0
        for values in (self._r[:, :OWNED], self._r[:, OWNED + 1 :], self._puck, self._memory, self._notes):
            values[:] = 0.0
        for robot, pose in face_off_formation(self.league).items():
            self._put(str(robot), BodyState(pose))

    @property
    def time_s(self) -> float:
        return self.steps_done * self.league.timing.physics_dt_s

    def command(self, robot: RobotId, command: WheelCommand) -> None:
        """Set what a robot's wheels and kicker are asked to do from now on."""
        row = self._r[self._row[robot]]
        row[self._command_columns] = command.wheel_speeds_rad_s
        row[KICK] = command.kick_power

    def step(self, steps: int) -> None:
        """Advance by whole physics steps."""
        advance(
            self._constants,
            self._r,
            self._model,
            self._drive,
            self._wheels_to_twist,
            self._outline,
            self._puck,
            PUCK in self.owned,
            self._near,
            self._pairs,
            self._who,
            self._contact,
            self._memory,
            self._notes,
            steps,
        )
        self.steps_done += steps

    def body(self, name: str) -> BodyState:
        """The true state of one body."""
        if name == PUCK:
            x, y, vx, vy, spin = self._puck.tolist()
            return BodyState(Pose2D(x, y), Twist2D(vx, vy, spin))
        row = self._r[self.bodies.index(name)].tolist()
        return BodyState(Pose2D(row[X], row[Y], wrap(row[YAW])), Twist2D(row[VX], row[VY], row[TURN]))

    def truth(self) -> JointSample:
        """The true state of every body."""
        return bodies_sample(self.time_s, {name: self.body(name) for name in self.bodies})

    def detections(self) -> JointSample:
        """What a perfect camera sees of the owned bodies: places, no speeds."""
        names = tuple(joint for body in self.owned for joint in body_joints(body))
        position = np.array([value for body in self.owned for value in self.body(body).pose])
        return JointSample(self.time_s, names, position)

    def wheel_states(self) -> JointSample:
        """Measured wheel angles and speeds of the owned robots."""
        rows = self._r[:, OWNED] > 0.0
        robots = [robot for robot, owned in zip(self.robots, rows, strict=True) if owned]
        names = tuple(robot.joint(wheel) for robot in robots for wheel in self.wheel_names)
        return JointSample(
            self.time_s, names, self._r[rows, self._angle_columns].ravel(), self._r[rows, self._speed_columns].ravel()
        )

    def follow(self, bodies: Mapping[str, BodyState]) -> None:
        """Take over the tracked states of bodies that this world does not own."""
        for name, state in bodies.items():
            if name not in self.owned and name in self.bodies:
                self._put(name, state)

    def set_state(self, sample: JointSample) -> None:
        """Move the bodies that the sample names. Raises InputError, and then nothing has changed."""
        wrong = complaint(sample)
        if wrong:
            raise InputError(f"set_state: {wrong}")
        known = {joint for body in self.owned for joint in body_joints(body)}
        for index, name in enumerate(sample.names):
            if name not in known:
                raise InputError(f"set_state: {name}: no joint of a body that is simulated here")
            for values in (sample.position, sample.velocity):
                if len(values) and not math.isfinite(values[index]):
                    raise InputError(f"set_state: {name} = {values[index]}: must be finite")
        moved = bodies_of(sample)
        unnamed = {name.rpartition("/")[0] for name in sample.names} - moved.keys()
        if unnamed:
            raise InputError(f"set_state: {sorted(unnamed)[0]}: needs both x and y")
        self._refuse_bad_places({**{body: self.body(body) for body in self.bodies}, **moved}, moved)
        for name, state in moved.items():
            self._put(name, state)

    def snapshot(self) -> object:
        """Everything that `restore` needs to go on from here, bit for bit."""
        return self.steps_done, tuple(values.copy() for values in self._mutable())

    def restore(self, snapshot: object) -> None:
        """Go back to a snapshot of this world, or of another one of the same league."""
        self.steps_done, kept = snapshot  # type: ignore[misc]
        for values, then in zip(self._mutable(), kept, strict=True):  # type: ignore[has-type]
            values[...] = then

    def _mutable(self) -> tuple[NDArray[Any], ...]:
        return self._r, self._puck, self._pairs, self._memory, self._notes

    def _put(self, name: str, state: BodyState) -> None:
        # Somebody moved: no pair is known to be far apart, and the puck is no longer known to be held.
        self._notes[PAIR_BUDGET_M] = self._notes[HELD_STEPS] = 0.0
        if name == PUCK:
            self._puck[:] = (state.pose.x_m, state.pose.y_m, *state.twist)
            return
        row = self._r[self.bodies.index(name)]
        cos, sin = math.cos(state.pose.yaw_rad), math.sin(state.pose.yaw_rad)
        vx, vy, yaw_rate = state.twist
        body_twist = np.array([cos * vx + sin * vy, cos * vy - sin * vx, yaw_rate])
        row[X : SIN + 1] = row[X0 : SIN0 + 1] = (*state.pose, cos, sin)
        row[VX], row[VY] = vx, vy
        row[FORWARD : TURN + 1] = body_twist
        row[self._speed_columns] = self._twist_to_wheels @ body_twist

    def _refuse_bad_places(self, bodies: Mapping[str, BodyState], moved: Mapping[str, BodyState]) -> None:
        for name in moved:
            over_m = self._over_boards_m(name, bodies[name])
            if over_m > _TOUCHING_M:
                rink, pose = self.league.rink, bodies[name].pose
                raise InputError(
                    f"set_state: {name} at ({pose.x_m:g}, {pose.y_m:g}) is {over_m:g} m outside; allowed: within "
                    f"{rink.length_m:g} x {rink.width_m:g} m around the centre, corners rounded by {rink.corner_radius_m:g} m"
                )
            for other, state in bodies.items():
                overlap_m = self._overlap_m(name, bodies[name], other, state) if other != name else 0.0
                if overlap_m > _TOUCHING_M:
                    raise InputError(f"set_state: {name} would overlap {other} by {overlap_m:g} m; allowed: {_TOUCHING_M} m")

    def _over_boards_m(self, name: str, body: BodyState) -> float:
        margin_m = self.league.puck.radius_m if name == PUCK else 0.0
        rim = (body.pose.point,) if name == PUCK else self._box(body).corners()
        return max(math.dist(point, nearest_inside(self._constants, *point, margin_m)) for point in rim)

    def _overlap_m(self, name: str, body: BodyState, other: str, other_body: BodyState) -> float:
        if PUCK not in (name, other):
            return self._box(body).overlap(self._box(other_body))
        puck, robot = (body, other_body) if name == PUCK else (other_body, body)
        return self.league.puck.radius_m - self._box(robot).clearance(puck.pose.point)

    def _box(self, body: BodyState) -> OrientedBox:
        return OrientedBox(body.pose.point, body.pose.yaw_rad, self.league.robot.length_m, self.league.robot.width_m)
