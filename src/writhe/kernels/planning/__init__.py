"""Kernels of the planner: repulsive energy, bidirectional descent, path shortening."""
