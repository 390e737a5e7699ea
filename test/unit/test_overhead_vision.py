"""The overhead camera, rendered and read: the limits of bench/vision.py over fewer scenes, and images that are none."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bench.vision import LIMITS, broken, overhead_scenes, random_scene
from robohockey_core.angles import difference
from robohockey_core.appearance import TAGS, identity_code, tag_number, tag_robot
from robohockey_core.joints import bodies_of
from robohockey_core.league import load_league
from robohockey_core.names import RobotId, robot_ids
from robohockey_core.overhead_view import view_above
from robohockey_core.state import BodyState, Pose2D
from robohockey_sim.camera_light import LightSettings
from robohockey_sim.overhead_camera import OverheadCamera
from robohockey_vision.overhead import OverheadDetector

LEAGUE = load_league("micro_hockey")


@pytest.fixture(scope="module")
def camera():
    return OverheadCamera(LEAGUE, view_above(LEAGUE))


@pytest.fixture(scope="module")
def detector():
    return OverheadDetector(LEAGUE, view_above(LEAGUE))


@pytest.mark.parametrize("league", ["mirosot_5v5", "micro_hockey", "mixed_reality"])
def test_the_limits_hold_in_random_scenes(league):
    score = overhead_scenes(40, seed=7, league_name=league)
    assert broken(score) == []
    assert score.missed == 0
    assert score.missed_pucks == 0


def test_the_same_seed_gives_the_same_image():
    bodies = {"blue/0": BodyState(Pose2D(0.1, 0.2, 0.3)), "puck": BodyState(Pose2D(0.0, 0.0))}
    first, same, other = (OverheadCamera(LEAGUE, view_above(LEAGUE), seed=s).render(bodies) for s in (5, 5, 6))
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()


def test_light_blur_and_noise_do_what_they_say():
    view = view_above(LEAGUE)
    dim = OverheadCamera(LEAGUE, view, LightSettings(light=0.5, uneven=0.0, noise=0.0)).render({})
    plain = OverheadCamera(LEAGUE, view, LightSettings(uneven=0.0, noise=0.0)).render({})
    noisy = OverheadCamera(LEAGUE, view, LightSettings(uneven=0.0, noise=4.0)).render({})
    assert dim.mean() == pytest.approx(0.5 * plain.mean(), rel=0.02)
    flat = (slice(200, 230), slice(230, 260))
    assert (noisy[flat].astype(float) - plain[flat]).std() == pytest.approx(4.0, rel=0.15)


def test_a_robot_hides_the_puck_behind_it(camera, detector):
    """Far out, the camera looks over a robot's top at what is close behind its foot."""
    robot = BodyState(Pose2D(0.85, 0.0, 0.0))
    free = camera.render({"blue/0": robot, "puck": BodyState(Pose2D(0.7, 0.0))})
    behind = camera.render({"blue/0": robot, "puck": BodyState(Pose2D(0.85 + 0.0375 + 0.025, 0.0))})
    _, seen = detector.sights(free)
    _, half_seen = detector.sights(behind)
    assert seen is not None
    assert half_seen is None or half_seen.visible < seen.visible
    assert len(detector.sights(behind)[0]) == 1


def test_detections_carry_the_contracts_names_and_deviations(camera, detector):
    bodies = random_scene(LEAGUE, np.random.default_rng(3))
    sample = detector.detect(camera.render(bodies), 12.5)
    assert sample.stamp_s == 12.5
    assert len(sample.effort) == len(sample.position) == len(sample.names)
    assert bodies_of(sample).keys() == bodies.keys()
    assert "puck/yaw" not in sample.names


def test_only_the_bodies_that_were_asked_for_are_seen(camera):
    """An orange thing is no puck where the puck is elsewhere."""
    bodies = {name: BodyState(Pose2D(x_m, 0.1, 1.0)) for name, x_m in (("blue/0", 0.3), ("red/1", -0.3), ("puck", 0.0))}
    some = OverheadDetector(LEAGUE, view_above(LEAGUE), bodies=("blue/0", "red/0"))
    assert bodies_of(some.detect(camera.render(bodies), 1.0)).keys() == {"blue/0"}


def test_robots_by_tags():
    view = view_above(LEAGUE, 1280, 960)
    camera = OverheadCamera(LEAGUE, view, marks=TAGS)
    detector = OverheadDetector(LEAGUE, view, marks=TAGS)
    chance = np.random.default_rng(4)
    gaps_m, turned_rad = [], []
    for _ in range(10):
        bodies = random_scene(LEAGUE, chance)
        robots, puck = detector.sights(camera.render(bodies))
        assert {str(sight.robot) for sight in robots} == bodies.keys() - {"puck"}
        assert puck is not None
        for sight in robots:
            truth = bodies[str(sight.robot)].pose
            gaps_m.append(math.dist(sight.pose[:2], truth[:2]))
            turned_rad.append(difference(sight.pose.yaw_rad, truth.yaw_rad))
    assert np.sqrt(np.mean(np.square(gaps_m))) < LIMITS["overhead_mm"] / 1000.0
    assert np.sqrt(np.mean(np.square(turned_rad))) < math.radians(LIMITS["overhead_deg"])


def test_names_on_robots_are_all_different():
    robots = robot_ids(11)
    assert len({(r.team, identity_code(r.number)) for r in robots}) == len(robots)
    assert [tag_robot(tag_number(r)) for r in robots] == list(robots)
    codes = [identity_code(n) for n in range(4)]
    assert all(a[0] != b[0] and a[1] != b[1] for i, a in enumerate(codes) for b in codes[:i])
    assert tag_number(RobotId("red", 10)) < 50


@pytest.mark.parametrize("shape", [(240, 320, 3), (480, 640), (0, 0, 3)])
def test_an_image_of_another_size_is_refused(detector, shape):
    with pytest.raises(ValueError, match="calibrated for"):
        detector.sights(np.zeros(shape, np.uint8))


def test_garbage_is_no_robot_and_no_puck(detector):
    chance = np.random.default_rng(5)
    for image in (np.zeros((480, 640, 3), np.uint8), chance.integers(0, 256, (480, 640, 3), dtype=np.uint8)):
        assert detector.sights(image) == ([], None)


def test_a_robot_of_another_league_is_nobody(camera):
    """Identity patches that no robot of this league wears name nobody."""
    alone = replace(LEAGUE, match=replace(LEAGUE.match, players=1))
    detector = OverheadDetector(alone, view_above(LEAGUE))
    bodies = {"blue/0": BodyState(Pose2D(0.3, 0.0, 1.0)), "blue/2": BodyState(Pose2D(-0.3, 0.0, 1.0))}
    robots, _ = detector.sights(camera.render(bodies))
    assert [str(sight.robot) for sight in robots] == ["blue/0"]
