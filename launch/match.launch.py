"""A match by `ros2 launch robohockey match.launch.py`: a thin translation of the launch plan.

Which nodes run, with which names and parameters, is decided in robohockey_core/launch_plan.py. An empty
argument means "as the match file says", or the default where there is none.
"""

import os
import sys
import tempfile
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction, SetEnvironmentVariable
from launch_ros.actions import Node

from robohockey_core.checked import InputError
from robohockey_core.files import shared_file
from robohockey_core.launch_plan import plan
from robohockey_core.match_file import MODES, load_match
from robohockey_core.ros_environment import local_environment
from robohockey_match.match_json import match_to_json

YES_NO = ["true", "false"]
BAD_INPUT_EXIT = 2
# Arguments that a match file has under the same names.
PLAIN = ("mode", "league", "blue", "red", "noise", "vision", "namespace", "rules", "referee")

ARGUMENTS = (
    DeclareLaunchArgument("mode", default_value="", choices=["", *MODES], description="sim, real, or mixed: robot by robot"),
    DeclareLaunchArgument("league", default_value="", description="league preset or path of a league file"),
    DeclareLaunchArgument("config", default_value="", description="match file (YAML); the other arguments override it"),
    DeclareLaunchArgument("blue", default_value="", description="blue's strategy: a name or path/to/file.py:Class"),
    DeclareLaunchArgument("red", default_value="", description="red's strategy"),
    DeclareLaunchArgument("noise", default_value="", description="of simulated camera and radio: none, friendly, realistic"),
    DeclareLaunchArgument("rules", default_value="", description="rule profile or file; empty: the league's"),
    DeclareLaunchArgument("referee", default_value="", description="autonomous, or suggest: a human decides on each call"),
    DeclareLaunchArgument("memory_file", default_value="", description="where to keep the match, and to go on from"),
    DeclareLaunchArgument("vision", default_value="", description="poses from camera images only: overhead, omni"),
    DeclareLaunchArgument("namespace", default_value="", description="namespace of the whole match"),
    DeclareLaunchArgument("headless", default_value="false", choices=YES_NO, description="no web view"),
    DeclareLaunchArgument("use_rviz", default_value="false", choices=YES_NO, description="publish markers and start RViz"),
    DeclareLaunchArgument("use_respawn", default_value="true", choices=YES_NO, description="start a dead node again"),
    DeclareLaunchArgument("use_composition", default_value="false", choices=YES_NO, description="all nodes in one process"),
    DeclareLaunchArgument("log_level", default_value="info", description="log level of every node"),
    DeclareLaunchArgument("record", default_value="false", description="true: record into recordings/; or a folder"),
    DeclareLaunchArgument("host", default_value="", description="address of the web view; 0.0.0.0 lets other machines watch"),
)


def start_match(context):
    """Turn the plan into launch actions; a user's mistake is one line."""

    def given(name):
        return context.launch_configurations[name]

    def yes(name):
        return given(name) == "true"

    try:
        match = load_match(
            Path(given("config")) if given("config") else None,
            **{name: given(name) for name in PLAIN},
            # A referee that dies goes on with the score; the next match begins anew, unless a file is named.
            memory_file=given("memory_file") or str(Path(tempfile.mkdtemp(prefix="robohockey-")) / "match.json"),
            view=False if yes("headless") else None,
            markers=True if yes("use_rviz") else None,
            view_host=given("host"),
            record={"true": "recordings", "false": ""}.get(given("record"), given("record")),
        )
        specs = plan(match)
    except InputError as error:
        print(f"robohockey: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(BAD_INPUT_EXIT)

    respawn = yes("use_respawn")
    if yes("use_composition"):
        arguments = [match_to_json(match), f"--log-level={given('log_level')}"]
        actions = [Node(package="robohockey", executable="composed", arguments=arguments, output="screen", respawn=respawn)]
    else:
        actions = [
            Node(
                package="robohockey",
                executable=spec.executable,
                name=spec.name,
                namespace=f"/{spec.namespace}",
                parameters=[{key: list(v) if isinstance(v, tuple) else v for key, v in spec.parameters.items()}],
                remappings=list(spec.remaps.items()),
                ros_arguments=["--log-level", f"{spec.name}:={given('log_level')}"],
                output="screen",
                respawn=respawn and spec.respawn,
                respawn_delay=1.0,
            )
            for spec in specs
        ]
    if yes("use_rviz"):
        actions.append(rviz(match.namespace))
    return actions


def rviz(namespace):
    """RViz on the match, or a line that says what is missing."""
    try:
        get_package_prefix("rviz2")
    except PackageNotFoundError:
        return LogInfo(msg="rviz2 is not installed: the markers are published, but RViz does not start")
    rviz_file = str(shared_file("rviz", "match.rviz"))
    return Node(package="rviz2", executable="rviz2", namespace=namespace, arguments=["-d", rviz_file])


def generate_launch_description():
    """Declare the arguments, keep discovery on this machine unless told otherwise, start the match."""
    return LaunchDescription(
        [
            *ARGUMENTS,
            *(SetEnvironmentVariable(name, value) for name, value in local_environment(os.environ).items()),
            OpaqueFunction(function=start_match),
        ]
    )
