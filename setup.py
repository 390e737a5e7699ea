"""The ament_python package: one name in ROS, eight rooms in Python."""

from glob import glob

from setuptools import find_packages, setup

PACKAGE = "robohockey"

NODES = {
    "physics": "robohockey_sim.nodes.physics",
    "tracker": "robohockey_vision.nodes.tracker",
    "referee": "robohockey_referee.nodes.referee",
    "strategy": "robohockey_strategy.nodes.strategy",
    "motion": "robohockey_strategy.nodes.motion",
    "omni_unwarp": "robohockey_vision.nodes.omni_unwarp",
    "overhead_camera": "robohockey_sim.nodes.overhead_camera",
    "overhead_detector": "robohockey_vision.nodes.overhead_detector",
    "omni_camera": "robohockey_sim.nodes.omni_camera",
    "omni_detector": "robohockey_vision.nodes.omni_detector",
    "camera": "robohockey_vision.nodes.camera",
    "robot_driver": "robohockey_hw.nodes.robot_driver",
    "markers": "robohockey_viz.nodes.markers",
    "web_view": "robohockey_viz.nodes.web_view",
    "recorder": "robohockey_viz.nodes.recorder",
    "replay": "robohockey_viz.nodes.replay",
    "keyboard": "robohockey_hw.nodes.keyboard",
    "gamepad": "robohockey_hw.nodes.gamepad",
    "plant": "robohockey_match.nodes.plant",
    "drive_pattern": "robohockey_match.nodes.drive_pattern",
    "composed": "robohockey_match.nodes.composed",
}

# A ROS distribution brings its own rclpy and messages: the wheels are for machines without ROS.
ROS_FROM_PYPI = [
    "ros-rclpy[fastrtps]>=9.1",
    "ros-geometry-msgs>=5.5",
    "ros-sensor-msgs>=5.5",
    "ros-nav-msgs>=5.5",
    "ros-trajectory-msgs>=5.5",
    "ros-visualization-msgs>=5.5",
    "ros-diagnostic-msgs>=5.5",
    "ros-std-srvs>=5.5",
    "ros-std-msgs>=5.5",
    "ros-lifecycle-msgs>=2.3",
    "ros-rosgraph-msgs>=2.3",
]

TEST_TOOLS = [
    "pytest>=8",
    "pytest-rerunfailures>=14",
    "hypothesis>=6.100",
    "pymunk>=7.0",
    "ruff>=0.6",
    "mypy>=1.11",
    "types-PyYAML",
    "colcon-common-extensions>=0.3",
    "selenium>=4.20",
    "rosbags>=0.10",
]

# The engines that the simulator is measured against. Box2D 2.3 has no wheel for Python 3.14; it is then left out.
BENCH_PEERS = [
    "pymunk>=7.0",
    'box2d>=2.3.10,<2.4; python_version < "3.14"',
    "mujoco>=3.2",
]

setup(
    name=PACKAGE,
    version="0.1.0",
    description="Robot hockey and robot soccer on simulated robots, on real robots, and on both in one match.",
    license="Apache-2.0",
    python_requires=">=3.10",
    packages=find_packages(include=["robohockey_*"]),
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
        (f"share/{PACKAGE}/config/rules", glob("config/rules/*.yaml")),
        (f"share/{PACKAGE}/config", glob("config/*.yaml") + glob("config/*.xml")),
        (f"share/{PACKAGE}/firmware", glob("firmware/rh_*.[ch]")),
        (f"share/{PACKAGE}/launch", glob("launch/*.launch.py")),
        (f"share/{PACKAGE}/rviz", glob("rviz/*.rviz")),
    ],
    install_requires=[
        "setuptools",
        "numpy>=1.26",
        "numba>=0.59",
        "scipy>=1.11",
        "rosbags>=0.10",
        "transforms3d>=0.4.2",
        "pyserial>=3.5",
        "opencv-python-headless>=4.6",
        "pyyaml>=6.0",
        "viser>=1.1,<1.2",  # the page reads where a visitor comes from, which viser shows nobody
        "mcap>=1.2",
        "mcap-ros2-support>=0.5.5",
    ],
    extras_require={"ros": ROS_FROM_PYPI, "test": TEST_TOOLS, "bench": BENCH_PEERS},
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "robohockey = robohockey_match.cli:main",
            *(f"{name} = {module}:main" for name, module in NODES.items()),
        ],
    },
)
