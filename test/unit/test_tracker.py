"""The tracker: convergence under noise and delay, turning past pi, moves by hand, and what it ignores."""

from __future__ import annotations

import math

import numpy as np
import pytest

from robohockey_core.angles import difference
from robohockey_core.joints import JointSample, bodies_of
from robohockey_core.names import body_joints
from robohockey_core.state import BodyState, Pose2D
from robohockey_core.tracker import Tracker, TrackerSettings

ROBOT = "blue/0"
FRAME_S = 0.02
FORGET_S = TrackerSettings().forget_s


def sight(stamp_s: float, *pose: float, body: str = ROBOT) -> JointSample:
    return JointSample(stamp_s, body_joints(body), np.array(pose))


@pytest.fixture
def tracker() -> Tracker:
    return Tracker([ROBOT, "puck"], TrackerSettings(cover_m=0.09))


def estimated(tracker: Tracker, now_s: float, body: str = ROBOT) -> BodyState:
    return bodies_of(tracker.estimate(now_s))[body]


def watch(tracker: Tracker, frames: int, pose, velocity, body: str = ROBOT, start_s: float = 0.0) -> float:
    """Show a body in steady motion; return the time of the last frame."""
    for frame in range(frames):
        elapsed_s = frame * FRAME_S
        seen = np.array(pose) + np.array(velocity) * elapsed_s
        tracker.see(sight(start_s + elapsed_s, *seen, body=body))
    return start_s + (frames - 1) * FRAME_S


@pytest.mark.parametrize("seed", range(5))
def test_steady_motion_converges_under_noise_and_delay(tracker, seed):
    noise = np.random.default_rng(seed)
    sigma = np.array([0.001, 0.001, 0.01])
    velocity = np.array([1.0, -0.4, 3.0])
    delay_s = 0.04
    now_errors, speed_errors, late_errors = [], [], []
    for frame in range(150):
        now_s = 10.0 + frame * FRAME_S
        truth, seen = velocity * (now_s - 10.0), velocity * (now_s - delay_s - 10.0)
        tracker.see(sight(now_s - delay_s, *(seen + noise.normal(0.0, sigma))))
        state = estimated(tracker, now_s)
        if frame >= 50:
            now_errors.append([state.pose.x_m - truth[0], state.pose.y_m - truth[1], difference(state.pose.yaw_rad, truth[2])])
            speed_errors.append(np.array(state.twist) - velocity)
            late_errors.append(state.pose.x_m - seen[0])
    rms = np.sqrt(np.mean(np.square(now_errors), axis=0))
    assert rms[0] < 0.006
    assert rms[1] < 0.006
    assert rms[2] < 0.1
    # Without prediction the whole way of the delay, 40 mm, would be missing.
    assert np.mean(late_errors) == pytest.approx(0.04, abs=0.002)
    speed_rms = np.sqrt(np.mean(np.square(speed_errors), axis=0))
    assert speed_rms[0] < 0.12
    assert speed_rms[1] < 0.12
    assert speed_rms[2] < 2.0


def test_reported_deviation_grows_with_the_age_of_the_last_sight(tracker):
    last_s = watch(tracker, 50, (0.0, 0.0, 0.0), (0.5, 0.0, 0.0))
    sigmas = [tracker.estimate(last_s + age_s).effort[0] for age_s in (0.0, 0.05, 0.15)]
    assert 0.0 < sigmas[0] < sigmas[1] < sigmas[2]


