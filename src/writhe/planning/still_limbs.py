"""Straightens the paths of limbs that need not move, where that is certified.

The energy pushes all parts apart, so arms spread while legs are being crossed (the paper's section
7.2). After the search each branch of the skeleton is interpolated straight between its ends while
the others keep their paths; the change is kept if it passes the gate.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.planning.path_shortening import is_valid_path
from writhe.kernels.skeleton.kinematics import interpolate_batch
from writhe.planning.compiled_problem import CompiledProblem
from writhe.skeleton import Skeleton
from writhe.skeleton.configuration_paths import path_length, resample_evenly

SPACING = 0.3  # of the samples along the path, in radians
MIN_DETOUR = 1.12  # only paths longer than the straight line by this factor are processed


def straighten_limbs(compiled: CompiledProblem, path: Floats, tolerance: float) -> Floats:
    """The path with as many branches straightened as the gate allows."""
    skeleton = compiled.problem.skeleton
    ends = path[[0, -1]]
    length = path_length(skeleton, path)
    if len(path) < 3 or length < MIN_DETOUR * path_length(skeleton, ends):
        return path
    count = int(np.clip(length / SPACING, 8, 60))
    rows = resample_evenly(skeleton, path, count)
    # resampling cuts the path's corners, so the samples have to be checked too
    if not is_valid_path(compiled.model, rows, tolerance, compiled.workspace):
        return path
    straight = np.empty_like(rows)
    interpolate_batch(skeleton.tree, ends, np.linspace(0.0, 1.0, count), straight)
    held = _held(compiled)
    changed, length = False, path_length(skeleton, rows)
    for branch in branches(skeleton):
        if held & set(branch):
            continue
        tried = rows.copy()
        for joint in branch:
            at = slice(int(skeleton.tree.q_start[joint]), int(skeleton.tree.q_start[joint + 1]))
            tried[1:-1, at] = straight[1:-1, at]
        shorter = path_length(skeleton, tried)
        if shorter < 0.99 * length and is_valid_path(
            compiled.model, tried, tolerance, compiled.workspace
        ):
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
            chain = list[int]()
            found.append(chain)
        chain.append(j)
        chain_of[j] = chain
    return [tuple(chain) for chain in reversed(found)]


def _held(compiled: CompiledProblem) -> set[int]:
    """Planted joints and their ancestors."""
    skeleton = compiled.problem.skeleton
    return {j for pin in compiled.problem.planted for j in skeleton.ancestors(pin.joint)}
