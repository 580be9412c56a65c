"""Kernels on triangle meshes: penetration depth, capsule coverage, body fields, remeshing."""
