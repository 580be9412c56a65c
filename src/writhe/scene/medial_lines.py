"""Medial lines of a tube-like mesh: centres of bands of equal geodesic distance.

Level-set diagrams, Lazarus and Verroust (1999).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.sparse import coo_array, csr_array

from writhe.arrays import Floats, Ints
from writhe.scene.mesh_graph import connected_parts, path_lengths

_BANDS = 30  # along the longest geodesic path
_SPUR = 2.5  # radii: shorter branches that end freely are removed
_STRAIGHT = 0.4  # radii: tolerance of simplifying a line


def medial_lines(vertices: Floats, triangles: Ints) -> list[tuple[Floats, float]]:
    """Polylines (k, 3) and the radius of the tube around each; a closed one repeats its start."""
    edges = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    length = np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1)
    graph = _graph(edges, np.maximum(length, 1e-12), len(vertices))
    away = int(np.linalg.norm(vertices - vertices.mean(axis=0), axis=1).argmax())
    source = int(path_lengths(graph, np.array([away])).argmax())
    distance = path_lengths(graph, np.array([source]))
    width = max(float(distance.max()) / _BANDS, 1.5 * float(np.median(length)))
    band = (distance / width).astype(np.int64)
    same = band[edges[:, 0]] == band[edges[:, 1]]
    count, node = connected_parts(edges[same], len(vertices))
    members = np.bincount(node, minlength=count)
    centre = np.stack([np.bincount(node, vertices[:, k], count) for k in range(3)], axis=1)
    centre /= members[:, None]
    spread = np.bincount(node, ((vertices - centre[node]) ** 2).sum(axis=1), count) / members
    radius = np.sqrt(np.maximum(spread - width**2 / 12.0, 1e-12))
    across = np.unique(np.sort(node[edges[~same]], axis=1), axis=0)
    links: dict[int, set[int]] = {i: set() for i in range(count)}
    for a, b in across:
        links[int(a)].add(int(b))
        links[int(b)].add(int(a))
    _prune(links, centre, radius)
    return [
        (
            _simplify(centre[path], _STRAIGHT * float(radius[path].mean())),
            _median_radius(radius, path),
        )
        for path in _paths(links)
    ]


def _graph(edges: Ints, weight: Floats, size: int) -> csr_array:
    ordered = np.sort(edges, axis=1)
    # an edge shared by two triangles is listed twice
    key, first = np.unique(ordered[:, 0] * size + ordered[:, 1], return_index=True)
    return coo_array((weight[first], (key // size, key % size)), (size, size)).tocsr()


def _median_radius(radius: Floats, path: list[int]) -> float:
    """The median radius along a path, without its ends, where bands are caps."""
    inner = path[1:-1] if len(path) > 4 else path
    return float(np.median(radius[inner]))


def _prune(links: dict[int, set[int]], centre: Floats, radius: Floats) -> None:
    """Remove free branches shorter than _SPUR radii, the shortest first."""
    while True:
        shortest: list[int] = []
        minimum = np.inf
        for leaf in [n for n, near in links.items() if len(near) == 1]:
            path = _follow(links, leaf, next(iter(links[leaf])))
            if len(links[path[-1]]) < 3:
                continue  # the whole piece is a single line
            length = float(np.linalg.norm(np.diff(centre[path], axis=0), axis=1).sum())
            if length < _SPUR * float(radius[path].max()) and length < minimum:
                shortest, minimum = path[:-1], length
        if not shortest:
            return
        for n in shortest:
            for other in links.pop(n):
                if other in links:
                    links[other].discard(n)


def _follow(links: dict[int, set[int]], start: int, step: int) -> list[int]:
    """The path from `start` via its neighbour `step` to the next end or junction, or `start`."""
    path = [start, step]
    while len(links[path[-1]]) == 2 and path[-1] != start:
        path.append(next(n for n in links[path[-1]] if n != path[-2]))
    return path


def _paths(links: dict[int, set[int]]) -> list[list[int]]:
    """All paths between ends and junctions, and all rings, once each."""
    out: list[list[int]] = []
    seen: set[frozenset[int]] = set()
    junctions = [n for n, near in links.items() if near and len(near) != 2]
    for junction in junctions:
        for step in sorted(links[junction]):
            if frozenset((junction, step)) in seen:
                continue
            path = _follow(links, junction, step)
            seen |= {frozenset(pair) for pair in pairwise(path)}
            out.append(path)
    for start, near in links.items():
        step = next(iter(near), None)
        if step is None or frozenset((start, step)) in seen:
            continue
        path = _follow(links, start, step)
        seen |= {frozenset(pair) for pair in pairwise(path)}
        out.append(path)
    return out


def _simplify(points: Floats, tolerance: float) -> Floats:
    """The polyline simplified to a tolerance (Douglas, Peucker 1973)."""
    if len(points) < 3:
        return points
    a, b = points[0], points[-1]
    along = b - a
    length = float(np.linalg.norm(along))
    if length < 1e-9:
        off = np.linalg.norm(points - a, axis=1)
    else:
        off = np.linalg.norm(np.cross(points - a, along / length), axis=1)
    far = int(off.argmax())
    if off[far] <= tolerance:
        return np.stack([a, b])
    left, right = (
        _simplify(points[: far + 1], tolerance),
        _simplify(points[far:], tolerance),
    )
    return np.concatenate([left[:-1], right])
