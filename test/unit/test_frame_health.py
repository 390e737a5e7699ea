"""Whether frames come and are good: what counts is lately."""

from __future__ import annotations

from robohockey_core.frame_health import FrameHealth


def test_a_camera_that_never_spoke_is_not_healthy():
    health = FrameHealth(100.0)
    assert health.look(0, 0, 101.0) == ("no frames yet", False)
    assert health.look(0, 0, 103.0) == ("no frames for 3 s", False)


def test_one_bad_frame_is_forgotten():
    health = FrameHealth(0.0)
    assert health.look(30, 0, 1.0) == ("30 frames in 1.0 s, all good", True)
    assert health.look(60, 1, 2.0) == ("30 frames in 1.0 s, 1 refused", False)
    assert health.look(90, 1, 3.0) == ("30 frames in 1.0 s, all good", True)


def test_a_camera_that_falls_silent_is_told_and_may_come_back():
    health = FrameHealth(0.0, "failures")
    assert health.look(30, 0, 1.0)[1]
    assert health.look(30, 0, 2.0)[1], "one second may be the camera's pace"
    assert health.look(30, 0, 4.0) == ("no frames for 3 s", False)
    assert health.look(30, 2, 5.0) == ("0 frames in 1.0 s, 2 failures", False)
    assert health.look(31, 2, 6.0)[1]
