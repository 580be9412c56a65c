"""Exact nearest postures: near in linking first, then nearest in joint angles.

A tree of boxes over the postures: every node knows the box of its leading features (PCA-rotated
joint angles, which keeps distances) and the box of its linking values. A query visits nodes in the
order of their feature bound and skips those whose linking box lies outside the radius or whose
feature bound exceeds the k-th best so far; what it returns is exact.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel


class PostureTree(NamedTuple):
    """N postures with D features and L linking values in M nodes; leaves have no left child."""

    head: Floats  # (N, H) the features that vary most, in tree order
    tail: Floats  # (N, D - H) the others
    linking: Floats  # (N, L) in tree order
    order: Ints  # (N,) original numbers
    first: Ints  # (M,)
    last: Ints  # (M,)
    left: Ints  # (M,) -1 for leaves; the right child follows the left's subtree
    right: Ints  # (M,)
    feature_low: Floats  # (M, H)
    feature_high: Floats  # (M, H)
    linking_low: Floats  # (M, L)
    linking_high: Floats  # (M, L)


@kernel
def _box_distance(low: Floats, high: Floats, x: Floats, limit: float) -> float:
    """Squared distance from x to a box, given up once it exceeds `limit`."""
    total = 0.0
    for d in range(low.shape[0]):
        if x[d] < low[d]:
            total += (low[d] - x[d]) ** 2
        elif x[d] > high[d]:
            total += (x[d] - high[d]) ** 2
        if total > limit:
            return total
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
def nearest_postures(
    tree: PostureTree,
    features: Floats,
    linking: Floats,
    radius: float,
    stack: Ints,
    bounds: Floats,
    numbers: Ints,
    distances: Floats,
) -> int:
    """The k = len(numbers) postures nearest in features among those with linking within `radius`.

    Fills numbers (k) and squared distances (k), nearest first, and returns how many were found.
    stack (M) and bounds (M) are room.
    """
    k = numbers.shape[0]
    radius2 = radius * radius
    leading = tree.head.shape[1]
    count = 0
    top = 0
    stack[0] = 0
    bounds[0] = 0.0
    while top >= 0:
        node, bound = stack[top], bounds[top]
        top -= 1
        worst = distances[0] if count == k else np.inf
        if bound >= worst:
            continue
        if _box_distance(tree.linking_low[node], tree.linking_high[node], linking, radius2) > (
            radius2
        ):
            continue
        left = tree.left[node]
        if left >= 0:
            right = tree.right[node]
            near = _box_distance(tree.feature_low[left], tree.feature_high[left], features, worst)
            far = _box_distance(tree.feature_low[right], tree.feature_high[right], features, worst)
            if near > far:
                left, right = right, left
                near, far = far, near
            if far < worst:
                top += 1
                stack[top], bounds[top] = right, far
            if near < worst:
                top += 1
                stack[top], bounds[top] = left, near
            continue
        for i in range(tree.first[node], tree.last[node]):
            worst = distances[0] if count == k else np.inf
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
