"""The zero surface of a field as a closed triangle mesh, by marching tetrahedra.

Each grid cube is cut into six tetrahedra around its main diagonal (Kuhn's subdivision), which
matches from cube to cube; the zero surface in a tetrahedron is one or two triangles, without the
ambiguous cases of cubes, so the result is always a closed manifold. The field is sampled on a
coarse grid first and finely only near the surface.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.mesh.body_field import Blobs, field_at

_COARSE = 4  # fine cells along a coarse one


class FineRegion(NamedTuple):
    """A box whose extent along each axis is sampled with smaller cells."""

    low: tuple[float, float, float]
    high: tuple[float, float, float]
    cell_m: float


def isosurface(blobs: Blobs, cell_m: float, fine: Sequence[FineRegion] = ()) -> tuple[Floats, Ints]:
    """Vertices (v, 3) and outward triangles (t, 3) of the blobs' surface.

    The grid has cells of `cell_m`, and smaller ones across the intervals of the `fine` regions.
    """
    lines = _grid_lines(blobs, cell_m, fine)
    vertices, triangles = _march(_sample(blobs, lines))
    for axis, at in enumerate(lines):
        vertices[:, axis] = np.interp(vertices[:, axis], np.arange(len(at)), at)
    return vertices, triangles


def _grid_lines(blobs: Blobs, cell_m: float, fine: Sequence[FineRegion]) -> list[Floats]:
    """Coordinates of the grid's planes along x, y and z; a whole number of coarse cells each."""
    margin = 3 * cell_m
    # an irrational shift keeps grid points off the planes of symmetry, where field values are equal
    low = blobs.box[:, 0].min(axis=0) - margin - 0.317 * cell_m
    high = blobs.box[:, 1].max(axis=0) + margin
    lines: list[Floats] = []
    for axis in range(3):
        at = [float(low[axis])]
        while at[-1] < high[axis]:
            step = min(
                [r.cell_m for r in fine if r.low[axis] <= at[-1] <= r.high[axis]], default=cell_m
            )
            at += [at[-1] + (i + 1) * step for i in range(_COARSE)]
        lines.append(np.array(at))
    return lines


def _sample(blobs: Blobs, lines: list[Floats]) -> Floats:
    """The field at the grid points; exact near the surface, coarse elsewhere."""
    middles = [at[_COARSE // 2 :: _COARSE] for at in lines]
    widths = [at[_COARSE::_COARSE] - at[:-1:_COARSE] for at in lines]
    coarse_count = np.array([len(m) for m in middles])
    corners = np.stack(np.meshgrid(*[np.arange(len(m)) for m in middles], indexing="ij"), -1)
    centres = np.stack(np.meshgrid(*middles, indexing="ij"), -1).reshape(-1, 3)
    at_centres = np.empty(len(centres))
    field_at(blobs, np.ascontiguousarray(centres), at_centres)
    # blends and flattened blobs distort the distance a little: use twice the half-diagonal
    diagonal = np.linalg.norm(np.stack(np.meshgrid(*widths, indexing="ij"), -1), axis=-1)
    near = np.abs(at_centres) < diagonal.ravel()
    values = np.repeat(
        np.repeat(np.repeat(at_centres.reshape(coarse_count), _COARSE, 0), _COARSE, 1), _COARSE, 2
    )
    values = np.pad(values, ((0, 1), (0, 1), (0, 1)), mode="edge")
    near_cells = np.zeros(values.shape, dtype=bool)
    steps = np.stack(np.meshgrid(*[np.arange(_COARSE + 1)] * 3, indexing="ij"), -1).reshape(-1, 3)
    first = corners.reshape(-1, 3)[near] * _COARSE
    for step in steps:
        cells = first + step
        near_cells[cells[:, 0], cells[:, 1], cells[:, 2]] = True
    near_points = np.argwhere(near_cells)
    points = np.stack([at[near_points[:, axis]] for axis, at in enumerate(lines)], axis=1)
    exact = np.empty(len(points))
    field_at(blobs, np.ascontiguousarray(points), exact)
    values[near_cells] = exact
    values[values == 0.0] = 1e-12
    return values


def _march(values: Floats) -> tuple[Floats, Ints]:
    shape = np.array(values.shape)
    stride = np.array([shape[1] * shape[2], shape[2], 1])
    inside = values < 0.0
    lo = inside[:-1, :-1, :-1].copy()
    hi = lo.copy()
    for dx, dy, dz in np.ndindex(2, 2, 2):
        corner = inside[dx : shape[0] - 1 + dx, dy : shape[1] - 1 + dy, dz : shape[2] - 1 + dz]
        lo &= corner
        hi |= corner
    cubes = np.argwhere(hi & ~lo) @ stride
    flat = values.ravel()
    faces: list[Ints] = []  # rows of 3 edges, each edge two grid points
    for order in permutations(range(3)):
        path = np.concatenate([[0], np.cumsum(stride[list(order)])])
        if _odd(order):  # keep all tetrahedra right-handed
            path = path[[0, 2, 1, 3]]
        corner = cubes[:, None] + path
        faces.extend(_cut(corner, flat[corner] < 0.0))
    edges = np.concatenate(faces)  # (t, 3, 2)
    edges.sort(axis=2)
    key = edges[..., 0] * np.int64(values.size) + edges[..., 1]
    unique, triangles = np.unique(key.ravel(), return_inverse=True)
    a, b = unique // values.size, unique % values.size
    # vertices stay off the grid points, so that no triangle degenerates
    t = np.clip(flat[a] / (flat[a] - flat[b]), 0.02, 0.98)[:, None]
    grid_a = np.stack(np.unravel_index(a, values.shape), -1).astype(float)
    grid_b = np.stack(np.unravel_index(b, values.shape), -1).astype(float)
    return grid_a + t * (grid_b - grid_a), triangles.reshape(-1, 3).astype(np.int64)


def _odd(order: tuple[int, ...]) -> bool:
    """Whether a permutation swaps an odd number of pairs."""
    n = len(order)
    return sum(order[i] > order[j] for i in range(n) for j in range(i + 1, n)) % 2 == 1


def _cut(corner: Ints, inside: np.ndarray) -> list[Ints]:
    """Triangles (as edges between grid points) of the zero surface in tetrahedra (n, 4)."""
    out: list[Ints] = []
    for case in range(1, 15):
        flags = np.array([(case >> k) & 1 for k in range(4)], dtype=bool)
        rows = corner[(inside == flags).all(axis=1)]
        if len(rows) == 0:
            continue
        ins = [k for k in range(4) if flags[k]]
        outs = [k for k in range(4) if not flags[k]]
        if len(ins) == 2:
            i, j = ins
            k, m = outs
            ring = [(i, k), (i, m), (j, m), (j, k)]
            fans = [(ring[0], ring[1], ring[2]), (ring[0], ring[2], ring[3])]
            flip = _odd((i, j, k, m))
        else:
            alone, others = (ins[0], outs) if len(ins) == 1 else (outs[0], ins)
            fans = [tuple((alone, other) for other in others)]
            flip = _odd((alone, *others)) != (len(ins) == 3)
        for fan in fans:
            order = fan if not flip else (fan[0], fan[2], fan[1])
            out.append(np.stack([rows[:, list(edge)] for edge in order], axis=1))
    return out
