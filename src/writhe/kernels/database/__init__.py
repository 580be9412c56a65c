"""Kernels of the posture database: features, distances, the search tree."""
