"""The vocabulary that every room shares: state, actions, commands, geometry, kinematics, leagues. No ROS."""
