"""Strands and solid shapes proposed for a mesh, to be edited by the user.

The mesh is split into its connected pieces. A piece that fills its bounding box (a board, a block)
is solid: its shape is its convex hull, its strands are the sides of its outline. Any other piece (a
tube, a ring, a frame) is a network of tubes: its strands are its medial lines, its shapes are
capsules around them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.spatial import ConvexHull

from writhe.arrays import Floats, Ints
from writhe.collision import Shape, capsule, hull
from writhe.collision.mesh_pieces.surfaces import fibonacci_sphere, split_long_edges
from writhe.collision.shapes import MAX_CORNERS
from writhe.errors import WritheError
from writhe.scene.medial_lines import medial_lines
from writhe.scene.mesh_graph import connected_parts

SOLID_FILL = 0.5  # fraction of its bounding box above which a piece is solid
ELONGATED = 2.5  # ratio of length to width above which a piece is a tube
MAX_STRANDS = 16
_FINENESS = 36  # edges along the longest side of a tube
_ROUNDING = 0.1  # fraction of a solid's thinnest side


@dataclass(frozen=True)
class MeshProposal:
    """The shapes and strands proposed for a mesh."""

    shapes: tuple[Shape, ...]
    strands: dict[str, Floats]
    dropped: int  # number of strands beyond the limit


def propose_for_mesh(
    vertices: Floats, triangles: Ints, max_strands: int = MAX_STRANDS
) -> MeshProposal:
    """Shapes and strands of a mesh in metres; only the `max_strands` longest strands are kept."""
    if len(triangles) == 0:
        raise WritheError("the mesh has no triangles")
    shapes: list[Shape] = []
    lines: list[Floats] = []
    for points, faces in _pieces(vertices, triangles):
        side, _ = _box_sides(points)
        filled = abs(_volume(points, faces)) / max(float(np.prod(side)), 1e-12)
        if filled > SOLID_FILL and side[0] < ELONGATED * side[1]:
            shapes.append(_solid(points, side))
            lines += _sides(points)
        else:
            fine, small = split_long_edges(points, faces, float(side[0]) / _FINENESS)
            for line, radius in medial_lines(fine, small):
                lines.append(line)
                shapes += [capsule(a, b, radius) for a, b in pairwise(line)]
    length = [float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum()) for line in lines]
    order = sorted(range(len(lines)), key=lambda i: -length[i])
    kept = sorted(order[:max_strands])
    strands = {f"strand_{i + 1}": lines[k] for i, k in enumerate(kept)}
    return MeshProposal(tuple(shapes), strands, len(lines) - len(kept))


def _pieces(vertices: Floats, triangles: Ints) -> list[tuple[Floats, Ints]]:
    """The connected pieces, largest first."""
    count = len(vertices)
    edges = triangles[:, [[0, 1], [1, 2]]].reshape(-1, 2)
    number, label = connected_parts(edges, count)
    out: list[tuple[Floats, Ints]] = []
    for piece in range(number):
        faces = triangles[label[triangles[:, 0]] == piece]
        if len(faces) < 4:
            continue  # too few triangles to enclose a volume
        used, renamed = np.unique(faces, return_inverse=True)
        out.append((vertices[used], renamed.reshape(-1, 3).astype(np.int64)))
    if not out:
        raise WritheError("no connected piece of the mesh has four triangles or more")
    return sorted(out, key=lambda piece: -float(np.ptp(piece[0], axis=0).max()))


def _axes(points: Floats) -> Floats:
    """(3, 3) rows: the axes of the piece's bounding box, the longest first."""
    _, vectors = np.linalg.eigh(np.cov((points - points.mean(axis=0)).T))
    world = np.eye(3)
    # prefer an axis-aligned box: the principal axes of a few corners are arbitrary
    aligned, turned = np.ptp(points, axis=0), np.ptp(points @ vectors, axis=0)
    axes: Floats = world if aligned.prod() <= 1.05 * turned.prod() else vectors.T
    return axes[np.argsort(-np.ptp(points @ axes.T, axis=0))]


def _box_sides(points: Floats) -> tuple[Floats, Floats]:
    axes = _axes(points)
    return np.maximum(np.ptp(points @ axes.T, axis=0), 1e-9), axes


def _volume(points: Floats, faces: Ints) -> float:
    a, b, c = (points[faces[:, k]] - points.mean(axis=0) for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def _solid(points: Floats, side: Floats) -> Shape:
    """The convex hull of a piece, its corners inset by the rounding."""
    corners = points[ConvexHull(points).vertices]
    if len(corners) > MAX_CORNERS:
        # support points along evenly spread directions
        directions = fibonacci_sphere(MAX_CORNERS - 56)
        corners = corners[np.unique((corners @ directions.T).argmax(axis=0))]
    radius = _ROUNDING * float(side[2])
    centre = corners.mean(axis=0)
    away = corners - centre
    length = np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
    return hull(centre + away * np.maximum(1.0 - 1.5 * radius / length, 0.2), max(radius, 1e-4))


def _sides(points: Floats) -> list[Floats]:
    """The sides of a solid piece's outline along its shortest axis, at half its thickness."""
    axes = _axes(points)
    flat = points @ axes.T
    middle = 0.5 * (flat[:, 2].min() + flat[:, 2].max())
    outline = flat[ConvexHull(flat[:, :2]).vertices, :2]
    corners = _corners(outline, 0.06 * float(np.ptp(flat[:, 0])))
    corners_3d = np.column_stack([corners, np.full(len(corners), middle)]) @ axes
    if len(corners) > 6:  # round: one closed strand
        return [np.concatenate([corners_3d, corners_3d[:1]])]
    return [np.stack([corners_3d[i - 1], corners_3d[i]]) for i in range(len(corners_3d))]


def _corners(outline: Floats, tolerance: float) -> Floats:
    """A closed polygon without corners within `tolerance` of the line of their neighbours."""
    kept = list(range(len(outline)))
    while len(kept) > 3:
        distance = [
            _distance_to_line(
                outline[kept[i]], outline[kept[i - 1]], outline[kept[(i + 1) % len(kept)]]
            )
            for i in range(len(kept))
        ]
        closest = int(np.argmin(distance))
        if distance[closest] > tolerance:
            break
        kept.pop(closest)
    return outline[kept]


def _distance_to_line(p: Floats, a: Floats, b: Floats) -> float:
    along = b - a
    length = max(float(np.linalg.norm(along)), 1e-12)
    return abs(float(along[0] * (p[1] - a[1]) - along[1] * (p[0] - a[0]))) / length
