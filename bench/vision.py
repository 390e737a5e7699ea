"""How well cameras are read, in simulated scenes whose truth is known: `python -m bench.vision`.

1,000 random scenes, light varied by 30 % and uneven by 10 % more. The detectors know their cameras only by calibration: the
overhead one from the rink's lines in one image, four corners clicked with some pixels of error and a height measured with
0.5 % of error; the omni one from marks on the floor. Every robot is located from one frame alone, without a prior.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from robohockey_core.angles import difference
from robohockey_core.geometry import Point, Segment, clearance, to_parent
from robohockey_core.league import League, load_league
from robohockey_core.mirrors import Mirror, mirror_on
from robohockey_core.names import PUCK
from robohockey_core.overhead_view import OverheadView, view_above
from robohockey_core.state import BodyState, Pose2D
from robohockey_sim.camera_light import LightSettings
from robohockey_sim.omni_camera import OmniCamera
from robohockey_sim.overhead_camera import OverheadCamera
from robohockey_vision.colors import default_colors
from robohockey_vision.localisation import Localiser
from robohockey_vision.omni import Unwarper, UnwarpSettings
from robohockey_vision.omni_calibration import Marks, OmniCalibrated, calibrate_omni
from robohockey_vision.omni_detector import OmniDetector
from robohockey_vision.overhead import OverheadDetector
from robohockey_vision.overhead_calibration import Calibrated, rink_corners_m, view_from_rink

LIMITS = {
    "overhead_mm": 4.0,
    "overhead_deg": 1.5,
    "omni_bearing_deg": 1.0,
    "omni_distance_share": 0.05,
    "located_m": 0.05,
    "located_deg": 2.0,
    "false_pucks_in_1000": 1.0,
}
SCENES_A_LIGHT = 10
NO_PUCK_EVERY = 10
FARTHEST_PUCK_M = 3.0
OWN = "blue/0"
MARKS_M = (0.5, 0.8, 1.2, 1.8, 2.5, 3.5)


@dataclass
class Score:
    """Errors over scenes; each list is turned into a root mean square."""

    errors: dict[str, list[float]] = field(default_factory=dict)
    scenes: int = 0
    missed: int = 0
    missed_pucks: int = 0
    false_pucks: int = 0
    render_s: float = 0.0
    read_s: float = 0.0

    def add(self, name: str, error: float) -> None:
        self.errors.setdefault(name, []).append(error)

    def rms(self, name: str) -> float:
        return math.sqrt(float(np.mean(np.square(self.errors[name]))))


def random_light(chance: np.random.Generator) -> LightSettings:
    return LightSettings(light=chance.uniform(0.7, 1.3), uneven=0.1, uneven_rad=chance.uniform(-math.pi, math.pi))


def random_scene(league: League, chance: np.random.Generator) -> dict[str, BodyState]:
    """Robots anywhere, any way round, none in another; the puck between them."""
    reach_m, puck_m = league.robot.circumradius_m, league.puck.radius_m
    half = np.array([league.rink.length_m, league.rink.width_m]) / 2.0
    bodies: dict[str, BodyState] = {}
    for name in [*map(str, league.robots()), PUCK]:
        own_m = puck_m if name == PUCK else reach_m
        while True:
            x_m, y_m = (chance.uniform(-1.0, 1.0, 2) * (half - own_m)).tolist()
            gaps = [math.dist((x_m, y_m), other.pose[:2]) for other in bodies.values()]
            if all(gap > own_m + reach_m for gap in gaps):
                break
        bodies[name] = BodyState(Pose2D(x_m, y_m, chance.uniform(-math.pi, math.pi)))
    return bodies


def calibrated_view(league: League, true_view: OverheadView, chance: np.random.Generator) -> Calibrated:
    """What calibration makes of one image of the empty rink."""
    image = OverheadCamera(league, true_view).render({})
    corners = rink_corners_m(league)
    clicked = true_view.project(np.column_stack((corners, np.zeros(4)))) + chance.normal(0.0, 2.0, (4, 2))
    return view_from_rink(image, league, clicked, height_m=1.005 * true_view.z_m)


def overhead_scenes(count: int, seed: int = 1, league_name: str = "mirosot_5v5") -> Score:
    """Poses of all robots and the puck from overhead images."""
    league = load_league(league_name)
    chance = np.random.default_rng(seed)
    view = view_above(league)
    camera = OverheadCamera(league, view)
    detector = OverheadDetector(league, calibrated_view(league, view, chance).view)
    detector.warm_up()
    score = Score()
    for scene in range(count):
        if scene % SCENES_A_LIGHT == 0:
            camera.relight(random_light(chance), seed + scene)
        bodies = random_scene(league, chance)
        shown = {name: body for name, body in bodies.items() if name != PUCK or scene % NO_PUCK_EVERY}
        started_s = time.perf_counter()
        image = camera.render(shown)
        rendered_s = time.perf_counter()
        robots, puck = detector.sights(image)
        score.render_s += rendered_s - started_s
        score.read_s += time.perf_counter() - rendered_s
        score.scenes += 1
        score.missed += len(league.robots()) - len(robots)
        for sight in robots:
            truth = bodies[str(sight.robot)].pose
            score.add("overhead_mm", 1000.0 * math.dist(sight.pose[:2], truth[:2]))
            score.add("overhead_deg", math.degrees(difference(sight.pose.yaw_rad, truth.yaw_rad)))
        if puck is None:
            score.missed_pucks += PUCK in shown
            continue
        gap_m = math.dist((puck.x_m, puck.y_m), bodies[PUCK].pose[:2])
        if PUCK not in shown or gap_m > 2.0 * league.puck.radius_m:
            score.false_pucks += 1
        else:
            score.add("overhead_mm", 1000.0 * gap_m)
            score.add("overhead_puck_mm", 1000.0 * gap_m)
    return score


def calibrated_mirror(league: League, true_mirror: Mirror, distances_m: Sequence[float] = MARKS_M) -> OmniCalibrated:
    """What calibration makes of 24 flat marks around the robot, starting from another mirror."""
    disc = replace(league, puck=replace(league.puck, shape="puck", height_m=0.002, radius_m=0.12))
    camera = OmniCamera(disc, true_mirror)
    views = []
    for distance_m in distances_m:
        for bearing_rad in (0.0, 1.6, 3.0, -1.5):
            place = Pose2D(distance_m * math.cos(bearing_rad), distance_m * math.sin(bearing_rad))
            image = camera.render(Pose2D(0.0, 0.0, 0.0), {PUCK: BodyState(place)})
            views.append(Marks(image, np.array([place[:2]])))
    off = {"focal_px": 0.95, "hyperbola_a_m": 0.93, "sphere_radius_m": 1.07, "cone_slope": 0.95}
    guess = replace(true_mirror, **{name: share * getattr(true_mirror, name) for name, share in off.items()})
    return calibrate_omni(views, guess, default_colors(league, (PUCK,)))


def omni_scenes(count: int, seed: int = 1) -> Score:
    """Bearing and distance of the puck, and the robot's own place, from omni images."""
    league = load_league("msl_omni")
    chance = np.random.default_rng(seed)
    mirror = mirror_on(league)
    camera = OmniCamera(league, mirror)
    found = calibrated_mirror(league, mirror)
    ring = UnwarpSettings(center_x_px=found.center_x_px, center_y_px=found.center_y_px)
    unwarper = Unwarper(ring, 640, 480)
    detector = OmniDetector(league, found.mirror, unwarper)
    localiser = Localiser(league)
    score = Score()
    for scene, (bodies, bearing_rad, distance_m, hidden) in enumerate(omni_truths(league, chance, count)):
        if scene % SCENES_A_LIGHT == 0:
            camera.relight(random_light(chance), seed + scene)
        own = bodies[OWN].pose
        shown = {name: body for name, body in bodies.items() if name != PUCK or scene % NO_PUCK_EVERY}
        started_s = time.perf_counter()
        image = camera.render(own, shown, OWN)
        rendered_s = time.perf_counter()
        sight = detector.look(unwarper.unwarp(image))
        score.render_s += rendered_s - started_s
        score.read_s += time.perf_counter() - rendered_s
        score.scenes += 1
        localiser.forget()
        located = localiser.see(sight, 0.0)
        if located is None:
            score.missed += 1
        else:
            score.add("located_m", math.dist(located.pose[:2], own[:2]))
            score.add("located_deg", math.degrees(difference(located.pose.yaw_rad, own.yaw_rad)))
        if sight.puck is None:
            score.missed_pucks += PUCK in shown and not hidden
            continue
        off_rad, off_share = difference(sight.puck.bearing_rad, bearing_rad), (sight.puck.distance_m - distance_m) / distance_m
        if PUCK not in shown or abs(off_rad) > math.radians(10.0) or abs(off_share) > 0.5:
            score.false_pucks += 1
        elif not hidden:
            score.add("omni_bearing_deg", math.degrees(off_rad))
            score.add("omni_distance_share", off_share)
    return score


