"""The four passes of "Inverse kinematics using dynamic joint parameters", parallel over frames.

Crude: every frame by itself, with the joint parameters of the octree cell of its targets.
Alignment: a box filter over time. Retargeting: every frame again, from the aligned posture.
Correction: a bilateral filter with Wendland kernels. No frame reads what another thread writes in
the same pass, so the result does not depend on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.trajectory.chain_kinematics import (
    BALL,
    ChainTree,
    ChainWorkspace,
    chain_forward,
    chain_jacobian,
    chain_workspace,
    damped_step,
)
from writhe.kernels.trajectory.octree_cells import (
    OctreeCells,
    blend_parameters,
    find_cell,
    mean_posture,
)

BLOCK = 16  # frames that share a workspace


class JointParameters(NamedTuple):
    """The dynamic joint parameters of F frames and n coordinates."""

    lower: Floats  # (F, n)
    upper: Floats  # (F, n)
    inverse_damping: Floats  # (F, n)


@kernel(inline=True)
def solve_frame(
    chain: ChainTree,
    theta: Floats,
    targets: Floats,
    lower: Floats,
    upper: Floats,
    inverse_damping: Floats,
    tolerance_m: float,
    iterations: int,
    workspace: ChainWorkspace,
) -> bool:
    """Damped least-squares steps with hard clamping (Eq. 6 and 12) until all targets are reached.

    A coordinate that was clamped is fixed for the remaining iterations, so that the others
    compensate. False if a target is still farther away than the tolerance.
    """
    n, masked_inverse = theta.shape[0], workspace.masked_inverse
    for d in range(n):
        masked_inverse[d] = inverse_damping[d]
    for _ in range(iterations):
        chain_forward(chain, theta, workspace)
        worst = 0.0
        for e in range(targets.shape[0]):
            square = 0.0
            for c in range(3):
                r = targets[e, c] - workspace.effectors[e, c]
                workspace.residual[3 * e + c] = r
                square += r * r
            worst = max(worst, square)
        if worst < tolerance_m * tolerance_m:
            return True
        chain_jacobian(chain, workspace)
        damped_step(workspace, masked_inverse)
        for d in range(n):
            stepped = theta[d] + workspace.step[d]
            if stepped <= lower[d] or stepped >= upper[d]:
                masked_inverse[d] = 0.0
            theta[d] = min(max(stepped, lower[d]), upper[d])
    return False


@kernel(parallel=True)
def crude_pass(
    chain: ChainTree,
    cells: OctreeCells,
    targets: Floats,
    tolerance_m: float,
    iterations: int,
    theta: Floats,
    parameters: JointParameters,
) -> None:
    """theta (F, n): each frame of targets (F, E, 3) by itself, within the limits of its cells.

    Where the limits of a cell keep a target out of reach, those of its parent cell are tried. The
    limits and inverse damping that were used are stored in `parameters`.
    """
    lower, upper, inverse_damping = parameters
    frames, n = theta.shape
    octrees = cells.root.shape[0]
    for block in prange((frames + BLOCK - 1) // BLOCK):
        workspace = chain_workspace(chain)
        nodes = np.empty(octrees, dtype=np.int64)
        for f in range(block * BLOCK, min(frames, (block + 1) * BLOCK)):
            frame_theta = theta[f]
            for v in range(octrees):
                e = cells.effector[v]
                nodes[v] = find_cell(cells, v, targets[f, e, 0], targets[f, e, 1], targets[f, e, 2])
            blend_parameters(cells, nodes, lower[f], upper[f], inverse_damping[f])
            mean_posture(cells, nodes, targets[f], frame_theta)
            for d in range(n):
                frame_theta[d] = min(max(frame_theta[d], lower[f, d]), upper[f, d])
            while not solve_frame(
                chain,
                frame_theta,
                targets[f],
                lower[f],
                upper[f],
                inverse_damping[f],
                tolerance_m,
                iterations,
                workspace,
            ):
                higher = False
                for v in range(octrees):
                    if cells.parent[nodes[v]] >= 0:
                        nodes[v] = cells.parent[nodes[v]]
                        higher = True
                if not higher:
                    break
                blend_parameters(cells, nodes, lower[f], upper[f], inverse_damping[f])


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
    """Eq. 13, a box filter of half width `window` frames; limits become the widest in the window.

    The mean of postures within their limits is within the widest of them. Windows are clipped to
    the first and last frame (F,) of each trajectory, and the mean is over the frames in the window
    (the paper prints 1 / 2w for 2w + 1 of them).
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
    chain: ChainTree,
    start: Floats,
    targets: Floats,
    parameters: JointParameters,
    wider: Floats,
    tolerance_m: float,
    iterations: int,
    theta: Floats,
    distance_m: Floats,
) -> None:
    """theta (F, n): each frame again, from the aligned postures `start`, within their limits.

    Targets out of reach are tried again within the limits in `wider` (2 W, n), lower and upper
    alternating. distance_m (F,): the distance of the worst effector from its target.
    """
    lower, upper, inverse_damping = parameters
    frames, n = theta.shape
    for block in prange((frames + BLOCK - 1) // BLOCK):
        workspace = chain_workspace(chain)
        for f in range(block * BLOCK, min(frames, (block + 1) * BLOCK)):
            frame_theta = theta[f]
            for d in range(n):
                frame_theta[d] = start[f, d]
            reached = solve_frame(
                chain,
                frame_theta,
                targets[f],
                lower[f],
                upper[f],
                inverse_damping[f],
                tolerance_m,
                iterations,
                workspace,
            )
            for w in range(0, wider.shape[0], 2):
                if not reached:
                    reached = solve_frame(
                        chain,
                        frame_theta,
                        targets[f],
                        wider[w],
                        wider[w + 1],
                        inverse_damping[f],
                        tolerance_m,
                        iterations,
                        workspace,
                    )
            distance_m[f] = worst_distance(chain, frame_theta, targets[f], workspace)


@kernel(inline=True)
def worst_distance(
    chain: ChainTree, theta: Floats, targets: Floats, workspace: ChainWorkspace
) -> float:
    """The largest distance of an effector from its target, metres."""
    chain_forward(chain, theta, workspace)
    worst = 0.0
    for e in range(targets.shape[0]):
        square = 0.0
        for c in range(3):
            square += (targets[e, c] - workspace.effectors[e, c]) ** 2
        worst = max(worst, square)
    return np.sqrt(worst)


@kernel(inline=True)
def wendland(distance: float, reach: float) -> float:
    """Eq. 15: (1 - d/r)^4 (4 d/r + 1) for d < r = reach, else zero."""
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
    """Eq. 14: the mean over time, weighted by distance in time and by distance from the targets.

    w_i = wendland(distance_i, reach_m) wendland(|i - f|, window). A frame is unchanged where all
    weights vanish.
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
def distances(chain: ChainTree, theta: Floats, targets: Floats, out: Floats) -> None:
    """out (F, E): the distance of each effector from its target, metres."""
    frames = theta.shape[0]
    for block in prange((frames + BLOCK - 1) // BLOCK):
        workspace = chain_workspace(chain)
        for f in range(block * BLOCK, min(frames, (block + 1) * BLOCK)):
            chain_forward(chain, theta[f], workspace)
            for e in range(targets.shape[1]):
                square = 0.0
                for c in range(3):
                    square += (targets[f, e, c] - workspace.effectors[e, c]) ** 2
                out[f, e] = np.sqrt(square)


@kernel
def wrap_angles(chain: ChainTree, theta: Floats) -> None:
    """Wrap rotation vectors and angles longer than pi to the equivalent ones up to pi."""
    for j in range(chain.parent.shape[0]):
        at = chain.start[j]
        if chain.kind[j] == BALL:
            angle = np.sqrt(theta[at] ** 2 + theta[at + 1] ** 2 + theta[at + 2] ** 2)
            if angle > np.pi:
                for c in range(3):
                    theta[at + c] *= 1.0 - 2.0 * np.pi / angle
        elif abs(theta[at]) > np.pi:
            theta[at] -= 2.0 * np.pi * np.sign(theta[at])


@kernel
def plain_pass(
    chain: ChainTree,
    start: Floats,
    targets: Floats,
    inverse_damping: Floats,
    first: Ints,
    from_previous: bool,
    tolerance_m: float,
    iterations: int,
    theta: Floats,
) -> None:
    """Damped least squares without limits: each frame from `start` (n), or from the previous one.

    first (F,) is the first frame of each frame's trajectory, which starts from `start`.
    """
    frames, n = theta.shape
    workspace = chain_workspace(chain)
    lower, upper = np.full(n, -1e9), np.full(n, 1e9)
    for f in range(frames):
        frame_theta = theta[f]
        for d in range(n):
            frame_theta[d] = theta[f - 1, d] if from_previous and f > first[f] else start[d]
        solve_frame(
            chain,
            frame_theta,
            targets[f],
            lower,
            upper,
            inverse_damping,
            tolerance_m,
            iterations,
            workspace,
        )
        wrap_angles(chain, frame_theta)


@kernel
def chain_points(chain: ChainTree, theta: Floats, effectors: Floats, jacobians: Floats) -> None:
    """effectors (F, E, 3) and their Jacobians (F, 3 E, n) at theta (F, n)."""
    workspace = chain_workspace(chain)
    for f in range(theta.shape[0]):
        chain_forward(chain, theta[f], workspace)
        chain_jacobian(chain, workspace)
        effectors[f] = workspace.effectors
        jacobians[f] = workspace.jacobian
