"""Names of robots and joints: one robot has one name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robohockey_core.checked import InputError
from robohockey_core.names import BLUE, RED, RobotId, body_joints, check_bodies, opponent, parse_robot, robot_ids, split_joint

robots = st.builds(RobotId, st.sampled_from((BLUE, RED)), st.integers(0, 99))


@given(robots)
def test_text_and_back(robot):
    assert parse_robot(str(robot)) == robot


NO_ROBOTS = ("", "puck", "blue", "blue/", "blue/x", "blue/-1", "blue/00", "blue/01", "blue/100", "green/0", "Blue/0")
NEARLY_ROBOTS = ("blue/0/", "/blue/0", " blue/0", "blue/0\n", "blue/٣")


@pytest.mark.parametrize("text", (*NO_ROBOTS, *NEARLY_ROBOTS))
def test_what_is_no_robot(text):
    assert parse_robot(text) is None


@given(robots, st.sampled_from(["x", "yaw", "left_wheel", "kicker"]))
def test_joint_splits_into_robot_and_part(robot, part):
    assert split_joint(robot.joint(part)) == (str(robot), part)


def test_a_name_without_slash_has_no_body():
    assert split_joint("x") == ("", "x")


def test_namespace_starts_no_token_with_a_digit():
    assert RobotId(BLUE, 0).namespace == "blue/robot_0"


def test_order_of_robots_is_blue_then_red():
    assert list(map(str, robot_ids(2))) == ["blue/0", "blue/1", "red/0", "red/1"]


def test_body_joints():
    assert body_joints("puck") == ("puck/x", "puck/y", "puck/yaw")


def test_opponents_face_each_other():
    assert (opponent(BLUE), opponent(RED)) == (RED, BLUE)


def test_bodies_that_a_user_names_are_checked():
    robots = robot_ids(3)
    assert check_bodies(["blue/0", "puck"], robots) == ("blue/0", "puck")
    with pytest.raises(InputError, match="robot = 'blue/9': unknown robot"):
        check_bodies(["blue/9"], robots)
