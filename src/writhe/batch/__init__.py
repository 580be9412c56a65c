"""Many trajectories at once, on CPU or GPU, with JAX (the extra `jax`).

These modules import NumPy and JAX alone, so that they also run where Numba is not installed.
"""
