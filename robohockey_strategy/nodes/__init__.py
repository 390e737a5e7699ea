"""Thin ROS nodes around strategies and the motion scheduler."""
