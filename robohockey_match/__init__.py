"""Puts the rooms together: process runner, engine without ROS, command line."""
