"""The simulated rink: state arrays, commands in, states out. Pure, seeded, without a clock."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Mapping

import numpy as np

from robohockey_core.angles import wrap
from robohockey_core.checked import InputError, did_you_mean
from robohockey_core.commands import WheelCommand
from robohockey_core.formation import face_off_formation
from robohockey_core.geometry import OrientedBox
from robohockey_core.joints import JointSample, bodies_of, bodies_sample, complaint
from robohockey_core.league import League
from robohockey_core.names import PUCK, RobotId, body_joints
from robohockey_core.state import BodyState, Pose2D, Twist2D
from robohockey_sim.kernel import GRAVITY_M_S2, Constants, advance, nearest_inside

# Bodies that press on each other come this close; the physics moves them apart.
_TOUCHING_M = 0.002


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
        self._wheels_to_twist = np.ascontiguousarray(drive.inverse)
        self._constants = _constants(league)
        count = len(self.robots)
        self._row = {robot: i for i, robot in enumerate(self.robots)}
        self._owned_rows = np.array([str(robot) in self.owned for robot in self.robots])
        self._pose, self._pose_before, self._twist = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 3))
        wheels = (count, len(self.wheel_names))
        self._wheel_speed, self._wheel_angle, self._wheel_command = np.zeros(wheels), np.zeros(wheels), np.zeros(wheels)
        self._kick_command, self._recharge_s = np.zeros(count), np.zeros(count)
        self._puck = np.zeros(4)
        self.reset()

    def reset(self) -> None:
        """Back to the face-off at time zero."""
        self.steps_done = 0
        for values in (self._twist, self._wheel_speed, self._wheel_angle, self._wheel_command, self._kick_command):
            values[:] = 0.0
        self._recharge_s[:] = 0.0
        self._puck[:] = 0.0
        for robot, pose in face_off_formation(self.league).items():
            self._pose[self._row[robot]] = pose

    @property
    def time_s(self) -> float:
        return self.steps_done * self.league.timing.physics_dt_s

    def command(self, robot: RobotId, command: WheelCommand) -> None:
        """Set what a robot's wheels and kicker are asked to do from now on."""
        row = self._row[robot]
        self._wheel_command[row] = command.wheel_speeds_rad_s
        self._kick_command[row] = command.kick_power

    def step(self, steps: int) -> None:
        """Advance by whole physics steps."""
        advance(
            self._constants,
            steps,
            self._pose,
            self._pose_before,
            self._twist,
            self._wheel_speed,
            self._wheel_angle,
            self._wheel_command,
            self._kick_command,
            self._recharge_s,
            self._wheels_to_twist,
            self._owned_rows,
            self._puck,
            PUCK in self.owned,
        )
        self.steps_done += steps

    def body(self, name: str) -> BodyState:
        """The true state of one body."""
        if name == PUCK:
            x, y, vx, vy = self._puck.tolist()
            return BodyState(Pose2D(x, y), Twist2D(vx, vy))
        row = self.bodies.index(name)
        x, y, yaw = self._pose[row].tolist()
        return BodyState(Pose2D(x, y, wrap(yaw)), Twist2D(*self._twist[row].tolist()))

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
        rows = self._owned_rows
        robots = [robot for robot, owned in zip(self.robots, rows, strict=True) if owned]
        names = tuple(robot.joint(wheel) for robot in robots for wheel in self.wheel_names)
        return JointSample(self.time_s, names, self._wheel_angle[rows].ravel(), self._wheel_speed[rows].ravel())

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
        return copy.deepcopy(self._mutable())

    def restore(self, snapshot: object) -> None:
        self.__dict__.update(copy.deepcopy(snapshot))  # type: ignore[call-overload]

    def _mutable(self) -> dict[str, object]:
        names = ("steps_done", "_pose", "_twist", "_wheel_speed", "_wheel_angle", "_wheel_command")
        return {name: self.__dict__[name] for name in (*names, "_kick_command", "_recharge_s", "_puck")}

    def _put(self, name: str, state: BodyState) -> None:
        if name == PUCK:
            self._puck[:] = (state.pose.x_m, state.pose.y_m, state.twist.vx_m_s, state.twist.vy_m_s)
            return
        row = self.bodies.index(name)
        self._pose[row] = state.pose
        self._twist[row] = state.twist
        self._wheel_speed[row] = 0.0

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


def _constants(league: League) -> Constants:
    rink, robot, puck, kicker, timing = league.rink, league.robot, league.puck, league.kicker, league.timing
    return Constants(
        half_length_m=rink.length_m / 2.0,
        half_width_m=rink.width_m / 2.0,
        corner_radius_m=rink.corner_radius_m,
        half_goal_m=rink.goal_width_m / 2.0,
        goal_depth_m=rink.goal_depth_m,
        robot_half_length_m=robot.length_m / 2.0,
        robot_half_width_m=robot.width_m / 2.0,
        robot_reach_m=robot.circumradius_m,
        wheel_step_rad_s=robot.max_wheel_acceleration_rad_s2 * timing.physics_dt_s,
        puck_radius_m=puck.radius_m,
        puck_friction_m_s2=puck.sliding_friction * GRAVITY_M_S2,
        puck_damping_per_s=puck.rolling_damping_per_s,
        wall_restitution=puck.wall_restitution,
        robot_restitution=puck.robot_restitution,
        kicker_speed_m_s=kicker.max_puck_speed_m_s,
        kicker_levels=kicker.levels,
        kicker_reach_m=kicker.reach_m,
        dt_s=timing.physics_dt_s,
    )