def test_extrapolation_ends(tracker):
    last_s = watch(tracker, 50, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    longest_s = TrackerSettings().max_prediction_s
    farthest_m = estimated(tracker, last_s + longest_s).pose.x_m
    assert farthest_m == pytest.approx(last_s + longest_s, abs=0.01)
    assert estimated(tracker, last_s + longest_s + 0.1).pose.x_m == pytest.approx(farthest_m)


@pytest.mark.parametrize("yaw_rate_rad_s", [6.0, -6.0])
def test_yaw_wraps_without_a_spike(tracker, yaw_rate_rad_s):
    crossings, last_yaw_rad = 0, 0.0
    for frame in range(200):
        stamp_s = frame * FRAME_S
        truth_rad = math.remainder(yaw_rate_rad_s * stamp_s, 2 * math.pi)
        tracker.see(sight(stamp_s, 0.0, 0.0, truth_rad))
        state = estimated(tracker, stamp_s)
        assert -math.pi < state.pose.yaw_rad <= math.pi
        crossings += abs(state.pose.yaw_rad - last_yaw_rad) > math.pi
        last_yaw_rad = state.pose.yaw_rad
        if frame >= 10:
            assert difference(state.pose.yaw_rad, truth_rad) == pytest.approx(0.0, abs=1e-3)
            assert state.twist.yaw_rate_rad_s == pytest.approx(yaw_rate_rad_s, abs=0.05)
    assert crossings >= 3


def test_half_a_turn_is_reported_as_plus_pi(tracker):
    tracker.see(sight(0.0, 0.0, 0.0, -math.pi))
    assert estimated(tracker, 0.0).pose.yaw_rad == math.pi


def test_teleport_starts_the_whole_body_anew(tracker):
    last_s = watch(tracker, 50, (0.0, 0.0, 0.0), (1.0, 0.5, 2.0))
    before = estimated(tracker, last_s)
    assert before.twist == pytest.approx((1.0, 0.5, 2.0), abs=0.01)
    # Only x is far off; y and yaw moved less than a jump, but the old motion ended for them too.
    tracker.see(sight(last_s + FRAME_S, -0.5, before.pose.y_m + 0.1, before.pose.yaw_rad + 0.5))
    after = estimated(tracker, last_s + FRAME_S)
    assert after.pose[:2] == pytest.approx((-0.5, before.pose.y_m + 0.1))
    assert after.twist == (0.0, 0.0, 0.0)


def test_turned_by_hand_starts_only_the_heading_anew(tracker):
    last_s = watch(tracker, 50, (0.0, 0.0, 0.0), (0.5, 0.0, 0.0))
    tracker.see(sight(last_s + FRAME_S, 0.5 * (last_s + FRAME_S), 0.0, 2.0))
    after = estimated(tracker, last_s + FRAME_S)
    assert after.pose.yaw_rad == pytest.approx(2.0)
    assert after.twist == pytest.approx((0.5, 0.0, 0.0), abs=0.01)


@pytest.mark.parametrize("speed_m_s", [2.0, 10.0, 20.0])
def test_kicked_puck_is_no_teleport(tracker, speed_m_s):
    """At 10 m/s a frame is 0.2 m, more than `jump_m`: the speed must be learned all the same."""
    last_s = watch(tracker, 20, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), body="puck")
    watch(tracker, 4, (speed_m_s * FRAME_S, 0.0, 0.0), (speed_m_s, 0.0, 0.0), body="puck", start_s=last_s + FRAME_S)
    assert estimated(tracker, last_s + 4 * FRAME_S, "puck").twist.vx_m_s == pytest.approx(speed_m_s, rel=0.1)


def test_speed_does_not_ring_after_a_kick(tracker):
    last_s = watch(tracker, 20, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), body="puck")
    speeds_m_s = []
    for frame in range(1, 9):
        tracker.see(sight(last_s + frame * FRAME_S, 2.0 * frame * FRAME_S, 0.0, 0.0, body="puck"))
        speeds_m_s.append(estimated(tracker, last_s + frame * FRAME_S, "puck").twist.vx_m_s)
    assert max(speeds_m_s) < 2.7
    assert speeds_m_s[2:] == pytest.approx([2.0] * 6, abs=0.05)


def test_old_detections_are_ignored(tracker):
    tracker.see(sight(1.0, 0.1, 0.2, 0.3))
    tracker.see(sight(0.98, 0.9, 0.9, 0.9))
    tracker.see(sight(1.0, 0.9, 0.9, 0.9))
    assert estimated(tracker, 1.0).pose == pytest.approx((0.1, 0.2, 0.3))
    assert tracker.ignored_count == 6


