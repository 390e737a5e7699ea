"""Thin ROS nodes around the vision maths."""
