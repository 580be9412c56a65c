"""Kernels of topology: the Gauss linking integral, strands, topology coordinates."""
