"""Connected parts and path lengths of the graph of a mesh's edges, by SciPy."""

from __future__ import annotations

from typing import cast

import numpy as np
from scipy.sparse import coo_array, csgraph, csr_array

from writhe.arrays import Floats, Ints


def connected_parts(edges: Ints, count: int) -> tuple[int, Ints]:
    """The number of parts that edges (m, 2) connect, and the part of each vertex (count,)."""
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(count, count))
    number, part = cast("tuple[int, Ints]", csgraph.connected_components(graph, directed=False))
    return number, part.astype(np.int64)


def path_lengths(graph: csr_array, sources: Ints, *, directed: bool = False) -> Floats:
    """(vertices,) length of the shortest path from the nearest of the sources to each vertex."""
    return cast(
        "Floats", csgraph.dijkstra(graph, directed=directed, indices=sources, min_only=True)
    )
