"""The simulated rink: state arrays, commands in, states out. Pure, seeded, without a clock."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robohockey_core.angles import TWO_PI, wrap
from robohockey_core.checked import InputError, did_you_mean
from robohockey_core.commands import WheelCommand
from robohockey_core.formation import face_off_formation
from robohockey_core.joints import FloatArray, JointSample, bodies_of, complaint
from robohockey_core.league import ROD, League
from robohockey_core.names import DRIBBLER, KICKER, PUCK, RobotId, body_joints
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_sim.constants import make_constants
from robohockey_sim.drive_parameters import model_of
from robohockey_sim.kernel import advance, take_commands
from robohockey_sim.layout import (
    BOARD_WAIT_M,
    DRIBBLE,
    FORWARD,
    HALF_LENGTH_M,
    KICK,
    MODEL,
    OWNED,
    PAIR_BUDGET_M,
    PUCK_ALONE_M,
    PUCK_VX,
    REACH_M,
    ROD_RAD,
    ROD_RAD_S,
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
from robohockey_sim.places import Places

# Robots that are off stand so far apart, and so far away, that nothing ever meets them.
_OFF_M = 1e6

# A followed body that nobody tells of any more stops, as a robot does that hears nothing; then a robot is taken off.
_GLIDES_S, _STANDS_S = 0.25, 2.0


def free_goals(league: League) -> int:
    """How many goals stand free, with room behind them."""
    return 2 if league.rink.room_behind_goals_m > 0.0 else 0


def _wrong_with(robot: RobotId, wheel_names: tuple[str, ...], command: WheelCommand) -> str | None:
    speeds, tools = command.wheel_speeds_rad_s, (command.kick_power, command.dribble)
    # Almost every command is fine, and one look at the sum tells.
    if len(speeds) == len(wheel_names) and math.isfinite(sum(speeds)) and 0.0 <= min(tools) <= max(tools) <= 1.0:
        return None
    if len(speeds) != len(wheel_names):
        return f"{robot}: {len(speeds)} wheel speeds; must be {len(wheel_names)}: {', '.join(wheel_names)}"
    for wheel, speed in zip(wheel_names, speeds, strict=True):
        if not math.isfinite(speed):
            return f"{robot.joint(wheel)} = {speed}: must be finite"
    for part, power in zip((KICKER, DRIBBLER), tools, strict=True):
        if not 0.0 <= power <= 1.0:
            return f"{robot.joint(part)} = {power:g}: must be from 0 to 1"
    return None


class World:
    """Robots and puck of one match.

    It simulates the bodies that it owns. The others, real ones that a camera tracks, are moved by
    `follow` and stand in the way of the simulated ones. One that is not told of any more stops; a robot then leaves
    the rink until it is told of again.
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
        constants = make_constants(league, puck_owned=PUCK in self.owned)
        self._places_allowed = Places(league, constants[0])
        rod = np.array([(0.0, 0.0), (league.kicker.rod_length_m, 0.0)])
        self._fixed = (constants, np.ascontiguousarray(drive.inverse), np.array(league.robot.corners_m), rod)
        self._row = {robot: i for i, robot in enumerate(self.robots)}
        wheels = len(self.wheel_names)
        self._arrays = arrays if arrays is not None else match_arrays(len(self.robots), free_goals(league), wheels)
        self._puck, self._notes = self._arrays.puck, self._arrays.notes
        self._r, self._goals = np.split(self._arrays.robots, [len(self.robots)])
        self._poses, self._puck_seen = self._r[:, X : YAW + 1], self._puck[:]
        for seen in (self._poses, self._puck_seen):
            seen.flags.writeable = False
        self._speed_columns, self._command_columns, self._angle_columns = (
            slice(WHEELS + k * wheels, WHEELS + (k + 1) * wheels) for k in range(3)
        )
        self._owned_rows = [row for robot, row in self._row.items() if str(robot) in self.owned]
        columns = self._command_columns
        self._followed_s: dict[str, float] = {}
        self._lost: frozenset[str] = frozenset()
        self._owned_commands = np.ix_(self._owned_rows, [*range(columns.start, columns.stop), KICK, DRIBBLE])
        self._has_rods = league.kicker.kind == ROD
        self.reset()

    @property
    def poses(self) -> FloatArray:
        """X, y in m and yaw in rad of every robot, seen in place and not wrapped. To be read only."""
        return self._poses

    @property
    def puck(self) -> FloatArray:
        """X, y, their speeds, and spin of the puck, seen in place. To be read only."""
        return self._puck_seen

    def reset(self) -> None:
        """Back to the face-off at time zero."""
        self.steps_done = 0
        for values in self._arrays:
            values[...] = 0
        self._r[self._owned_rows, OWNED] = 1.0
        spec, rink = self.league.robot, self.league.rink
        self._r[:, MODEL] = [model_of(spec.motion_of(str(robot))) for robot in self.robots]
        self._r[:, HALF_LENGTH_M : REACH_M + 1] = spec.length_m / 2.0, spec.width_m / 2.0, spec.circumradius_m
        for row, side in zip(self._goals, (-1.0, 1.0), strict=False):
            half = rink.goal_depth_m / 2.0, rink.goal_width_m / 2.0
            row[X : SIN + 1] = row[X0 : SIN0 + 1] = side * (rink.length_m / 2.0 + half[0]), 0.0, 0.0, 1.0, 0.0
            row[HALF_LENGTH_M : REACH_M + 1] = *half, math.hypot(*half)
        self._set_off(frozenset())
        self._followed_s, self._lost = {}, frozenset()
        for robot, pose in face_off_formation(self.league).items():
            self._put(str(robot), BodyState(pose))
        start = self._all_bodies()
        self._places_allowed.refuse_bad(f"{self.league.name}: face-off", start, start)

    @property
    def time_s(self) -> float:
        return self.steps_done * self.league.timing.physics_dt_s

    def command(self, robot: RobotId, command: WheelCommand) -> None:
        """Set what a robot's wheels and kicker are asked to do from now on. Raises InputError; then the last command stands."""
        row = self._r[self._row_of(str(robot))]
        wrong = _wrong_with(robot, self.wheel_names, command)
        if wrong:
            raise InputError(wrong)
        row[self._command_columns] = command.wheel_speeds_rad_s
        row[KICK], row[DRIBBLE] = command.kick_power, command.dribble

    def command_owned(self, commands: Sequence[WheelCommand]) -> None:
        """The same for all robots that are simulated here, in their order, at once. The commands must have been checked."""
        self._r[self._owned_commands] = [(*c.wheel_speeds_rad_s, c.kick_power, c.dribble) for c in commands]

    def step(self, steps: int, wheel_speeds: FloatArray | None = None) -> None:
        """Advance by whole physics steps, after commanding all wheels at once: (robots, wheels) in rad/s.

        Without `wheel_speeds` the last commands stand. Raises InputError, and then nothing has changed.
        """
        if steps % 1 != 0 or steps < 0:
            raise InputError(f"step: {steps} steps; must be a whole number, 0 or more")
        if wheel_speeds is not None:
            self._command_all(wheel_speeds)
        if self._followed_s:
            self._forget_unseen()
        advance(*self._fixed, *self._arrays, steps)
        self.steps_done += steps

    def _command_all(self, wheel_speeds: FloatArray) -> None:
        shape = (len(self.robots), len(self.wheel_names))
        if wheel_speeds.shape != shape:
            raise InputError(f"wheel speeds of shape {wheel_speeds.shape}; must be {shape}, robots and wheels")
        wrong = take_commands(self._r, wheel_speeds, self._command_columns.start)
        if wrong >= 0:
            raise InputError(f"wheel speeds of {self.robots[wrong]} are {wheel_speeds[wrong].tolist()}; must be finite")

    def kernel_constants(self) -> Any:
        """What the compiled code needs to know and never changes."""
        return self._fixed

    def _all_bodies(self) -> dict[str, BodyState]:
        return {body: self.body(body) for body in self.bodies}

    def body(self, name: str) -> BodyState:
        """The true state of one body. Raises InputError for one that is not there."""
        if name == PUCK:
            x, y, vx, vy, spin = self._puck.tolist()
            return BodyState(Pose2D(x, y), Twist2D(vx, vy, spin))
        row = self._r[self._row_of(name)].tolist()
        return BodyState(Pose2D(row[X], row[Y], wrap(row[YAW])), Twist2D(row[VX], row[VY], row[TURN]))

    @property
    def off(self) -> frozenset[str]:
        """The robots that were taken off the rink."""
        return self._off

    def take_off(self, robot: str) -> None:
        """Take a robot off the rink: nothing meets it and no camera sees it until `put_on`. Raises InputError."""
        row = self._row_of(robot)
        if robot in self._off:
            return
        self._put(robot, BodyState(Pose2D(_OFF_M * (row + 1), 0.0)))
        self._r[row, OWNED] = self._r[row, KICK] = self._r[row, DRIBBLE] = 0.0
        self._r[row, self._command_columns] = 0.0
        self._set_off(self._off | {robot})

    def put_on(self, robot: str, state: BodyState) -> None:
        """Bring a robot back to a free place. Raises InputError, and then it stays off."""
        row = self._row_of(robot)
        if robot not in self._off:
            raise InputError(f"put_on: {robot} is on the rink already")
        if not all(map(math.isfinite, (*state.pose, *state.twist))):
            raise InputError(f"put_on: {robot} at {state.pose} with {state.twist}: must be finite")
        self._places_allowed.refuse_bad("put_on", {**self._all_bodies(), robot: state}, {robot: state})
        self._set_off(self._off - {robot})
        self._lost -= {robot}
        self._r[row, OWNED] = float(robot in self.owned)
        self._put(robot, state)

    def _row_of(self, robot: str) -> int:
        if robot not in self.bodies[:-1]:
            raise InputError(f"{robot}: no such robot in {self.league.name}{did_you_mean(robot, self.bodies[:-1])}")
        return self.bodies.index(robot)

    def _set_off(self, off: frozenset[str]) -> None:
        """Remember who is off, and which joints can be seen then."""
        self._off = off
        self._present = np.array([body not in off for body in self.bodies]).repeat(3)
        self._seen = np.array([body in self.owned and body not in off for body in self.bodies]).repeat(3)
        joints = [joint for body in self.bodies for joint in body_joints(body)]
        self._body_joints, self._seen_joints = (
            tuple(joint for joint, there in zip(joints, mask, strict=True) if there) for mask in (self._present, self._seen)
        )
        self._driven_rows = [row for row in self._owned_rows if self.bodies[row] not in off]
        driven = [self.robots[row] for row in self._driven_rows]
        self._wheel_joints = tuple(robot.joint(wheel) for robot in driven for wheel in self.wheel_names)
        if self._has_rods:
            self._wheel_joints += tuple(robot.joint(KICKER) for robot in driven)

    def truth(self) -> JointSample:
        """The true state of every body on the rink."""
        velocity = np.empty(3 * len(self.bodies))
        by_body = velocity.reshape(-1, 3)
        by_body[:-1, 0], by_body[:-1, 1], by_body[:-1, 2] = self._r[:, VX], self._r[:, VY], self._r[:, TURN]
        by_body[-1] = self._puck[PUCK_VX:]
        places = self._places()
        if self._off:
            places, velocity = places[self._present], velocity[self._present]
        return JointSample(self.time_s, self._body_joints, places, velocity, np.zeros(len(velocity)))

    def detections(self, stamp_s: float | None = None) -> JointSample:
        """What a perfect camera sees of the owned bodies, stamped now or otherwise: places, no speeds."""
        return JointSample(self.time_s if stamp_s is None else stamp_s, self._seen_joints, self._places()[self._seen])

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
        """Measured wheel angles and speeds of the owned robots on the rink, and those of kicker rods."""
        rows = self._driven_rows
        angles, speeds = (self._r[rows, columns].ravel() for columns in (self._angle_columns, self._speed_columns))
        if self._has_rods:
            angles, speeds = (
                np.concatenate((wheels, self._r[rows, rods])) for wheels, rods in ((angles, ROD_RAD), (speeds, ROD_RAD_S))
            )
        return JointSample(self.time_s, self._wheel_joints, angles, speeds)

    def follow(self, bodies: Mapping[str, BodyState]) -> None:
        """Take over the tracked states of bodies that this world does not own. Raises InputError before it takes any."""
        for name, state in bodies.items():
            if not all(map(math.isfinite, (*state.pose, *state.twist))):
                raise InputError(f"follow: {name} at {state.pose} with {state.twist}: must be finite")
        for name, state in bodies.items():
            if name in self._lost:
                self._set_off(self._off - {name})
                self._lost -= {name}
            if name not in self.owned and name in self.bodies and name not in self._off:
                self._put(name, state)
                self._followed_s[name] = self.time_s

    def _forget_unseen(self) -> None:
        """What nobody tells of any more must not glide on and push others for ever."""
        for name, told_s in list(self._followed_s.items()):
            unseen_s = self.time_s - told_s
            if unseen_s >= _STANDS_S:
                del self._followed_s[name]
                if name != PUCK and name not in self._off:
                    self.take_off(name)
                    self._lost |= {name}
            elif unseen_s >= _GLIDES_S:
                state = self.body(name)
                if any(state.twist):
                    self._put(name, BodyState(state.pose))

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
        absent = self._off & moved.keys()
        if absent:
            raise InputError(f"set_state: {sorted(absent)[0]} was taken off the rink; put_on brings it back")
        self._places_allowed.refuse_bad("set_state", {**self._all_bodies(), **moved}, moved)
        for name, state in moved.items():
            self._put(name, state)

    def snapshot(self) -> object:
        """Everything that `restore` needs to go on from here, bit for bit."""
        return self.steps_done, (self._off, self._lost, self._followed_s.copy()), tuple(v.copy() for v in self._mutable())

    def restore(self, snapshot: object) -> None:
        """Go back to a snapshot of this world, or of another one of the same league. Raises InputError for others."""
        steps_done, (off, lost, followed_s), kept = snapshot  # type: ignore[misc]
        mine = self._mutable()
        if [values.shape for values in mine] != [then.shape for then in kept]:  # type: ignore[has-type]
            raise InputError(f"restore: the snapshot is not one of {self.league.name}")
        for values, then in zip(mine, kept, strict=True):  # type: ignore[has-type]
            values[...] = then
        self.steps_done = steps_done  # type: ignore[has-type]
        self._set_off(off)  # type: ignore[has-type]
        self._lost, self._followed_s = lost, followed_s.copy()  # type: ignore[has-type]

    def _mutable(self) -> tuple[NDArray[Any], ...]:
        a = self._arrays
        return a.robots, a.puck, a.pairs, a.wait, a.points, a.who, a.contact, a.vice, a.notes

    def _put(self, name: str, state: BodyState) -> None:
        # Somebody moved: nothing is known to be far apart.
        self._notes[PAIR_BUDGET_M] = self._notes[PUCK_ALONE_M] = 0.0
        self._arrays.wait[:] = 0.0
        self._r[:, BOARD_WAIT_M] = 0.0
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
