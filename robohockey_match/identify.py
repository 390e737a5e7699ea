"""From a recording of a driving robot to the numbers of the simulator: wheels, base, tyres, motors, delays, noise.

Two steps. Geometry is linear: a robot whose wheels roll turns by r/b times the difference of their angles, and moves by
r times their mean along the way that it faces. Motors and tyres are found by driving the very motion model of the
simulator (Klancar eq 1-10 with motors) with the recorded commands until its wheels and ways are those of the recording.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.interpolate import CubicHermiteSpline
from scipy.optimize import least_squares, minimize_scalar

from robohockey_core.checked import InputError
from robohockey_core.joints import FloatArray
from robohockey_core.league import DIFFERENTIAL, DYNAMIC, League, RobotSpec
from robohockey_match.robot_recording import RobotRecording, Track
from robohockey_sim.constants import GRAVITY_M_S2
from robohockey_sim.drive_parameters import drive_parameters
from robohockey_sim.free_drive import drive_freely

CONFIDENCE = 1.96
"""Standard deviations on each side of a 95 % interval."""

_WINDOW_S = 0.4
# A robot whose tyres are asked for more than this share of the most in the recording may slide for a while: its way is
# then not that of its wheels.
_CALM_SHARE = 0.1
_SLIDE_S = 0.15
# Of the wheels' speeds: fixed point on the wire and a command lost now and then; beyond it a residual counts less.
_WHEEL_SIGMA_RAD_S = 0.05
# How these follow an error of the wheel radius, which they are fitted with: torques move a mass at the wheel's rim.
_MOVES_WITH_RADIUS = {
    "robot.motor_stall_torque_n_m": 2.0,
    "robot.wheel_damping_n_m_s": 2.0,
    "robot.tyre_traction": 1.0,
    "robot.wheel_control_time_s": 1.0,
}
_MOST_DELAY_S = 0.2
_MOST_LAG_S = 0.06
_SEEN_WITHIN_S = 0.15
_MOST_LOST_IN_A_ROW = 3
_BETTER = 0.7
_BLOCK_S = 1.0
_LONGEST_CLOCK_OFFSET_S = 5.0


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval."""

    value: float
    half_width: float

    def __str__(self) -> str:
        return f"{self.value:.5g} +- {self.half_width:.2g}"


def identify(recording: RobotRecording, league: League) -> dict[str, Estimate]:
    """Fit a robot; keys are those of a league file, such as `robot.wheel_radius_m`. Raises InputError."""
    if league.robot.drive != DIFFERENTIAL:
        raise InputError(f"{league.name}: robot.drive = {league.robot.drive}: must be {DIFFERENTIAL} to be identified")
    recording, lag_sigma_s = _with_wheels_in_time(recording)
    estimates = _geometry(recording)
    known = replace(
        league.robot,
        motion=DYNAMIC,
        wheel_radius_m=estimates["robot.wheel_radius_m"].value,
        wheel_base_m=estimates["robot.wheel_base_m"].value,
    )
    motors = _motors(recording, known, league.timing.physics_dt_s, estimates["noise.robot_sigma_m"].value)
    radius = estimates["robot.wheel_radius_m"]
    for key, power in _MOVES_WITH_RADIUS.items():
        value, own = motors[key].value, motors[key].half_width
        motors[key] = Estimate(value, math.hypot(own, power * value * radius.half_width / radius.value))
    delay = motors["noise.command_delay_s"]
    motors["noise.command_delay_s"] = replace(delay, half_width=math.hypot(delay.half_width, CONFIDENCE * lag_sigma_s))
    return estimates | motors | _radio(recording)


def overlay(estimates: Mapping[str, Estimate], league: League, base: Mapping[str, Any] | None = None) -> dict[str, object]:
    """A league file with the estimates. `base` is the content of the league's own file; without it, it is a preset."""
    values: dict[str, Any] = {"extends": league.name} if base is None else dict(base)
    values["description"] = f"{league.description}, as one robot was found"
    found: dict[str, dict[str, object]] = {"robot": {"motion": DYNAMIC}}
    for key, estimate in estimates.items():
        section, _, name = key.partition(".")
        found.setdefault(section, {})[name] = float(f"{estimate.value:.6g}")
    return values | {section: {**(values.get(section) or {}), **numbers} for section, numbers in found.items()}


