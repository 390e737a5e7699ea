"""The markers node: the rink comes again and again, robots and puck when the world is told."""

from __future__ import annotations

import importlib.util
import math

import pytest
from harness import running, wait_for
from visualization_msgs.msg import Marker

from robohockey_core.joints import bodies_sample
from robohockey_core.names import RobotId
from robohockey_core.ros import topics
from robohockey_core.ros.conversions import joint_message, pose_message, transform_message, yaw_rad
from robohockey_core.state import BodyState, Pose2D


def namespaces(message):
    return {marker.ns for marker in message.markers}


def test_the_rink_is_said_again_for_late_listeners(domain, ros_probe):
    with running("markers", domain):
        heard = ros_probe.hear(topics.MARKERS)
        wait_for(lambda: len(heard) >= 2, "the rink twice")
        for message in heard:
            assert namespaces(message) == {"rink"}
            for marker in message.markers:
                assert marker.header.frame_id == topics.RINK_FRAME
                assert marker.type == Marker.TRIANGLE_LIST and len(marker.points) % 3 == 0
                assert marker.color.a > 0.0 and marker.scale.x == 1.0


def test_robots_and_puck_follow_the_world_and_go_with_it(domain, ros_probe):
    with running("markers", domain):
        heard = ros_probe.hear(topics.MARKERS)
        speaker = ros_probe.speaker(topics.WORLD_STATE)

        def drawn(bodies, action):
            """The shape of blue/0 in the newest message that has one, when its action is as asked."""
            speaker.publish(joint_message(bodies_sample(1.5, bodies), topics.RINK_FRAME))
            worlds = [m for m in list(heard) if "puck" in namespaces(m)]
            shapes = [m for m in worlds[-1].markers if m.ns == "blue/0" and m.action == action] if worlds else []
            return shapes and shapes[0]

        bodies = {"blue/0": BodyState(Pose2D(0.25, -0.5, 0.0)), "puck": BodyState(Pose2D(0.0, 0.0))}
        shape = wait_for(lambda: drawn(bodies, Marker.ADD), "blue/0 drawn")
        assert (shape.pose.position.x, shape.pose.position.y) == (0.25, -0.5)
        assert (shape.header.stamp.sec, shape.header.stamp.nanosec) == (1, 500_000_000)
        wait_for(lambda: drawn({}, Marker.DELETE), "blue/0 taken away")


def test_a_click_selects_the_nearest_robot_and_a_goal_sends_it(domain, ros_probe):
    with running("markers", domain) as process:
        heard = ros_probe.hear(topics.MARKERS)
        world, click, goal = map(ros_probe.speaker, (topics.WORLD_STATE, topics.CLICKED_POINT, topics.SELECTED_GOAL))
        goals = ros_probe.hear(topics.GOAL_POSE.of(robot=RobotId("red", 1)))
        bodies = {"blue/0": BodyState(Pose2D(-0.5, 0.0)), "red/1": BodyState(Pose2D(0.5, 0.0))}

        def seen():
            world.publish(joint_message(bodies_sample(1.0, bodies), topics.RINK_FRAME))
            return [m for m in list(heard) if "red/1" in namespaces(m)]

        wait_for(seen, "red/1 drawn")
        point = topics.CLICKED_POINT.type()
        point.point.x = 0.3
        click.publish(point)
        assert any("red/1 is selected" in line for line in iter(process.stdout.readline, ""))
        wanted = pose_message(topics.RINK_FRAME, Pose2D(0.1, 0.2, 0.3), 1.0)

        def sent():
            goal.publish(wanted)
            return goals

        wait_for(sent, "the goal at red/1")
        assert goals[0].pose == wanted.pose


def test_a_transform_places_a_body_in_the_rink():
    message = transform_message("rink", "blue/0/base_link", Pose2D(0.25, -0.5, math.pi / 2.0), 1.5)
    assert (message.header.frame_id, message.child_frame_id) == ("rink", "blue/0/base_link")
    assert (message.transform.translation.x, message.transform.translation.y) == (0.25, -0.5)
    assert yaw_rad(message.transform.rotation) == pytest.approx(math.pi / 2.0)


@pytest.mark.skipif(importlib.util.find_spec("tf2_msgs") is not None, reason="tf2_msgs is installed")
def test_without_tf2_msgs_it_says_so_once_and_goes_on(domain, ros_probe):
    with running("markers", domain) as process:
        heard = ros_probe.hear(topics.MARKERS)
        assert "tf2_msgs is not installed" in process.stdout.readline()
        wait_for(lambda: len(heard) >= 2, "markers")
