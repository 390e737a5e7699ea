"""The omni camera, rendered and read: the limits of bench/vision.py over fewer scenes, and odometry."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bench.vision import broken, omni_scenes
from robohockey_core.angles import difference
from robohockey_core.joints import bodies_of
from robohockey_core.league import load_league
from robohockey_core.mirrors import mirror_on
from robohockey_core.names import BLUE, PUCK, RED, RobotId
from robohockey_core.state import BodyState, Pose2D
from robohockey_core.tracker import Tracker
from robohockey_sim.omni_camera import OmniCamera
from robohockey_vision.localisation import Localiser
from robohockey_vision.omni import Unwarper, UnwarpSettings
from robohockey_vision.omni_detector import OmniDetector
from robohockey_vision.omni_report import report

LEAGUE = load_league("msl_omni")
UNWARPER = Unwarper(UnwarpSettings(), 640, 480)
OWN = Pose2D(1.0, -1.5, 0.2)


@pytest.fixture(scope="module")
def camera():
    return OmniCamera(LEAGUE, mirror_on(LEAGUE))


@pytest.fixture(scope="module")
def detector():
    return OmniDetector(LEAGUE, mirror_on(LEAGUE), UNWARPER)


def look(camera, detector, pose, **bodies):
    named = {name.replace("_", "/"): BodyState(body) for name, body in bodies.items()}
    return detector.look(UNWARPER.unwarp(camera.render(pose, named)))


def test_the_limits_hold_in_random_scenes():
    score = omni_scenes(30, seed=5)
    assert broken(score) == []
    assert score.missed == 0
    assert score.missed_pucks == 0


@pytest.mark.parametrize("bearing_deg", [0.0, 90.0, -90.0, 179.0, -179.5, 180.0])
@pytest.mark.parametrize("distance_m", [0.5, 2.0])
def test_a_puck_all_around(camera, detector, bearing_deg, distance_m):
    at = OWN.yaw_rad + math.radians(bearing_deg)
    puck = Pose2D(OWN.x_m + distance_m * math.cos(at), OWN.y_m + distance_m * math.sin(at))
    sight = look(camera, detector, OWN, puck=puck).puck
    assert sight is not None
    assert abs(difference(sight.bearing_rad, math.radians(bearing_deg))) < math.radians(1.0)
    assert sight.distance_m == pytest.approx(distance_m, rel=0.04)
    assert sight.distance_sigma_m > 0.0
    assert sight.bearing_sigma_rad > 0.0


def test_goals_and_robots_of_both_teams(camera, detector):
    sight = look(camera, detector, Pose2D(0.0, 0.0, 0.0), red_1=Pose2D(2.0, 1.0, 0.3), blue_1=Pose2D(-1.0, 1.5, 1.0))
    assert sight.puck is None
    assert abs(sight.goals[RED].bearing_rad) < 0.03
    assert abs(abs(sight.goals[BLUE].bearing_rad) - math.pi) < 0.03
    assert sight.goals[RED].distance_m == pytest.approx(6.0, rel=0.15)
    seen = dict(sight.robots)
    assert seen.keys() == {RED, BLUE}
    assert math.dist(seen[RED].local_m, (2.0, 1.0)) < 0.3
    assert math.dist(seen[BLUE].local_m, (-1.0, 1.5)) < 0.3


def test_lines_lie_where_they_are(camera, detector):
    """From the middle: points ahead on the circle of 1 m; from half a metre before the halfway line: that behind."""
    lines = look(camera, detector, Pose2D(0.0, 0.0, 0.0)).lines
    ahead = lines.local_m[np.abs(np.arctan2(lines.local_m[:, 1], lines.local_m[:, 0])) < 0.1]
    assert np.median(np.hypot(*ahead.T)) == pytest.approx(1.0, abs=0.03)
    behind = look(camera, detector, Pose2D(0.5, 0.0, 0.0)).lines.local_m
    near = behind[(np.abs(behind[:, 1]) < 0.3) & (behind[:, 0] < 0.0) & (behind[:, 0] > -1.0)]
    assert len(near) > 3
    assert np.median(near[:, 0]) == pytest.approx(-0.5, abs=0.02)


BLIND = np.zeros((96, 630, 3), np.uint8)


def test_odometry_carries_the_pose_between_frames(camera, detector):
    """Half a metre along an arc; then a frame too poor to locate anybody."""
    localiser = Localiser(LEAGUE)
    first = localiser.see(look(camera, detector, OWN), 10.0)
    assert first is not None
    for step in range(10):
        localiser.drive(np.array([0.5, 0.0, 0.5]), 10.0 + 0.1 * step)
    blind = detector.look(BLIND)
    carried = localiser.see(blind, 10.9)
    assert carried is not None
    turned = 0.45
    radius = 1.0
    expected = (
        first.pose.x_m + radius * (math.sin(first.pose.yaw_rad + turned) - math.sin(first.pose.yaw_rad)),
        first.pose.y_m - radius * (math.cos(first.pose.yaw_rad + turned) - math.cos(first.pose.yaw_rad)),
    )
    assert carried.pose[:2] == pytest.approx(expected, abs=1e-3)
    assert carried.covariance[0, 0] > first.covariance[0, 0]
    # After a second without news nobody knows.
    assert localiser.see(blind, 12.5) is None


def blinded(camera, detector, frame_s, until_s, wheels_s):
    """What a localiser says, frame after frame, once its lens is covered; its wheels stand, and tell so every `wheels_s`."""
    localiser = Localiser(LEAGUE)
    first = localiser.see(look(camera, detector, OWN), 0.0)
    assert first is not None
    for step in range(round(until_s / wheels_s) + 1 if wheels_s else 0):
        localiser.drive(np.zeros(3), step * wheels_s)
    blind = detector.look(BLIND)
    return [first, *(localiser.see(blind, (n + 1) * frame_s) for n in range(round(until_s / frame_s)))]


def test_a_covered_lens_is_no_place_after_a_second(camera, detector):
    said = blinded(camera, detector, frame_s=0.02, until_s=3.0, wheels_s=0.02)
    assert all(located is not None for located in said[:50])
    assert not any(said[52:])


def test_without_wheels_nobody_knows_much_sooner(camera, detector):
    said = blinded(camera, detector, frame_s=0.02, until_s=1.0, wheels_s=0.0)
    assert not any(said[17:])
    assert math.sqrt(said[5].covariance[0, 0]) > 0.1, "it may have driven anywhere"


def test_doubt_grows_with_time_and_not_with_frames(camera, detector):
    often, seldom = (blinded(camera, detector, frame_s, 0.8, wheels_s=0.02)[-1] for frame_s in (0.02, 0.2))
    np.testing.assert_allclose(np.diag(often.covariance), np.diag(seldom.covariance), rtol=0.02)


@pytest.mark.parametrize(
    "elsewhere", [Pose2D(-3.5, 2.0, -2.0), Pose2D(-2.2, 0.6, -2.6), Pose2D(3.0, -3.0, 1.0), Pose2D(-0.5, 0.6, 2.5)]
)
def test_a_robot_put_elsewhere_with_the_goals_hidden_is_not_sure_of_a_wrong_place(camera, detector, elsewhere):
    localiser = Localiser(LEAGUE)
    localiser.see(look(camera, detector, OWN), 1.0)
    there = replace(look(camera, detector, elsewhere), goals={})
    said = []
    for frame in range(30):
        stamp_s = 1.02 + 0.02 * frame
        localiser.drive(np.zeros(3), stamp_s)
        said.append(localiser.see(there, stamp_s))
    for located in filter(None, said):
        off_m = math.dist(located.pose[:2], elsewhere[:2])
        assert off_m < 0.05 or math.sqrt(located.covariance[0, 0]) > 0.08
    assert said[-1] is None or math.dist(said[-1].pose[:2], elsewhere[:2]) < 0.05
    # The goals are seen again.
    located = localiser.see(look(camera, detector, elsewhere), 2.0)
    assert located is not None
    assert math.dist(located.pose[:2], elsewhere[:2]) < 0.05


def test_a_late_frame_changes_nothing_and_another_time_begins_anew(camera, detector):
    localiser = Localiser(LEAGUE)
    sight = look(camera, detector, OWN)
    localiser.drive(np.zeros(3), 10.0)
    assert localiser.see(sight, 10.0) is not None
    assert localiser.see(sight, 9.98) is None
    assert localiser.see(detector.look(BLIND), 10.02) is not None, "it still knows"
    # A simulation that was reset.
    assert localiser.see(detector.look(BLIND), 0.5) is None
    assert localiser.see(sight, 0.52) is not None


def test_a_robot_put_elsewhere_finds_itself_again(camera, detector):
    localiser = Localiser(LEAGUE)
    localiser.see(look(camera, detector, OWN), 1.0)
    elsewhere = Pose2D(-3.5, 2.0, -2.0)
    for frame in range(5):
        located = localiser.see(look(camera, detector, elsewhere), 1.02 + 0.02 * frame)
    assert located is not None
    assert math.dist(located.pose[:2], elsewhere[:2]) < 0.05


def test_what_a_robot_tells_the_others(camera, detector):
    localiser = Localiser(LEAGUE)
    puck, red = Pose2D(2.0, -0.5), Pose2D(-1.0, -1.0, 0.0)
    sight = look(camera, detector, OWN, puck=puck, red_2=red)
    located = localiser.see(sight, 3.0)
    assert located is not None
    sample = report(LEAGUE, RobotId(BLUE, 0), located, sight, 3.0)
    bodies = bodies_of(sample)
    assert bodies.keys() == {"blue/0", "puck", "red/?0"}
    assert math.dist(bodies["blue/0"].pose[:2], OWN[:2]) < 0.05
    assert math.dist(bodies["puck"].pose[:2], puck[:2]) < 0.05
    assert math.dist(bodies["red/?0"].pose[:2], red[:2]) < 0.4
    assert all(0.0 < body.sigma_m < 0.5 for body in bodies.values())
    # Where only blue is real, an orange or red thing is neither puck nor robot.
    alone = report(LEAGUE, RobotId(BLUE, 0), located, sight, 3.0, ("blue/0", "blue/1"))
    assert bodies_of(alone).keys() == {"blue/0"}


def test_a_strip_of_another_size_is_refused(detector):
    with pytest.raises(ValueError, match="expected"):
        detector.look(np.zeros((96, 600, 3), np.uint8))


def test_a_robot_learns_of_the_puck_that_only_its_team_mate_sees(camera, detector):
    """Two robots with cameras; an opponent stands between one of them and the puck."""
    tracker = Tracker((*map(str, LEAGUE.robots()), PUCK))
    poses = {"blue/0": OWN, "blue/1": Pose2D(3.5, 1.0, 2.0)}
    puck, wall = Pose2D(3.0, -1.0), Pose2D(1.55, -1.36, 0.2)
    bodies = {name: BodyState(pose) for name, pose in (*poses.items(), ("red/0", wall), (PUCK, puck))}
    localisers = {name: Localiser(LEAGUE) for name in poses}
    pucks_seen = dict.fromkeys(poses, 0)
    for frame in range(5):
        for number, (name, pose) in enumerate(poses.items()):
            stamp_s = 1.0 + 0.02 * frame + 0.007 * number
            sight = detector.look(UNWARPER.unwarp(camera.render(pose, bodies, name)))
            located = localisers[name].see(sight, stamp_s)
            assert located is not None
            pucks_seen[name] += sight.puck is not None
            tracker.see(report(LEAGUE, RobotId(BLUE, int(name[-1])), located, sight, stamp_s))
    assert pucks_seen == {"blue/0": 0, "blue/1": 5}
    known = bodies_of(tracker.estimate(1.1))
    assert math.dist(known[PUCK].pose[:2], puck[:2]) < 0.1
    for name, pose in poses.items():
        assert math.dist(known[name].pose[:2], pose[:2]) < 0.05, "a sight of it by the other does not carry it away"
    assert math.dist(known["red/0"].pose[:2], wall[:2]) < 0.4
