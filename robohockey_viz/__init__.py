"""Seeing a match: web view, RViz markers, recording and replay."""
