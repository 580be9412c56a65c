"""Kernels of collision: distances of shapes, near pairs, the step gate, the sweep of a clip."""
