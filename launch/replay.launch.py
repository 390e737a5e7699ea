"""A recorded match on its topics again, with the web view or RViz on it.

ros2 launch robohockey replay.launch.py folder:=recordings/2026-11-18_12-00-00 use_rviz:=true
"""

import atexit
import shutil
import sys
import tempfile
from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from robohockey_core.checked import InputError
from robohockey_viz.recording import write_recorded_league

PACKAGE = "robohockey"
BAD_INPUT_EXIT = 2


def start_replay(context):
    """The replay node, and a view in the recording's own league; a user's mistake is one line."""

    def given(name):
        return context.launch_configurations[name]

    kept = Path(tempfile.mkdtemp(prefix="robohockey-"))
    atexit.register(shutil.rmtree, kept, ignore_errors=True)
    try:
        league = str(write_recorded_league(Path(given("folder")), kept))
    except InputError as error:
        print(f"robohockey: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(BAD_INPUT_EXIT)
    where = {"package": PACKAGE, "namespace": given("namespace"), "output": "screen"}
    replay = Node(
        executable="replay",
        name="replay",
        parameters=[{"folder": given("folder"), "speed": float(given("speed")), "loop": given("loop") == "true"}],
        **where,
    )
    view = Node(executable="web_view", name="web_view", parameters=[{"league": league, "host": given("host")}], **where)
    rviz = IncludeLaunchDescription(
        PathJoinSubstitution([FindPackageShare(PACKAGE), "launch", "view.launch.py"]),
        launch_arguments={"namespace": given("namespace"), "league": league}.items(),
        condition=IfCondition(LaunchConfiguration("use_rviz")),
    )
    return [replay, *([] if given("headless") == "true" else [view]), rviz]


def generate_launch_description():
    """Declare the arguments and start the replay."""
    return LaunchDescription(
        [
            DeclareLaunchArgument("folder", description="the recording's folder, or its .mcap file"),
            DeclareLaunchArgument("speed", default_value="1.0", description="how fast it plays"),
            DeclareLaunchArgument("loop", default_value="false", description="begin again at the end"),
            DeclareLaunchArgument("namespace", default_value="", description="ROS namespace to play it in"),
            DeclareLaunchArgument("host", default_value="127.0.0.1", description="of the web view; 0.0.0.0 lets others watch"),
            DeclareLaunchArgument("headless", default_value="false", description="no web view"),
            DeclareLaunchArgument("use_rviz", default_value="false", description="publish markers and start RViz"),
            OpaqueFunction(function=start_replay),
        ]
    )
