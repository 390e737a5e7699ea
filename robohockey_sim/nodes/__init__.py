"""Thin ROS nodes around the simulator."""
