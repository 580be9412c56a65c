"""Kernels of chain trajectories: damped least squares in parallel passes."""
