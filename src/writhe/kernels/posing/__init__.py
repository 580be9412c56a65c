"""Kernels of one posing frame: body state, posture prior, step QP, gated step."""
