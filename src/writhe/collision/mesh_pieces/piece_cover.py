"""Whether convex pieces cover a mesh, and by how much a mesh protrudes from them.

First each hull grows until it covers its own piece (a hull whose corners were thinned does not). A
triangle whose corners lie in one grown hull lies in it, since it is convex. The other triangles are
cut by the planes of the hulls, one hull after the other; what is left outside of all hulls is a set
of convex polygons. Each is assigned to the hull that it protrudes from least, and the distance of
its farthest corner is a deficit of that hull: inflated by it, the hull covers the polygon.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats, Ints

_OUTSIDE_M = 1e-12  # tolerance of the inside test, m
_SPARE = 1 + 1e-9  # factor on a deficit, for rounding
_CHUNK = 2_000_000  # corners times facets per evaluation


class _Hull:
    """Facets of a convex hull: planes (f, 4) with normal . x + offset <= 0 inside."""

    def __init__(self, corners: Floats) -> None:
        from scipy.spatial import ConvexHull

        found = ConvexHull(corners)
        self.planes = found.equations
        self.facets = corners[found.simplices]  # (f, 3, 3)

    def outside(self, points: Floats) -> Floats:
        """(p,) the largest signed distance from a plane; 0 or less inside."""
        out = np.empty(len(points))
        step = max(1, _CHUNK // len(self.planes))
        for i in range(0, len(points), step):
            values = points[i : i + step] @ self.planes[:, :3].T + self.planes[:, 3]
            out[i : i + step] = values.max(axis=1)
        return out

    def distance(self, points: Floats) -> Floats:
        """(p,) distances of points from the hull, 0 inside."""
        out, outside = np.zeros(len(points)), self.outside(points) > 0.0
        far = points[outside]
        found = np.empty(len(far))
        step = max(1, _CHUNK // (10 * len(self.facets)))
        for i in range(0, len(far), step):
            found[i : i + step] = _triangle_distances(far[i : i + step], self.facets).min(axis=1)
        out[outside] = found
        return out


def cover_deficits(
    vertices: Floats, faces: Ints, cores: Sequence[Floats], given: Sequence[Floats]
) -> Floats:
    """(pieces,) radii by which the hulls of `cores` must grow to cover a mesh.

    vertices (v, 3), faces (t, 3); `given` are the points of each piece before its core was thinned.
    """
    hulls = [_Hull(core) for core in cores]
    deficits = np.array(
        [_SPARE * h.distance(points).max() for h, points in zip(hulls, given, strict=True)]
    )
    beyond = np.array([h.distance(vertices) for h in hulls])  # (pieces, v)
    covered = (beyond[:, faces].max(axis=2) <= deficits[:, None]).any(axis=0)
    for face in faces[~covered]:
        polygons = [vertices[face]]
        for piece in np.argsort(beyond[:, face].max(axis=1)):
            polygons = [rest for p in polygons for rest in _subtract(p, hulls[int(piece)])]
        for polygon in polygons:
            needed = np.array([h.distance(polygon).max() for h in hulls])
            best = int(np.argmin(np.maximum(needed - deficits, 0.0)))
            deficits[best] = max(deficits[best], float(needed[best]) * _SPARE)
    return deficits


def _subtract(polygon: Floats, hull: _Hull) -> list[Floats]:
    """The part of a convex polygon (n, 3) outside a hull, as a list of convex polygons."""
    heights = polygon @ hull.planes[:, :3].T + hull.planes[:, 3]
    low, high = heights.min(axis=0), heights.max(axis=0)
    if ((low >= -_OUTSIDE_M) & (high > _OUTSIDE_M)).any():
        return [polygon]  # on the outer side of a plane; one that lies in a plane is not
    out: list[Floats] = []
    for plane in hull.planes[high > _OUTSIDE_M]:
        side = polygon @ plane[:3] + plane[3]
        if side.max() <= _OUTSIDE_M:
            continue
        if side.min() >= -_OUTSIDE_M:
            return [*out, polygon]
        out.append(_half(polygon, side))
        polygon = _half(polygon, -side)
    return out


def _half(polygon: Floats, side: Floats) -> Floats:
    """The part of a convex polygon with side >= 0; side (n,) is linear over the polygon."""
    out: list[Floats] = []
    for i in range(len(polygon)):
        j = (i + 1) % len(polygon)
        if side[i] >= 0.0:
            out.append(polygon[i])
        if side[i] * side[j] < 0.0:
            out.append(polygon[i] + (polygon[j] - polygon[i]) * (side[i] / (side[i] - side[j])))
    return np.array(out).reshape(-1, 3)


def _triangle_distances(points: Floats, triangles: Floats) -> Floats:
    """(p, t) distances of points (p, 3) from triangles (t, 3, 3)."""
    a, edges = triangles[:, 0], np.roll(triangles, -1, axis=1) - triangles
    normal = np.cross(edges[:, 0], edges[:, 1])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    height = np.einsum("ptc,tc->pt", points[:, None] - a, normal)
    inside = np.ones(height.shape, dtype=np.bool_)
    nearest = np.full(height.shape, np.inf)
    for k in range(3):
        start, along = triangles[:, k], edges[:, k]
        apart = points[:, None] - start
        inside &= np.einsum("ptc,tc->pt", apart, np.cross(normal, along)) >= 0.0
        length = np.maximum((along * along).sum(axis=1), 1e-300)
        share = np.clip(np.einsum("ptc,tc->pt", apart, along) / length, 0.0, 1.0)
        gap = apart - share[:, :, None] * along
        nearest = np.minimum(nearest, np.sqrt((gap * gap).sum(axis=2)))
    return np.where(inside, np.abs(height), nearest)
