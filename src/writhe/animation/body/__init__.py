"""Limits and balance of the body in the frames between keys."""
