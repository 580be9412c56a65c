"""Easing: progress from 0 to 1 that starts and ends smoothly."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from writhe.arrays import Floats

Number = TypeVar("Number", float, Floats)


def smoothstep(t: Number) -> Number:
    """3 t^2 - 2 t^3 of t clamped to [0, 1]: zero slope at both ends."""
    s = np.clip(t, 0.0, 1.0)
    return s * s * (3.0 - 2.0 * s)  # pyright: ignore[reportReturnType]
