"""The offset of a point from a segment."""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.kernels.jit import kernel


@kernel(inline=True)
def from_segment(
    start: Floats, end: Floats, x: float, y: float, z: float
) -> tuple[float, float, float, float]:
    """(t, p - c(t)): t in [0, 1] where the segment c(t) = start + t (end - start) is nearest to p.

    start, end (3,); p = (x, y, z). t = 0 if the segment has no length.
    """
    dx, dy, dz = end[0] - start[0], end[1] - start[1], end[2] - start[2]
    vx, vy, vz = x - start[0], y - start[1], z - start[2]
    length2 = dx * dx + dy * dy + dz * dz
    t = 0.0
    if length2 > 0.0:
        t = min(max((vx * dx + vy * dy + vz * dz) / length2, 0.0), 1.0)
    return t, vx - t * dx, vy - t * dy, vz - t * dz