def omni_truths(
    league: League, chance: np.random.Generator, count: int
) -> Iterator[tuple[dict[str, BodyState], float, float, bool]]:
    """Scenes with the puck within 3 m of the robot; whether another robot stands in its line of sight."""
    half = np.array([league.rink.length_m, league.rink.width_m]) / 2.0 - league.puck.radius_m
    nearest_m = league.robot.circumradius_m + league.puck.radius_m
    for _ in range(count):
        bodies = random_scene(league, chance)
        own = bodies[OWN].pose
        others = [body.pose.point for name, body in bodies.items() if name not in (OWN, PUCK)]
        while True:
            bearing_rad, distance_m = chance.uniform(-math.pi, math.pi), chance.uniform(nearest_m, FARTHEST_PUCK_M)
            local = Point(distance_m * math.cos(bearing_rad), distance_m * math.sin(bearing_rad))
            place = to_parent(own.point, own.yaw_rad, local)
            if (np.abs(np.array(place)) < half).all() and all(math.dist(place, other) > nearest_m for other in others):
                break
        bodies[PUCK] = BodyState(Pose2D(place.x_m, place.y_m))
        hidden = any(clearance(Segment(own.point, place), other) < nearest_m for other in others)
        yield bodies, bearing_rad, distance_m, hidden


