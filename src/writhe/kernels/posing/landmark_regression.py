"""Regression on landmarks: how near points are to them, and what is read at a point.

Nearness is Matern's kernel of smoothness 3/2 (Rasmussen and Williams 2006, section 4.2.1),

    k(a, b) = (1 + d) exp(-d),    d = sqrt(3) |a - b| / width.
"""

from __future__ import annotations

from math import exp, sqrt

from writhe.arrays import Floats
from writhe.kernels.jit import kernel


@kernel
def _near(a: Floats, b: Floats, width: float) -> float:
    """k(a, b) of two points (D)."""
    square = 0.0
    for c in range(a.shape[0]):
        square += (a[c] - b[c]) ** 2
    apart = sqrt(3.0 * square) / width
    return (1.0 + apart) * exp(-apart)


@kernel
def near_landmarks(points: Floats, landmarks: Floats, width: float, out: Floats) -> None:
    """out (N, L) = k of points (N, D) and landmarks (L, D)."""
    for i in range(points.shape[0]):
        for j in range(landmarks.shape[0]):
            out[i, j] = _near(points[i], landmarks[j], width)


@kernel
def read_landmarks(
    point: Floats, landmarks: Floats, weights: Floats, mean: Floats, width: float, out: Floats
) -> None:
    """out (O) = mean (O) + sum_l k(point, landmark_l) weights_l.

    point (D), landmarks (L, D), weights (L, O).
    """
    out[:] = mean
    for i in range(landmarks.shape[0]):
        near = _near(point, landmarks[i], width)
        for o in range(out.shape[0]):
            out[o] += near * weights[i, o]
