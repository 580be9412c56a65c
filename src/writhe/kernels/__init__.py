"""Numba kernels: functions on plain arrays and NamedTuples of arrays.

Every kernel states its equation and shapes, allocates nothing in its inner loops, and is compiled
once per machine (see `jit`).
"""
