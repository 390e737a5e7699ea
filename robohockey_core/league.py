"""A league: rink, robots, puck and times, with what each number may be.

The defaults below are the micro hockey league. A preset in config/ is an overlay that names only what
differs; `extends` lays it over another preset. Numbers stand once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from robohockey_core.checked import InputError, build, did_you_mean, limited
from robohockey_core.files import read_yaml, share_directories
from robohockey_core.kinematics import Drive, differential_drive, omni_drive
from robohockey_core.names import RobotId, parse_robot, robot_ids
from robohockey_core.noise_spec import NOISE_PRESETS, NoiseSpec

DEFAULT_LEAGUE = "micro_hockey"
DIFFERENTIAL, OMNI = "differential", "omni"
KINEMATIC, DYNAMIC, WHEEL_TRAJECTORY = "kinematic", "dynamic", "wheel_trajectory"

# Controllers and cameras tick on whole physics steps; this is how far rounding may be off.
_WHOLE_TOLERANCE = 1e-9

SENSING_LENGTHS = 3.0
"""A robot senses others within this many body lengths (Chen Fig 7)."""


@dataclass(frozen=True)
class RinkSpec:
    length_m: float = limited(2.0, "inside length, along x from goal to goal", above=0.0, high=50.0)
    width_m: float = limited(1.2, "inside width, along y", above=0.0, high=50.0)
    corner_radius_m: float = limited(0.15, "radius of the rounded corners, 0 for square ones", low=0.0)
    goal_width_m: float = limited(0.4, "opening between the posts", above=0.0)
    goal_depth_m: float = limited(0.1, "from the goal line to the back of the net", above=0.0)
    goal_height_m: float = limited(0.1, "height of the goal frame, for the views", above=0.0)
    room_behind_goals_m: float = limited(
        0.0,
        "from the goal line to the end boards, where goals stand free and play goes on behind them; 0: goals in the boards",
        low=0.0,
        high=10.0,
    )
    board_height_m: float = limited(0.05, "height of the boards, for the views", above=0.0)
    center_circle_radius_m: float = limited(0.2, "radius of the centre circle", low=0.0)
    goal_area_depth_m: float = limited(0.2, "how far the crease or goal area reaches from the goal line", low=0.0)
    goal_area_width_m: float = limited(0.6, "width of the crease or goal area", low=0.0)
    penalty_area_depth_m: float = limited(0.35, "how far the penalty area reaches from the goal line", low=0.0)
    penalty_area_width_m: float = limited(0.8, "width of the penalty area", low=0.0)
    penalty_spot_x_m: float = limited(0.65, "distance of the two penalty spots from centre, along x", low=0.0)
    face_off_x_m: float = limited(0.55, "distance of the four face-off dots from centre, along x", low=0.0)
    face_off_y_m: float = limited(0.32, "distance of the four face-off dots from centre, along y", low=0.0)


IMPULSE, SLIP = "impulse", "slip"
MOTIONS = (KINEMATIC, DYNAMIC, WHEEL_TRAJECTORY)


@dataclass(frozen=True)
class RobotSpec:
    drive: str = limited(DIFFERENTIAL, "kind of drive", choices=(DIFFERENTIAL, OMNI))
    length_m: float = limited(0.075, "body length, along the robot's x", above=0.0, high=2.0)
    width_m: float = limited(0.075, "body width, along the robot's y", above=0.0, high=2.0)
    height_m: float = limited(0.075, "body height, for the views and cameras", above=0.0, high=2.0)
    outline_m: tuple[tuple[float, ...], ...] = limited(
        (), "corners of the body as the puck meets it, x and y, counter-clockwise, within length and width; empty: a box"
    )
    mass_kg: float = limited(0.5, "mass", above=0.0)
    robot_restitution: float = limited(0.1, "share of normal speed kept between two robots", low=0.0, high=1.0)
    collisions: str = limited(
        IMPULSE, "how robots collide: by impulses (Klancar eq 26-27), or by wheel slip (MR eq 1-13)", choices=(IMPULSE, SLIP)
    )
    robot_friction: float = limited(0.3, "friction between two robots' sides", low=0.0, high=2.0)
    wall_restitution: float = limited(0.1, "share of normal speed kept at a wall", low=0.0, high=1.0)
    wall_friction: float = limited(0.2, "friction along a wall", low=0.0, high=2.0)
    wheel_radius_m: float = limited(0.02, "wheel radius", above=0.0)
    wheel_base_m: float = limited(0.068, "distance between the wheels of a differential drive", above=0.0)
    hub_radius_m: float = limited(0.035, "distance from the centre to an omni wheel", above=0.0)
    wheel_angles_rad: tuple[float, ...] = limited(
        (math.pi / 3, -math.pi / 3, math.pi), "where omni wheels sit, from the front, left positive", low=-7.0, high=7.0
    )
    max_wheel_speed_rad_s: float = limited(60.0, "fastest turn of a wheel", above=0.0, high=2000.0)
    max_wheel_acceleration_rad_s2: float = limited(150.0, "fastest change of a wheel's speed", above=0.0)
    wheel_speed_codes_m_s: tuple[float, ...] = limited(
        (), "rim speeds that the robot's radio can carry, rising from 0; empty when any speed can be sent", low=0.0
    )
    motion: str = limited(KINEMATIC, "how a simulated robot moves: Chen, Klancar or MR-Simulator", choices=MOTIONS)
    motion_by_robot: tuple[str, ...] = limited((), "robots that move otherwise, such as blue/0=dynamic")
    body_inertia_kg_m2: float = limited(0.0, "dynamic: of the body about its mass centre, upright axis; 0: a box", low=0.0)
    mass_centre_offset_m: float = limited(0.0, "dynamic: how far the body's mass lies in front of the centre (Klancar's d)")
    wheel_mass_kg: float = limited(0.01, "dynamic: mass of one wheel, part of mass_kg", low=0.0)
    wheel_inertia_kg_m2: float = limited(0.0, "dynamic: of one wheel and its gear about the axle; 0: a solid disc", low=0.0)
    motor_stall_torque_n_m: float = limited(0.03, "dynamic: most torque at a wheel, when it stands", above=0.0)
    motor_no_load_speed_rad_s: float = limited(90.0, "dynamic: speed at which a wheel's motor has no torque left", above=0.0)
    wheel_damping_n_m_s: float = limited(2e-5, "dynamic: torque lost per rad/s of a wheel (Klancar eq 6)", low=0.0)
    wheel_control_time_s: float = limited(
        0.03, "dynamic: time constant of a robot's own wheel speed control", low=0.005, high=1.0
    )
    tyre_traction: float = limited(0.8, "most force of a wheel on the floor, as a share of its load", above=0.0, high=5.0)
    trajectory_correction: float = limited(
        0.5, "wheel_trajectory: share f of the right wheel in the correction", low=0.0, high=1.0
    )
    trajectory_correction_by_speed: bool = limited(False, "wheel_trajectory: share the correction by wheel speed, not by f")
    trajectory_substeps: int = limited(1, "wheel_trajectory: its steps in one physics step", low=1, high=100)

    @property
    def corners_m(self) -> tuple[tuple[float, ...], ...]:
        """The outline's corners, counter-clockwise; those of the box where none is given."""
        x, y = self.length_m / 2.0, self.width_m / 2.0
        return self.outline_m or ((x, y), (-x, y), (-x, -y), (x, -y))

    @property
    def sensing_range_m(self) -> float:
        """How far a robot senses others, and so how long a leg of its path may be (Chen Fig 7)."""
        return SENSING_LENGTHS * self.length_m

    @property
    def circumradius_m(self) -> float:
        """Radius of the circle around the body."""
        return math.hypot(self.length_m, self.width_m) / 2.0

    @property
    def max_speed_m_s(self) -> float:
        """Top linear speed of a wheel's rim (Chen eq 8)."""
        return self.max_wheel_speed_rad_s * self.wheel_radius_m

    def motion_of(self, robot: str) -> str:
        """How one robot moves."""
        return dict(entry.split("=", 1) for entry in self.motion_by_robot).get(robot, self.motion)

    @property
    def motions(self) -> frozenset[str]:
        """Every motion model that some robot uses."""
        return frozenset({self.motion, *(entry.partition("=")[2] for entry in self.motion_by_robot)})

    def make_drive(self) -> Drive:
        if self.drive == OMNI:
            return omni_drive(self.wheel_radius_m, self.hub_radius_m, self.wheel_angles_rad)
        return differential_drive(self.wheel_radius_m, self.wheel_base_m)


