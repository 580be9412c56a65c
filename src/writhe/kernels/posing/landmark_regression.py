"""Kernel ridge regression on landmarks: covariances with landmarks, and the prediction at a point.

The covariance function (called kernel in statistics, not to be confused with the Numba kernels) is
Matern's with smoothness 3/2 (Rasmussen and Williams 2006, section 4.2.1),

    k(a, b) = (1 + d) exp(-d),    d = sqrt(3) |a - b| / width.
"""

from __future__ import annotations

from math import exp, sqrt

from writhe.arrays import Floats
from writhe.kernels.jit import kernel


@kernel
def _matern(a: Floats, b: Floats, width: float) -> float:
    """k(a, b) of two points (D)."""
    square = 0.0
    for c in range(a.shape[0]):
        square += (a[c] - b[c]) ** 2
    distance = sqrt(3.0 * square) / width
    return (1.0 + distance) * exp(-distance)


@kernel
def kernel_matrix(points: Floats, landmarks: Floats, width: float, out: Floats) -> None:
    """out (N, L) = k(points, landmarks) for points (N, D) and landmarks (L, D)."""
    for i in range(points.shape[0]):
        for j in range(landmarks.shape[0]):
            out[i, j] = _matern(points[i], landmarks[j], width)


@kernel
def evaluate_regression(
    point: Floats, landmarks: Floats, weights: Floats, mean: Floats, width: float, out: Floats
) -> None:
    """out (O) = mean + sum_l k(point, landmark_l) weights_l.

    point (D), landmarks (L, D), weights (L, O), mean (O); width has the unit of the points.
    """
    out[:] = mean
    for i in range(landmarks.shape[0]):
        weight = _matern(point, landmarks[i], width)
        for o in range(out.shape[0]):
            out[o] += weight * weights[i, o]
