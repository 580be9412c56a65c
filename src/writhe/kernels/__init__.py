"""Numba kernels: functions on plain arrays and NamedTuples of arrays.

Every kernel states its equation and shapes, allocates nothing in its inner loops, and is compiled
once per machine (see `jit`).
"""

import gc

# Numba creates a hundred thousand objects that stay for good; searching them for garbage again and
# again takes a tenth of the time of its import.
_collects = gc.isenabled()
gc.disable()
try:
    import numba as numba
finally:
    if _collects:
        gc.enable()