def test_a_stamp_from_the_future_does_not_block_what_follows(tracker):
    tracker.see(sight(1000.0, 0.9, 0.9, 0.9), now_s=1.0)
    assert tracker.ignored_count == 3
    tracker.see(sight(1.0, 0.1, 0.2, 0.3), now_s=1.0)
    assert estimated(tracker, 1.0).pose == pytest.approx((0.1, 0.2, 0.3))
    # A camera's clock may be a little ahead.
    tracker.see(sight(1.01, 0.1, 0.2, 0.3), now_s=1.0)
    assert tracker.ignored_count == 3


def test_nan_and_unknown_names_are_counted_and_left_out(tracker):
    names = ("blue/0/x", "blue/0/y", "blue/7/x", "blue/0/wheel", "puck/x", "puck/y")
    tracker.see(JointSample(1.0, names, np.array([0.5, math.nan, 1.0, 1.0, math.inf, 0.25])))
    assert tracker.ignored_count == 4
    sample = tracker.estimate(1.0)
    assert dict(zip(sample.names, sample.position, strict=True)) == {"blue/0/x": 0.5, "puck/y": 0.25}


@pytest.mark.parametrize("count", [0, 2, 4])
def test_positions_that_do_not_match_the_names_are_ignored(tracker, count):
    tracker.see(JointSample(1.0, body_joints(ROBOT), np.zeros(count)))
    assert tracker.ignored_count == 3
    assert tracker.estimate(1.0).names == ()


def test_huge_values_leave_no_trace(tracker):
    last_s = watch(tracker, 20, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    tracker.see(sight(last_s + FRAME_S, 1e308, -1e308, 1e308))
    assert tracker.ignored_count == 3
    assert estimated(tracker, last_s + FRAME_S) == BodyState(Pose2D(0.0, 0.0), sigma_m=pytest.approx(0.0, abs=0.01))


def test_forgotten_bodies_are_not_reported(tracker):
    tracker.see(sight(1.0, 0.1, 0.2, 0.3))
    tracker.see(sight(1.4, 0.0, 0.0, 0.0, body="puck"))
    assert bodies_of(tracker.estimate(1.4)).keys() == {ROBOT, "puck"}
    assert bodies_of(tracker.estimate(1.0 + FORGET_S + 0.1)).keys() == {"puck"}
    assert tracker.estimate(1.4 + FORGET_S + 0.1).names == ()


def test_a_body_back_in_sight_starts_anew(tracker):
    last_s = watch(tracker, 50, (0.0, 0.0, 0.0), (0.1, 0.0, 0.0))
    back_s = last_s + FORGET_S + 0.1
    tracker.see(sight(back_s, 0.1, 0.0, 0.0))
    assert estimated(tracker, back_s).twist == (0.0, 0.0, 0.0)


def test_reset_forgets_and_takes_earlier_time(tracker):
    watch(tracker, 20, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), start_s=100.0)
    tracker.reset()
    assert tracker.estimate(100.4).names == ()
    tracker.see(sight(0.0, 0.1, 0.2, 0.3))
    state = estimated(tracker, 0.0)
    assert state.pose == pytest.approx((0.1, 0.2, 0.3))
    assert state.twist == (0.0, 0.0, 0.0)


def test_tracking_without_news_stays_as_it_is(tracker):
    assert tracker.estimate(5.0).names == ()
    tracker.see(JointSample(1.0, ()))
    assert tracker.ignored_count == 0


def test_a_slower_camera_corrects_what_a_faster_one_saw(tracker):
    """Both see steady motion; the second one tells of moments 10 ms before, from the other side of the noise."""
    for frame in range(60):
        stamp_s = frame * FRAME_S
        tracker.see(sight(stamp_s, stamp_s + 0.004, 0.0, 0.0))
        if frame >= 2:
            late_s = stamp_s - 0.01
            tracker.see(sight(late_s, late_s - 0.004, 0.0, 0.0))
    assert tracker.ignored_count == 0
    # The one alone is 4 mm off; both together lie in between.
    assert abs(estimated(tracker, 59 * FRAME_S).pose.x_m - 59 * FRAME_S) < 0.003


