"""Kernels of kinematics: frames, Jacobians, rotations, joint limits, mass, skinning."""
