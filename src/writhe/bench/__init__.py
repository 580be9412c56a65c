"""Measurements of speed, each a function that returns a number."""
