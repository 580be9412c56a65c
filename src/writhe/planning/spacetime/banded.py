"""Normal equations of a motion: every term spans three frames at most, so they are banded."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from writhe.arrays import Floats


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
        """v (F, n) with (A + damping I) v = right, by Cholesky over pairs of frames."""
        n, frames = self.size, self.frames
        pairs = (frames + 1) // 2
        wide = 2 * n
        blocks = np.zeros((pairs, wide, wide))
        lower = np.zeros((max(pairs - 1, 0), wide, wide))
        right = np.zeros((pairs, wide))
        for t in range(frames):
            k, half = divmod(t, 2)
            here = slice(half * n, half * n + n)
            blocks[k, here, here] += self.diagonal[t] + damping * np.eye(n)
            right[k, here] = self.right[t]
            if t + 1 < frames:
                if half == 0:
                    blocks[k, n:, :n] += self.first[t]
                    blocks[k, :n, n:] += self.first[t].T
                else:
                    lower[k, :n, n:] += self.first[t]
            if t + 2 < frames:
                lower[k, here, here] += self.second[t]
        if frames % 2:
            blocks[-1, n:, n:] = np.eye(n)
        factors: list[tuple[Floats, bool]] = []
        carried = np.zeros((wide, wide))
        forward = np.zeros((pairs, wide))
        for k in range(pairs):
            if k > 0:
                solved = cho_solve(factors[-1], lower[k - 1].T, check_finite=False)
                carried = lower[k - 1] @ solved
                right[k] -= lower[k - 1] @ forward[k - 1]
                blocks[k] -= carried
            factors.append(cho_factor(blocks[k], lower=True, check_finite=False))
            forward[k] = cho_solve(factors[-1], right[k], check_finite=False)
        out = np.zeros((pairs, wide))
        out[-1] = forward[-1]
        for k in range(pairs - 2, -1, -1):
            pulled = cho_solve(factors[k], lower[k].T @ out[k + 1], check_finite=False)
            out[k] = forward[k] - pulled
        return out.reshape(2 * pairs, n)[:frames]
