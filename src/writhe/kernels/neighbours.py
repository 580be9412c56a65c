"""Exact nearest postures: near in linking first, then nearest in joint angles.

A tree of boxes over the postures: every node knows the box of its leading features (PCA-rotated
joint angles, which keeps distances) and the box of its linking values. A query takes nodes from a
queue, the nearest feature bound first, leaves out those whose linking box lies outside the radius,
and ends when no bound is below the k-th best so far: no node is opened that an exact answer could
do without.

A large tree is bound by memory, not by arithmetic: features are kept in single precision, the
leading ones apart, and the feature boxes of a node's children share two lines of cache.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Floats32, Ints
from writhe.kernels.jit import kernel


class PostureTree(NamedTuple):
    """N postures with D features and L linking values in M nodes; a node's children are adjacent.

    The root is node 0; leaves have no child.
    """

    head: Floats32  # (N, H) the features that vary most, in tree order
    tail: Floats32  # (N, D - H) the others
    linking: Floats  # (N, L) in tree order
    order: Ints  # (N,) original numbers
    span: Ints  # (M, 3) first posture, one past the last, left child or -1
    feature_box: Floats32  # (M, 2 H) lowest and highest values
    linking_box: Floats  # (M, 2 L) likewise


@kernel
def _outside(box: Floats | Floats32, x: Floats, limit: float) -> float:
    """Squared distance from x to a box (lows, then highs), given up once it exceeds `limit`."""
    total = 0.0
    count = box.shape[0] // 2
    for d in range(count):
        below, above = box[d] - x[d], x[d] - box[count + d]
        if below > 0.0:
            total += below * below
        elif above > 0.0:
            total += above * above
        if total > limit:
            break
    return total


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
def _sink_near(bounds: Floats, queue: Ints, count: int) -> None:
    """Restore the queue (nearest first) after its front was replaced."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= count:
            return
        if child + 1 < count and bounds[child + 1] < bounds[child]:
            child += 1
        if bounds[at] <= bounds[child]:
            return
        bounds[at], bounds[child] = bounds[child], bounds[at]
        queue[at], queue[child] = queue[child], queue[at]
        at = child


@kernel
def _rise_near(bounds: Floats, queue: Ints, at: int) -> None:
    """Restore the queue after an entry was added at its end."""
    while at > 0:
        parent = (at - 1) // 2
        if bounds[parent] <= bounds[at]:
            return
        bounds[at], bounds[parent] = bounds[parent], bounds[at]
        queue[at], queue[parent] = queue[parent], queue[at]
        at = parent


@kernel
def nearest_postures(
    tree: PostureTree,
    features: Floats,
    linking: Floats,
    radius: float,
    queue: Ints,
    bounds: Floats,
    numbers: Ints,
    distances: Floats,
) -> int:
    """The k = len(numbers) postures nearest in features among those with linking within `radius`.

    Fills numbers (k) and squared distances (k), nearest first, and returns how many were found.
    queue (M) and bounds (M) are room.
    """
    k = numbers.shape[0]
    radius2 = radius * radius
    leading = tree.head.shape[1]
    count = 0
    queue[0] = 0
    bounds[0] = 0.0
    waiting = 1
    worst = np.inf
    while waiting > 0 and bounds[0] < worst:
        node = queue[0]
        waiting -= 1
        queue[0], bounds[0] = queue[waiting], bounds[waiting]
        _sink_near(bounds, queue, waiting)
        child = tree.span[node, 2]
        if child >= 0:
            for c in range(child, child + 2):
                bound = _outside(tree.feature_box[c], features, worst)
                if bound < worst and _outside(tree.linking_box[c], linking, radius2) <= radius2:
                    queue[waiting], bounds[waiting] = c, bound
                    _rise_near(bounds, queue, waiting)
                    waiting += 1
            continue
        for i in range(tree.span[node, 0], tree.span[node, 1]):
            total = 0.0
            for d in range(leading):
                total += (features[d] - tree.head[i, d]) ** 2
            if total >= worst:
                continue
            for d in range(tree.tail.shape[1]):
                total += (features[leading + d] - tree.tail[i, d]) ** 2
            if total >= worst:
                continue
            apart = 0.0
            for d in range(linking.shape[0]):
                apart += (linking[d] - tree.linking[i, d]) ** 2
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
    # the heap, emptied from its largest, gives the order
    for end in range(count - 1, 0, -1):
        distances[0], distances[end] = distances[end], distances[0]
        numbers[0], numbers[end] = numbers[end], numbers[0]
        _sift_down(distances, numbers, end)
    return count


@kernel
def thin_out(points: Floats, threshold: float, kept: Ints) -> int:
    """Greedy filter: a row of points (N, D) is kept if it is far from all kept before it.

    Far means a sum of squared differences of at least `threshold`. Newest kept rows are compared
    first, since neighbours in time are the likeliest to be close. Returns how many were kept.
    """
    count = 0
    for i in range(points.shape[0]):
        close = False
        for back in range(count - 1, -1, -1):
            other = kept[back]
            total = 0.0
            for d in range(points.shape[1]):
                total += (points[i, d] - points[other, d]) ** 2
                if total >= threshold:
                    break
            if total < threshold:
                close = True
                break
        if not close:
            kept[count] = i
            count += 1
    return count


@kernel
def nearest_joint_distances(points: Floats, among: Floats, out: Floats) -> None:
    """out (N): mean joint distance of each posture of points (N, n, 3) to the nearest of among.

    The sum over joints of |p_j - a_j|, divided by n; a candidate is given up as soon as its sum
    exceeds the best one's.
    """
    joints = points.shape[1]
    for i in range(points.shape[0]):
        best = 1e300
        for k in range(among.shape[0]):
            total = 0.0
            for j in range(joints):
                x = points[i, j, 0] - among[k, j, 0]
                y = points[i, j, 1] - among[k, j, 1]
                z = points[i, j, 2] - among[k, j, 2]
                total += sqrt(x * x + y * y + z * z)
                if total >= best:
                    break
            best = min(best, total)
        out[i] = best / joints
