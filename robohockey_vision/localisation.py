"""Where a robot is, from what its own camera sees: rink lines, the foot of the boards, goals and odometry.

Points on the floor are moved with the pose until they lie on the lines that the league paints: Gauss-Newton on the distance
to the nearest line, read from a map, where far-off points count little. Goals tell the two ends apart and give the first
guess; odometry carries the pose from frame to frame, and bounds it where a frame shows little. A pose that no frame has
confirmed for a while is not told any more.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from robohockey_core.angles import wrap
from robohockey_core.appearance import floor_strokes
from robohockey_core.kinematics import FORWARD, LEFT, TURN, arc_step
from robohockey_core.league import League
from robohockey_core.names import BLUE, RED
from robohockey_core.state import Pose2D
from robohockey_vision.omni_detector import FloorPoints, OmniSight

FloatArray = NDArray[np.float64]

_CELL_M_SHARE = 1.0 / 200.0
_ROUNDS = 8
_FIRST_ROUNDS = 16
_DIRECTIONS = 18
_BEST_KEPT = 4
# Misfits of this many deviations count half; what the model of lens and floor leaves out is added to each deviation.
_DOUBTFUL_SIGMAS = 3.0
_MODEL_SHARE = 0.002
# Points of one line are off together, so they say less than as many independent ones.
_CORRELATION = 6.0
# How far odometry is off after a second: share of the way driven, of the turn, and what comes by itself. Variance grows with
# time, so that as much comes together in many short steps as in one long one.
_DRIFT_SHARE, _TURN_DRIFT_SHARE = 0.05, 0.05
_DRIFT_M_S, _TURN_DRIFT_RAD_S = 0.03, 0.05
_LEAST_POINTS = 12
# A measured speed holds this long; then nobody knows how the robot moves.
_WHEELS_HOLD_S = 0.3
# A pose is carried on this long by the wheels alone where a frame shows little, and where it shows something else.
_LONGEST_BLIND_S, _LONGEST_CONTRADICTED_S = 1.0, 0.2
# A fit may be off its prediction by so many deviations of both; those of a good fit, in m, m and rad.
_MOST_SIGMAS, _FIT_SIGMAS = 4.0, (0.05, 0.05, 0.03)
# Stamps that go back by more than this belong to another time; by less, to a frame that was late.
_OTHER_TIME_S = 1.0
# A frame whose points lie this badly shows another place; one whose points lie this well, needs no other guess.
_WORST_INLIERS, _GOOD_INLIERS = 0.35, 0.65
# A goal is as far away as it seems, or has its foot hidden.
_GOAL_NEARER = (1.0, 0.75, 0.55, 0.4)


@dataclass(frozen=True, eq=False)
class Located:
    pose: Pose2D
    covariance: FloatArray
    """Of x, y and yaw."""
    inliers: float
    """Share of the points on the floor that lie where a line should be."""


class _DistanceMap:
    """Distance to the nearest of some segments and the way from it, at any place on the rink."""

    def __init__(self, segments: FloatArray, half_m: FloatArray, cell_m: float) -> None:
        self._cell_m, self._low_m = cell_m, -half_m
        x, y = (np.arange(-half, half + cell_m, cell_m) for half in half_m)
        grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=2)
        nearest = np.full(grid.shape[:2], np.inf)
        for start, end in segments:
            along = end - start
            share = np.clip(((grid - start) @ along) / max(float(along @ along), 1e-12), 0.0, 1.0)
            nearest = np.minimum(nearest, np.linalg.norm(grid - start - share[:, :, np.newaxis] * along, axis=2))
        self._map = nearest

    def at(self, points_m: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Distance, and its gradient, bilinear between the map's cells."""
        place = (points_m - self._low_m) / self._cell_m
        cell = np.clip(np.floor(place).astype(int), 0, np.array(self._map.shape) - 2)
        u, v = np.clip(place - cell, 0.0, 1.0).T
        i, j = cell.T
        a, b, c, d = self._map[i, j], self._map[i + 1, j], self._map[i, j + 1], self._map[i + 1, j + 1]
        distance = a * (1 - u) * (1 - v) + b * u * (1 - v) + c * (1 - u) * v + d * u * v
        gradient = np.stack(((b - a) * (1 - v) + (d - c) * v, (c - a) * (1 - u) + (d - b) * u), axis=1) / self._cell_m
        return distance, gradient


