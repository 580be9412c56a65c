"""Approximate convex decomposition of a closed triangle mesh: a few hulls that cover it.

The mesh is cut by planes recursively. The hull of a piece covers everything on its side of the
cuts, since cut edges belong to both sides. Each cut minimises the total volume of the two hulls.
Cuts are closed by triangle fans, which may fold over where the cut is concave but enclose the right
signed volume.

A hull with too many corners is thinned, which shrinks it. `piece_cover` then measures by how much
the mesh protrudes from the pieces, and the radii of the pieces grow by that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from writhe.arguments import checked
from writhe.arrays import Bools, Floats, floats, ints, number
from writhe.collision.mesh_pieces.piece_cover import cover_deficits
from writhe.collision.shapes import MAX_CORNERS, Shape, hull
from writhe.errors import WritheError

_CUTS = 5  # positions tried along each axis
_FLAT_M = 1e-5
_BALANCE = 0.1  # penalty on unbalanced cuts


@dataclass(frozen=True)
class _SplitPiece:
    triangles: Floats  # (t, 3, 3), closed
    hull_volume: float
    excess: float  # volume of the hull minus that of the solid


@checked
def split_mesh(
    vertices: ArrayLike,
    triangles: ArrayLike,
    *,
    max_pieces: int = 24,
    excess: float = 0.03,
    rounding_m: float = 0.002,
) -> tuple[Shape, ...]:
    """Convex shapes that cover a closed triangle mesh (counter-clockwise from outside).

    Cutting ends when the total volume of the hulls exceeds that of the solid by at most the ratio
    `excess`, or at `max_pieces`. Each shape is its hull inflated by `rounding_m`, or by more where
    the hull had to be thinned: every triangle of the mesh lies within the shapes.
    """
    points = floats(vertices, (None, 3), "the vertices of a mesh")
    faces = ints(triangles, (None, 3), "the triangles of a mesh")
    number(excess, "excess", minimum=0.0)
    number(rounding_m, "the rounding of a mesh", above=0.0)
    if len(faces) < 4:
        raise WritheError("a mesh needs at least four triangles, given as (t, 3)")
    if faces.min() < 0 or faces.max() >= len(points):
        raise WritheError(
            f"a triangle of the mesh has a vertex index outside 0 to {len(points) - 1}"
        )
    number(max_pieces, "max_pieces", minimum=1)
    pieces = [_piece(points[faces])]
    solid = max(_volume(pieces[0].triangles), 0.0)
    if solid <= 0.0:
        raise WritheError(
            "the mesh has no positive volume: it must be closed, with triangles counter-clockwise"
            " from outside"
        )
    while len(pieces) < max_pieces:
        worst = max(range(len(pieces)), key=lambda i: pieces[i].excess)
        if sum(p.excess for p in pieces) <= excess * solid:
            break
        halves = _best_cut(pieces[worst])
        if halves is None:
            break
        pieces[worst : worst + 1] = halves
    cores = [_corners(p.triangles) for p in pieces]
    deficits = cover_deficits(
        points, faces, cores, [np.unique(p.triangles.reshape(-1, 3), axis=0) for p in pieces]
    )
    return tuple(hull(c, rounding_m + d) for c, d in zip(cores, deficits, strict=True))


def _volume(triangles: Floats) -> float:
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    return float((a * np.cross(b, c)).sum() / 6.0)


def _piece(triangles: Floats) -> _SplitPiece:
    from scipy.spatial import ConvexHull, QhullError

    try:
        volume = float(ConvexHull(triangles.reshape(-1, 3)).volume)
    except QhullError:
        volume = 0.0  # flat
    return _SplitPiece(triangles, volume, max(volume - _volume(triangles), 0.0))


def _best_cut(piece: _SplitPiece) -> list[_SplitPiece] | None:
    """The two halves with the smallest total hull volume; None if the piece cannot be cut.

    Returns a cut even if it does not reduce the volume: for a ring only the second cut does.
    """
    points = piece.triangles.reshape(-1, 3)
    _, axes = np.linalg.eigh(np.cov((points - points.mean(axis=0)).T))
    best, minimum = None, np.inf
    for normal in (*np.eye(3), *axes.T):
        along = points @ normal
        low, high = float(along.min()), float(along.max())
        if high - low < 10 * _FLAT_M:
            continue
        evenly = np.linspace(low, high, _CUTS + 2)[1:-1]
        # planes through corners often separate the natural parts
        own = np.unique(along.round(6))
        own = own[(own > low + _FLAT_M) & (own < high - _FLAT_M)]
        if len(own) > _CUTS:
            own = own[np.linspace(0, len(own) - 1, _CUTS).astype(int)]
        for height in (*evenly, *own):
            halves = [_clip(piece.triangles, s * normal, s * float(height)) for s in (1.0, -1.0)]
            if min(len(h) for h in halves) < 4:
                continue
            made = [_piece(h) for h in halves]
            smaller = min(p.hull_volume for p in made)
            total = sum(p.hull_volume for p in made) - _BALANCE * smaller
            if total < minimum and smaller > 0.0:
                best, minimum = made, total
    return best


def _clip(triangles: Floats, normal: Floats, height: float) -> Floats:
    """The part of a closed mesh with normal . x <= height, closed by a fan."""
    side = triangles @ normal - height
    side[np.abs(side) < 1e-9] = 0.0
    below, above = (side <= 0).all(axis=1), (side >= 0).all(axis=1)
    cut, heights = triangles[~below & ~above], side[~below & ~above]
    inside = heights <= 0
    one, two = inside.sum(axis=1) == 1, inside.sum(axis=1) == 2
    # one corner below the plane leaves a triangle a, ab, ac; two leave b, c, ca, ba
    (a, b, c), ab, ac = _lone_corner_first(cut[one], heights[one], inside[one])
    tips = np.stack([a, ab, ac], axis=1)
    (a, b, c), ba, ca = _lone_corner_first(cut[two], heights[two], ~inside[two])
    bases = np.concatenate([np.stack([b, c, ca], axis=1), np.stack([b, ca, ba], axis=1)])
    # edges of uncut triangles that lie in the plane bound the cut too
    on = side[below] == 0
    resting = on.sum(axis=1) == 2
    (_, b, c), _, _ = _lone_corner_first(
        triangles[below][resting], side[below][resting], ~on[resting]
    )
    rims = np.concatenate(
        [np.stack([tips[:, 1], tips[:, 2]], 1), np.stack([ca, ba], 1), np.stack([b, c], 1)]
    )
    kept = [triangles[below & ~(side == 0).all(axis=1)], tips, bases]
    if len(rims):
        hub = np.broadcast_to(rims.reshape(-1, 3).mean(axis=0), (len(rims), 3))
        kept.append(np.stack([hub, rims[:, 1], rims[:, 0]], axis=1))
    return np.concatenate(kept)


def _lone_corner_first(
    triangles: Floats, heights: Floats, lone: Bools
) -> tuple[tuple[Floats, Floats, Floats], Floats, Floats]:
    """Corners a, b, c of triangles, cyclic, with a the lone one; the cut points of ab and ac."""
    rows = np.arange(len(triangles))
    first = lone.argmax(axis=1)
    order = [(first + k) % 3 for k in range(3)]
    a, b, c = (triangles[rows, k] for k in order)
    ha, hb, hc = (heights[rows, k][:, None] for k in order)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (a, b, c), a + (b - a) * (ha / (ha - hb)), a + (c - a) * (ha / (ha - hc))


def _corners(triangles: Floats) -> Floats:
    """The corners of a piece's hull, reduced to MAX_CORNERS by farthest-point sampling.

    The reduced hull lies inside the full one; `cover_deficits` measures by how much.
    """
    from scipy.spatial import ConvexHull, QhullError

    points = triangles.reshape(-1, 3)
    try:
        corners = points[ConvexHull(points).vertices]
    except QhullError:
        raise WritheError("the mesh is flat: give it some thickness") from None
    if len(corners) <= MAX_CORNERS:
        return corners
    chosen = [int(np.argmax(corners[:, 0]))]
    apart = np.linalg.norm(corners - corners[chosen[0]], axis=1)
    while len(chosen) < MAX_CORNERS:
        chosen.append(int(np.argmax(apart)))
        apart = np.minimum(apart, np.linalg.norm(corners - corners[chosen[-1]], axis=1))
    return corners[chosen]
