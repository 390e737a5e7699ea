"""Thin ROS nodes around the views."""