class Localiser:
    """Keeps one robot's pose."""

    def __init__(self, league: League) -> None:
        rink = league.rink
        half_m = np.array([rink.length_m, rink.width_m]) / 2.0
        strokes = [stroke.points_m for stroke in floor_strokes(league) if len(stroke.points_m) > 1]
        lines = np.concatenate([np.stack((points[:-1], points[1:]), axis=1) for points in strokes])
        cell_m = _CELL_M_SHARE * rink.length_m
        room_m = half_m * 1.15 + cell_m
        x, y = half_m
        corners = np.array([[x, y], [-x, y], [-x, -y], [x, -y]])
        boards = np.stack((corners, np.roll(corners, -1, axis=0)), axis=1)
        self._maps = (_DistanceMap(lines, room_m, cell_m), _DistanceMap(boards, room_m, cell_m))
        self._goal = {BLUE: np.array([-x, 0.0]), RED: np.array([x, 0.0])}
        self._half_m, self._scale_m = half_m, rink.length_m
        self._top_speed_m_s = league.robot.max_speed_m_s
        self._top_turn_rad_s = league.robot.max_speed_m_s / league.robot.circumradius_m
        self._driven: deque[tuple[float, FloatArray]] = deque(maxlen=1000)
        self.forget()

    def drive(self, body_twist: FloatArray, stamp_s: float) -> None:
        """Take the speed that the wheels measured (forward, left, turn), from this moment on."""
        self._driven.append((stamp_s, body_twist))

    def forget(self) -> None:
        """Know nothing: the next frame starts anew."""
        self.located: Located | None = None
        self._stamp_s = self._fixed_s = -math.inf
        self._doubted = False
        self._driven.clear()

    def see(self, sight: OmniSight, stamp_s: float) -> Located | None:
        """Take a frame; return where the robot was at its moment, or None when nobody can tell. A late frame tells nothing."""
        if stamp_s < self._stamp_s - _OTHER_TIME_S:
            self.forget()
        elif stamp_s < self._stamp_s:
            return None
        predicted = self._predicted(stamp_s)
        fitted = self._best(sight, [predicted.pose], predicted) if predicted is not None else None
        good = fitted if fitted is not None and predicted is not None and self._goes_on(predicted, fitted) else None
        if good is None:
            anew = self._anew(sight)
            good = anew if anew is not None and anew.inliers > _WORST_INLIERS else None
        if good is None and predicted is not None and fitted is not None:
            predicted = self._contradicted(predicted, stamp_s)
        self._doubted = good is None and fitted is not None
        self.located, self._stamp_s = good or predicted, stamp_s
        if good is not None:
            self._fixed_s = stamp_s
        return self.located

    def _goes_on(self, predicted: Located, fitted: Located) -> bool:
        """Whether a fit near the last pose is that pose going on, and not another place that looks a little like it.

        Lines alone look the same in many places, and all of them from the other side: a jump takes the goals.
        """
        off = np.subtract(fitted.pose, predicted.pose)
        off[2] = wrap(float(off[2]))
        room = predicted.covariance + np.diag(np.square(_FIT_SIGMAS))
        return (
            fitted.inliers >= (_GOOD_INLIERS if self._doubted else _WORST_INLIERS)
            and float(off @ np.linalg.solve(room, off)) < _MOST_SIGMAS**2
        )

    def _contradicted(self, predicted: Located, stamp_s: float) -> Located | None:
        """A prediction of which the frame shows nothing: pushed or carried away, perhaps. Doubted, and soon given up."""
        if stamp_s - self._fixed_s > _LONGEST_CONTRADICTED_S:
            return None
        doubt = self._drift_variance(None, stamp_s - self._stamp_s)
        return replace(predicted, covariance=predicted.covariance + np.diag(doubt))

    def _predicted(self, stamp_s: float) -> Located | None:
        """The last pose, driven on to this moment; None when there is none, or nobody knows any more."""
        heard_s = max((moment_s for moment_s, _ in self._driven), default=-math.inf)
        blind_s, unheard_s = stamp_s - self._fixed_s, stamp_s - max(self._fixed_s, heard_s)
        if self.located is None or blind_s > _LONGEST_BLIND_S or unheard_s > _WHEELS_HOLD_S:
            return None
        x_m, y_m, yaw_rad = self.located.pose
        covariance = self.located.covariance.copy()
        for twist, dt_s in self._legs(self._stamp_s, stamp_s):
            if twist is not None:
                x_m, y_m, yaw_rad = arc_step(x_m, y_m, yaw_rad, twist[FORWARD], twist[LEFT], twist[TURN], dt_s)
            covariance += np.diag(self._drift_variance(twist, dt_s))
        return Located(Pose2D(x_m, y_m, wrap(yaw_rad)), covariance, self.located.inliers)

    def _legs(self, from_s: float, to_s: float) -> Iterator[tuple[FloatArray | None, float]]:
        """How the robot moved and for how long, piece by piece; None where no wheel told."""
        while len(self._driven) > 1 and self._driven[1][0] <= from_s:
            self._driven.popleft()
        now_s, twist, holds_until_s = from_s, None, -math.inf
        for moment_s, measured in [*self._driven, (to_s, None)]:
            until_s = min(moment_s, to_s)
            known_until_s = min(until_s, holds_until_s)
            if known_until_s > now_s:
                yield twist, known_until_s - now_s
                now_s = known_until_s
            if until_s > now_s:
                yield None, until_s - now_s
                now_s = until_s
            twist, holds_until_s = measured, moment_s + _WHEELS_HOLD_S

    def _drift_variance(self, twist: FloatArray | None, dt_s: float) -> tuple[float, float, float]:
        """What a leg adds to the variance of x, y and yaw; without wheels, as much as the robot can do."""
        if twist is None:
            place, turn = self._top_speed_m_s**2 * _WHEELS_HOLD_S, self._top_turn_rad_s**2 * _WHEELS_HOLD_S
        else:
            place = _DRIFT_M_S**2 + (_DRIFT_SHARE * math.hypot(twist[FORWARD], twist[LEFT])) ** 2
            turn = _TURN_DRIFT_RAD_S**2 + (_TURN_DRIFT_SHARE * twist[TURN]) ** 2
        return place * dt_s, place * dt_s, turn * dt_s

    def _anew(self, sight: OmniSight) -> Located | None:
        """The pose without any prior. A goal whose foot is hidden seems too far away: then nearer ones are tried."""
        best: Located | None = None
        for nearer in _GOAL_NEARER:
            located = self._best(sight, self._first_guesses(sight, nearer), None)
            if located is not None and (best is None or located.inliers > best.inliers):
                best = located
            if best is not None and best.inliers > _GOOD_INLIERS:
                break
        return best

    def _first_guesses(self, sight: OmniSight, nearer: float) -> list[Pose2D]:
        """Poses that the goals allow: one from both, a circle of them around one."""
        guesses = []
        seen = {team: np.array(goal.local_m) for team, goal in sight.goals.items()}
        if len(seen) == 2:
            ahead = seen[RED] - seen[BLUE]
            yaw_rad = -math.atan2(ahead[1], ahead[0])
            cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
            nearest = min(seen, key=lambda team: sight.goals[team].distance_m)
            local = seen[nearest]
            x_m, y_m = self._goal[nearest] - (cos * local[0] - sin * local[1], sin * local[0] + cos * local[1])
            guesses.append(Pose2D(float(x_m), float(y_m), yaw_rad))
        for team, goal in sight.goals.items():
            distance_m = nearer * goal.distance_m
            for direction_rad in np.linspace(-math.pi / 2.0, math.pi / 2.0, _DIRECTIONS).tolist():
                away_rad = direction_rad if team == BLUE else math.pi - direction_rad
                place = self._goal[team] + distance_m * np.array([math.cos(away_rad), math.sin(away_rad)])
                if (np.abs(place) < self._half_m * 1.05).all():
                    yaw_rad = away_rad + math.pi - goal.bearing_rad
                    guesses.append(Pose2D(float(place[0]), float(place[1]), wrap(yaw_rad)))
        return guesses

    def _best(self, sight: OmniSight, guesses: list[Pose2D], prior: Located | None) -> Located | None:
        if len(sight.lines.local_m) + len(sight.edges.local_m) < _LEAST_POINTS:
            return None
        if len(guesses) > _BEST_KEPT:
            # A third of the points tells which guesses are worth a closer look.
            few = replace(sight, lines=sight.lines.thinned(3), edges=sight.edges.thinned(3))
            rough = sorted((self._fit(few, guess, prior, _ROUNDS) for guess in guesses), key=lambda fit: fit[0])
            guesses = [located.pose for _, located in rough[:_BEST_KEPT]]
        rounds = _ROUNDS if prior is not None else _FIRST_ROUNDS
        fits = [self._fit(sight, guess, prior, rounds) for guess in guesses]
        return min(fits, key=lambda fit: fit[0])[1] if fits else None

    def _fit(self, sight: OmniSight, guess: Pose2D, prior: Located | None, rounds: int) -> tuple[float, Located]:
        """Gauss-Newton with weights that fade; the cost tells good fits from local ones."""
        pose = np.array(guess)
        center = np.array(prior.pose) if prior is not None else pose
        groups = [(points, line_map) for points, line_map in zip((sight.lines, sight.edges), self._maps, strict=True)]
        cost, inliers = math.inf, 0.0
        normal: FloatArray = np.eye(3)
        information: FloatArray = np.zeros((3, 3))
        if prior is not None:
            information = np.linalg.inv(prior.covariance).astype(np.float64)
        # Wide at first, so that lines a little farther off pull too.
        for doubt in np.geomspace(_DOUBTFUL_SIGMAS * 4.0, _DOUBTFUL_SIGMAS, rounds).tolist():
            off = center - pose
            off[2] = wrap(float(off[2]))
            normal, slope = information.copy(), information @ off
            cost, good, count = float(off @ information @ off), 0.0, 0
            for points, line_map in groups:
                n, s, c, g = self._point_terms(pose, points, line_map, doubt)
                normal, slope, cost, good, count = normal + n, slope + s, cost + c, good + g, count + len(points.local_m)
            n, s, c = self._goal_terms(pose, sight)
            normal, slope, cost = normal + n, slope + s, cost + c
            inliers = good / max(1, count)
            step = np.linalg.solve(normal + 1e-6 * np.eye(3), slope)
            pose = pose + np.clip(step, -0.5, 0.5)
        covariance: FloatArray = np.linalg.inv(normal + 1e-6 * np.eye(3)).astype(np.float64)
        return cost, Located(Pose2D(float(pose[0]), float(pose[1]), wrap(float(pose[2]))), covariance, inliers)

    def _point_terms(
        self, pose: FloatArray, points: FloorPoints, line_map: _DistanceMap, doubt: float
    ) -> tuple[FloatArray, FloatArray, float, float]:
        """Normal matrix, right-hand side, cost and number of good ones, of points that should lie on a line."""
        if not len(points.local_m):
            return np.zeros((3, 3)), np.zeros(3), 0.0, 0.0
        cos, sin = math.cos(pose[2]), math.sin(pose[2])
        turned = points.local_m @ np.array([[cos, sin], [-sin, cos]])
        distance, gradient = line_map.at(turned + pose[:2])
        far_m = np.maximum(np.hypot(turned[:, 0], turned[:, 1]), 1e-6)
        ahead = turned / far_m[:, np.newaxis]
        along = np.sum(gradient * ahead, axis=1) ** 2
        sigma = np.sqrt(along * points.along_m**2 + (1.0 - np.minimum(1.0, along)) * points.across_m**2)
        sigma += _MODEL_SHARE * self._scale_m
        misfit = distance / sigma
        fade = 1.0 / (1.0 + (misfit / doubt) ** 2)
        weight = fade * fade / (sigma * sigma) / _CORRELATION
        turning = gradient[:, 1] * turned[:, 0] - gradient[:, 0] * turned[:, 1]
        jacobian = np.column_stack((gradient, turning))
        weighted = jacobian * weight[:, np.newaxis]
        cost = float(np.sum(misfit * misfit * fade)) / _CORRELATION
        return weighted.T @ jacobian, -weighted.T @ distance, cost, float(np.sum(misfit < 3.0))

    def _goal_terms(self, pose: FloatArray, sight: OmniSight) -> tuple[FloatArray, FloatArray, float]:
        """The same for goals: bearing of their middle and distance of their line."""
        normal, slope, cost = np.zeros((3, 3)), np.zeros(3), 0.0
        for team, goal in sight.goals.items():
            dx, dy = (self._goal[team] - pose[:2]).tolist()
            far_m = max(math.hypot(dx, dy), 1e-6)
            off_rad = wrap(goal.bearing_rad - math.atan2(dy, dx) + pose[2])
            off_m = goal.distance_m - far_m
            rows = np.array([[-dy / far_m**2, dx / far_m**2, 1.0], [dx / far_m, dy / far_m, 0.0]])
            sigmas = (goal.bearing_sigma_rad, goal.distance_sigma_m + 0.15 * goal.distance_m)
            for row, off, sigma in zip(rows, (off_rad, off_m), sigmas, strict=True):
                misfit = off / sigma
                fade = 1.0 / (1.0 + (misfit / _DOUBTFUL_SIGMAS) ** 2)
                weight = fade * fade / sigma**2
                normal += weight * np.outer(row, row)
                # The misfit falls when the pose follows the row: bearing and distance grow with - row.
                slope -= weight * row * off
                cost += misfit * misfit * fade * 4.0
        return normal, slope, cost
