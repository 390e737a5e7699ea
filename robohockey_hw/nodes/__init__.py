"""Thin ROS nodes around drivers and input devices."""
