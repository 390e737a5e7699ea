"""Whole matches whose poses come from camera images only: overhead, and one robot's own omni camera."""

from __future__ import annotations

import math

from harness import wait_for
from system_match import end, match

from robohockey_core.joints import bodies_of
from robohockey_core.ros.conversions import joint_sample, seconds, status_values
from robohockey_core.ros.topics import DETECTIONS, GROUND_TRUTH, MATCH_STATE, WORLD_STATE


def bodies(heard):
    return bodies_of(joint_sample(heard[-1])) if heard else {}


def puck_distance_m(heard):
    """How far the puck is from centre ice; 0 when it is not seen."""
    puck = bodies(heard).get("puck")
    return math.hypot(*puck.pose[:2]) if puck else 0.0


def test_a_match_by_overhead_images_only(domain, ros_probe):
    detections, world = ros_probe.hear(DETECTIONS), ros_probe.hear(WORLD_STATE)
    truth, state = ros_probe.hear(GROUND_TRUTH), ros_probe.hear(MATCH_STATE)
    with match(domain, "--no-view", "--vision", "overhead") as process:
        wait_for(lambda: len(bodies(world)) == 7, "all bodies in sight")
        wait_for(lambda: state and status_values(state[-1])["phase"] == "play", "play")
        wait_for(lambda: puck_distance_m(world) > 0.1, "a puck that is played")
        # Who publishes detections tells how sure it is: the physics, which does not, is not among them.
        assert all(len(message.effort) == len(message.position) for message in detections)
        newest = world[-1]
        now_s = seconds(newest.header.stamp)
        then = wait_for(lambda: [t for t in truth if abs(seconds(t.header.stamp) - now_s) < 0.011], "the truth of then")
        true, seen = bodies_of(joint_sample(then[0])), bodies_of(joint_sample(newest))
        gaps_m = sorted(math.dist(true[name].pose[:2], seen[name].pose[:2]) for name in seen)
        assert gaps_m[len(gaps_m) // 2] < 0.02
        end(process)


def test_a_robot_scores_by_its_omni_camera_only(domain, ros_probe, tmp_path):
    (tmp_path / "alone.yaml").write_text("extends: msl_omni\nmatch: {players: 1}\n")
    (tmp_path / "drill.yaml").write_text(
        f"league: {tmp_path / 'alone.yaml'}\nvision: omni\nblue: chaser\nred: idle\nview: false\n"
        "robots:\n  blue/0: {omni_camera: true}\n"
    )
    state, detections = ros_probe.hear(MATCH_STATE), ros_probe.hear(DETECTIONS)
    with match(domain, "--config", str(tmp_path / "drill.yaml")) as process:
        wait_for(lambda: state and int(status_values(state[-1])["score_blue"]) > 0, "a goal for blue", timeout_s=180.0)
        # One voice, the detector's: the physics, which does not tell how sure it is, is not heard.
        assert ros_probe.node.count_publishers(DETECTIONS.name) == 1
        assert all(len(message.effort) == len(message.position) for message in detections)
        assert {name for message in detections for name in message.name} >= {"blue/0/yaw", "puck/x"}
        end(process)
