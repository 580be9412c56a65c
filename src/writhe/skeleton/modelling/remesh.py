"""Isotropic remeshing of a blob surface to given edge lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import WritheError
from writhe.kernels.mesh.body_field import Blobs, project
from writhe.kernels.mesh.remesh import MAX_RING, build_rings, collapse, flip
from writhe.skeleton.modelling.isosurface import FineRegion, isosurface

Sizing = Callable[[Floats], Floats]


def unique_edges(triangles: Ints) -> Ints:
    """(e, 2) the edges of a mesh, each once, smaller index first."""
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    pairs.sort(axis=1)
    count = int(triangles.max()) + 1
    keys = np.unique(pairs[:, 0] * np.int64(count) + pairs[:, 1])
    return np.ascontiguousarray(np.stack([keys // count, keys % count], axis=1))


def blob_mesh(
    blobs: Blobs, cell_m: float, sizing: Sizing, fine: Sequence[FineRegion] = ()
) -> tuple[Floats, Ints]:
    """Vertices and triangles of the blobs' surface, edges by `sizing`.

    The field is sampled with cells of `cell_m`, and of smaller ones in `fine` regions.
    """
    vertices, triangles = isosurface(blobs, cell_m, fine)
    return remesh(blobs, vertices, triangles, sizing)


def remesh(
    blobs: Blobs, vertices: Floats, triangles: Ints, sizing: Sizing, rounds: int = 7
) -> tuple[Floats, Ints]:
    """The surface with edges of about `sizing(points)` metres: collapse, flip, relax, project."""
    vertices, triangles = vertices.copy(), triangles.copy()
    for done in range(rounds):
        vertices, triangles = _collapse_round(vertices, triangles, sizing)
        if done < 2:  # still too dense to relax
            continue
        for _ in range(1 if done < rounds - 1 else 5):
            _relax(blobs, vertices, triangles)
            _flip_round(vertices, triangles)
    normals = np.empty_like(vertices)
    project(blobs, vertices, 3, normals)
    return vertices, triangles


def _rings(vertices: Floats, triangles: Ints) -> tuple[Ints, Ints]:
    ring = np.zeros((len(vertices), MAX_RING), dtype=np.int64)
    count = np.zeros(len(vertices), dtype=np.int64)
    if not build_rings(triangles, ring, count):
        raise WritheError(f"a vertex of the mesh has more than {MAX_RING} triangles")
    return ring, count


def _collapse_round(vertices: Floats, triangles: Ints, sizing: Sizing) -> tuple[Floats, Ints]:
    ring, count = _rings(vertices, triangles)
    size = sizing(vertices)
    edges = unique_edges(triangles)
    length = np.linalg.norm(vertices[edges[:, 0]] - vertices[edges[:, 1]], axis=1)
    relative = length / np.minimum(size[edges[:, 0]], size[edges[:, 1]])
    short = edges[np.argsort(relative, kind="stable")[: int((relative < 0.75).sum())]]
    collapse(vertices, triangles, ring, count, np.ascontiguousarray(short), size, 0.75)
    triangles = triangles[triangles[:, 0] >= 0]
    used, renumbered = np.unique(triangles, return_inverse=True)
    return (
        np.ascontiguousarray(vertices[used]),
        np.ascontiguousarray(renumbered.reshape(-1, 3).astype(np.int64)),
    )


def _flip_round(vertices: Floats, triangles: Ints) -> None:
    for _ in range(3):
        ring, count = _rings(vertices, triangles)
        edges = unique_edges(triangles)
        changed = np.zeros(len(edges), dtype=np.bool_)
        if flip(vertices, triangles, ring, count, edges, changed) == 0:
            return


def _relax(blobs: Blobs, vertices: Floats, triangles: Ints) -> None:
    """Move every vertex halfway to the mean of its neighbours, tangentially."""
    edges = unique_edges(triangles)
    total, degree = np.zeros_like(vertices), np.zeros(len(vertices))
    for a, b in ((0, 1), (1, 0)):
        np.add.at(total, edges[:, a], vertices[edges[:, b]])
        np.add.at(degree, edges[:, a], 1.0)
    step = total / degree[:, None] - vertices
    normals, here = np.empty_like(vertices), vertices.copy()
    project(blobs, here, 1, normals)
    step -= normals * np.einsum("vc,vc->v", step, normals)[:, None]
    vertices += 0.5 * step
    project(blobs, vertices, 1, normals)
