"""The physical world without one: the physics engine behind robots that run the reference firmware.

Bytes go in and come out as on a robot's serial port; in between, the firmware reads the encoders of simulated wheels
and sets the voltage of their motors. Pure: time is the plant's own and moves with `advance`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from robohockey_core.checked import InputError
from robohockey_core.commands import WheelCommand
from robohockey_core.geometry import to_local
from robohockey_core.joints import JointSample, bodies_sample
from robohockey_core.league import League
from robohockey_core.names import PUCK, RobotId
from robohockey_core.state import BodyState
from robohockey_hw.firmware import make_firmware
from robohockey_hw.robot_settings import Acts, Firmware, RobotSettings, Sensed, settings_for
from robohockey_sim.tools import KICKER_RECHARGE_S
from robohockey_sim.world import World

FULL_BATTERY_V = 7.8


@dataclass
class Board:
    """One robot's electronics: firmware, battery, kicker."""

    firmware: Firmware
    battery_v: float = FULL_BATTERY_V
    kicked_s: float = -math.inf
    acts: Acts = Acts(())


class Plant:
    """Robots with firmware on a simulated rink."""

    def __init__(
        self,
        league: League,
        addresses: Mapping[RobotId, int],
        *,
        puck: bool = True,
        world: World | None = None,
        make: Callable[[RobotSettings], Firmware] = make_firmware,
    ) -> None:
        """Raise InputError for a control period of the firmware that is no whole number of physics steps."""
        self.league = league
        self.world = world or World(league, [*map(str, addresses), *([PUCK] if puck else [])])
        self.boards = {robot: Board(make(settings_for(league, address, str(robot)))) for robot, address in addresses.items()}
        self._full_rad_s = league.robot.max_wheel_speed_rad_s
        self._has_puck = puck
        period_s = RobotSettings.control_period_ms / 1000.0
        self._steps = round(period_s / league.timing.physics_dt_s)
        if abs(self._steps * league.timing.physics_dt_s - period_s) > 1e-9 or self._steps < 1:
            raise InputError(
                f"{league.name}: timing.physics_dt_s = {league.timing.physics_dt_s:g}: "
                f"must divide the firmware's control period of {period_s:g} s"
            )
        self.period_s = period_s
        self._park_absent_bodies()

    @property
    def time_s(self) -> float:
        return self.world.time_s

    def advance(self) -> None:
        """One control period of the firmware: read, decide, and let the world go on."""
        now_s = self.time_s
        wheels = self.world.wheel_states()
        angles_rad = dict(zip(wheels.names, wheels.position.tolist(), strict=True))
        for robot, board in self.boards.items():
            if str(robot) in self.world.off:
                continue  # sent off, and switched off
            board.acts = self._control(robot, board, [angles_rad[robot.joint(w)] for w in self.world.wheel_names], now_s)
            if board.acts.kick_power > 0.0:
                board.kicked_s = now_s
            speeds = tuple(duty * self._full_rad_s for duty in board.acts.duty)
            self.world.command(robot, WheelCommand(speeds, board.acts.kick_power, board.acts.dribble))
        self.world.step(self._steps)

    def place(self, bodies: Mapping[str, BodyState]) -> None:
        """Put bodies of the plant somewhere by hand. Raises InputError on a place that is taken."""
        mine = {name: state for name, state in bodies.items() if name in self.world.owned}
        if mine:
            self.world.set_state(bodies_sample(self.time_s, mine))

    def bodies(self) -> dict[str, BodyState]:
        """What a camera would see: the bodies that are really here."""
        return {name: self.world.body(name) for name in self.world.owned}

    def detections(self) -> JointSample:
        """What a perfect camera would make of it."""
        return self.world.detections()

    def _control(self, robot: RobotId, board: Board, angles_rad: list[float], now_s: float) -> Acts:
        settings = board.firmware.settings
        counts = tuple(round(angle / math.tau * settings.counts_per_turn) for angle in angles_rad)
        charge = min(1.0, (now_s - board.kicked_s) / KICKER_RECHARGE_S)
        sensed = Sensed(counts, board.battery_v, kicker_charge=charge, puck_near=self._feels_puck(robot))
        return board.firmware.control(sensed, now_s)

    def _feels_puck(self, robot: RobotId) -> bool:
        if not self._has_puck:
            return False
        body, puck, spec = self.world.body(str(robot)), self.world.body(PUCK), self.league.robot
        ahead_m, aside_m = to_local(body.pose.point, body.pose.yaw_rad, puck.pose.point)
        gap_m = ahead_m - spec.length_m / 2.0 - self.league.puck.radius_m
        # Not farther than the kicker reaches: a kick into the air would cost the charge.
        return abs(aside_m) <= spec.width_m / 2.0 and -self.league.puck.radius_m < gap_m <= self.league.kicker.reach_m

    def _park_absent_bodies(self) -> None:
        """What is not here stands in nobody's way: far outside the rink."""
        absent = [name for name in self.world.bodies if name not in self.world.owned]
        far_m = 10.0 * (self.league.rink.length_m + self.league.rink.width_m)
        here = BodyState(self.world.body(self.world.owned[0]).pose)
        poses = {name: BodyState(here.pose._replace(x_m=far_m + 4.0 * i, y_m=far_m)) for i, name in enumerate(absent)}
        self.world.follow(poses)
