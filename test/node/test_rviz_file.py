"""The RViz file shows only what the suite's topics feed."""

from __future__ import annotations

import pytest
import yaml
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from robohockey_core.files import shared_file
from robohockey_core.ros import topics

MESSAGE_OF_DISPLAY = {"rviz_default_plugins/MarkerArray": "MarkerArray"}


@pytest.fixture(scope="module")
def manager():
    return yaml.safe_load(shared_file("rviz", "match.rviz").read_text(encoding="utf-8"))["Visualization Manager"]


def test_every_display_has_a_topic_of_the_contract_that_it_can_hear(manager):
    contract = {topic.name: topic for topic in topics.ALL_TOPICS}
    assert manager["Displays"]
    for display in manager["Displays"]:
        wanted = display["Topic"]
        topic = contract[wanted["Value"]]
        assert topic.type.__name__ == MESSAGE_OF_DISPLAY[display["Class"]]
        # A display that asks for more than the publisher offers stays silent.
        if wanted["Reliability Policy"] == "Reliable":
            assert topic.qos.reliability == ReliabilityPolicy.RELIABLE
        if wanted["Durability Policy"] == "Transient Local":
            assert topic.qos.durability == DurabilityPolicy.TRANSIENT_LOCAL


def test_frames_are_frames_of_the_contract(manager):
    assert manager["Global Options"]["Fixed Frame"] == topics.RINK_FRAME
    for view in (manager["Views"]["Current"], *manager["Views"]["Saved"]):
        assert view["Target Frame"] == topics.RINK_FRAME
