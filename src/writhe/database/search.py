"""Exact nearest-neighbour search in a posture database, in sublinear time."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Bools, Bytes, Floats, Floats32, Ints
from writhe.errors import WritheError
from writhe.kernels.database.posture_tree import (
    PostureTree,
    QueryWorkspace,
    nearest_postures,
    split_all,
)

LEAF_SIZE = 24
CHILDREN = 32
LEADING = 12  # features that are compared first; they decide most comparisons


class NeighbourSearch:
    """Finds the postures with the nearest features among those within a radius in linking space.

    `features` (N, D) and `linking` (N, L) use Euclidean distance in single precision. The radius is
    doubled until k postures lie within it.
    """

    def __init__(self, features: Floats, linking: Floats) -> None:
        if len(features) == 0:
            raise WritheError("a neighbour search needs at least one posture")
        self.centre = features.mean(axis=0)
        centred = features - self.centre
        _, vectors = np.linalg.eigh(centred.T @ centred)
        self.rotation = np.ascontiguousarray(vectors[:, ::-1])
        self.tree = build_tree(centred @ self.rotation, np.ascontiguousarray(linking))
        size = self.tree.child.size
        self._workspace = QueryWorkspace(
            np.empty(size, dtype=np.int64),
            np.empty(size),
            np.empty(self.tree.child.shape[1], dtype=np.float32),
            np.empty(self.tree.head.shape[1], dtype=np.float32),
            np.empty(linking.shape[1], dtype=np.float32),
        )

    def __len__(self) -> int:
        return len(self.tree.order)

    def query(
        self, features: Floats, linking: Floats, k: int, radius: float
    ) -> tuple[Ints, Floats]:
        """Indices and distances of the k nearest postures, nearest first."""
        k = min(k, len(self))
        indices, squares = np.empty(k, dtype=np.int64), np.empty(k)
        rotated = ((features - self.centre) @ self.rotation).astype(np.float32)
        linking_32 = linking.astype(np.float32)
        while True:
            found = nearest_postures(
                self.tree, rotated, linking_32, radius, self._workspace, indices, squares
            )
            if found == k:
                return indices, np.sqrt(squares)
            radius *= 2.0


def build_tree(features: Floats, linking: Floats) -> PostureTree:
    """A binary tree of 2-means clusters, collapsed into nodes of up to CHILDREN children."""
    total, lead = len(features), min(LEADING, features.shape[1])
    head, linking_32 = features[:, :lead].astype(np.float32), linking.astype(np.float32)
    order = np.arange(total, dtype=np.int64)
    # rows are nodes: first posture, last posture + 1, left child (the right one follows it) or -1
    span = np.empty((2 * total, 3), dtype=np.int64)
    span = span[: split_all(head, order, LEAF_SIZE, span)].copy()
    head, linking_32 = head[order], linking_32[order]
    rest = np.hstack([features[order, lead:].astype(np.float32), linking_32])
    box, linking_box = _boxes(head, span), _boxes(linking_32, span)
    groups, leaves = _wide_nodes(span)
    shape = (len(groups), CHILDREN)
    number = {top: w for w, (top, _) in enumerate(groups)}
    number |= {int(n): len(groups) + i for i, n in enumerate(leaves)}  # also if the root is a leaf
    child, children = np.zeros(shape, dtype=np.int64), np.empty(len(groups), dtype=np.int64)
    boxes = np.zeros((shape[0], lead, 2, CHILDREN), dtype=np.uint8)
    boxes[:, :, 0] = 255  # no child: an empty box, which no query is near to
    head_bytes, grid = _quantise_boxes(box)
    linking_bytes, linking_grid = _quantise_boxes(linking_box)
    for w, (_, members) in enumerate(groups):
        count = len(members)
        children[w], child[w, :count] = count, [number[m] for m in members]
        boxes[w, :, :, :count] = head_bytes[:, members].reshape(2, lead, count).swapaxes(0, 1)
    return PostureTree(
        head=head,
        rest=rest,
        order=order,
        leaf=np.ascontiguousarray(span[leaves, :2]),
        child=child,
        children=children,
        boxes=boxes,
        grid=grid,
        linking_box=np.ascontiguousarray(
            linking_bytes[:, [top for top, _ in groups] + list(leaves)].T
        ),
        linking_grid=linking_grid,
    )


def _quantise_boxes(box: Floats32) -> tuple[Bytes, Floats32]:
    """Boxes (count, 2 H) as bytes (2 H, count), rounded outwards, and their grid (2, H).

    grid[0] is the origin and grid[1] the step of each dimension.
    """
    half = box.shape[1] // 2
    low, high = box[:, :half].astype(np.float64), box[:, half:].astype(np.float64)
    start, end = low.min(axis=0), high.max(axis=0)
    # the grid extends slightly beyond both ends, so that rounding cannot exclude a value
    margin = 1e-3 * (end - start) + 1e-5 * np.maximum(np.abs(start), np.abs(end)) + 1e-12
    grid = np.array([start - margin, (end - start + 2 * margin) / 255], dtype=np.float32)
    lows = np.floor((low - grid[0]) / grid[1] - 0.01)
    highs = np.ceil((high - grid[0]) / grid[1] + 0.01)
    return np.clip(np.hstack([lows, highs]), 0, 255).astype(np.uint8).T, grid


def _wide_nodes(span: Ints) -> tuple[list[tuple[int, list[int]]], Ints]:
    """Wide nodes as (top node in the binary tree, member nodes), the root first; and the leaves.

    Built from the leaves upwards: the largest subtrees of at most CHILDREN units become wide nodes,
    which are the units of the next round.
    """
    leaves = np.flatnonzero(span[:, 2] < 0)
    unit = span[:, 2] < 0
    groups: list[tuple[int, list[int]]] = []
    while True:
        under = _units_under(span, unit)
        inner = np.flatnonzero(~unit & (under > CHILDREN))
        parts = np.concatenate([span[inner, 2], span[inner, 2] + 1])
        tops = parts[(under[parts] <= CHILDREN) & ~unit[parts]] if len(inner) else np.zeros(1, int)
        units = np.flatnonzero(unit)
        units = units[np.argsort(span[units, 0])]
        first: Ints = np.asarray(np.searchsorted(span[units, 0], span[tops, 0]), dtype=np.int64)
        last: Ints = np.asarray(np.searchsorted(span[units, 0], span[tops, 1]), dtype=np.int64)
        groups += [
            (int(top), units[a:b].tolist()) for top, a, b in zip(tops, first, last, strict=True)
        ]
        if len(inner) == 0:
            return groups[::-1], leaves
        for a, b in zip(first, last, strict=True):
            unit[units[a:b]] = False
        unit[tops] = True


def _units_under(span: Ints, unit: Bools) -> Ints:
    """(nodes,) number of units in the subtree of each node of the binary tree."""
    under = unit.astype(np.int64)
    for node in range(len(span) - 1, -1, -1):
        left = int(span[node, 2])
        if left >= 0 and not unit[node]:
            under[node] = under[left] + under[left + 1]
    return under


def _boxes(values: Floats32, span: Ints) -> Floats32:
    """(nodes, 2 columns): lower and upper bounds of the values in each node of a binary tree."""
    leaf = np.flatnonzero(span[:, 2] < 0)
    leaf = leaf[np.argsort(span[leaf, 0])]
    width = values.shape[1]
    out = np.empty((len(span), 2 * width), dtype=values.dtype)
    out[leaf, :width] = np.minimum.reduceat(values, span[leaf, 0])
    out[leaf, width:] = np.maximum.reduceat(values, span[leaf, 0])
    for node in range(len(span) - 1, -1, -1):
        left = int(span[node, 2])
        if left >= 0:
            out[node, :width] = np.minimum(out[left, :width], out[left + 1, :width])
            out[node, width:] = np.maximum(out[left, width:], out[left + 1, width:])
    return out
