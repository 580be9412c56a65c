"""Where a polyline crosses the disc bounded by a closed polyline."""

from __future__ import annotations

from math import sqrt

from writhe.arrays import Floats
from writhe.kernels.jit import kernel


@kernel
def _rim_distance(rim: Floats, count: int, x: float, y: float, z: float) -> float:
    """The distance of a point from the closed polyline of the first `count` vertices of rim."""
    least = 1e300
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        ax, ay, az = rim[i, 0], rim[i, 1], rim[i, 2]
        dx, dy, dz = rim[j, 0] - ax, rim[j, 1] - ay, rim[j, 2] - az
        square = max(dx * dx + dy * dy + dz * dz, 1e-300)
        t = ((x - ax) * dx + (y - ay) * dy + (z - az) * dz) / square
        t = min(max(t, 0.0), 1.0)
        ex, ey, ez = ax + t * dx - x, ay + t * dy - y, az + t * dz - z
        least = min(least, ex * ex + ey * ey + ez * ez)
    return sqrt(least)


@kernel
def disc_crossings(chain: Floats, rim: Floats, count: int, out: Floats) -> int:
    """Crossings of the chain (m, 3) with the disc of the first `count` vertices of rim (n, 3).

    The disc is the fan of triangles from the rim's mean point. Each row of out (k, 6): the position
    along the chain in segments, the sign (1 towards the side from which the rim runs
    anticlockwise), the point (3) and its distance from the rim, metres. Returns the number of rows.

    Moeller and Trumbore (1997), Fast, minimum storage ray-triangle intersection.
    """
    mx, my, mz = 0.0, 0.0, 0.0
    for i in range(count):
        mx += rim[i, 0] / count
        my += rim[i, 1] / count
        mz += rim[i, 2] / count
    found = 0
    for k in range(chain.shape[0] - 1):
        sx, sy, sz = chain[k, 0], chain[k, 1], chain[k, 2]
        dx, dy, dz = chain[k + 1, 0] - sx, chain[k + 1, 1] - sy, chain[k + 1, 2] - sz
        for i in range(count):
            j = i + 1 if i + 1 < count else 0
            ux, uy, uz = rim[i, 0] - mx, rim[i, 1] - my, rim[i, 2] - mz
            vx, vy, vz = rim[j, 0] - mx, rim[j, 1] - my, rim[j, 2] - mz
            nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            slope = nx * dx + ny * dy + nz * dz
            square = nx * nx + ny * ny + nz * nz
            if abs(slope) < 1e-15 or square < 1e-300:
                continue
            t = ((mx - sx) * nx + (my - sy) * ny + (mz - sz) * nz) / slope
            if not 0.0 <= t < 1.0:
                continue
            px, py, pz = sx + t * dx - mx, sy + t * dy - my, sz + t * dz - mz
            along_u = (py * vz - pz * vy) * nx + (pz * vx - px * vz) * ny + (px * vy - py * vx) * nz
            along_v = (uy * pz - uz * py) * nx + (uz * px - ux * pz) * ny + (ux * py - uy * px) * nz
            # one of two triangles owns the edge between them
            if along_u < 0.0 or along_v <= 0.0 or along_u + along_v > square:
                continue
            if found < out.shape[0]:
                out[found, 0] = k + t
                out[found, 1] = 1.0 if slope > 0.0 else -1.0
                out[found, 2], out[found, 3], out[found, 4] = px + mx, py + my, pz + mz
                out[found, 5] = _rim_distance(rim, count, px + mx, py + my, pz + mz)
            found += 1
    return min(found, out.shape[0])