def _with_wheels_in_time(recording: RobotRecording) -> tuple[RobotRecording, float]:
    """The recording with wheels stamped when they were measured, since an answer tells of them a little later; and how
    sure that moment is.

    A robot turns with its wheels, so the seen heading fits the wheels' angles best where both are of the same moment.
    """

    def misfit(lag_s: float) -> float:
        difference, yaw = _turns(_earlier(recording.wheels, lag_s), recording.poses)
        return _line(difference, yaw)[2]

    lag_s = float(minimize_scalar(misfit, bounds=(-_MOST_LAG_S, _MOST_LAG_S), method="bounded", options={"xatol": 1e-5}).x)
    wheels = _earlier(recording.wheels, lag_s)
    difference, yaw = _turns(wheels, recording.poses)
    (ratio, _), _, sigma_rad = _line(difference, yaw)
    rates = np.gradient(ratio * difference) / np.median(np.diff(recording.poses.stamp_s))
    return replace(recording, wheels=wheels), sigma_rad / math.sqrt(max(float(rates @ rates), 1e-12))


def _earlier(track: Track, lag_s: float) -> Track:
    return replace(track, stamp_s=track.stamp_s - lag_s)


def _turns(wheels: Track, poses: Track) -> tuple[FloatArray, FloatArray]:
    """By how much the right wheel is ahead of the left one, and the heading seen then."""
    inside = (poses.stamp_s >= wheels.stamp_s[0]) & (poses.stamp_s <= wheels.stamp_s[-1])
    angles = _angles_at(wheels, poses.stamp_s[inside])
    return angles[:, 1] - angles[:, 0], np.unwrap(poses.values[inside, 2])


def _geometry(recording: RobotRecording) -> dict[str, Estimate]:
    wheels, poses = recording.wheels, recording.poses
    inside = (poses.stamp_s >= wheels.stamp_s[0]) & (poses.stamp_s <= wheels.stamp_s[-1])
    time_s, seen = poses.stamp_s[inside], poses.values[inside]
    yaw_seen = np.unwrap(seen[:, 2])
    angles = _angles_at(wheels, time_s)
    difference = angles[:, 1] - angles[:, 0]
    # A slide moves a robot and hardly turns it, so all of the recording tells of r / b.
    (ratio, offset), covariance, sigma_rad = _line(difference, yaw_seen)
    yaw = ratio * difference + offset

    turned, mean = np.diff(yaw), np.diff(angles.mean(axis=1))
    half = 0.5 * turned
    chord = mean * np.sinc(half / math.pi)
    steps = np.stack((chord * np.cos(yaw[:-1] + half), chord * np.sin(yaw[:-1] + half)), axis=1)
    way = np.vstack((np.zeros(2), np.cumsum(steps, axis=0)))  # in wheel radii
    radius_m, radius_sigma, sigma_m = _radius(time_s, way, seen[:, :2], mean, turned)
    base_m = radius_m / ratio
    base_sigma = base_m * math.hypot(radius_sigma / radius_m, math.sqrt(covariance[0, 0]) / ratio)
    share = 1.0 / math.sqrt(2.0 * len(time_s))  # of a standard deviation that was measured so often
    return {
        "robot.wheel_radius_m": Estimate(radius_m, CONFIDENCE * radius_sigma),
        "robot.wheel_base_m": Estimate(base_m, CONFIDENCE * base_sigma),
        "noise.robot_sigma_m": Estimate(sigma_m, CONFIDENCE * sigma_m * share),
        "noise.robot_sigma_rad": Estimate(sigma_rad, CONFIDENCE * sigma_rad * share),
    }


def _angles_at(wheels: Track, time_s: FloatArray) -> FloatArray:
    """Wheel angles between the times at which they were told: told speeds are the slopes."""
    count = wheels.values.shape[1] // 2
    once = np.concatenate(([True], np.diff(wheels.stamp_s) > 0.0))
    spline = CubicHermiteSpline(wheels.stamp_s[once], wheels.values[once, :count], wheels.values[once, count:])
    return np.asarray(spline(time_s))


