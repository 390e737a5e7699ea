"""Closed loops without ROS: play in which every pose comes from camera images. bench/closed_loop.py counts goals a minute."""

from __future__ import annotations

import math

import numpy as np

from bench.closed_loop import is_alike, omni_drill, overhead_match
from robohockey_core.joints import bodies_of


def test_three_a_side_play_by_overhead_images():
    engine = overhead_match(seed=3, minutes=1.0, seeing=True)
    gaps_m, moved_m = [], 0.0
    for seen in engine.ticks(8.0):
        truth = bodies_of(engine.rink.world.truth())
        gaps_m += [math.dist(state.pose[:2], truth[str(robot)].pose[:2]) for robot, state in seen.robots.items()]
        moved_m = max(moved_m, math.hypot(*truth["puck"].pose[:2]))
    assert len(gaps_m) > 6 * 350, "robots are hardly ever lost"
    assert np.median(gaps_m) < 0.005
    assert moved_m > 0.1, "the puck is played"
    assert engine.faults == {"blue": 0, "red": 0}


def test_a_robot_finds_and_shoots_the_puck_by_its_own_camera():
    engine = omni_drill(seed=2, minutes=1.0, seeing=True)
    own_gaps_m = []

    def scored(seen):
        truth = bodies_of(engine.rink.world.truth())
        blue = [robot for robot in seen.robots if robot.team == "blue"]
        own_gaps_m.extend(math.dist(seen.robots[robot].pose[:2], truth[str(robot)].pose[:2]) for robot in blue)
        return engine.state.score_blue > 0

    assert engine.play_until(scored, limit_s=40.0)
    assert np.median(own_gaps_m) < 0.05


def test_the_benchmark_forgives_chance_and_no_more():
    assert is_alike((10.0, 8.5), (0.0, 0.0))
    assert not is_alike((10.0, 7.5), (0.1, 0.1))
    assert is_alike((10.0, 7.5), (1.0, 1.0)), "so few goals tell nothing"
    assert not is_alike((10.0, 12.5), (0.1, 0.1))
