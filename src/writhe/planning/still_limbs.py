"""Limbs that need not take part: back to their straight way where that is certified.

The energy pushes everything apart, so that arms spread while legs are being crossed (the paper's
section 7.2). After the search each branch of the skeleton is tried on its own straight way while
the others keep theirs; what passes the gate is kept.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.planning.path_shortening import sound
from writhe.kernels.skeleton.kinematics import interpolate_batch
from writhe.planning.compiled_problem import Walker
from writhe.planning.result import path_length
from writhe.planning.timing import evenly
from writhe.skeleton import Skeleton

SPACING = 0.3  # of the samples on which branches are exchanged, radians
WORTH = 1.12  # a path this much longer than the straight line is looked at


def still_limbs(walker: Walker, path: Floats, tolerance: float) -> Floats:
    """The path with every branch straightened that can be; certified like the one given."""
    skeleton = walker.problem.skeleton
    ends = path[[0, -1]]
    length = path_length(skeleton, path)
    if len(path) < 3 or length < WORTH * path_length(skeleton, ends):
        return path
    count = int(np.clip(length / SPACING, 8, 60))
    rows = evenly(skeleton, path, count)
    # the samples cut the path's corners: they must be as sound as the path itself
    if not sound(walker.world, rows, tolerance, walker.room):
        return path
    straight = np.empty_like(rows)
    interpolate_batch(skeleton.tree, ends, np.linspace(0.0, 1.0, count), straight)
    held = _held(walker)
    changed, length = False, path_length(skeleton, rows)
    for branch in branches(skeleton):
        if held & set(branch):
            continue
        tried = rows.copy()
        for joint in branch:
            at = slice(int(skeleton.tree.q_start[joint]), int(skeleton.tree.q_start[joint + 1]))
            tried[1:-1, at] = straight[1:-1, at]
        shorter = path_length(skeleton, tried)
        if shorter < 0.99 * length and sound(walker.world, tried, tolerance, walker.room):
            rows, changed, length = tried, True, shorter
    return rows if changed else path


def branches(skeleton: Skeleton) -> list[tuple[int, ...]]:
    """Chains of joints between forks, the ones farthest from the root first."""
    tree = skeleton.tree
    children = np.bincount(tree.parent[tree.parent >= 0], minlength=len(skeleton))
    found: list[list[int]] = []
    chain_of: dict[int, list[int]] = {}
    for j in range(len(skeleton)):
        parent = int(tree.parent[j])
        if parent >= 0 and children[parent] == 1:
            chain = chain_of[parent]
        else:
            chain = []
            found.append(chain)
        chain.append(j)
        chain_of[j] = chain
    return [tuple(chain) for chain in reversed(found)]


def _held(walker: Walker) -> set[int]:
    """Joints that carry something planted."""
    skeleton = walker.problem.skeleton
    return {j for pin in walker.problem.planted for j in skeleton.ancestors(pin.joint)}
