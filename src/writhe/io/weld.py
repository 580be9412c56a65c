"""Merges vertices of a mesh that have the same position."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints


def weld(vertices: Floats, triangles: Ints, cell: float) -> tuple[Ints, Ints]:
    """Merge vertices (v, 3 or more numbers) that fall into the same cell of a grid of this spacing.

    Returns one original vertex index per merged vertex (m,), and the triangles (t, 3) of merged
    vertices without degenerate ones.
    """
    keys = np.round(vertices / cell).astype(np.int64)
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    merged = inverse.reshape(-1)[triangles]
    a, b, c = merged.T
    return first, np.ascontiguousarray(merged[(a != b) & (b != c) & (c != a)])
