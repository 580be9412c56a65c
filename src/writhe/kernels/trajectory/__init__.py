"""Kernels of limb trajectories: damped least squares in parallel passes."""
