"""The support polygon: a convex polygon in the ground plane (x, z)."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.jit import kernel


@kernel
def nearest_in_polygon(polygon: Floats, x: float, z: float) -> tuple[float, float]:
    """The point of a convex polygon nearest to (x, z); (x, z) itself if it is inside. Metres.

    polygon (k, 2) holds the corners, counter-clockwise.
    """
    best, found_x, found_z, inside = np.inf, x, z, True
    last = polygon.shape[0] - 1
    for i in range(polygon.shape[0]):
        px, pz = polygon[last, 0], polygon[last, 1]
        ex, ez = polygon[i, 0] - px, polygon[i, 1] - pz
        last = i
        if ex * (z - pz) - ez * (x - px) < 0.0:
            inside = False
        share = ((x - px) * ex + (z - pz) * ez) / max(ex * ex + ez * ez, 1e-12)
        share = min(max(share, 0.0), 1.0)
        cx, cz = px + share * ex, pz + share * ez
        square = (x - cx) ** 2 + (z - cz) ** 2
        if square < best:
            best, found_x, found_z = square, cx, cz
    if inside:
        return x, z
    return found_x, found_z
