"""Many postures, trajectories or intervals at once, on CPU or GPU, with JAX (the extra `jax`).

All modules but `broad_phase` import only NumPy and JAX, so that they also run without Numba.
"""
