"""Dense linear algebra of small matrices, for which the call overhead of LAPACK dominates."""

from __future__ import annotations

from math import sqrt

from writhe.arrays import Floats
from writhe.kernels.jit import kernel


@kernel
def factorise(matrix: Floats, n: int, factor: Floats) -> bool:
    """Cholesky A = C C^T of matrix[:n, :n], of which the lower triangle is read.

    C is stored in the lower triangle of `factor`, which may be `matrix`. False if A is not positive
    definite.
    """
    for i in range(n):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            if i == j:
                if total <= 0.0:
                    return False
                factor[i, i] = sqrt(total)
            else:
                factor[i, j] = total / factor[j, j]
    return True


@kernel
def solve_factored(factor: Floats, n: int, b: Floats, x: Floats) -> None:
    """Solve C C^T x = b (n) for x (n), with the Cholesky factor C = factor[:n, :n]; x may be b.

    Both substitutions run along rows of C, so that they are vectorised.
    """
    for i in range(n):
        total = b[i]
        for k in range(i):
            total -= factor[i, k] * x[k]
        x[i] = total / factor[i, i]
    for i in range(n - 1, -1, -1):
        x[i] /= factor[i, i]
        last = x[i]
        for k in range(i):
            x[k] -= last * factor[i, k]


@kernel
def solve_positive(matrix: Floats, n: int, x: Floats) -> bool:
    """x (n) = matrix^-1 x; the lower triangle of matrix[:n, :n] is overwritten by its factor."""
    if not factorise(matrix, n, matrix):
        return False
    solve_factored(matrix, n, x, x)
    return True


@kernel
def invert_positive(matrix: Floats, factor: Floats, inverse: Floats) -> bool:
    """inverse (n, n) of a symmetric positive definite matrix (its lower triangle is read).

    Cholesky A = C C^T, then W = C^-1 row by row and A^-1 = W^T W. factor (n, n) is workspace. False
    if the matrix is not positive definite.
    """
    n = matrix.shape[0]
    if not factorise(matrix, n, factor):
        return False
    # W = C^-1 in place: row i is (e_i - sum_k c_ik W_k) / c_ii, rows above are done
    for i in range(n):
        scale = 1.0 / factor[i, i]
        for j in range(n):
            inverse[i, j] = 0.0
        for k in range(i):
            c = factor[i, k]
            for j in range(k + 1):
                inverse[i, j] -= c * inverse[k, j]
        for j in range(i):
            inverse[i, j] *= scale
        inverse[i, i] = scale
    # A^-1 = W^T W, gathered in `factor`
    for i in range(n):
        for j in range(n):
            factor[i, j] = 0.0
    for k in range(n):
        for i in range(k + 1):
            w = inverse[k, i]
            for j in range(i + 1):
                factor[i, j] += w * inverse[k, j]
    for i in range(n):
        for j in range(i + 1):
            inverse[i, j] = factor[i, j]
            inverse[j, i] = factor[i, j]
    return True
