"""Thin ROS node around the referee."""
