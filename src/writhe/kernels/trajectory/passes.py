"""The four passes of "Inverse kinematics using dynamic joint parameters", parallel over frames.

Crude: every frame by itself, from the joint parameters of the octree cell that its targets lie in.
Alignment: a box filter over time. Retargeting: every frame again, from the aligned posture.
Correction: a bilateral filter with Wendland kernels. No frame reads what another thread writes in
the same pass and none depends on how frames are shared out, so the result does not change with the
number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.trajectory.limb import (
    BALL,
    Limb,
    LimbRoom,
    damped_step,
    limb_forward,
    limb_jacobian,
    limb_room,
)

BLOCK = 16  # frames that share their room


class Cells(NamedTuple):
    """Octrees flattened into tables: M cells, V octrees, n coordinates.

    An octree is looked up through a grid of its finest cells, each holding the deepest cell that is
    not empty there; that is what descending and popping up would find.
    """

    parent: Ints  # (M,) -1: the highest level
    lower: Floats  # (M, n)
    upper: Floats  # (M, n)
    give: Floats  # (M, n) 1 / lambda^2
    mean: Floats  # (M, n)
    slope: Floats  # (M, n, 3) how the mean follows the target within the cell
    centre: Floats  # (M, 3) the target to which the mean belongs
    grid: Ints  # (V, G, G, G)
    root: Ints  # (V,) the cell above all: anatomical limits; the whole volume follows it
    corner: Floats  # (V, 3) lower corner of the volume, metres in the root frame
    size: Floats  # (V, 3)
    effector: Ints  # (V,) whose targets look the octree up
    weight: Floats  # (V, n) share of each octree in each coordinate; columns sum to one


@kernel(inline=True)
def look_up(cells: Cells, v: int, x: float, y: float, z: float) -> int:
    """The cell of octree v for a target; the highest level outside its volume."""
    edge = cells.grid.shape[1]
    i = np.floor(edge * (x - cells.corner[v, 0]) / cells.size[v, 0])
    j = np.floor(edge * (y - cells.corner[v, 1]) / cells.size[v, 1])
    k = np.floor(edge * (z - cells.corner[v, 2]) / cells.size[v, 2])
    if i < 0 or j < 0 or k < 0 or i >= edge or j >= edge or k >= edge:
        return cells.root[v]
    return cells.grid[v, int(i), int(j), int(k)]


@kernel(inline=True)
def read_limits(cells: Cells, nodes: Ints, lower: Floats, upper: Floats, give: Floats) -> None:
    """Limits and give at the cells `nodes` (V), blended by the octrees' weights."""
    for d in range(lower.shape[0]):
        low, high, soft = 0.0, 0.0, 0.0
        for v in range(nodes.shape[0]):
            w = cells.weight[v, d]
            low += w * cells.lower[nodes[v], d]
            high += w * cells.upper[nodes[v], d]
            soft += w * cells.give[nodes[v], d]
        lower[d], upper[d], give[d] = low, high, soft


@kernel(inline=True)
def first_posture(cells: Cells, nodes: Ints, targets: Floats, theta: Floats) -> None:
    """The most likely posture for targets (E, 3): the cells' means, following the targets."""
    for d in range(theta.shape[0]):
        theta[d] = 0.0
    for v in range(nodes.shape[0]):
        at, e = nodes[v], cells.effector[v]
        # beyond the volume nothing was seen: the mean follows as far as its rim
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


@kernel(inline=True)
def approach(
    limb: Limb,
    theta: Floats,
    targets: Floats,
    lower: Floats,
    upper: Floats,
    give: Floats,
    tolerance_m: float,
    iterations: int,
    free: Floats,
    room: LimbRoom,
) -> bool:
    """Damped least-squares steps with hard clamping (Eq. 6 and 12) until all targets are met.

    A coordinate that was clamped keeps still for the rest, so that the others make up for it.
    free (n) is room. False if some target is still farther away than the tolerance.
    """
    n = theta.shape[0]
    for d in range(n):
        free[d] = give[d]
    for _ in range(iterations):
        limb_forward(limb, theta, room)
        worst = 0.0
        for e in range(targets.shape[0]):
            square = 0.0
            for c in range(3):
                r = targets[e, c] - room.effectors[e, c]
                room.residual[3 * e + c] = r
                square += r * r
            worst = max(worst, square)
        if worst < tolerance_m * tolerance_m:
            return True
        limb_jacobian(limb, room)
        damped_step(room, free)
        for d in range(n):
            wanted = theta[d] + room.step[d]
            if wanted <= lower[d] or wanted >= upper[d]:
                free[d] = 0.0
            theta[d] = min(max(wanted, lower[d]), upper[d])
    return False


