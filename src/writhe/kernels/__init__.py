"""Numba functions: arrays in, arrays out, no classes.

Every kernel states its equation and shapes, allocates nothing in its inner loops, and is compiled
once per machine (see `jit`).
"""
