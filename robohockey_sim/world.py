"""The simulated rink: state arrays, commands in, states out. Pure, seeded, without a clock."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robohockey_core.angles import TWO_PI, wrap
from robohockey_core.checked import InputError, did_you_mean
from robohockey_core.commands import WheelCommand
from robohockey_core.formation import face_off_formation
from robohockey_core.geometry import OrientedBox, outline_clearance, to_local
from robohockey_core.joints import FloatArray, JointSample, bodies_of, complaint
from robohockey_core.league import League
from robohockey_core.names import PUCK, RobotId, body_joints
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_sim.boundary import nearest_inside, puck_gap
from robohockey_sim.constants import GRAVITY_M_S2, make_constants
from robohockey_sim.drive_parameters import drive_parameters, model_of
from robohockey_sim.kernel import advance
from robohockey_sim.layout import (
    DRIBBLE,
    FORWARD,
    HELD_STEPS,
    KICK,
    OWNED,
    PAIR_BUDGET_M,
    PUCK_VX,
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
)
from robohockey_sim.match_arrays import MatchArrays, match_arrays

# Places are given in decimal fractions: this much of an overlap is rounding.
_TOUCHING_M = 1e-6


class World:
    """Robots and puck of one match.

    It simulates the bodies that it owns. The others, real ones that a camera tracks, are moved by
    `follow` and stand in the way of the simulated ones.
    """

    def __init__(self, league: League, owned: Iterable[str] | None = None, *, arrays: MatchArrays | None = None) -> None:
        """Raise InputError for a body that the league does not have. `arrays` are where to keep the state."""
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
        self._fixed = (
            self._constants,
            model_of(league.robot),
            drive_parameters(league.robot, GRAVITY_M_S2),
            np.ascontiguousarray(drive.inverse),
            np.array(league.robot.corners_m),
            PUCK in self.owned,
        )
        self._row = {robot: i for i, robot in enumerate(self.robots)}
        wheels = len(self.wheel_names)
        self._arrays = arrays if arrays is not None else match_arrays(len(self.robots), wheels)
        self._r, self._puck, self._notes = self._arrays.robots, self._arrays.puck, self._arrays.notes
        self._r[:, OWNED] = [str(robot) in self.owned for robot in self.robots]
        self._owned_rows = self._r[:, OWNED] > 0.0
        self._speed_columns, self._command_columns, self._angle_columns = (
            slice(WHEELS + k * wheels, WHEELS + (k + 1) * wheels) for k in range(3)
        )
        self._body_joints = tuple(joint for body in self.bodies for joint in body_joints(body))
        self._wheel_joints = tuple(
            robot.joint(w) for robot in self.robots if str(robot) in self.owned for w in self.wheel_names
        )
        self._seen = np.array([body in self.owned for body in self.bodies]).repeat(3)
        self._seen_joints = tuple(joint for joint, seen in zip(self._body_joints, self._seen, strict=True) if seen)
        self.reset()

    def reset(self) -> None:
        """Back to the face-off at time zero."""
        self.steps_done = 0
        for values in (self._r[:, :OWNED], self._r[:, OWNED + 1 :], self._puck, self._arrays.memory, self._notes):
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
        row[KICK], row[DRIBBLE] = command.kick_power, command.dribble

    def step(self, steps: int) -> None:
        """Advance by whole physics steps."""
        advance(*self._fixed, *self._arrays, steps)
        self.steps_done += steps

    def kernel_constants(self) -> Any:
        """What the compiled code needs to know and never changes."""
        return self._fixed

    def body(self, name: str) -> BodyState:
        """The true state of one body."""
        if name == PUCK:
            x, y, vx, vy, spin = self._puck.tolist()
            return BodyState(Pose2D(x, y), Twist2D(vx, vy, spin))
        row = self._r[self.bodies.index(name)].tolist()
        return BodyState(Pose2D(row[X], row[Y], wrap(row[YAW])), Twist2D(row[VX], row[VY], row[TURN]))

    def truth(self) -> JointSample:
        """The true state of every body."""
        velocity = np.empty(3 * len(self.bodies))
        by_body = velocity.reshape(-1, 3)
        by_body[:-1, 0], by_body[:-1, 1], by_body[:-1, 2] = self._r[:, VX], self._r[:, VY], self._r[:, TURN]
        by_body[-1] = self._puck[PUCK_VX:]
        return JointSample(self.time_s, self._body_joints, self._places(), velocity, np.zeros(len(velocity)))

    def detections(self) -> JointSample:
        """What a perfect camera sees of the owned bodies: places, no speeds."""
        return JointSample(self.time_s, self._seen_joints, self._places()[self._seen])

    def _places(self) -> FloatArray:
        """X, y and yaw of every body, one after the other."""
        places = np.zeros(3 * len(self.bodies))
        by_body = places.reshape(-1, 3)
        by_body[:-1] = self._r[:, X : YAW + 1]
        yaw = by_body[:-1, 2]
        yaw -= TWO_PI * np.round(yaw / TWO_PI)
        by_body[-1, :2] = self._puck[:PUCK_VX]
        return places

    def wheel_states(self) -> JointSample:
        """Measured wheel angles and speeds of the owned robots."""
        angles, speeds = (self._r[self._owned_rows, columns].ravel() for columns in (self._angle_columns, self._speed_columns))
        return JointSample(self.time_s, self._wheel_joints, angles, speeds)

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
        a = self._arrays
        return a.robots, a.puck, a.pairs, a.memory, a.notes

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
        if name == PUCK:
            return float(max(0.0, -puck_gap(self._constants, *body.pose.point)[0]))
        return max(math.dist(corner, nearest_inside(self._constants, *corner, 0.0)) for corner in self._box(body).corners())

    def _overlap_m(self, name: str, body: BodyState, other: str, other_body: BodyState) -> float:
        if PUCK not in (name, other):
            return self._box(body).overlap(self._box(other_body))
        puck, robot = (body, other_body) if name == PUCK else (other_body, body)
        local = to_local(robot.pose.point, robot.pose.yaw_rad, puck.pose.point)
        return self.league.puck.radius_m - outline_clearance(self.league.robot.corners_m, local)

    def _box(self, body: BodyState) -> OrientedBox:
        return OrientedBox(body.pose.point, body.pose.yaw_rad, self.league.robot.length_m, self.league.robot.width_m)
