"""Neighbour search over a posture database: exact, and far from linear in its size."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import WritheError
from writhe.kernels.neighbours import PostureTree, nearest_postures

LEAF_SIZE = 32
LEADING = 8  # features kept apart, which decide most comparisons


class NeighbourSearch:
    """Finds the postures near in linking and nearest in joint angles.

    `features` (N, D) are compared by Euclidean distance, `linking` (N, L) must lie within a radius.
    Where fewer than k lie within it, the radius doubles until there are enough.
    """

    def __init__(self, features: Floats, linking: Floats) -> None:
        if len(features) == 0:
            raise WritheError("a neighbour search needs at least one posture")
        self.centre = features.mean(axis=0)
        centred = features - self.centre
        _, vectors = np.linalg.eigh(centred.T @ centred)
        self.rotation = np.ascontiguousarray(vectors[:, ::-1])
        self.tree = build_tree(centred @ self.rotation, np.ascontiguousarray(linking))
        nodes = len(self.tree.first)
        self._stack, self._bounds = np.empty(nodes, dtype=np.int64), np.empty(nodes)

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
                self.tree, rotated, linking, radius, self._stack, self._bounds, numbers, squares
            )
            if found == k:
                return numbers, np.sqrt(squares)
            radius *= 2.0


def build_tree(features: Floats, linking: Floats) -> PostureTree:
    """Split at the median of the widest feature until LEAF_SIZE postures are left."""
    total = len(features)
    order = np.arange(total, dtype=np.int64)
    first: list[int] = []
    last: list[int] = []
    left: list[int] = []
    right: list[int] = []
    boxes: list[tuple[Floats, Floats, Floats, Floats]] = []

    def grow(start: int, end: int) -> int:
        node = len(first)
        first.append(start)
        last.append(end)
        left.append(-1)
        right.append(-1)
        own = features[order[start:end]]
        tied = linking[order[start:end]]
        low, high = own.min(axis=0), own.max(axis=0)
        boxes.append((low, high, tied.min(axis=0), tied.max(axis=0)))
        widest = int(np.argmax(high - low))
        if end - start > LEAF_SIZE and high[widest] > low[widest]:
            middle = (end - start) // 2
            ranks = np.argpartition(own[:, widest], middle)
            order[start:end] = order[start:end][ranks]
            left[node] = grow(start, start + middle)
            right[node] = grow(start + middle, end)
        return node

    grow(0, total)
    lead = min(LEADING, features.shape[1])
    sorted_features = features[order]
    return PostureTree(
        head=np.ascontiguousarray(sorted_features[:, :lead]),
        tail=np.ascontiguousarray(sorted_features[:, lead:]),
        linking=np.ascontiguousarray(linking[order]),
        order=order,
        first=np.array(first, dtype=np.int64),
        last=np.array(last, dtype=np.int64),
        left=np.array(left, dtype=np.int64),
        right=np.array(right, dtype=np.int64),
        feature_low=np.ascontiguousarray(np.array([b[0] for b in boxes])[:, :lead]),
        feature_high=np.ascontiguousarray(np.array([b[1] for b in boxes])[:, :lead]),
        linking_low=np.array([b[2] for b in boxes]),
        linking_high=np.array([b[3] for b in boxes]),
    )
