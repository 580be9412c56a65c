"""A wide tree of boxes over postures, for exact nearest neighbours.

Recordings lie along curves in the space of postures. Splitting by 2-means keeps pieces of the same
curve together, where a split at the median of a coordinate cuts through all of them: at a million
postures a query opens a third of the leaves. A large tree is bound by memory, not by arithmetic:
nodes have many children, whose boxes lie side by side and are measured together, coordinate by
coordinate, and take a byte a bound. Features that decide most comparisons are kept apart, all in
single precision.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Bytes, Floats, Floats32, Ints
from writhe.kernels.database.prefetch import prefetch
from writhe.kernels.jit import kernel

_LLOYD = 4  # rounds of 2-means
_LEAST = 0.05  # share of a node's postures that a child has at least
# Bounds are computed in single precision and made smaller by more than that can err.
_SOUND = 1.0 - 1e-5


class PostureTree(NamedTuple):
    """N postures with D features and L linking values under W nodes of up to F children each.

    Child c of node w is node u = child[w, c] where that is below W, and otherwise the leaf u - W.
    """

    head: Floats32  # (N, H) the features that vary most, in tree order
    rest: Floats32  # (N, D - H + L) the others, then the linking values
    order: Ints  # (N,) original numbers
    leaf: Ints  # (K, 2) first posture, one past the last
    child: Ints  # (W, F)
    children: Ints  # (W,) how many there are
    boxes: Bytes  # (W, H, 2, F) lowest and highest of the first H features of each child, in
    grid: Floats32  # (2, H) steps of grid[1] from grid[0]: never smaller than they are
    linking_box: Bytes  # (W + K, 2 L) likewise of the linking values of each node and leaf, in
    linking_grid: Floats32  # (2, L) steps


class Queue(NamedTuple):
    """Room of a query: nodes waiting to be opened, the nearest bound first."""

    item: Ints  # as in PostureTree.child
    bound: Floats
    measured: Floats32  # (F,)
    leading: Floats32  # (H,) where the query is, in steps of the grid
    linking: Floats32  # (L,)


@kernel
def split_postures(head: Floats32, order: Ints, side: Floats, start: int, end: int) -> int:
    """Part order[start:end] into two clusters; returns where the second begins.

    2-means of the leading features (rows of head), begun at the mean of the coordinate that varies
    most; at its median where one cluster would be tiny. `side` (N) is room. `start` or `end` is
    returned where all are alike.
    """
    size, width = end - start, head.shape[1]
    first, second = np.zeros(width), np.zeros(width)
    for i in range(start, end):
        row = order[i]
        for d in range(width):
            x = float(head[row, d])
            first[d] += x
            second[d] += x * x
    widest, most = 0, -1.0
    for d in range(width):
        spread = second[d] - first[d] * first[d] / size
        if spread > most:
            widest, most = d, spread
    middle = first[widest] / size
    for i in range(start, end):
        side[i] = head[order[i], widest] - middle
    for _ in range(_LLOYD):
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
            along = -offset
            for d in range(width):
                along += first[d] * head[row, d]
            side[i] = along
    cut, left = 0.0, 0
    for i in range(start, end):
        left += side[i] < 0.0
    if left < _LEAST * size or size - left < _LEAST * size:
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
    """Split until leaves hold at most leaf_size postures; returns how many nodes there are.

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
def _sift_down(distances: Floats, numbers: Ints, count: int) -> None:
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
        numbers[at], numbers[child] = numbers[child], numbers[at]
        at = child


@kernel
def _sift_up(distances: Floats, numbers: Ints, at: int) -> None:
    """Restore the heap after an entry was added at its end."""
    while at > 0:
        parent = (at - 1) // 2
        if distances[parent] >= distances[at]:
            return
        distances[at], distances[parent] = distances[parent], distances[at]
        numbers[at], numbers[parent] = numbers[parent], numbers[at]
        at = parent


