"""Merges vertices of a mesh that lie at the same place."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints


def weld(vertices: Floats, triangles: Ints, cell: float) -> tuple[Ints, Ints]:
    """Merge vertices (v, 3 or more numbers) that fall into the same cell of a grid of this spacing.

    Returns the index of the vertex that stands for each merged one (m,), and the triangles (t, 3)
    on the merged vertices without those that became degenerate.
    """
    keys = np.round(vertices / cell).astype(np.int64)
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    merged = inverse.reshape(-1)[triangles]
    a, b, c = merged.T
    return first, np.ascontiguousarray(merged[(a != b) & (b != c) & (c != a)])
