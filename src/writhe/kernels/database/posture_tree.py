"""A wide tree of boxes over postures, for exact nearest neighbours.

Recordings are curves in the space of postures. Splitting by 2-means keeps pieces of one curve
together, where a split at the median of a coordinate cuts through all of them: at a million
postures a query opens a third as many leaves. A large tree is bound by memory, not by arithmetic:
nodes have many children, whose boxes are adjacent in memory, measured together coordinate by
coordinate, and stored with one byte per bound. The features that decide most comparisons (the head)
are stored apart, all in single precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Bytes, Floats, Floats32, Ints
from writhe.kernels.database.prefetch import prefetch
from writhe.kernels.jit import kernel

_LLOYD_ROUNDS = 4  # iterations of 2-means
_MIN_FRACTION = 0.05  # smallest fraction of a node's postures in a child
# Bounds are computed in single precision and reduced by more than its rounding error.
_ROUNDING = 1.0 - 1e-5


class PostureTree(NamedTuple):
    """N postures with D features and L linking values under W nodes of up to F children each.

    Child c of node w is node u = child[w, c] if u < W, otherwise leaf u - W.
    """

    head: Floats32  # (N, H) the features that vary most, in tree order
    rest: Floats32  # (N, D - H + L) the others, then the linking values
    order: Ints  # (N,) original indices
    leaf: Ints  # (K, 2) first posture, one past the last
    child: Ints  # (W, F)
    children: Ints  # (W,) number of children
    boxes: Bytes  # (W, H, 2, F) bounds of the head features of each child, rounded outwards
    grid: Floats32  # (2, H) origin and step of the grid of these bounds
    linking_box: Bytes  # (W + K, 2 L) bounds of the linking values of each node and leaf
    linking_grid: Floats32  # (2, L) origin and step of their grid


class QueryWorkspace(NamedTuple):
    """Workspace of a query: a queue of nodes, smallest bound first."""

    item: Ints  # as in PostureTree.child
    bound: Floats  # negated squared distance bounds: the queue is a max-heap
    bounds2: Floats32  # (F,) squared distances to the children's boxes
    head: Floats32  # (H,) head features of the query, in grid steps
    linking: Floats32  # (L,) its linking values, in grid steps


@kernel
def split_postures(head: Floats32, order: Ints, side: Floats, start: int, end: int) -> int:
    """Partition order[start:end] into two clusters; returns the start of the second.

    2-means of the head features (rows of head), started at the mean of the coordinate with the
    largest variance; split at its median where one cluster would be tiny. side (N) is workspace.
    Returns `start` or `end` if all postures are equal.
    """
    size, width = end - start, head.shape[1]
    first, second = np.zeros(width), np.zeros(width)
    for i in range(start, end):
        row = order[i]
        for d in range(width):
            x = float(head[row, d])
            first[d] += x
            second[d] += x * x
    widest, largest_spread = 0, -1.0
    for d in range(width):
        spread = second[d] - first[d] * first[d] / size
        if spread > largest_spread:
            widest, largest_spread = d, spread
    middle = first[widest] / size
    for i in range(start, end):
        side[i] = head[order[i], widest] - middle
    for _ in range(_LLOYD_ROUNDS):
        left = 0
        first[:] = 0.0
        second[:] = 0.0
        for i in range(start, end):
            row = order[i]
            if side[i] < 0.0:
                left += 1
                for d in range(width):
                    first[d] += head[row, d]
            else:
                for d in range(width):
                    second[d] += head[row, d]
        if left == 0 or left == size:
            break
        offset = 0.0
        for d in range(width):
            a, b = first[d] / left, second[d] / (size - left)
            offset += 0.5 * (b - a) * (a + b)
            first[d] = b - a
        for i in range(start, end):
            row = order[i]
            projection = -offset
            for d in range(width):
                projection += first[d] * head[row, d]
            side[i] = projection
    cut, left = 0.0, 0
    for i in range(start, end):
        left += side[i] < 0.0
    if left < _MIN_FRACTION * size or size - left < _MIN_FRACTION * size:
        cut = np.median(side[start:end])
    i, j = start, end - 1
    while i <= j:
        if side[i] < cut:
            i += 1
        else:
            order[i], order[j] = order[j], order[i]
            side[i], side[j] = side[j], side[i]
            j -= 1
    return i


@kernel
def split_all(head: Floats32, order: Ints, leaf_size: int, span: Ints) -> int:
    """Split until leaves hold at most leaf_size postures; returns the number of nodes.

    Fills order (N) and span (nodes, 3): first posture, one past the last, left child or -1; the
    right child follows the left. Node 0 is the root.
    """
    side = np.empty(order.shape[0])
    span[0, 0], span[0, 1], span[0, 2] = 0, order.shape[0], -1
    nodes, at = 1, 0
    while at < nodes:
        start, end = span[at, 0], span[at, 1]
        if end - start > leaf_size:
            middle = split_postures(head, order, side, start, end)
            if start < middle < end:
                span[at, 2] = nodes
                span[nodes, 0], span[nodes, 1], span[nodes, 2] = start, middle, -1
                span[nodes + 1, 0], span[nodes + 1, 1], span[nodes + 1, 2] = middle, end, -1
                nodes += 2
        at += 1
    return nodes


@kernel
def _sift_down(distances: Floats, indices: Ints, count: int) -> None:
    """Restore the heap (largest first) after its root was replaced."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= count:
            return
        if child + 1 < count and distances[child + 1] > distances[child]:
            child += 1
        if distances[at] >= distances[child]:
            return
        distances[at], distances[child] = distances[child], distances[at]
        indices[at], indices[child] = indices[child], indices[at]
        at = child


