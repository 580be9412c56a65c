"""Arrays of the window that is solved, kept from one window to the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.cleaning import window_band
from writhe.kernels.cleaning.frame_rows import WindowRows

_MAX_ROWS = 128  # inequalities of a frame at most; of more contacts the nearest are taken
_MAX_PAIRS, _MIN_PAIRS = 24, 512  # inequalities between frames: 24 per frame, at least 512


class WindowArrays:
    """Preallocated arrays for windows of up to `frames` frames with up to nv variables a frame."""

    def __init__(self, joints: int, nv: int) -> None:
        self._joints, self._nv = joints, nv
        self._used = np.zeros(0, dtype=np.int64)
        self.reserve(1)

    def reserve(self, frames: int) -> None:
        """Make room for a window of so many frames."""
        if len(self._used) >= frames:
            return
        nv = self._nv
        self._used = np.zeros(frames, dtype=np.int64)
        self._positions = np.empty((frames, self._joints, 3))
        self._axes = np.empty((frames, nv, 3))
        self._least = np.empty(frames)
        self._values = np.empty((frames, _MAX_ROWS))
        self._rows = np.empty(frames * _MAX_ROWS * nv)
        size = frames * nv * window_band.width(nv)
        self._band, self._factor = (np.empty(size, dtype=np.float32) for _ in range(2))
        pairs = _MAX_PAIRS * frames + _MIN_PAIRS
        self._pair_frame, self._pair_value = np.zeros(pairs, dtype=np.int64), np.empty(pairs)
        self._pair_row = np.empty(2 * pairs * nv)

    def rows(self, frames: int, n: int) -> WindowRows:
        """Linearised frames and their inequalities, for n variables a frame."""
        return WindowRows(
            self._positions[:frames],
            self._axes[:frames],
            self._used[:frames],
            self._least[:frames],
            self._values[:frames],
            self._rows[: frames * _MAX_ROWS * n].reshape(frames, _MAX_ROWS, n),
        )

    def least(self, frames: int) -> Floats:
        """(frames,) the smallest value of a contact in each frame that was linearised last."""
        return self._least[:frames]

    def band(self, frames: int, n: int) -> tuple[Any, Any]:
        """Two bands (frames n, width) in single precision: normal equations, and their factor."""
        width = window_band.width(n)
        size = frames * n * width
        shape = (frames * n, width)
        return self._band[:size].reshape(shape), self._factor[:size].reshape(shape)

    def pair_rows(self, n: int) -> window_band.PairRows:
        """Rows between two neighbouring frames, for n variables a frame."""
        row = self._pair_row[: 2 * len(self._pair_frame) * n].reshape(-1, 2, n)
        return window_band.PairRows(self._pair_frame, self._pair_value, row)