SOLENOID, ROD = "solenoid", "rod"
KICKERS = (SOLENOID, ROD)


@dataclass(frozen=True)
class KickerSpec:
    max_puck_speed_m_s: float = limited(2.0, "speed given to a puck at rest at full power; 0: no kicker", low=0.0, high=20.0)
    levels: int = limited(31, "number of power levels, the first of which does not move (Minho section 7)", low=2)
    reach_m: float = limited(0.008, "how far in front of the body the kicker meets a puck", above=0.0)
    kind: str = limited("solenoid", "solenoid at the front, or rod hinged at the front-left corner (Chen)", choices=KICKERS)
    rod_length_m: float = limited(0.07, "length of the rod", above=0.0, high=1.0)
    rod_swing_rad: float = limited(1.2, "how far the rod swings out before it goes back (Chen eq 13)", above=0.0, high=2.5)
    rod_speed_rad_s: float = limited(25.0, "how fast the rod swings at full power", above=0.0, high=100.0)


@dataclass(frozen=True)
class DribblerSpec:
    max_force_n: float = limited(0.05, "strongest pull on a puck at the front; 0: no dribbler", low=0.0, high=100.0)
    reach_m: float = limited(0.006, "how far in front of the body it takes hold of a puck", above=0.0)


@dataclass(frozen=True)
class PuckSpec:
    shape: str = limited("puck", "flat puck or rolling ball", choices=("puck", "ball"))
    radius_m: float = limited(0.025, "radius", above=0.0, high=1.0)
    height_m: float = limited(0.01, "height of a puck, for the views", above=0.0)
    mass_kg: float = limited(0.015, "mass", above=0.0)
    sliding_friction: float = limited(0.02, "coefficient of kinetic friction (Chen eq 27)", low=0.0, high=2.0)
    rolling_damping_per_s: float = limited(0.0, "velocity lost per second by damping (Klancar eq 16)", low=0.0)
    wall_restitution: float = limited(0.8, "share of normal speed kept at a wall (Chen eq 22)", low=0.0, high=1.0)
    robot_restitution: float = limited(0.3, "share of normal speed kept at a robot", low=0.0, high=1.0)
    wall_friction: float = limited(0.1, "friction along a wall, which spins the puck", low=0.0, high=2.0)
    robot_friction: float = limited(0.2, "friction along a robot's side, which spins the puck", low=0.0, high=2.0)


