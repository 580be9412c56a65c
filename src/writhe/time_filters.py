"""Filters over the frames of a motion (the first axis), by SciPy; the ends are held."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from writhe.arrays import Bools, Floats


def _filters() -> Any:
    from scipy import ndimage  # on first use: it takes longer to load than most motions

    return ndimage


def gaussian(values: Floats, sigma: float, truncate: float = 4.0) -> Floats:
    """Values (frames, ...) smoothed by a Gaussian of `sigma` frames, cut at `truncate` sigma."""
    return cast(
        Floats,
        _filters().gaussian_filter1d(values, sigma, axis=0, mode="nearest", truncate=truncate),
    )


def box(values: Floats, frames: int) -> Floats:
    """The mean of values (frames, ...) over so many frames."""
    return cast(Floats, _filters().uniform_filter1d(values, frames, axis=0, mode="nearest"))


def running_maximum(values: Floats, frames: int) -> Floats:
    """The largest of values (frames, ...) over so many frames."""
    return cast(Floats, _filters().maximum_filter1d(values, frames, axis=0, mode="nearest"))


def running_minimum(values: Floats, frames: int) -> Floats:
    """The smallest of values (frames, ...) over so many frames."""
    return cast(Floats, _filters().minimum_filter1d(values, frames, axis=0, mode="nearest"))


def envelope(values: Floats, half: int) -> Floats:
    """(frames,) a smooth curve that is nowhere below the values (frames,).

    The running maximum over 2 half + 1 frames is as wide as the Gaussian that smooths it, so the
    mean that the Gaussian takes contains no value smaller than the one at its centre.
    """
    return gaussian(running_maximum(values, 2 * half + 1), half / 2.5, truncate=2.5)


def within(chosen: Bools, frames: int) -> Bools:
    """(n,) which of n frames are at most so many frames from a chosen one."""
    wide = _filters().maximum_filter1d(chosen.astype(np.int8), 2 * frames + 1, mode="constant")
    return cast(Bools, wide > 0)
