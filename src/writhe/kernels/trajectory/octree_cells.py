"""Joint parameters by octree cells: finding the cell of a target, blending the cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel


class OctreeCells(NamedTuple):
    """Octrees flattened into tables: M cells, V octrees, n coordinates.

    An octree is looked up through a grid of its finest cells, each entry holding the deepest
    non-empty cell there, which is what a descent of the octree would find.
    """

    parent: Ints  # (M,) -1: the top level
    lower: Floats  # (M, n)
    upper: Floats  # (M, n)
    inverse_damping: Floats  # (M, n) 1 / lambda^2 of Eq. 6
    mean: Floats  # (M, n)
    slope: Floats  # (M, n, 3) derivative of the mean by the target within the cell
    centre: Floats  # (M, 3) target at which the posture is the mean
    grid: Ints  # (V, G, G, G)
    root: Ints  # (V,) the top cell, with the anatomical limits
    corner: Floats  # (V, 3) lower corner of the volume, metres in the root frame
    size: Floats  # (V, 3)
    effector: Ints  # (V,) effector whose target selects the cell
    weight: Floats  # (V, n) weight of each octree in each coordinate; columns sum to one


@kernel(inline=True)
def find_cell(cells: OctreeCells, v: int, x: float, y: float, z: float) -> int:
    """The cell of octree v for a target (x, y, z) in metres; the top cell outside its volume."""
    edge = cells.grid.shape[1]
    i = np.floor(edge * (x - cells.corner[v, 0]) / cells.size[v, 0])
    j = np.floor(edge * (y - cells.corner[v, 1]) / cells.size[v, 1])
    k = np.floor(edge * (z - cells.corner[v, 2]) / cells.size[v, 2])
    if i < 0 or j < 0 or k < 0 or i >= edge or j >= edge or k >= edge:
        return cells.root[v]
    return cells.grid[v, int(i), int(j), int(k)]


@kernel(inline=True)
def blend_parameters(
    cells: OctreeCells, nodes: Ints, lower: Floats, upper: Floats, inverse_damping: Floats
) -> None:
    """Limits and inverse damping (n) at the cells `nodes` (V), blended by the octrees' weights."""
    for d in range(lower.shape[0]):
        low, high, inverse = 0.0, 0.0, 0.0
        for v in range(nodes.shape[0]):
            w = cells.weight[v, d]
            low += w * cells.lower[nodes[v], d]
            high += w * cells.upper[nodes[v], d]
            inverse += w * cells.inverse_damping[nodes[v], d]
        lower[d], upper[d], inverse_damping[d] = low, high, inverse


@kernel(inline=True)
def mean_posture(cells: OctreeCells, nodes: Ints, targets: Floats, theta: Floats) -> None:
    """theta (n): the most likely posture for targets (E, 3).

    theta = sum_v w_v (mean_v + slope_v (target - centre_v)).
    """
    for d in range(theta.shape[0]):
        theta[d] = 0.0
    for v in range(nodes.shape[0]):
        at, e = nodes[v], cells.effector[v]
        # no data outside the volume: the target is clamped to it
        x = min(max(targets[e, 0], cells.corner[v, 0]), cells.corner[v, 0] + cells.size[v, 0])
        y = min(max(targets[e, 1], cells.corner[v, 1]), cells.corner[v, 1] + cells.size[v, 1])
        z = min(max(targets[e, 2], cells.corner[v, 2]), cells.corner[v, 2] + cells.size[v, 2])
        x -= cells.centre[at, 0]
        y -= cells.centre[at, 1]
        z -= cells.centre[at, 2]
        for d in range(theta.shape[0]):
            theta[d] += cells.weight[v, d] * (
                cells.mean[at, d]
                + cells.slope[at, d, 0] * x
                + cells.slope[at, d, 1] * y
                + cells.slope[at, d, 2] * z
            )