@kernel(parallel=True)
def crude_pass(
    limb: Limb,
    cells: Cells,
    targets: Floats,
    tolerance_m: float,
    iterations: int,
    theta: Floats,
    lower: Floats,
    upper: Floats,
    give: Floats,
) -> None:
    """theta (F, n): each frame of targets (F, E, 3) by itself, within its cells' limits.

    Where the limits of a cell keep the targets out of reach, the next higher cell's are tried. The
    limits and the give that were used go to lower, upper, give (F, n).
    """
    frames, n = theta.shape
    octrees = cells.root.shape[0]
    for block in prange((frames + BLOCK - 1) // BLOCK):
        room, free = limb_room(limb), np.empty(n)
        nodes = np.empty(octrees, dtype=np.int64)
        for f in range(block * BLOCK, min(frames, (block + 1) * BLOCK)):
            here = theta[f]
            for v in range(octrees):
                e = cells.effector[v]
                nodes[v] = look_up(cells, v, targets[f, e, 0], targets[f, e, 1], targets[f, e, 2])
            read_limits(cells, nodes, lower[f], upper[f], give[f])
            first_posture(cells, nodes, targets[f], here)
            for d in range(n):
                here[d] = min(max(here[d], lower[f, d]), upper[f, d])
            while not approach(
                limb,
                here,
                targets[f],
                lower[f],
                upper[f],
                give[f],
                tolerance_m,
                iterations,
                free,
                room,
            ):
                higher = False
                for v in range(octrees):
                    if cells.parent[nodes[v]] >= 0:
                        nodes[v] = cells.parent[nodes[v]]
                        higher = True
                if not higher:
                    break
                read_limits(cells, nodes, lower[f], upper[f], give[f])


@kernel(parallel=True, vector=True)
def alignment_pass(
    theta: Floats,
    lower: Floats,
    upper: Floats,
    first: Ints,
    last: Ints,
    window: int,
    out: Floats,
    out_lower: Floats,
    out_upper: Floats,
) -> None:
    """Eq. 13, a box filter of half width `window`; the limits become the widest in the window.

    The mean of postures within their limits is within the widest of them. Windows end at the first
    and last frame (F,) of each frame's own trajectory, and the mean is over the frames that are
    there (the paper prints 1 / 2w for 2w + 1 of them).
    """
    frames, n = theta.shape
    for f in prange(frames):
        start, stop = max(first[f], f - window), min(last[f], f + window) + 1
        for d in range(n):
            out[f, d] = 0.0
            out_lower[f, d] = lower[f, d]
            out_upper[f, d] = upper[f, d]
        for i in range(start, stop):
            for d in range(n):
                out[f, d] += theta[i, d]
                out_lower[f, d] = min(out_lower[f, d], lower[i, d])
                out_upper[f, d] = max(out_upper[f, d], upper[i, d])
        for d in range(n):
            out[f, d] /= stop - start


@kernel(parallel=True)
def retargeting_pass(
    limb: Limb,
    start: Floats,
    targets: Floats,
    lower: Floats,
    upper: Floats,
    give: Floats,
    wider: Floats,
    tolerance_m: float,
    iterations: int,
    theta: Floats,
    distance_m: Floats,
) -> None:
    """theta (F, n): each frame again, from the aligned postures `start`, within their limits.

    Targets out of reach within them are tried within wider ones: those in `wider` (2 W, n), lower
    and upper in turns. distance_m (F,): how far the worst effector stays from its target.
    """
    frames, n = theta.shape
    for block in prange((frames + BLOCK - 1) // BLOCK):
        room, free = limb_room(limb), np.empty(n)
        for f in range(block * BLOCK, min(frames, (block + 1) * BLOCK)):
            here = theta[f]
            for d in range(n):
                here[d] = start[f, d]
            met = approach(
                limb,
                here,
                targets[f],
                lower[f],
                upper[f],
                give[f],
                tolerance_m,
                iterations,
                free,
                room,
            )
            for w in range(0, wider.shape[0], 2):
                if not met:
                    met = approach(
                        limb,
                        here,
                        targets[f],
                        wider[w],
                        wider[w + 1],
                        give[f],
                        tolerance_m,
                        iterations,
                        free,
                        room,
                    )
            distance_m[f] = worst_distance(limb, here, targets[f], room)


@kernel(inline=True)
def worst_distance(limb: Limb, theta: Floats, targets: Floats, room: LimbRoom) -> float:
    """How far the worst effector is from its target, metres."""
    limb_forward(limb, theta, room)
    worst = 0.0
    for e in range(targets.shape[0]):
        square = 0.0
        for c in range(3):
            square += (targets[e, c] - room.effectors[e, c]) ** 2
        worst = max(worst, square)
    return np.sqrt(worst)


@kernel(inline=True)
def wendland(distance: float, reach: float) -> float:
    """Eq. 15: (1 - d/r)^4 (4 d/r + 1) up to the reach r, zero beyond."""
    d = distance / reach
    if d >= 1.0:
        return 0.0
    square = (1.0 - d) * (1.0 - d)
    return square * square * (4.0 * d + 1.0)


@kernel(parallel=True, vector=True)
def correction_pass(
    theta: Floats,
    distance_m: Floats,
    first: Ints,
    last: Ints,
    window: float,
    reach_m: float,
    out: Floats,
) -> None:
    """Eq. 14: the mean over time, weighted by nearness in time and by how well targets are met.

    Where every frame of the window is farther than reach_m from its targets, it stays as it is.
    """
    frames, n = theta.shape
    half = int(np.ceil(window)) - 1
    for f in prange(frames):
        total = 0.0
        for d in range(n):
            out[f, d] = 0.0
        for i in range(max(first[f], f - half), min(last[f], f + half) + 1):
            w = wendland(distance_m[i], reach_m) * wendland(abs(i - f), window)
            total += w
            for d in range(n):
                out[f, d] += w * theta[i, d]
        for d in range(n):
            out[f, d] = out[f, d] / total if total > 1e-12 else theta[f, d]


@kernel(parallel=True)
def distances(limb: Limb, theta: Floats, targets: Floats, out: Floats) -> None:
    """out (F, E): how far each effector is from its target, metres."""
    frames = theta.shape[0]
    for block in prange((frames + BLOCK - 1) // BLOCK):
        room = limb_room(limb)
        for f in range(block * BLOCK, min(frames, (block + 1) * BLOCK)):
            limb_forward(limb, theta[f], room)
            for e in range(targets.shape[1]):
                square = 0.0
                for c in range(3):
                    square += (targets[f, e, c] - room.effectors[e, c]) ** 2
                out[f, e] = np.sqrt(square)


@kernel
def shortest_turns(limb: Limb, theta: Floats) -> None:
    """Rotation vectors beyond half a turn become those of the same rotation the other way round."""
    for j in range(limb.parent.shape[0]):
        at = limb.start[j]
        if limb.kind[j] == BALL:
            angle = np.sqrt(theta[at] ** 2 + theta[at + 1] ** 2 + theta[at + 2] ** 2)
            if angle > np.pi:
                for c in range(3):
                    theta[at + c] *= 1.0 - 2.0 * np.pi / angle
        elif abs(theta[at]) > np.pi:
            theta[at] -= 2.0 * np.pi * np.sign(theta[at])


@kernel
def plain_pass(
    limb: Limb,
    start: Floats,
    targets: Floats,
    give: Floats,
    first: Ints,
    from_previous: bool,
    tolerance_m: float,
    iterations: int,
    theta: Floats,
) -> None:
    """Damped least squares without limits: each frame from `start` (n), or from the one before.

    The first frame (F,) of each frame's trajectory has none before it.
    """
    frames, n = theta.shape
    room, free = limb_room(limb), np.empty(n)
    lower, upper = np.full(n, -1e9), np.full(n, 1e9)
    for f in range(frames):
        here = theta[f]
        for d in range(n):
            here[d] = theta[f - 1, d] if from_previous and f > first[f] else start[d]
        approach(limb, here, targets[f], lower, upper, give, tolerance_m, iterations, free, room)
        shortest_turns(limb, here)


@kernel
def limb_points(limb: Limb, theta: Floats, effectors: Floats, jacobians: Floats) -> None:
    """effectors (F, E, 3) and their Jacobians (F, 3 E, n) at theta (F, n)."""
    room = limb_room(limb)
    for f in range(theta.shape[0]):
        limb_forward(limb, theta[f], room)
        limb_jacobian(limb, room)
        effectors[f] = room.effectors
        jacobians[f] = room.jacobian
