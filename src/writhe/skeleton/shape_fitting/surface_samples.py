"""Points spread over the visible surface of a skin, with the joints that they follow.

Vertices alone do not describe a skin: coarse meshes have few, and detailed ones have most of theirs
inside (teeth, layers of clothes, hair). So points are sampled on the triangles, and those that
cannot be reached from outside are left out: the points are marked in a grid, and a flood fill from
its border finds the outside.

A point belongs to the joint with its largest weight. The weights of some files are careless (the
back of an armpit follows the arm, and on a coarse mesh the whole flank below it), so a point that
several joints move belongs to the one whose bone is clearly nearest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.skeleton.figure import Skin

ZONE_SHARE = 0.8  # a point whose largest weight is smaller lies in a joint zone
_SPACING = 1 / 130  # distance of the points / extent of the skin
_CELL = 1 / 130  # side of a cell / extent of the skin
_MAX_PER_EDGE = 60
_SAME_WEIGHT = 1e-3  # weights that differ by less are equal
_NOTABLE = 0.2  # of the largest weight: smaller weights do not make a joint carry a point
_FAR = 1.5  # times the middle distance of a joint's skin from its bone: skin that may be another's,
_NEARER = 0.75  # if the other bone is nearer than this share of the distance


@dataclass(frozen=True)
class SurfaceSamples:
    """Points on a skin in the rest pose. `joint` is -1 where no joint carries the skin."""

    points: Floats  # (p, 3) world
    normals: Floats  # (p, 3) outwards
    area: Floats  # (p,) of the surface around each point, m^2
    joint: Ints  # (p,) the joint that carries it
    zone: Bools  # (p,) whether it lies in a joint zone
    rank: Floats  # (p,) pseudo-random; the points of lowest rank are an even selection

    def select(self, which: Bools) -> SurfaceSamples:
        """The points of a mask."""
        return SurfaceSamples(
            self.points[which],
            self.normals[which],
            self.area[which],
            self.joint[which],
            self.zone[which],
            self.rank[which],
        )


class _Weights(NamedTuple):
    """Weights of the carrying joints at points, in rows: those of point p are
    data[first[p]:first[p + 1]], for the joints column[first[p]:first[p + 1]], which ascend."""

    data: Floats
    column: Ints
    first: Ints

    def largest(self) -> tuple[Ints, Floats]:
        """(p,) the joint with the largest weight, and that weight (p,)."""
        maximum = np.maximum.reduceat(self.data, self.first[:-1])
        row = np.repeat(np.arange(len(maximum)), np.diff(self.first))
        # of equal weights the first joint, whatever the rounding of the file
        at = np.flatnonzero(self.data >= maximum[row] - _SAME_WEIGHT)[::-1]
        joint = np.empty(len(maximum), dtype=np.int64)
        joint[row[at]] = self.column[at]
        return joint, maximum


def surface_samples(
    skin: Skin, carrier: Ints, bones: Mapping[int, Sequence[Floats]] | None = None
) -> SurfaceSamples:
    """Points on the visible surface; the skin of joint j is carried by carrier[j] (-1: none).

    Skin that no joint carries (-1) does not occlude other skin.
    bones: (2, 3) ends in the world of the bones of each carrying joint. Points in joint zones then
    belong to a joint with a notable weight whose bone is clearly nearer than that of the largest.
    """
    share = _shares(skin, carrier)
    whole = np.full(skin.triangles.shape, 1 / 3)
    held = _weights(share, skin.triangles, whole).largest()[0] < len(carrier)
    triangles = skin.triangles[held]
    if len(triangles) == 0:
        none, empty = np.zeros((0, 3)), np.zeros(0)
        return SurfaceSamples(none, none, empty, empty.astype(np.int64), empty > 0.0, empty)
    extent = float(np.ptp(skin.vertices[triangles.ravel()], axis=0).max())
    corner, bary, area, rank = _spread(skin.vertices, triangles, max(_SPACING * extent, 1e-9))
    points = np.einsum("pk,pkc->pc", bary, skin.vertices[corner])
    a, b, c = (skin.vertices[corner[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    weights = _weights(share, corner, bary)
    joint, follows = weights.largest()
    zone = follows < ZONE_SHARE - _SAME_WEIGHT
    if bones is not None:
        joint = np.where(zone, _nearer(points, weights, joint, follows, bones), joint)
    joint = np.where(joint == len(carrier), -1, joint)
    samples = SurfaceSamples(points, normals, area, joint, zone, rank)
    return samples.select(_visible(points, _CELL * extent))


def _shares(skin: Skin, carrier: Ints) -> Any:
    """(v, n + 1) sparse: weight of each vertex per carrying joint; the last column is for none."""
    from scipy.sparse import csr_matrix

    slots = skin.joints.shape[1]
    column = carrier[skin.joints].ravel()
    rows = np.repeat(np.arange(len(skin.vertices)), slots)
    size = (len(skin.vertices), len(carrier) + 1)
    column = np.where(column < 0, len(carrier), column)
    return csr_matrix((skin.weights.ravel(), (rows, column)), shape=size)


def _weights(share: Any, corner: Ints, bary: Floats) -> _Weights:
    """Weights at points given by corners (p, 3) of triangles and barycentric coordinates (p, 3)."""
    from scipy.sparse import csr_matrix

    rows = np.repeat(np.arange(len(corner)), 3)
    size = (len(corner), share.shape[0])
    follows = csr_matrix((bary.ravel(), (rows, corner.ravel())), shape=size) @ share
    follows.sort_indices()  # `argmax` of a sparse matrix would take a second
    return _Weights(follows.data, follows.indices, follows.indptr)


def _nearer(
    points: Floats,
    weights: _Weights,
    joint: Ints,
    follows: Floats,
    bones: Mapping[int, Sequence[Floats]],
) -> Ints:
    """(p,) the joint with a notable weight whose bone is clearly nearer than that of `joint` (p,),
    else `joint`."""
    own = np.zeros(len(points))
    for j, ends in bones.items():
        mine = np.flatnonzero(joint == j)
        if len(mine) == 0:
            continue
        away = _distance(points[mine], ends)
        far = away > _FAR * float(np.median(away))
        own[mine[far]] = away[far]
    row = np.repeat(np.arange(len(points)), np.diff(weights.first))
    notable = weights.data >= _NOTABLE * follows[row]
    out, limit = joint.copy(), _NEARER * own
    for j, ends in bones.items():
        mine = row[notable & (weights.column == j)]
        away = _distance(points[mine], ends)
        nearer = away < limit[mine]
        out[mine[nearer]] = j
        limit[mine[nearer]] = away[nearer]
    return out


def _distance(points: Floats, bones: Sequence[Floats]) -> Floats:
    """(p,) distance of points (p, 3) from the nearest of some segments (2, 3)."""
    out = np.full(len(points), np.inf)
    for start, end in bones:
        along = end - start
        t = np.clip((points - start) @ along / max(float(along @ along), 1e-12), 0.0, 1.0)
        out = np.minimum(out, np.linalg.norm(points - start - t[:, None] * along, axis=1))
    return out


def _spread(
    vertices: Floats, triangles: Ints, spacing: float
) -> tuple[Ints, Floats, Floats, Floats]:
    """Corners (p, 3), barycentric coordinates (p, 3), areas (p,) and ranks (p,) of points.

    A triangle with edges up to n spacings is divided into n^2 equal ones, with a point in the
    middle of each. Ranks depend on the number of the triangle and the point in it only, so that
    rounding of the vertices changes few of them.
    """
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    longest = np.sqrt(np.max([((x - y) ** 2).sum(axis=1) for x, y in ((a, b), (b, c), (c, a))], 0))
    count = np.clip(np.ceil(longest / spacing), 1, _MAX_PER_EDGE).astype(np.int64)
    corners: list[Ints] = []
    weights: list[Floats] = []
    areas: list[Floats] = []
    ranks: list[Floats] = []
    for n in np.unique(count):
        mine = np.flatnonzero(count == n)
        pattern = _middles(int(n))
        corners.append(np.repeat(triangles[mine], len(pattern), axis=0))
        weights.append(np.tile(pattern, (len(mine), 1)))
        areas.append(np.repeat(area[mine] / len(pattern), len(pattern)))
        ranks.append(_hashed(mine[:, None] * _MAX_PER_EDGE**2 + np.arange(len(pattern))).ravel())
    corner, bary = np.concatenate(corners), np.concatenate(weights)
    return corner, bary, np.concatenate(areas), np.concatenate(ranks)


def _hashed(numbers: Ints) -> Floats:
    """Pseudo-random numbers in [0, 1) of integers (splitmix64: Steele, Lea, Flood 2014)."""
    x = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (x ^ (x >> np.uint64(31))).astype(np.float64) * 2.0**-64


def _middles(n: int) -> Floats:
    """(n^2, 3) barycentric coordinates of the middles of n^2 equal triangles."""
    up = [(i, j) for i in range(n) for j in range(n - i)]
    down = [(i, j) for i in range(n - 1) for j in range(n - 1 - i)]
    rows = [(i + 1 / 3, j + 1 / 3) for i, j in up] + [(i + 2 / 3, j + 2 / 3) for i, j in down]
    uv = np.array(rows) / n
    return np.column_stack([uv, 1.0 - uv.sum(axis=1)])


def _visible(points: Floats, cell_m: float) -> Bools:
    """(p,) whether a point's cell or one beside it is connected to the outside."""
    from scipy import ndimage

    at = np.floor((points - points.min(axis=0)) / cell_m).astype(np.int64) + 2
    grid = np.ones(at.max(axis=0) + 3, dtype=bool)  # True: free cells
    grid[tuple(at.T)] = False
    regions, _ = cast(tuple[Ints, int], ndimage.label(grid))
    outside = regions == regions[0, 0, 0]
    near = cast(Bools, ndimage.binary_dilation(outside, np.ones((3, 3, 3), dtype=bool)))
    return near[tuple(at.T)]
