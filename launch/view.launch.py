"""RViz on a match that runs already: the markers node, and rviz2 with the suite's view.

ros2 launch robohockey view.launch.py namespace:=rink_2
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

PACKAGE = "robohockey"


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments and start the two nodes."""
    default_view = PathJoinSubstitution([FindPackageShare(PACKAGE), "rviz", "match.rviz"])
    arguments = [
        DeclareLaunchArgument("namespace", default_value="", description="ROS namespace of the match"),
        DeclareLaunchArgument("league", default_value="micro_hockey", description="preset name or path of a league file"),
        DeclareLaunchArgument("use_rviz", default_value="true", description="whether to start rviz2"),
        DeclareLaunchArgument("rviz_config_file", default_value=default_view, description="what rviz2 shows"),
    ]
    markers = Node(
        package=PACKAGE,
        executable="markers",
        name="markers",
        namespace=LaunchConfiguration("namespace"),
        parameters=[{"league": LaunchConfiguration("league")}],
    )
    # In the match's namespace, RViz finds the relative topic of its display.
    rviz = Node(
        package="rviz2",
        executable="rviz2",
        namespace=LaunchConfiguration("namespace"),
        arguments=["-d", LaunchConfiguration("rviz_config_file")],
        condition=IfCondition(LaunchConfiguration("use_rviz")),
    )
    return LaunchDescription([*arguments, markers, rviz])
