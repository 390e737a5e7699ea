"""The RViz file shows only what the suite's topics feed."""

from __future__ import annotations

import pytest
import yaml
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy

from robohockey_core.files import shared_file
from robohockey_core.names import TEAMS, RobotId
from robohockey_core.ros import topics

MESSAGE_OF_DISPLAY = {
    "rviz_default_plugins/MarkerArray": "MarkerArray",
    "rviz_default_plugins/Map": "OccupancyGrid",
    "rviz_default_plugins/Image": "Image",
}
MESSAGE_OF_TOOL = {"rviz_default_plugins/SetGoal": "PoseStamped", "rviz_default_plugins/PublishPoint": "PointStamped"}
WITHOUT_TOPIC = {"rviz_default_plugins/TF"}


@pytest.fixture(scope="module")
def manager():
    return yaml.safe_load(shared_file("rviz", "match.rviz").read_text(encoding="utf-8"))["Visualization Manager"]


def contract():
    """Every topic of a match by its name: teams spelled out, and of the robots the first one."""
    plain = [topic for topic in topics.ALL_TOPICS if "{" not in topic.name]
    teams = [topic.of(team=team) for topic in topics.ALL_TOPICS if "{team}" in topic.name for team in TEAMS]
    robots = [topic.of(robot=RobotId("blue", 0)) for topic in topics.ALL_TOPICS if "{robot}" in topic.name]
    return {topic.name: topic for topic in (*plain, *teams, *robots)}


def can_hear(wanted, topic):
    """A display that asks for more than the publisher offers stays silent."""
    reliable = wanted["Reliability Policy"] == "Best Effort" or topic.qos.reliability == ReliabilityPolicy.RELIABLE
    latched = wanted["Durability Policy"] == "Volatile" or topic.qos.durability == DurabilityPolicy.TRANSIENT_LOCAL
    return reliable and latched


def test_the_displays_are_exactly_what_the_topics_can_feed(manager):
    known = contract()
    shown = set()
    for display in manager["Displays"]:
        if display["Class"] in WITHOUT_TOPIC:
            continue
        wanted = display["Topic"]
        topic = known[wanted["Value"]]
        assert topic.type.__name__ == MESSAGE_OF_DISPLAY[display["Class"]]
        assert can_hear(wanted, topic), topic.name
        shown.add(topic.name)
    assert shown == {name for name, topic in known.items() if topic.type.__name__ in MESSAGE_OF_DISPLAY.values()}


def test_the_tools_speak_on_topics_that_somebody_hears(manager):
    known = contract()
    tools = {tool["Class"]: tool["Topic"]["Value"] for tool in manager["Tools"] if "Topic" in tool}
    assert tools.keys() == MESSAGE_OF_TOOL.keys()
    for tool, name in tools.items():
        assert known[name].type.__name__ == MESSAGE_OF_TOOL[tool]


def test_frames_are_frames_of_the_contract(manager):
    assert manager["Global Options"]["Fixed Frame"] == topics.RINK_FRAME
    for view in (manager["Views"]["Current"], *manager["Views"]["Saved"]):
        assert view["Target Frame"] == topics.RINK_FRAME
