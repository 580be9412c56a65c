"""BLAS on one thread, for the small matrices of solvers.

Its threads wait by spinning: where other programs use the cores too, a step of L-BFGS over fifty
variables takes over a hundred times longer with them than without.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which NumPy and SciPy use one thread; SciPy only if it is imported already."""
    return _pools("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas")


@cache
def _pools(with_scipy: bool) -> ThreadpoolController:
    """The thread pools of BLAS, cached: finding them takes longer than a small solve."""
    del with_scipy  # SciPy brings a BLAS of its own, which is found once it is loaded
    return ThreadpoolController()
