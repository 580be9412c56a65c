"""Skinned meshes of files as one skin: polygons, strongest weights, welding."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.io.weld import weld
from writhe.skeleton import Skin

# nearer vertices are merged: files split them at seams of texture or normals
WELD_M = 1e-6


def merged_skin(parts: list[tuple[Floats, Ints, Ints, Floats]]) -> Skin | None:
    """One welded skin of meshes (vertices, triangles, joints, weights); None if there are none."""
    if not parts:
        return None
    vertices, triangles, joints, weights = (np.concatenate(x) for x in zip(*parts, strict=True))
    return welded_skin(vertices, vertices, triangles, joints, weights)


def welded_skin(
    keys: Floats, vertices: Floats, triangles: Ints, joints: Ints, weights: Floats
) -> Skin:
    """The skin in which vertices (v, 3) with the same key (v, 3 or more) are merged."""
    kept, welded = weld(keys, triangles, WELD_M)
    return Skin(
        np.ascontiguousarray(vertices[kept]),
        welded,
        np.ascontiguousarray(joints[kept]),
        np.ascontiguousarray(weights[kept]),
    )


def four_strongest(count: int, vertex: Ints, joint: Ints, weight: Floats) -> tuple[Ints, Floats]:
    """(v, 4) joints and weights of each vertex, the four strongest, summing to 1."""
    influences = np.zeros((count, 4), dtype=np.int64)
    weights = np.zeros((count, 4))
    order = np.lexsort((-weight, vertex))
    vertex, joint, weight = vertex[order], joint[order], weight[order]
    start = np.searchsorted(vertex, vertex, side="left")
    rank = np.arange(len(vertex)) - start
    keep = (rank < 4) & (weight > 0)
    influences[vertex[keep], rank[keep]] = joint[keep]
    weights[vertex[keep], rank[keep]] = weight[keep]
    total = weights.sum(axis=1, keepdims=True)
    weights = np.where(total > 1e-9, weights / np.maximum(total, 1e-9), [1.0, 0.0, 0.0, 0.0])
    return influences, weights


def polygons_to_triangles(indices: Ints, faces: Ints) -> Ints:
    """(t, 3) triangles of polygons (first index, number of corners)."""
    rows: list[Ints] = []
    maximum = int(faces[:, 1].max(initial=0))
    for corner in range(1, maximum - 1):
        begin = faces[faces[:, 1] > corner + 1, 0]
        corners = (begin, begin + corner, begin + corner + 1)
        rows.append(np.stack([indices[c] for c in corners], axis=1))
    return np.concatenate(rows) if rows else np.zeros((0, 3), dtype=np.int64)
