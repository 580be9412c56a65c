"""Banded normal equations of a motion: every term spans three frames at most."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from scipy.linalg import lapack as _lapack

from writhe.arrays import Bools, Floats

lapack = cast(Any, _lapack)


class Banded:
    """A symmetric matrix of F x F blocks (n, n) with two block diagonals below the main one."""

    def __init__(self, frames: int, size: int, variable: Bools | None = None) -> None:
        """`variable` (n) marks the coordinates that move; the others stay."""
        self.frames, self.size = frames, size
        self.moves = None if variable is None else variable.astype(np.float64)
        self.diagonal = np.zeros((frames, size, size))
        self.first = np.zeros((max(frames - 1, 0), size, size))  # block (t + 1, t)
        self.second = np.zeros((max(frames - 2, 0), size, size))  # block (t + 2, t)
        self.right = np.zeros((frames, size))

    def add(self, start: int, columns: list[Floats], residual: Floats, weight: float) -> float:
        """Add terms r + sum_k columns[k] v_(start + t + k), one per row t of arrays (T, rows, n).

        residual (T, rows). Returns the cost 1/2 ||weight r||^2.
        """
        count, square = len(residual), weight * weight
        at = [slice(start + k, start + k + count) for k in range(len(columns))]
        for k, first in enumerate(columns):
            transposed = first.swapaxes(-1, -2)
            self.diagonal[at[k]] += square * (transposed @ first)
            self.right[at[k]] -= square * np.einsum("trn,tr->tn", first, residual)
            for back in range(k):
                block = self.first if k - back == 1 else self.second
                block[at[back]] += square * (transposed @ columns[back])
        return 0.5 * square * float((residual * residual).sum())

    def add_stencil(self, stencil: tuple[float, ...], residual: Floats, weight: Floats) -> float:
        """Add terms r + sum_k stencil[k] v_(t + k) per coordinate; weight (T,).

        residual (T, n). Returns the cost. The blocks are multiples of the identity.
        """
        count, square = len(residual), weight * weight
        index = np.arange(self.size)
        for k, own in enumerate(stencil):
            at = slice(k, k + count)
            self.diagonal[at, index, index] += (own * own * square)[:, None]
            self.right[at] -= (own * square)[:, None] * residual
            for back in range(k):
                block = self.first if k - back == 1 else self.second
                block[back : back + count, index, index] += (own * stencil[back] * square)[:, None]
        return 0.5 * float((square[:, None] * residual * residual).sum())

    def solve(self, damping: float) -> Floats:
        """v (F, n) with (A + damping I) v = right; zero if the matrix is not positive definite."""
        n, frames = self.size, self.frames
        if self.moves is not None:
            both = self.moves[:, None] * self.moves
            for block in (self.diagonal, self.first, self.second):
                block *= both
            self.right *= self.moves
        # LAPACK's lower band storage, one column of the matrix per row: the diagonal first
        band = np.zeros((frames, n, 3 * n))
        for r in range(n):
            band[:, r, : n - r] = self.diagonal[:, r:, r]
            band[:, r, 0] += damping
            band[:-1, r, n - r : 2 * n - r] = self.first[:, :, r]
            band[:-2, r, 2 * n - r : 3 * n - r] = self.second[:, :, r]
        factor, failed = lapack.dpbtrf(band.reshape(frames * n, 3 * n).T, lower=1, overwrite_ab=1)
        if failed:
            return np.zeros_like(self.right)
        out, _ = lapack.dpbtrs(factor, self.right.ravel(), lower=1)
        return out.reshape(frames, n)