@dataclass(frozen=True)
class TimingSpec:
    physics_dt_s: float = limited(0.001, "physics step", above=0.0, high=0.02)
    control_dt_s: float = limited(0.02, "control step, a whole multiple of the physics step", above=0.0, high=1.0)
    camera_period_s: float = limited(0.02, "time between camera frames, a whole multiple of the physics step", above=0.0)
    strategy_period_s: float = limited(0.1, "time between decisions", above=0.0, high=2.0)
    command_timeout_s: float = limited(0.25, "silence after which a robot stops", above=0.0, high=5.0)


@dataclass(frozen=True)
class MatchSpec:
    players: int = limited(3, "robots of each team", low=1, high=11)
    halves: int = limited(2, "number of periods", low=1, high=4)
    half_duration_s: float = limited(300.0, "length of a period", above=0.0)
    rules: str = limited("hockey", "rule profile: a name, or the path of a file")
    knock_out: bool = limited(False, "whether a draw goes to extra time and a shoot-out, as the rules say")


@dataclass(frozen=True)
class League:
    name: str = limited(DEFAULT_LEAGUE, "name of the preset")
    description: str = limited("Micro robot hockey, 3 a side on a small rink with a sliding puck", "one line for people")
    sport: str = limited("hockey", "how it looks and which rules it follows", choices=("hockey", "soccer"))
    rink: RinkSpec = RinkSpec()
    robot: RobotSpec = RobotSpec()
    kicker: KickerSpec = KickerSpec()
    dribbler: DribblerSpec = DribblerSpec()
    puck: PuckSpec = PuckSpec()
    timing: TimingSpec = TimingSpec()
    match: MatchSpec = MatchSpec()
    noise: NoiseSpec = NoiseSpec()

    def robots(self) -> tuple[RobotId, ...]:
        return robot_ids(self.match.players)

    @property
    def physics_steps_per_control(self) -> int:
        return round(self.timing.control_dt_s / self.timing.physics_dt_s)


