"""The environment of a match's processes: what is missing is added, what is said stays."""

from __future__ import annotations

from pathlib import Path

from robohockey_core.ros_environment import local_environment


def test_room_for_images_on_one_machine():
    added = local_environment({})
    assert added["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert "<segment_size>" in Path(added["FASTDDS_DEFAULT_PROFILES_FILE"]).read_text()


def test_what_a_user_says_stays():
    assert local_environment({"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}) == {}
    given = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "FASTDDS_DEFAULT_PROFILES_FILE": "mine.xml"}
    assert local_environment(given) == {}
