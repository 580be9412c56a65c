"""Normal equations of a motion: every term spans three frames at most, so they are banded."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.banded import solve_banded


class Banded:
    """A symmetric matrix of F x F blocks (n, n) with two blocks beside the diagonal."""

    def __init__(self, frames: int, size: int) -> None:
        self.frames, self.size = frames, size
        self.diagonal = np.zeros((frames, size, size))
        self.first = np.zeros((max(frames - 1, 0), size, size))  # block (t + 1, t)
        self.second = np.zeros((max(frames - 2, 0), size, size))  # block (t + 2, t)
        self.right = np.zeros((frames, size))

    def add(self, start: int, columns: list[Floats], residual: Floats, weight: float) -> float:
        """Terms r + sum_k columns[k] v_(start + t + k), one per row t of the arrays (T, rows, n).

        residual (T, rows). Returns the cost 1/2 ||weight r||^2.
        """
        count, square = len(residual), weight * weight
        at = [slice(start + k, start + k + count) for k in range(len(columns))]
        for k, first in enumerate(columns):
            turned = first.swapaxes(-1, -2)
            self.diagonal[at[k]] += square * (turned @ first)
            self.right[at[k]] -= square * np.einsum("trn,tr->tn", first, residual)
            for back in range(k):
                block = self.first if k - back == 1 else self.second
                block[at[back]] += square * (turned @ columns[back])
        return 0.5 * square * float((residual * residual).sum())

    def solve(self, damping: float) -> Floats:
        """v (F, n) with (A + damping I) v = right; zero where A is not positive."""
        n, frames = self.size, self.frames
        width = 3 * n - 1
        band = np.zeros((frames * n, width + 1))
        for r in range(n):  # row r of every frame: the blocks stand side by side, diagonal last
            rows, own = band[r::n], width - r
            rows[:, own : width + 1] = self.diagonal[:, r, : r + 1]
            rows[:, width] += damping
            rows[1:, own - n : own] = self.first[:, r]
            rows[2:, own - 2 * n : own - n] = self.second[:, r]
        out = self.right.ravel().copy()
        if not solve_banded(band, out):
            return np.zeros_like(self.right)
        return out.reshape(frames, n)
