"""Names of detected robots: swapped ones, insisting cameras, and robots of which only the team is known."""

from __future__ import annotations

import numpy as np

from robohockey_core.identities import anonymous
from robohockey_core.joints import JointSample, bodies_of
from robohockey_core.names import body_joints
from robohockey_core.tracker import Tracker

FRAME_S = 0.02
ROBOTS = ("blue/0", "blue/1", "red/0", "red/1", "puck")


def frame(stamp_s, **places):
    """Places by name, `blue_0=(x, y)`; `red_a` is a red robot that the camera cannot name."""
    letters = {"a": anonymous("red", 0)[4:], "b": anonymous("red", 1)[4:]}
    names, position = [], []
    for key, (x, y) in places.items():
        team, _, who = key.partition("_")
        names += body_joints(f"{team}/{letters.get(who, who)}")[:2]
        position += [x, y]
    return JointSample(stamp_s, tuple(names), np.array(position, dtype=float))


def places(tracker, now_s):
    return {name: (round(b.pose.x_m, 2), round(b.pose.y_m, 2)) for name, b in bodies_of(tracker.estimate(now_s)).items()}


def started():
    tracker = Tracker(ROBOTS)
    for n in range(10):
        tracker.see(frame(n * FRAME_S, blue_0=(0.0, 0.0), blue_1=(0.5, 0.0), red_0=(-0.5, 0.3), red_1=(0.9, -0.3)))
    return tracker, 10 * FRAME_S


def test_swapped_names_are_swapped_back():
    tracker, now_s = started()
    tracker.see(frame(now_s, blue_0=(0.5, 0.0), blue_1=(0.0, 0.0), red_0=(-0.5, 0.3)))
    assert places(tracker, now_s)["blue/0"] == (0.0, 0.0)
    assert places(tracker, now_s)["blue/1"] == (0.5, 0.0)


def test_one_misread_name_does_not_carry_its_robot_away():
    tracker, now_s = started()
    tracker.see(frame(now_s, blue_0=(0.5, 0.0)))
    assert places(tracker, now_s)["blue/0"] == (0.0, 0.0)
    assert places(tracker, now_s)["blue/1"] == (0.5, 0.0)


def test_the_other_team_is_never_taken_for_ones_own():
    tracker, now_s = started()
    tracker.see(frame(now_s, blue_0=(-0.5, 0.3)))
    assert places(tracker, now_s)["blue/0"] == (-0.5, 0.3)


def test_a_camera_that_insists_is_right():
    tracker, now_s = started()
    for n in range(30):
        now_s += FRAME_S
        tracker.see(frame(now_s, blue_0=(0.5, 0.0), blue_1=(0.0, 0.0)))
        assert places(tracker, now_s)["blue/0"] == ((0.0, 0.0) if n < 10 else places(tracker, now_s)["blue/0"])
    assert places(tracker, now_s)["blue/0"] == (0.5, 0.0)
    assert places(tracker, now_s)["blue/1"] == (0.0, 0.0)


def test_an_insisting_camera_is_believed_beside_one_that_looks_elsewhere():
    tracker, now_s = started()
    for _ in range(60):
        now_s += FRAME_S
        tracker.see(frame(now_s, blue_0=(0.5, 0.0), blue_1=(0.0, 0.0)))
        tracker.see(frame(now_s + FRAME_S / 2.0, red_0=(-0.5, 0.3), puck=(0.2, 0.2)))
    assert places(tracker, now_s)["blue/0"] == (0.5, 0.0)
    assert places(tracker, now_s)["blue/1"] == (0.0, 0.0)


def test_an_insisting_camera_is_not_believed_against_one_that_agrees_with_the_tracks():
    tracker, now_s = started()
    for _ in range(60):
        now_s += FRAME_S
        tracker.see(frame(now_s, blue_0=(0.5, 0.0), blue_1=(0.0, 0.0)))
        tracker.see(frame(now_s + FRAME_S / 2.0, blue_0=(0.0, 0.0), blue_1=(0.5, 0.0)))
    assert places(tracker, now_s)["blue/0"] == (0.0, 0.0)
    assert places(tracker, now_s)["blue/1"] == (0.5, 0.0)


def test_a_robot_moved_by_hand_to_a_free_place_is_itself():
    tracker, now_s = started()
    tracker.see(frame(now_s, blue_0=(0.2, -0.5), blue_1=(0.5, 0.0)))
    assert places(tracker, now_s)["blue/0"] == (0.2, -0.5)


def test_nameless_robots_keep_the_tracks_that_they_are_near():
    tracker, now_s = started()
    tracker.see(frame(now_s, red_a=(0.91, -0.3), red_b=(-0.5, 0.31)))
    assert places(tracker, now_s)["red/1"][0] >= 0.9
    assert places(tracker, now_s)["red/0"][1] >= 0.3


def test_a_nameless_robot_that_nobody_knows_becomes_one_that_nobody_has_seen():
    tracker = Tracker(ROBOTS)
    tracker.see(frame(1.0, red_a=(0.1, 0.2), red_b=(0.7, 0.7)))
    assert places(tracker, 1.0) == {"red/0": (0.1, 0.2), "red/1": (0.7, 0.7)}
    # There are no more than two: a third one is left out.
    tracker.see(frame(1.02, red_a=(-0.9, -0.5)))
    assert places(tracker, 1.02) == {"red/0": (0.1, 0.2), "red/1": (0.7, 0.7)}
