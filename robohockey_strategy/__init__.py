"""Decisions and motion: from the state of the world to wheel speeds."""