def test_two_cameras_of_one_moment_are_both_heard_but_not_one_twice(tracker):
    last_s = watch(tracker, 20, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    tracker.see(sight(last_s, 0.002, 0.0, 0.0))
    heard = estimated(tracker, last_s).pose.x_m
    assert 0.0002 < heard < 0.002
    tracker.see(sight(last_s + FRAME_S, 0.0, 0.0, 0.0))
    before = estimated(tracker, last_s + FRAME_S)
    tracker.see(sight(last_s + FRAME_S, 0.0, 0.0, 0.0))
    assert estimated(tracker, last_s + FRAME_S) == before


def test_what_a_camera_says_of_its_noise_is_its_weight(tracker):
    last_s = watch(tracker, 20, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    unsure = JointSample(last_s + FRAME_S, body_joints(ROBOT), np.array([0.05, 0.0, 0.0]), effort=np.array([0.2, 0.2, 0.2]))
    tracker.see(unsure)
    assert abs(estimated(tracker, last_s + FRAME_S).pose.x_m) < 0.005
    sure = JointSample(last_s + 2 * FRAME_S, body_joints(ROBOT), np.array([0.05, 0.0, 0.0]), effort=np.array([1e-3] * 3))
    tracker.see(sure)
    assert estimated(tracker, last_s + 2 * FRAME_S).pose.x_m > 0.03


def test_wheels_tell_of_a_turn_before_the_camera_does(tracker):
    """The camera is 60 ms late; the robot has started to turn and drive meanwhile."""
    last_s = watch(tracker, 30, (0.0, 0.0, 0.5), (0.0, 0.0, 0.0))
    without = estimated(tracker, last_s + 0.06)
    for tick in range(1, 4):
        tracker.roll(ROBOT, np.array([0.4, 0.0, 3.0]), last_s + tick * 0.02)
    state = estimated(tracker, last_s + 0.06)
    assert without.pose.yaw_rad == pytest.approx(0.5, abs=0.01)
    assert 0.5 + 0.3 * 0.04 * 3.0 < state.pose.yaw_rad < 0.5 + 0.06 * 3.0
    assert state.twist.yaw_rate_rad_s == pytest.approx(3.0, abs=1.0)
    assert state.twist.vx_m_s > 0.2
    # Asking changes nothing: the camera's next word is taken as if nobody had asked.
    assert estimated(tracker, last_s + 0.06) == state


def test_wheels_that_slip_are_not_believed(tracker):
    last_s = watch(tracker, 100, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    tracker.roll(ROBOT, np.array([3.0, 0.0, 0.0]), last_s + 0.02)
    assert abs(estimated(tracker, last_s + 0.04).twist.vx_m_s) < 0.01


def test_a_puck_hidden_by_a_robot_goes_with_it(tracker):
    last_s = watch(tracker, 30, (0.0, 0.0, 0.0), (0.5, 0.0, 0.0))
    watch(tracker, 30, (0.05, 0.0, 0.0), (0.5, 0.0, 0.0), body="puck")
    far_s = last_s
    for _ in range(50):
        far_s += FRAME_S
        tracker.see(sight(far_s, 0.5 * far_s, 0.0, 0.0))
    puck = estimated(tracker, far_s, "puck")
    assert puck.pose.x_m == pytest.approx(0.5 * far_s + 0.05, abs=0.01)
    assert puck.sigma_m > 0.05
    gone_s = last_s + TrackerSettings().hidden_s + 0.1
    while far_s < gone_s:
        far_s += FRAME_S
        tracker.see(sight(far_s, 0.5 * far_s, 0.0, 0.0))
    assert "puck" not in bodies_of(tracker.estimate(far_s))


def test_a_puck_that_vanishes_in_the_open_is_forgotten_as_ever(tracker):
    last_s = watch(tracker, 30, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    watch(tracker, 30, (0.5, 0.0, 0.0), (0.0, 0.0, 0.0), body="puck")
    tracker.see(sight(last_s + FORGET_S + 0.1, 0.0, 0.0, 0.0))
    assert "puck" not in bodies_of(tracker.estimate(last_s + FORGET_S + 0.1))