@kernel
def _sift_up(distances: Floats, indices: Ints, at: int) -> None:
    """Restore the heap after an entry was added at its end."""
    while at > 0:
        parent = (at - 1) // 2
        if distances[parent] >= distances[at]:
            return
        distances[at], distances[parent] = distances[parent], distances[at]
        indices[at], indices[parent] = indices[parent], indices[at]
        at = parent


@kernel
def _box_distances2(
    boxes: Bytes, step: Floats32, at: Floats32, limit: float, out: Floats32
) -> None:
    """out (F): squared distance from a point (H) to boxes (H, 2, F), both in grid steps.

    step (H) is the grid step. Stops, with a partial sum, once all exceed `limit`. Empty boxes are
    measured too: a multiple of the vector width is faster than fewer.
    """
    count = out.shape[0]
    none = np.float32(0.0)
    out[:] = none
    for d in range(at.shape[0]):
        here, square = at[d], step[d] * step[d]
        low, high = boxes[d, 0], boxes[d, 1]
        for c in range(count):
            below, above = np.float32(low[c]) - here, here - np.float32(high[c])
            excess = below if below > above else above
            excess = excess if excess > none else none
            out[c] += square * (excess * excess)
        if d % 4 == 3:
            least = out[0]
            for c in range(1, count):
                least = out[c] if out[c] < least else least
            if least > limit:
                return


@kernel
def _linking_distance2(box: Bytes, step: Floats32, at: Floats32, limit: float) -> float:
    """Squared distance from a point (L) to a box (2 L), both in grid steps; step (L).

    Stops, with a partial sum, once it exceeds `limit`.
    """
    total, count = 0.0, at.shape[0]
    for d in range(count):
        below, above = box[d] - at[d], at[d] - box[count + d]
        excess = (below if below > above else above) * step[d]
        if excess > 0.0:
            total += excess * excess
            if total > limit:
                break
    return total


@kernel
def _prefetch_node(tree: PostureTree, node: int) -> None:
    """Prefetch a node or leaf: large trees exceed the caches."""
    prefetch(tree.linking_box, node)
    if node < tree.child.shape[0]:
        prefetch(tree.child, node)
        boxes = tree.boxes[node]
        for d in range(boxes.shape[0]):
            prefetch(boxes, d)


@kernel
def nearest_postures(
    tree: PostureTree,
    features: Floats32,
    linking: Floats32,
    radius: float,
    queue: QueryWorkspace,
    indices: Ints,
    distances: Floats,
) -> int:
    """The k = len(indices) postures nearest in features among those with linking within `radius`.

    Fills indices (k) and squared distances (k), nearest first, and returns how many were found.
    Best-first search: nodes are opened in the order of their bounds, except those with no linking
    values within the radius, until no bound is below the k-th best distance.
    """
    k = indices.shape[0]
    radius2 = radius * radius
    head_size, nodes = tree.head.shape[1], tree.child.shape[0]
    rest_size = features.shape[0] - head_size
    item, bounds = queue.item, queue.bound
    for d in range(head_size):
        queue.head[d] = (features[d] - tree.grid[0, d]) / tree.grid[1, d]
    for d in range(linking.shape[0]):
        queue.linking[d] = (linking[d] - tree.linking_grid[0, d]) / tree.linking_grid[1, d]
    count, queued, node = 0, 0, 0
    worst = np.inf
    while True:
        if node < nodes:
            _box_distances2(tree.boxes[node], tree.grid[1], queue.head, 1.1 * worst, queue.bounds2)
            for c in range(tree.children[node]):
                bound = _ROUNDING * queue.bounds2[c]
                if bound < worst:
                    # the queue is a heap of negated bounds: the largest is the nearest
                    bounds[queued], item[queued] = -bound, tree.child[node, c]
                    _sift_up(bounds, item, queued)
                    queued += 1
        else:
            for i in range(tree.leaf[node - nodes, 0], tree.leaf[node - nodes, 1]):
                total = 0.0
                for d in range(head_size):
                    total += (features[d] - tree.head[i, d]) ** 2
                if total >= worst:
                    continue
                for d in range(rest_size):
                    total += (features[head_size + d] - tree.rest[i, d]) ** 2
                if total >= worst:
                    continue
                linking_distance2 = 0.0
                for d in range(linking.shape[0]):
                    linking_distance2 += (linking[d] - tree.rest[i, rest_size + d]) ** 2
                if linking_distance2 > radius2:
                    continue
                if count < k:
                    distances[count], indices[count] = total, tree.order[i]
                    _sift_up(distances, indices, count)
                    count += 1
                else:
                    distances[0], indices[0] = total, tree.order[i]
                    _sift_down(distances, indices, k)
                if count == k:
                    worst = distances[0]
        found = False
        while queued > 0 and -bounds[0] < worst and not found:
            node = item[0]
            queued -= 1
            item[0], bounds[0] = item[queued], bounds[queued]
            _sift_down(bounds, item, queued)
            _prefetch_node(tree, item[0])  # probably the next node; harmless if the queue is empty
            linking_distance2 = _linking_distance2(
                tree.linking_box[node], tree.linking_grid[1], queue.linking, radius2
            )
            found = _ROUNDING * linking_distance2 <= radius2
        if not found:
            break
    # heap sort: nearest first
    for end in range(count - 1, 0, -1):
        distances[0], distances[end] = distances[end], distances[0]
        indices[0], indices[end] = indices[end], indices[0]
        _sift_down(distances, indices, end)
    return count