def broken(score: Score) -> list[str]:
    """The limits that a score does not hold, in words."""
    limited = [name for name in score.errors if name in LIMITS]
    found = [f"{name} {score.rms(name):.4g} > {LIMITS[name]:g}" for name in limited if score.rms(name) > LIMITS[name]]
    if 1000.0 * score.false_pucks / score.scenes >= LIMITS["false_pucks_in_1000"]:
        found.append(f"{score.false_pucks} false pucks in {score.scenes} scenes")
    return found


def show(title: str, score: Score) -> None:
    print(f"{title}, {score.scenes} scenes:")
    for name in score.errors:
        limit = f" (limit {LIMITS[name]:g})" if name in LIMITS else ""
        worst = float(np.abs(score.errors[name]).max())
        print(f"  {name:20} RMS {score.rms(name):8.4f}{limit}; worst {worst:.4g} of {len(score.errors[name])}")
    print(
        f"  false pucks {score.false_pucks} (limit: below 1 in 1000), missed pucks {score.missed_pucks}, missed {score.missed}"
    )
    print(
        f"  rendered in {1000.0 * score.render_s / score.scenes:.1f} ms, read in {1000.0 * score.read_s / score.scenes:.1f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scenes", type=int, default=1000, help="scenes of each camera (default 1000)")
    parser.add_argument("--quick", action="store_true", help="a tenth of them")
    parser.add_argument("--seed", type=int, default=1)
    options, _ = parser.parse_known_args()
    count = options.scenes // 10 if options.quick else options.scenes
    wrong = []
    for title, scenes in (("overhead, mirosot_5v5, 640 x 480", overhead_scenes), ("omni, msl_omni, 630 x 96", omni_scenes)):
        score = scenes(count, options.seed)
        show(title, score)
        wrong += broken(score)
    print("all limits are held" if not wrong else f"NOT HELD: {'; '.join(wrong)}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
