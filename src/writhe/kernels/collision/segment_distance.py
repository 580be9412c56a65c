"""Distance and nearest points of two segments; for capsules, `shape_gaps` subtracts the radii."""

from __future__ import annotations

from math import sqrt

from writhe.arrays import Floats
from writhe.kernels.jit import kernel

# Directions count as parallel when sin^2 of their angle is below this: along one metre the distance
# then varies by less than a micrometre.
PARALLEL = 1e-12
POINT2 = 1e-18  # m^2: shorter segments count as points


@kernel(inline=True)
def _clamp(value: float) -> float:
    if value < 0.0:
        return 0.0
    if value > 1.0:
        return 1.0
    return value


@kernel(inline=True)
def _special_parameters(
    uu: float, vv: float, uv: float, uw: float, vw: float
) -> tuple[float, float]:
    """`segment_parameters` for parallel or point segments, from their dot products."""
    if uu < POINT2 and vv < POINT2:
        return 0.5, 0.5
    if uu < POINT2:
        return 0.5, _clamp((vw + 0.5 * uv) / vv)
    if vv < POINT2:
        return _clamp((0.5 * uv - uw) / uu), 0.5
    # the middle of the part of p that lies beside q, or the end of p nearest to q
    at_start, at_end = -uw / uu, (uv - uw) / uu
    s = 0.5 * (_clamp(min(at_start, at_end)) + _clamp(max(at_start, at_end)))
    return s, _clamp((uv * s + vw) / vv)


@kernel(inline=True)
def segment_parameters(points: Floats, a: int, b: int) -> tuple[float, float]:
    """(s, t) in [0, 1]^2 that minimise |p(s) - q(t)|.

    p(s) runs from points[a] to points[a + 1], q(t) from points[b] to points[b + 1]. Ericson (2005),
    "Real-Time Collision Detection", section 5.1.9, except that parallel segments give the
    middle of their common part, so that witness points do not jump between ends.
    """
    ux = points[a + 1, 0] - points[a, 0]
    uy = points[a + 1, 1] - points[a, 1]
    uz = points[a + 1, 2] - points[a, 2]
    vx = points[b + 1, 0] - points[b, 0]
    vy = points[b + 1, 1] - points[b, 1]
    vz = points[b + 1, 2] - points[b, 2]
    wx = points[a, 0] - points[b, 0]
    wy = points[a, 1] - points[b, 1]
    wz = points[a, 2] - points[b, 2]
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    uw = ux * wx + uy * wy + uz * wz
    vw = vx * wx + vy * wy + vz * wz
    uv = ux * vx + uy * vy + uz * vz
    determinant = uu * vv - uv * uv
    if uu < POINT2 or vv < POINT2 or determinant <= PARALLEL * uu * vv:
        return _special_parameters(uu, vv, uv, uw, vw)
    s = _clamp((uv * vw - uw * vv) / determinant)
    t = (uv * s + vw) / vv
    if t < 0.0:
        t = 0.0
        s = _clamp(-uw / uu)
    elif t > 1.0:
        t = 1.0
        s = _clamp((uv - uw) / uu)
    return s, t


@kernel(inline=True)
def segment_distance(points: Floats, a: int, b: int) -> float:
    """Distance of the segments that start at rows a and b of `points`."""
    s, t = segment_parameters(points, a, b)
    x = points[a, 0] - points[b, 0]
    y = points[a, 1] - points[b, 1]
    z = points[a, 2] - points[b, 2]
    x += s * (points[a + 1, 0] - points[a, 0]) - t * (points[b + 1, 0] - points[b, 0])
    y += s * (points[a + 1, 1] - points[a, 1]) - t * (points[b + 1, 1] - points[b, 1])
    z += s * (points[a + 1, 2] - points[a, 2]) - t * (points[b + 1, 2] - points[b, 2])
    return sqrt(x * x + y * y + z * z)
