"""Easing: progress from 0 to 1 between two keys, by a name or by the handles of a Bezier curve.

A curve with handles (x1, y1, x2, y2) is the cubic Bezier curve from (0, 0) to (1, 1) with these
control points: x is the share of the time, y the progress. It is the easing curve of CSS, After
Effects and Blender's F-curves between two keys.
"""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError

Number = TypeVar("Number", float, Floats)
Handles: TypeAlias = tuple[float, float, float, float]

# smooth: slopes from the neighbouring keys; hold: the first key until the next one
EASES: dict[str, Handles | None] = {
    "smooth": None,
    "linear": (1 / 3, 1 / 3, 2 / 3, 2 / 3),
    "hold": None,
    "ease_in": (0.42, 0.0, 1.0, 1.0),  # starts slowly
    "ease_out": (0.0, 0.0, 0.58, 1.0),  # ends slowly
    "ease_in_out": (0.42, 0.0, 0.58, 1.0),
}
LOWEST, HIGHEST = -1.0, 2.0  # of the progress of a handle: beyond 0 and 1 the motion overshoots
_NEWTON, _BISECT = 6, 30


def smoothstep(t: Number) -> Number:
    """3 t^2 - 2 t^3 of t clamped to [0, 1]: zero slope at both ends."""
    s = np.clip(t, 0.0, 1.0)
    return s * s * (3.0 - 2.0 * s)  # pyright: ignore[reportReturnType]


def read_ease(value: object) -> str:
    """An easing as text: a name of `EASES`, or four numbers x1 y1 x2 y2, given or as text.

    Raises if it is none of these.
    """
    if isinstance(value, str) and value in EASES:
        return value
    numbers = value.split() if isinstance(value, str) else value
    try:
        handles = [float(number) for number in numbers]  # pyright: ignore
    except (TypeError, ValueError):
        handles = []
    x_fit = len(handles) == 4 and all(0.0 <= x <= 1.0 for x in handles[::2])
    if not x_fit or not all(LOWEST <= y <= HIGHEST for y in handles[1::2]):
        raise WritheError(
            f"{value!r} is no easing: expected {', '.join(EASES)}, or the handles x1, y1, x2, y2 of"
            f" a curve, x from 0 to 1 and y from {LOWEST:g} to {HIGHEST:g}"
        )
    return " ".join(f"{number:.4g}" for number in handles)


def ease_handles(ease: str) -> Handles | None:
    """The handles of an easing as `read_ease` returns it; None for smooth and hold."""
    if ease in EASES:
        return EASES[ease]
    x1, y1, x2, y2 = (float(number) for number in ease.split())
    return x1, y1, x2, y2


def bezier_progress(u: Floats, handles: Handles) -> Floats:
    """(n,) progress of a curve at shares u (n,) of the time, each from 0 to 1."""
    x1, y1, x2, y2 = handles
    s = np.array(u, dtype=np.float64)
    low, high = np.zeros_like(s), np.ones_like(s)
    for round_ in range(_NEWTON + _BISECT):
        error = _bezier(s, x1, x2) - u
        if np.abs(error).max(initial=0.0) < 1e-9:
            break
        low, high = np.where(error < 0, s, low), np.where(error > 0, s, high)
        slope = 3 * ((1 - s) ** 2 * x1 + 2 * (1 - s) * s * (x2 - x1) + s * s * (1 - x2))
        newton = s - error / np.maximum(slope, 1e-6)
        inside = (newton > low) & (newton < high) & (round_ < _NEWTON)
        s = np.where(inside, newton, 0.5 * (low + high))
    return _bezier(s, y1, y2)


def _bezier(s: Floats, a: float, b: float) -> Floats:
    """A coordinate of a cubic Bezier curve from 0 to 1 with control values a and b."""
    return 3 * (1 - s) ** 2 * s * a + 3 * (1 - s) * s * s * b + s**3