def _line(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Least squares of y = a x + b: (a, b), their covariance, and the deviation of what is left."""
    design = np.stack((x, np.ones_like(x)), axis=1)
    solution, *_ = np.linalg.lstsq(design, y, rcond=None)
    left = y - design @ solution
    variance = float(left @ left) / (len(y) - 2)
    covariance = variance * np.linalg.inv(design.T @ design)
    return np.asarray(solution, dtype=np.float64), np.asarray(covariance, dtype=np.float64), math.sqrt(variance)


def _radius(
    time_s: FloatArray, way: FloatArray, places_m: FloatArray, mean: FloatArray, turned: FloatArray
) -> tuple[float, float, float]:
    """Wheel radius from windows in which the robot rolled; its deviation, and that of a seen place."""
    dt_s = np.diff(time_s)
    # In wheel radii: what curves and changes of speed ask of the tyres. Where that is much, and a while after, they may slide.
    speed = mean / dt_s
    asked = np.abs(speed * turned / dt_s)
    calm = asked <= _CALM_SHARE * np.quantile(asked, 0.98)
    for moment_s in time_s[1:][~calm]:
        calm &= (time_s[1:] < moment_s) | (time_s[1:] > moment_s + _SLIDE_S)
    ways, moves = [], []
    start = 0
    for end in range(1, len(time_s)):
        if not calm[end - 1]:
            start = end
        elif time_s[end] - time_s[start] >= _WINDOW_S:
            ways.append(way[end] - way[start])
            moves.append(places_m[end] - places_m[start])
            start = end
    if len(ways) < 10:
        raise InputError("the robot hardly ever rolls straight in this recording; drive the pattern")
    x, y = np.concatenate(ways), np.concatenate(moves)
    fits = np.ones(len(x), dtype=bool)
    for _ in range(5):  # a push or a slide that was missed is left out
        radius_m = float(x[fits] @ y[fits] / (x[fits] @ x[fits]))
        left = np.abs(y - radius_m * x)
        fits = left <= 4.0 * np.median(left[fits]) / 0.6745
    variance = float((left[fits] ** 2).sum()) / (fits.sum() - 1)
    near = (np.diff(places_m, axis=0) - radius_m * np.diff(way, axis=0))[calm]
    sigma_m = float(np.median(np.abs(near)) / 0.6745 / math.sqrt(2.0))
    return radius_m, math.sqrt(variance / float(x[fits] @ x[fits])), sigma_m


@dataclass(frozen=True)
class _Run:
    """The recording on the grid of the physics: commands at each step, and what to compare."""

    dt_s: float
    start_s: float
    steps: int
    sent_s: FloatArray
    commands: FloatArray
    first_speeds: FloatArray
    wheel_steps: FloatArray
    wheel_speeds: FloatArray
    windows: FloatArray
    moves_m: FloatArray


def _motors(recording: RobotRecording, spec: RobotSpec, dt_s: float, sigma_m: float) -> dict[str, Estimate]:
    run = _run(recording, dt_s)
    guesses = {
        "motor_stall_torque_n_m": spec.motor_stall_torque_n_m,
        "motor_no_load_speed_rad_s": spec.motor_no_load_speed_rad_s,
        "wheel_damping_n_m_s": max(spec.wheel_damping_n_m_s, 1e-6),
        "wheel_control_time_s": spec.wheel_control_time_s,
        "tyre_traction": spec.tyre_traction,
    }
    names = tuple(guesses)

    def spec_of(unknown: FloatArray) -> RobotSpec:
        found: dict[str, Any] = {name: guesses[name] * math.exp(u) for name, u in zip(names, unknown, strict=False)}
        return replace(spec, **found)

    def residuals(unknown: FloatArray, run: _Run) -> FloatArray:
        wheels, moves = _simulate(run, spec_of(unknown), float(unknown[-1]))
        off_wheels = (wheels - run.wheel_speeds) / _WHEEL_SIGMA_RAD_S
        off_moves = (moves - run.moves_m) / (math.sqrt(2.0) * max(sigma_m, 1e-4))
        return np.concatenate((off_wheels.ravel(), off_moves.ravel()))

    def fitted(start: FloatArray, run: _Run) -> Any:
        bounds = ([-2.0] * len(names) + [0.0], [2.0] * len(names) + [_MOST_DELAY_S])
        scale = [1.0] * len(names) + [0.01]
        return least_squares(residuals, start, x_scale=scale, bounds=bounds, loss="cauchy", diff_step=1e-4, kwargs={"run": run})

    # First the delay that fits best alone, since a wrong one hides everything else.
    delays = np.arange(0.001, 0.08, 0.004)
    tries = [np.log1p(residuals(np.array([0.0] * len(names) + [d]), run) ** 2).sum() for d in delays]
    fit = fitted(np.array([0.0] * len(names) + [delays[int(np.argmin(tries))]]), run)
    run, lost, changes = _without_lost(run, spec_of(fit.x), float(fit.x[-1]))
    fit = fitted(fit.x, run)
    times_s = np.concatenate([(steps * run.dt_s).repeat(2) for steps in (run.wheel_steps, run.windows[:, 0])])
    sigmas = _deviations(fit.fun, fit.jac, times_s)
    estimates = {}
    for name, unknown, sigma in zip(names, fit.x, sigmas, strict=False):
        value = guesses[name] * math.exp(unknown)
        estimates[f"robot.{name}"] = Estimate(value, CONFIDENCE * value * float(sigma))
    estimates["noise.command_delay_s"] = Estimate(float(fit.x[-1]), CONFIDENCE * float(sigmas[-1]))
    estimates["noise.command_loss"] = _share(lost, changes)
    return estimates


def _deviations(residuals: FloatArray, jacobian: FloatArray, times_s: FloatArray) -> FloatArray:
    """Standard deviations of what was fitted with scipy's Cauchy loss.

    Residuals close together in time have the same cause, such as a lost command, so they count as one: sums over blocks
    of time are what is independent (the sandwich of White and Liang-Zeger).
    """
    square = residuals**2
    weight = 1.0 / (1.0 + square)
    # The jacobian comes scaled as the solver needed it.
    scaled = np.sqrt(np.maximum(np.finfo(float).eps, weight - 2.0 * weight**2 * square))
    plain = jacobian / scaled[:, None]
    inverse = np.linalg.pinv(plain.T @ (weight[:, None] * plain))
    blocks = (times_s / _BLOCK_S).astype(int)
    sums = np.zeros((int(blocks.max()) + 1, plain.shape[1]))
    np.add.at(sums, blocks, plain * (weight * residuals)[:, None])
    spare = len(sums) / max(1, len(sums) - plain.shape[1])
    return np.asarray(np.sqrt(np.diag(inverse @ (spare * sums.T @ sums) @ inverse)))


def _without_lost(run: _Run, spec: RobotSpec, delay_s: float) -> tuple[_Run, int, int]:
    """The run without commands that never reached the robot: how many of those that change something, and of how many.

    A robot that missed one goes on with the one before; where that explains its wheels better, it was so.
    """
    commands = run.commands.copy()
    changes = np.flatnonzero(np.any(np.diff(commands, axis=0) != 0.0, axis=1)) + 1
    told_s = run.start_s + run.wheel_steps * run.dt_s

    def misfit(now: FloatArray, after_s: float) -> float:
        wheels, _ = _simulate(replace(run, commands=now), spec, delay_s)
        window = (told_s > after_s) & (told_s < after_s + _SEEN_WITHIN_S)
        return float(np.abs(wheels - run.wheel_speeds)[window].sum())

    lost = 0
    for change in changes.tolist():
        for place in range(change, min(change + _MOST_LOST_IN_A_ROW, len(commands))):
            without = commands.copy()
            without[place] = commands[place - 1]
            if misfit(without, run.sent_s[change]) >= _BETTER * misfit(commands, run.sent_s[change]):
                break
            commands, lost = without, lost + 1
    return replace(run, commands=commands), lost, len(changes)


def _run(recording: RobotRecording, dt_s: float) -> _Run:
    commands, wheels, poses = recording.commands, recording.wheels, recording.poses
    count = commands.values.shape[1]
    # Recorded when they were said; where the bag has another clock than the stamps, the stamps must do.
    sent_s = commands.recorded_s if _same_clock(commands) else commands.stamp_s
    begin = int(np.searchsorted(wheels.stamp_s, max(sent_s[0], poses.stamp_s[0])))
    start_s = float(wheels.stamp_s[begin])  # from a moment at which the wheels' speeds are known
    end_s = min(sent_s[-1], wheels.stamp_s[-1], poses.stamp_s[-1])
    steps = int((end_s - start_s) / dt_s)
    heard = (wheels.stamp_s > start_s) & (wheels.stamp_s < end_s)
    inside = np.flatnonzero((poses.stamp_s > start_s) & (poses.stamp_s < end_s))
    windows = []
    first = inside[0]
    for i in inside[1:]:
        if poses.stamp_s[i] - poses.stamp_s[first] >= 0.5 * _WINDOW_S:
            windows.append((first, i))
            first = i
    pairs = np.array(windows)
    moves = poses.values[pairs[:, 1], :2] - poses.values[pairs[:, 0], :2]
    yaw = poses.values[pairs[:, 0], 2]
    cos, sin = np.cos(yaw), np.sin(yaw)
    local = np.stack((cos * moves[:, 0] + sin * moves[:, 1], cos * moves[:, 1] - sin * moves[:, 0]), axis=1)
    return _Run(
        dt_s,
        start_s,
        steps,
        sent_s,
        commands.values,
        np.ascontiguousarray(wheels.values[begin, count:]),
        (wheels.stamp_s[heard] - start_s) / dt_s,
        wheels.values[heard, count:],
        (poses.stamp_s[pairs] - start_s) / dt_s,
        local,
    )


def _simulate(run: _Run, spec: RobotSpec, delay_s: float) -> tuple[FloatArray, FloatArray]:
    """Wheel speeds when they were told, and moves in the robot's own frame over the windows."""
    edges = (run.sent_s + delay_s - run.start_s) / run.dt_s
    grid = np.arange(run.steps + 1, dtype=float)
    # A command that comes within a step counts for the rest of it: so the result is smooth in the delay.
    newest = np.clip(np.searchsorted(edges, grid[1:], side="right") - 1, 0, len(edges) - 1)
    before = np.clip(newest - 1, 0, len(edges) - 1)
    share = np.clip(grid[1:] - edges[newest], 0.0, 1.0)[:, None]
    commands = np.ascontiguousarray(share * run.commands[newest] + (1.0 - share) * run.commands[before])
    drive = spec.make_drive()
    parameters = drive_parameters(spec, GRAVITY_M_S2)
    speeds, poses = drive_freely(parameters, np.ascontiguousarray(drive.inverse), run.first_speeds, commands, run.dt_s)
    wheels = np.stack([np.interp(run.wheel_steps, grid, speeds[:, k]) for k in range(speeds.shape[1])], axis=1)
    ends = [np.stack([np.interp(run.windows[:, e], grid, poses[:, k]) for k in range(3)], axis=1) for e in (0, 1)]
    moved, yaw = ends[1][:, :2] - ends[0][:, :2], ends[0][:, 2]
    cos, sin = np.cos(yaw), np.sin(yaw)
    return wheels, np.stack((cos * moved[:, 0] + sin * moved[:, 1], cos * moved[:, 1] - sin * moved[:, 0]), axis=1)


def _radio(recording: RobotRecording) -> dict[str, Estimate]:
    """Delay of the camera, and shares of lost frames and answers."""
    estimates = {}
    poses = recording.poses
    if _same_clock(poses):
        late_s = poses.recorded_s - poses.stamp_s
        spread = float(late_s.std()) / math.sqrt(len(late_s))
        estimates["noise.vision_delay_s"] = Estimate(max(0.0, float(late_s.mean())), CONFIDENCE * spread)
    for key, track in (("noise.robot_loss", poses), ("noise.reply_loss", recording.wheels)):
        gaps = np.diff(track.stamp_s)
        expected = np.round(gaps / np.median(gaps)).sum() + 1.0
        estimates[key] = _share(expected - len(track), expected)
    return estimates


def _share(count: float, total: float) -> Estimate:
    """A share that was counted. Its interval reaches to the farther end of Wilson's, which also holds for rare events."""
    share, z2 = max(0.0, count / total), CONFIDENCE**2 / total
    middle = (share + z2 / 2.0) / (1.0 + z2)
    reach = CONFIDENCE * math.sqrt(share * (1.0 - share) / total + z2 / (4.0 * total)) / (1.0 + z2)
    return Estimate(share, abs(middle - share) + reach)


def _same_clock(track: Track) -> bool:
    return bool(abs(float(np.median(track.recorded_s - track.stamp_s))) < _LONGEST_CLOCK_OFFSET_S)
