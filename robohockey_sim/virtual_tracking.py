"""What a real camera would make of the truth: the virtual vision tracking of MR section 3.1, with the noise of section 5.

Places with gaussian noise and a constant offset, late, now and then without a body or a whole frame.
Pure and seeded: the same seed and the same truth give the same bits.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from robohockey_core.angles import wrap
from robohockey_core.geometry import OrientedBox, Point
from robohockey_core.joints import FloatArray, JointSample
from robohockey_core.league import League
from robohockey_core.names import BODY_JOINTS, PUCK, body_joints
from robohockey_sim.noise import DelayLine, stream

_YAW = BODY_JOINTS.index("yaw")
_MUTABLE = ("_bias_m", "_robot_noise", "_puck_noise", "_robot_loss", "_puck_loss", "_occlusion", "_frame_loss", "_on_the_way")


class VirtualTracking:
    """Turns true places into detections. Bodies are seen in the order given, frame by frame."""

    def __init__(self, league: League, bodies: Iterable[str], seed: int) -> None:
        self._spec = spec = league.noise
        self._robot, self._puck_radius_m = league.robot, league.puck.radius_m
        self._seed = seed
        self._bodies = tuple(bodies)
        self._row = {joint: row for row, joint in enumerate(joint for body in self._bodies for joint in body_joints(body))}
        self._known_rows: dict[tuple[str, ...], NDArray[np.intp]] = {}
        is_puck = np.array([body == PUCK for body in self._bodies], dtype=bool)
        self._robots, self._pucks = np.flatnonzero(~is_puck), np.flatnonzero(is_puck)
        self._robot_sigma = np.array([spec.robot_sigma_m, spec.robot_sigma_m, spec.robot_sigma_rad])
        self._namings: dict[bytes, tuple[str, ...]] = {}
        self._changes_places = any((spec.robot_sigma_m, spec.robot_sigma_rad, spec.puck_sigma_m, spec.position_bias_m))
        self._loses = any((spec.robot_loss, spec.puck_loss, spec.occlusion_loss))
        self._perfect = not (self._changes_places or self._loses or spec.vision_delay_s or spec.frame_loss)
        self.reset()

    def reset(self) -> None:
        """Begin a run: the same chances again, nothing on its way."""
        self._robot_noise, self._puck_noise = stream(self._seed, "robot noise"), stream(self._seed, "puck noise")
        self._robot_loss, self._puck_loss = stream(self._seed, "robot loss"), stream(self._seed, "puck loss")
        self._occlusion, self._frame_loss = stream(self._seed, "occlusion"), stream(self._seed, "frame loss")
        self._bias_m = self._draw_bias_m()
        self._on_the_way: DelayLine[JointSample] = DelayLine(self._spec.vision_delay_s)

    def see(self, truth: JointSample, now_s: float) -> list[JointSample]:
        """Take one camera frame, the true places of the bodies; return the detections that are due by now.

        Each keeps the stamp of the truth that it tells of. Every frame draws the same number of chances
        for each purpose, whatever else befalls it. A body that is off the ice is missing in the truth.
        """
        rows = self._rows_of(truth.names)
        if self._perfect:
            return [truth]
        places, there = self._places(truth, rows)
        seen = self._with_noise(places) if self._changes_places else places
        kept = self._kept(places) & there if self._loses else there
        if not (self._spec.frame_loss and self._frame_loss.random() < self._spec.frame_loss):
            self._on_the_way.put(JointSample(truth.stamp_s, self._joints_of(kept), seen[kept].ravel()), now_s)
        return self.due(now_s)

    def _rows_of(self, names: tuple[str, ...]) -> NDArray[np.intp]:
        """Where the joints stand among those that the camera looks for. The truth names the same ones again and again."""
        rows = self._known_rows.get(names)
        if rows is None:
            strange = set(names) - self._row.keys()
            if strange:
                raise ValueError(f"{min(strange)}: no joint of a body that the camera looks for")
            rows = self._known_rows[names] = np.array([self._row[name] for name in names], dtype=np.intp)
        return rows

    def _joints_of(self, kept: NDArray[np.bool_]) -> tuple[str, ...]:
        """Joints of the bodies that are found, named once for every set of them."""
        found = kept.tobytes()
        names = self._namings.get(found)
        if names is None:
            names = tuple(joint for body in compress(self._bodies, kept) for joint in body_joints(body))
            self._namings[found] = names
        return names

    def _places(self, truth: JointSample, rows: NDArray[np.intp]) -> tuple[FloatArray, NDArray[np.bool_]]:
        """One row for every body that the camera looks for, NaN for those that are not there; and which are."""
        values = np.full(len(self._row), math.nan)
        values[rows] = truth.position
        places = values.reshape(-1, len(BODY_JOINTS))
        return places, np.isfinite(places).all(axis=1)

    def due(self, now_s: float) -> list[JointSample]:
        """Detections that have become due since the last call: for delays that end between two frames."""
        return [sample for _, sample in self._on_the_way.due(now_s)]

    def snapshot(self) -> object:
        """Everything that `restore` needs to go on from here, bit for bit."""
        return copy.deepcopy({name: self.__dict__[name] for name in _MUTABLE})

    def restore(self, snapshot: object) -> None:
        self.__dict__.update(copy.deepcopy(snapshot))  # type: ignore[call-overload]

    def _draw_bias_m(self) -> FloatArray:
        """One offset for all that the camera sees, uniform over a disc: the camera is a little out of place."""
        share, turn = stream(self._seed, "position bias").random(2).tolist()
        length_m = self._spec.position_bias_m * math.sqrt(share)
        return np.array([length_m * math.cos(math.tau * turn), length_m * math.sin(math.tau * turn)])

    def _with_noise(self, places: FloatArray) -> FloatArray:
        robots, pucks = self._robots, self._pucks
        seen = places.copy()
        seen[robots] += self._robot_sigma * self._robot_noise.standard_normal((len(robots), len(self._robot_sigma)))
        seen[pucks, :_YAW] += self._spec.puck_sigma_m * self._puck_noise.standard_normal((len(pucks), _YAW))
        seen[:, :_YAW] += self._bias_m
        seen[:, _YAW] = [wrap(yaw_rad) for yaw_rad in seen[:, _YAW].tolist()]
        return seen

    def _kept(self, places: FloatArray) -> NDArray[np.bool_]:
        """Which bodies are found in a frame; a chance of 0 keeps all, a chance of 1 none."""
        spec, robots, pucks = self._spec, self._robots, self._pucks
        kept = np.ones(len(places), dtype=bool)
        kept[robots] = self._robot_loss.random(len(robots)) >= spec.robot_loss
        kept[pucks] = self._puck_loss.random(len(pucks)) >= spec.puck_loss
        hidden = self._occlusion.random() < spec.occlusion_loss
        if hidden and self._puck_is_close(places):
            kept[pucks] = False
        return kept

    def _puck_is_close(self, places: FloatArray) -> bool:
        """Whether some robot's body stands within the occlusion distance of the puck's rim, or over it."""
        reach_m = self._puck_radius_m + self._spec.occlusion_m
        robots = [place for place in places[self._robots].tolist() if math.isfinite(sum(place))]
        return any(
            OrientedBox(Point(x_m, y_m), yaw_rad, self._robot.length_m, self._robot.width_m).clearance(Point(*puck)) < reach_m
            for puck in places[self._pucks, :_YAW].tolist()
            for x_m, y_m, yaw_rad in robots
        )
