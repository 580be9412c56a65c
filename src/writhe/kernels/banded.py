"""Cholesky of a symmetric banded matrix, row by row: what a motion's normal equations need."""

from __future__ import annotations

from math import sqrt

from writhe.arrays import Floats
from writhe.kernels.jit import kernel


@kernel(vector=True)
def solve_banded(band: Floats, right: Floats) -> bool:
    """Solve A x = right in place; band (N, w + 1) holds row i of A's lower part, diagonal last.

    A = L L^T with L in the same storage, so that all inner loops run over neighbouring numbers.
    False when the matrix is not positive; `right` then is of no use.
    """
    size, width = band.shape[0], band.shape[1] - 1
    for i in range(size):
        first = max(0, i - width)
        for j in range(first, i + 1):
            start = max(first, j - width)
            total = band[i, j - i + width]
            a, b = width - i, width - j
            for k in range(start, j):
                total -= band[i, k + a] * band[j, k + b]
            if i == j:
                if total <= 0.0:
                    return False
                band[i, width] = sqrt(total)
            else:
                band[i, j - i + width] = total / band[j, width]
    for i in range(size):
        total = right[i]
        for j in range(max(0, i - width), i):
            total -= band[i, j - i + width] * right[j]
        right[i] = total / band[i, width]
    for i in range(size - 1, -1, -1):
        right[i] /= band[i, width]
        x = right[i]
        for j in range(max(0, i - width), i):
            right[j] -= band[i, j - i + width] * x
    return True