@kernel
def _measure(boxes: Bytes, step: Floats32, at: Floats32, limit: float, out: Floats32) -> None:
    """out (F): squared distance from a point (H) in steps of the grid to boxes (H, 2, F) on it.

    Given up, with part of the sum, as soon as all of them exceed `limit`. Empty boxes are measured
    as well: a multiple of what a processor takes at once is faster than fewer.
    """
    count = out.shape[0]
    none = np.float32(0.0)
    out[:] = none
    for d in range(at.shape[0]):
        here, square = at[d], step[d] * step[d]
        low, high = boxes[d, 0], boxes[d, 1]
        for c in range(count):
            below, above = np.float32(low[c]) - here, here - np.float32(high[c])
            beyond = below if below > above else above
            beyond = beyond if beyond > none else none
            out[c] += square * (beyond * beyond)
        if d % 4 == 3:
            least = out[0]
            for c in range(1, count):
                least = out[c] if out[c] < least else least
            if least > limit:
                return


@kernel
def _apart(box: Bytes, step: Floats32, at: Floats32, limit: float) -> float:
    """Squared distance from a point (L) in steps of the grid to a box (2 L) on it.

    Given up once it exceeds `limit`.
    """
    total, count = 0.0, at.shape[0]
    for d in range(count):
        below, above = box[d] - at[d], at[d] - box[count + d]
        beyond = (below if below > above else above) * step[d]
        if beyond > 0.0:
            total += beyond * beyond
            if total > limit:
                break
    return total


@kernel
def _ask_for(tree: PostureTree, node: int) -> None:
    """Have the memory bring a node or leaf, of which large trees have more than caches hold."""
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
    queue: Queue,
    numbers: Ints,
    distances: Floats,
) -> int:
    """The k = len(numbers) postures nearest in features among those with linking within `radius`.

    Fills numbers (k) and squared distances (k), nearest first, and returns how many were found.
    Nodes are opened nearest bound first, those with no linking within the radius not at all, until
    no bound is below the k-th best so far.
    """
    k = numbers.shape[0]
    radius2 = radius * radius
    leading, nodes = tree.head.shape[1], tree.child.shape[0]
    others = features.shape[0] - leading
    item, bounds = queue.item, queue.bound
    for d in range(leading):
        queue.leading[d] = (features[d] - tree.grid[0, d]) / tree.grid[1, d]
    for d in range(linking.shape[0]):
        queue.linking[d] = (linking[d] - tree.linking_grid[0, d]) / tree.linking_grid[1, d]
    count, waiting, node = 0, 0, 0
    worst = np.inf
    while True:
        if node < nodes:
            _measure(tree.boxes[node], tree.grid[1], queue.leading, 1.1 * worst, queue.measured)
            for c in range(tree.children[node]):
                bound = _SOUND * queue.measured[c]
                if bound < worst:
                    # the queue is a heap of negated bounds: the largest is the nearest
                    bounds[waiting], item[waiting] = -bound, tree.child[node, c]
                    _sift_up(bounds, item, waiting)
                    waiting += 1
        else:
            for i in range(tree.leaf[node - nodes, 0], tree.leaf[node - nodes, 1]):
                total = 0.0
                for d in range(leading):
                    total += (features[d] - tree.head[i, d]) ** 2
                if total >= worst:
                    continue
                for d in range(others):
                    total += (features[leading + d] - tree.rest[i, d]) ** 2
                if total >= worst:
                    continue
                apart = 0.0
                for d in range(linking.shape[0]):
                    apart += (linking[d] - tree.rest[i, others + d]) ** 2
                if apart > radius2:
                    continue
                if count < k:
                    distances[count], numbers[count] = total, tree.order[i]
                    _sift_up(distances, numbers, count)
                    count += 1
                else:
                    distances[0], numbers[0] = total, tree.order[i]
                    _sift_down(distances, numbers, k)
                if count == k:
                    worst = distances[0]
        found = False
        while waiting > 0 and -bounds[0] < worst and not found:
            node = item[0]
            waiting -= 1
            item[0], bounds[0] = item[waiting], bounds[waiting]
            _sift_down(bounds, item, waiting)
            _ask_for(tree, item[0])  # it is likely the next one; unless waiting is 0, then no harm
            tied = _apart(tree.linking_box[node], tree.linking_grid[1], queue.linking, radius2)
            found = _SOUND * tied <= radius2
        if not found:
            break
    # the heap, emptied from its largest, gives the order
    for end in range(count - 1, 0, -1):
        distances[0], distances[end] = distances[end], distances[0]
        numbers[0], numbers[end] = numbers[end], numbers[0]
        _sift_down(distances, numbers, end)
    return count