def load_league(name_or_path: str) -> League:
    """Load a preset by name, or a YAML file by path. Raises InputError in one line."""
    if name_or_path.endswith((".yaml", ".yml")):
        return _load(Path(name_or_path), seen=())
    presets = preset_files()
    if name_or_path not in presets:
        hint = did_you_mean(name_or_path, presets)
        raise InputError(f"unknown league {name_or_path}{hint} (or a path that ends in .yaml)")
    return _load(presets[name_or_path], seen=())


def preset_files() -> dict[str, Path]:
    """Every preset by name."""
    files: dict[str, Path] = {}
    for share in share_directories():
        for path in sorted((share / "config").glob("*.yaml")):
            files.setdefault(path.stem, path)
    return files


def _load(path: Path, seen: tuple[Path, ...]) -> League:
    if path in seen:
        raise InputError(f"{path}: extends itself through {' -> '.join(p.stem for p in seen)}")
    values = read_yaml(path)
    parent = values.pop("extends", None)
    base = League()
    if parent is not None:
        presets = preset_files()
        if not isinstance(parent, str) or parent not in presets:
            raise InputError(f"{path}: extends = {parent!r}: unknown league{did_you_mean(str(parent), presets)}")
        base = _load(presets[parent], (*seen, path))
    base = replace(base, noise=_noise_below(values.get("noise"), base.noise))
    league = build(League, {"name": path.stem, **values}, f"{path}:", base=base)
    _check_together(league, str(path))
    return league


def _noise_below(values: object, inherited: NoiseSpec) -> NoiseSpec:
    """What a file's noise is laid over: the preset that it names, or else what it inherits."""
    preset = values.get("preset") if isinstance(values, Mapping) else None
    return NOISE_PRESETS.get(preset, inherited) if isinstance(preset, str) else inherited


def _check_together(league: League, where: str) -> None:
    """Refuse numbers that are fine alone but not together."""
    rink, robot, timing = league.rink, league.robot, league.timing

    def require(holds: bool, key: str, value: object, allowed: str) -> None:
        if not holds:
            raise InputError(f"{where}: {key} = {value!r}: {allowed}")

    for key in ("control_dt_s", "camera_period_s"):
        value = getattr(timing, key)
        steps = value / timing.physics_dt_s
        whole = round(steps) >= 1 and abs(steps - round(steps)) < _WHOLE_TOLERANCE * max(1.0, steps)
        require(whole, f"timing.{key}", value, f"must be a whole multiple of timing.physics_dt_s = {timing.physics_dt_s}")
    flat_end_m = rink.width_m - 2.0 * rink.corner_radius_m
    require(
        rink.goal_width_m <= flat_end_m,
        "rink.goal_width_m",
        rink.goal_width_m,
        f"must be at most {flat_end_m:g}, the straight part of the end boards",
    )
    require(
        rink.room_behind_goals_m == 0.0 or rink.room_behind_goals_m > rink.goal_depth_m + 2.0 * league.puck.radius_m,
        "rink.room_behind_goals_m",
        rink.room_behind_goals_m,
        f"must be 0, or let the puck pass behind the nets: more than {rink.goal_depth_m + 2.0 * league.puck.radius_m:g}",
    )
    require(
        robot.collisions == IMPULSE or robot.drive == DIFFERENTIAL,
        "robot.collisions",
        robot.collisions,
        f"wheel slip is known for a {DIFFERENTIAL} drive only",
    )
    require(
        2.0 * rink.corner_radius_m <= rink.length_m, "rink.corner_radius_m", rink.corner_radius_m, "must fit in half the length"
    )
    require(
        2.0 * league.puck.radius_m < rink.goal_width_m,
        "puck.radius_m",
        league.puck.radius_m,
        f"must be below half of rink.goal_width_m = {rink.goal_width_m:g}",
    )
    require(
        2.0 * league.puck.radius_m < rink.goal_depth_m,
        "rink.goal_depth_m",
        rink.goal_depth_m,
        f"must be above {2.0 * league.puck.radius_m:g}, or the puck never lies wholly behind the goal line",
    )
    for key, dot_m, side_m in (
        ("face_off_x_m", rink.face_off_x_m, rink.length_m),
        ("face_off_y_m", rink.face_off_y_m, rink.width_m),
    ):
        room_m = side_m / 2.0 - 2.0 * robot.circumradius_m
        require(dot_m <= room_m, f"rink.{key}", dot_m, f"must be at most {room_m:g}, to leave room for a robot at the boards")
    room_m = rink.length_m / 2.0 - 2.0 * robot.circumradius_m
    require(
        rink.penalty_spot_x_m <= room_m,
        "rink.penalty_spot_x_m",
        rink.penalty_spot_x_m,
        f"must be at most {room_m:g}, to leave room for the goalkeeper",
    )
    room_m2 = rink.length_m * rink.width_m
    need_m2 = 2 * league.match.players * (2.0 * robot.circumradius_m) ** 2
    require(need_m2 < 0.5 * room_m2, "match.players", league.match.players, "must leave half of the rink free of robots")
    require(
        robot.drive != OMNI or (len(robot.wheel_angles_rad) >= 3 and robot.make_drive().holonomic),
        "robot.wheel_angles_rad",
        list(robot.wheel_angles_rad),
        "an omni drive needs at least three wheels that sit in different places",
    )
    _check_motion(robot, timing, require)
    outline = robot.outline_m
    require(
        all(len(corner) == 2 for corner in outline) and (not outline or _area_m2(outline) > 0.0),
        "robot.outline_m",
        list(map(list, outline)),
        "must be three or more corners [x, y], counter-clockwise",
    )
    require(
        all(abs(x) <= robot.length_m / 2.0 and abs(y) <= robot.width_m / 2.0 for x, y in outline),
        "robot.outline_m",
        list(map(list, outline)),
        "must lie within robot.length_m and robot.width_m",
    )
    codes = robot.wheel_speed_codes_m_s
    rising = all(a < b for a, b in pairwise(codes))
    require(not codes or (codes[0] == 0.0 and rising), "robot.wheel_speed_codes_m_s", list(codes), "must rise from 0")


