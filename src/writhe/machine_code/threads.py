"""Sets how the threads of parallel kernels wait for each other.

Numba runs parallel kernels on OpenMP where it finds it. By default its threads wait at the end of a
loop by spinning. If other programs use the cores, a thread spins for its whole time slice while the
thread that it waits for is not running, and a kernel of milliseconds takes many times as long.
Threads that sleep while they wait cost some microseconds a loop instead.
"""

from __future__ import annotations

import os

WAIT_POLICY = "OMP_WAIT_POLICY"


def sleep_while_waiting() -> None:
    """Make OpenMP's threads sleep while they wait, unless the environment says otherwise.

    OpenMP reads the variable when it is loaded, which Numba does before its first parallel kernel.
    """
    os.environ.setdefault(WAIT_POLICY, "passive")
