"""A regression on landmarks, read at one point."""

from __future__ import annotations

from math import exp, sqrt

from writhe.arrays import Floats
from writhe.kernels.jit import kernel


@kernel
def read_landmarks(
    point: Floats, landmarks: Floats, weights: Floats, mean: Floats, width: float, out: Floats
) -> None:
    """out (O) = mean (O) + sum_l k(point, landmark_l) weights_l.

    point (D), landmarks (L, D), weights (L, O); k(a, b) = (1 + d) exp(-d), d = sqrt(3) |a - b| /
    width: Matern's kernel of smoothness 3/2 (Rasmussen and Williams 2006, section 4.2.1).
    """
    out[:] = mean
    for i in range(landmarks.shape[0]):
        square = 0.0
        for c in range(point.shape[0]):
            square += (point[c] - landmarks[i, c]) ** 2
        apart = sqrt(3.0 * square) / width
        near = (1.0 + apart) * exp(-apart)
        for o in range(out.shape[0]):
            out[o] += near * weights[i, o]
