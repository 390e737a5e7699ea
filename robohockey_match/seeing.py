"""Matches in which every pose comes from camera images: the engine with eyes, without ROS.

Eyes render what is true through a simulated camera, read the image as a real one would be read, and hand over detections
after the time that this takes. Nothing else tells the teams where anything is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from robohockey_core.joints import JointSample, bodies_of, world_of
from robohockey_core.league import League
from robohockey_core.mirrors import Mirror, mirror_on
from robohockey_core.names import RobotId
from robohockey_core.odometry import Odometry
from robohockey_core.overhead_view import OverheadView, view_above
from robohockey_core.state import BodyState, WorldState
from robohockey_core.tracker import Tracker, TrackerSettings, settings_for
from robohockey_match.engine import Engine, Referee
from robohockey_sim.camera_light import LightSettings
from robohockey_sim.noise import DelayLine
from robohockey_sim.omni_camera import OmniCamera
from robohockey_sim.overhead_camera import OverheadCamera
from robohockey_sim.pacing import FrameClock
from robohockey_strategy.team import Team
from robohockey_vision.localisation import Localiser
from robohockey_vision.omni import Unwarper, UnwarpSettings
from robohockey_vision.omni_detector import OmniDetector
from robohockey_vision.omni_report import report
from robohockey_vision.overhead import OverheadDetector

OVERHEAD_HZ, OMNI_HZ = 30.0, 50.0
VISION_DELAY_S = 0.03


class Eyes(Protocol):
    """A camera and who reads it."""

    def look(self, bodies: Mapping[str, BodyState], now_s: float) -> JointSample | None:
        """What one frame shows; None when it shows nothing that could be told."""
        ...

    def feel(self, wheels: JointSample) -> None:
        """Take the measured wheel speeds."""
        ...


class OverheadEyes:
    """One camera above the rink; the detector may know it less well than it is."""

    period_s = 1.0 / OVERHEAD_HZ

    def __init__(
        self, league: League, light: LightSettings | None = None, seed: int = 1, calibrated: OverheadView | None = None
    ) -> None:
        view = view_above(league)
        self._camera = OverheadCamera(league, view, light, seed)
        self._detector = OverheadDetector(league, calibrated or view)

    def look(self, bodies: Mapping[str, BodyState], now_s: float) -> JointSample | None:
        return self._detector.detect(self._camera.render(bodies), now_s)

    def feel(self, wheels: JointSample) -> None:
        """A camera above the rink has no wheels."""


class OmniEyes:
    """The camera that one robot carries, and its knowledge of where it is."""

    period_s = 1.0 / OMNI_HZ

    def __init__(
        self,
        league: League,
        robot: RobotId,
        light: LightSettings | None = None,
        seed: int = 1,
        calibrated: Mirror | None = None,
    ) -> None:
        mirror = mirror_on(league)
        self._league, self._robot = league, robot
        self._camera = OmniCamera(league, mirror, light, seed)
        self._unwarper = Unwarper(UnwarpSettings(), 640, 480)
        self._detector = OmniDetector(league, calibrated or mirror, self._unwarper)
        self._localiser = Localiser(league)
        self._odometry = Odometry(league)

    def look(self, bodies: Mapping[str, BodyState], now_s: float) -> JointSample | None:
        image = self._camera.render(bodies[str(self._robot)].pose, bodies, str(self._robot))
        sight = self._detector.look(self._unwarper.unwarp(image))
        located = self._localiser.see(sight, now_s)
        return report(self._league, self._robot, located, sight, now_s) if located is not None else None

    def feel(self, wheels: JointSample) -> None:
        twist = self._odometry.twists(wheels).get(self._robot)
        if twist is not None:
            self._localiser.drive(twist, wheels.stamp_s)


class SeeingEngine(Engine):
    """A match whose tracker hears only eyes, and the wheels."""

    def __init__(
        self,
        league: League,
        teams: Mapping[str, Team],
        eyes: Sequence[OverheadEyes | OmniEyes],
        seed: int = 1,
        referee: Referee | None = None,
        tracker_settings: TrackerSettings | None = None,
        vision_delay_s: float = VISION_DELAY_S,
    ) -> None:
        super().__init__(league, teams, seed, referee)
        self._eyes = [(each, FrameClock(each.period_s)) for each in eyes]
        self._odometry = Odometry(league)
        self._tracker = Tracker(self.rink.world.bodies, settings_for(league, tracker_settings or TrackerSettings()))
        self._on_the_way: DelayLine[JointSample] = DelayLine(vision_delay_s)

    def see(self) -> WorldState:
        """What cameras, detectors and tracker make of this moment."""
        now_s, world = self.time_s, self.rink.world
        wheels = replace(world.wheel_states(), stamp_s=now_s)
        bodies = bodies_of(world.truth())
        for robot, twist in self._odometry.twists(wheels).items():
            self._tracker.roll(str(robot), twist, now_s)
        for eyes, clock in self._eyes:
            eyes.feel(wheels)
            if clock.is_due(now_s):
                seen = eyes.look(bodies, now_s)
                if seen is not None:
                    self._on_the_way.put(seen, now_s)
        for _, sample in self._on_the_way.due(now_s):
            self._tracker.see(sample, now_s)
        return world_of(self._tracker.estimate(now_s))