def _check_motion(robot: RobotSpec, timing: TimingSpec, require: Callable[[bool, str, object, str], None]) -> None:
    """Refuse numbers that the robot's motion model cannot work with."""
    for entry in robot.motion_by_robot:
        name, _, motion = entry.partition("=")
        require(
            parse_robot(name) is not None and motion in MOTIONS,
            "robot.motion_by_robot",
            entry,
            f"must be a robot and its motion, such as blue/0={DYNAMIC}; allowed: {', '.join(MOTIONS)}",
        )
    if DYNAMIC in robot.motions:
        wheels = len(robot.make_drive().wheel_names)
        require(
            wheels * robot.wheel_mass_kg < robot.mass_kg,
            "robot.wheel_mass_kg",
            robot.wheel_mass_kg,
            f"must be below {robot.mass_kg / wheels:g}, or {wheels} wheels outweigh robot.mass_kg = {robot.mass_kg:g}",
        )
        require(
            2.0 * abs(robot.mass_centre_offset_m) < robot.length_m,
            "robot.mass_centre_offset_m",
            robot.mass_centre_offset_m,
            f"must lie inside the body, within {robot.length_m / 2.0:g} of its centre",
        )
    if WHEEL_TRAJECTORY in robot.motions:
        require(robot.drive == DIFFERENTIAL, "robot.motion", WHEEL_TRAJECTORY, "needs robot.drive = differential")
        turn_rad = 2.0 * robot.max_speed_m_s * timing.physics_dt_s / robot.wheel_base_m
        require(
            turn_rad <= 1.0,
            "timing.physics_dt_s",
            timing.physics_dt_s,
            f"must be at most {timing.physics_dt_s / turn_rad:g}, or a robot turns more than 1 rad in a step",
        )


def _area_m2(corners: tuple[tuple[float, ...], ...]) -> float:
    """Area inside an outline; negative when it runs clockwise."""
    pairs = zip(corners, (*corners[1:], corners[0]), strict=True)
    return 0.5 * sum(a[0] * b[1] - a[1] * b[0] for a, b in pairs)
