"""The topic contract: every topic and service, its type, frame and QoS, once.

Names are relative, so a namespace moves the whole match; `/tf`, `/clock` and `/diagnostics` are
absolute as in every ROS system. Frames: `rink` has its origin at centre ice, x toward red's goal,
y left, z up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PointStamped, PoseStamped, TwistStamped
from nav_msgs.msg import OccupancyGrid, Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import MarkerArray

from robohockey_core.names import RobotId

RINK_FRAME = "rink"

SENSOR = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
COMMAND = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
EVENT = QoSProfile(depth=50, reliability=ReliabilityPolicy.RELIABLE)
NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


@dataclass(frozen=True)
class Topic:
    """A topic of the contract.

    In names, `{team}` stands for `blue` and `{robot}` for `blue/robot_0`, since ROS allows no topic name
    that starts with a digit; in frames, `{robot}` is the robot's plain name, `blue/0`.
    """

    name: str
    type: Any
    qos: QoSProfile
    frame: str = ""

    def of(self, *, team: str = "", robot: RobotId | None = None) -> Topic:
        """The topic of one team or one robot."""
        name = self.name.format(team=team, robot=robot.namespace if robot else "")
        return Topic(name, self.type, self.qos, self.frame.format(robot=robot))


@dataclass(frozen=True)
class Service:
    name: str
    type: Any


DETECTIONS = Topic("detections", JointState, SENSOR, RINK_FRAME)
WORLD_STATE = Topic("world_state", JointState, NEWEST, RINK_FRAME)
GROUND_TRUTH = Topic("sim/ground_truth", JointState, SENSOR, RINK_FRAME)
SET_STATE = Topic("sim/set_state", JointState, EVENT, RINK_FRAME)
TARGETS = Topic("{team}/targets", JointState, COMMAND, RINK_FRAME)
WHEEL_COMMANDS = Topic("{team}/wheel_commands", JointState, COMMAND)
JOINT_STATES = Topic("joint_states", JointState, SENSOR)
CMD_VEL = Topic("{robot}/cmd_vel", TwistStamped, COMMAND, "{robot}/base_link")
KICK = Topic("{robot}/kick", JointState, COMMAND)
GOAL_POSE = Topic("{robot}/goal_pose", PoseStamped, COMMAND, RINK_FRAME)
SELECTED_GOAL = Topic("goal_pose", PoseStamped, COMMAND, RINK_FRAME)
CLICKED_POINT = Topic("clicked_point", PointStamped, COMMAND, RINK_FRAME)
ODOM = Topic("{robot}/odom", Odometry, SENSOR, "{robot}/odom")
PLACEMENT = Topic("{team}/placement", JointState, COMMAND, RINK_FRAME)
MATCH_STATE = Topic("match/state", DiagnosticStatus, LATCHED)
MATCH_EVENTS = Topic("match/events", DiagnosticStatus, EVENT)
MATCH_ORDERS = Topic("match/orders", KeyValue, EVENT)
FIELD = Topic("{team}/field", OccupancyGrid, LATCHED, RINK_FRAME)
OMNI_IMAGE = Topic("{robot}/omni/image_raw", Image, SENSOR, "{robot}/omni")
OMNI_UNWRAPPED = Topic("{robot}/omni/image_unwrapped", Image, SENSOR, "{robot}/omni")
OMNI_INFO = Topic("{robot}/omni/camera_info_unwrapped", CameraInfo, SENSOR, "{robot}/omni")
OVERHEAD_IMAGE = Topic("overhead/image_raw", Image, NEWEST, "overhead_camera")
MARKERS = Topic("markers", MarkerArray, EVENT, RINK_FRAME)
CLOCK = Topic("/clock", Clock, NEWEST)
DIAGNOSTICS = Topic("/diagnostics", DiagnosticArray, EVENT)
# An order is no state: an old one must not be heard again by who comes late. What holds is told beside it.
EMERGENCY_STOP = Topic("emergency_stop", Bool, EVENT)
EMERGENCY_STATE = Topic("emergency_stop/state", DiagnosticStatus, LATCHED)

MATCH_START = Service("match/start", Trigger)
MATCH_PAUSE = Service("match/pause", Trigger)
MATCH_RESET = Service("match/reset", Trigger)
MATCH_CONFIRM = Service("match/confirm", Trigger)
MATCH_OVERRULE = Service("match/overrule", Trigger)
SIM_STEP = Service("sim/step", Trigger)
SIM_RESET = Service("sim/reset", Trigger)
DRIVER_STOP = Service("~/emergency_stop", SetBool)

ALL_TOPICS = tuple(value for value in globals().values() if isinstance(value, Topic))
ALL_SERVICES = tuple(value for value in globals().values() if isinstance(value, Service))


def publisher(node: Any, topic: Topic) -> Any:
    return node.create_publisher(topic.type, topic.name, topic.qos)


def subscription(node: Any, topic: Topic, callback: Any) -> Any:
    return node.create_subscription(topic.type, topic.name, callback, topic.qos)


def service(node: Any, contract: Service, callback: Any) -> Any:
    return node.create_service(contract.type, contract.name, callback)
