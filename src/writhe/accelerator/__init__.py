"""Many trajectories at once, on CPU or GPU, with JAX (the extra `jax`).

These modules import only NumPy and JAX, so that they also run without Numba.
"""
