"""Convex pieces that cover a mesh."""
