"""Neighbour search over a posture database: exact, and far from linear in its size."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Floats32, Ints
from writhe.errors import WritheError
from writhe.kernels.neighbours import PostureTree, nearest_postures

LEAF_SIZE = 32
LEADING = 8  # features kept apart, which decide most comparisons


class NeighbourSearch:
    """Finds the postures near in linking and nearest in joint angles.

    `features` (N, D), in single precision, are compared by Euclidean distance; `linking` (N, L)
    must lie within a radius. Where fewer than k lie within it, it doubles until there are enough.
    """

    def __init__(self, features: Floats, linking: Floats) -> None:
        if len(features) == 0:
            raise WritheError("a neighbour search needs at least one posture")
        self.centre = features.mean(axis=0)
        centred = features - self.centre
        _, vectors = np.linalg.eigh(centred.T @ centred)
        self.rotation = np.ascontiguousarray(vectors[:, ::-1])
        self.tree = build_tree(centred @ self.rotation, np.ascontiguousarray(linking))
        nodes = len(self.tree.span)
        self._queue, self._bounds = np.empty(nodes, dtype=np.int64), np.empty(nodes)

    def __len__(self) -> int:
        return len(self.tree.order)

    def query(
        self, features: Floats, linking: Floats, k: int, radius: float
    ) -> tuple[Ints, Floats]:
        """Numbers and distances of the k nearest, nearest first."""
        k = min(k, len(self))
        numbers, squares = np.empty(k, dtype=np.int64), np.empty(k)
        rotated = (features - self.centre) @ self.rotation
        while True:
            found = nearest_postures(
                self.tree, rotated, linking, radius, self._queue, self._bounds, numbers, squares
            )
            if found == k:
                return numbers, np.sqrt(squares)
            radius *= 2.0


def build_tree(features: Floats, linking: Floats) -> PostureTree:
    """Split at the median of the widest leading feature until LEAF_SIZE postures are left."""
    total, lead = len(features), min(LEADING, features.shape[1])
    head = features[:, :lead].astype(np.float32)
    order = np.arange(total, dtype=np.int64)
    span = [[0, total, -1]]
    feature_box: list[Floats32] = []
    linking_box: list[Floats] = []
    for node in range(2 * total):  # children are appended behind, so this is breadth first
        if node == len(span):
            break
        start, end, _ = span[node]
        own, tied = head[order[start:end]], linking[order[start:end]]
        low, high = own.min(axis=0), own.max(axis=0)
        feature_box.append(np.concatenate([low, high]))
        linking_box.append(np.concatenate([tied.min(axis=0), tied.max(axis=0)]))
        widest = int(np.argmax(high - low))
        if end - start > LEAF_SIZE and high[widest] > low[widest]:
            middle = (end - start) // 2
            ranks = np.argpartition(own[:, widest], middle)
            order[start:end] = order[start:end][ranks]
            span[node][2] = len(span)
            span += [[start, start + middle, -1], [start + middle, end, -1]]
    return PostureTree(
        head=head[order],
        tail=np.ascontiguousarray(features[:, lead:][order], dtype=np.float32),
        linking=np.ascontiguousarray(linking[order]),
        order=order,
        span=np.array(span, dtype=np.int64),
        feature_box=np.array(feature_box),
        linking_box=np.array(linking_box),
    )
