"""Predicted joint positions from nearby postures, given goals for the held joints.

The held joints are those with a target or a pin.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.linear import factorise, solve_factored

NEGLIGIBLE = 2e-3  # candidates below this fraction of the best weight are dropped


class CandidateWorkspace(NamedTuple):
    """Preallocated arrays for K candidates with n joints, E of them held.

    Coordinates are stored all x first, then all y, then all z.
    """

    alignment: Floats  # (5,) cosine and sine of the rotation about y, then the translation
    weight: Floats  # (K,) first the cost -log w of each candidate, then its normalised weight
    points: Floats  # (K, 3 n)
    current: Floats  # (3 n,) the current posture
    centred: Floats  # (3, n) the same about its mean
    mean: Floats  # (3 n,)
    columns: Ints  # (3 E,) coordinates of the held joints
    effectors: Floats  # (3 E,) held joints of one candidate minus their mean
    gram: Floats  # (3 E, 3 E)
    coefficients: Floats  # (3 E,)


def make_candidate_workspace(
    candidate_count: int, joint_count: int, held: int
) -> CandidateWorkspace:
    """Allocate the workspace."""
    return CandidateWorkspace(
        alignment=np.empty(5),
        weight=np.empty(candidate_count),
        points=np.empty((candidate_count, 3 * joint_count)),
        current=np.empty(3 * joint_count),
        centred=np.empty((3, joint_count)),
        mean=np.empty(3 * joint_count),
        columns=np.empty(3 * held, dtype=np.int64),
        effectors=np.empty(3 * held),
        gram=np.empty((3 * held, 3 * held)),
        coefficients=np.empty(3 * held),
    )


@kernel
def _align_to_goals(
    posture: Floats,
    held_joints: Ints,
    goals: Floats,
    goal_mean: Floats,
    centred: Floats,
    heading_weight: float,
    alignment: Floats,
) -> float:
    """Find the rotation about y and the translation that fit a posture's held joints to the goals.

    posture (3, n); goal_mean (3) is the mean of the goals (E, 3); `centred` (3, n) is the current
    posture about its mean. The rotation solves the two-dimensional orthogonal Procrustes problem;
    every joint of the current posture also enters it, with weight `heading_weight` instead of 1,
    because one or two goals do not determine a rotation. Fills alignment (5); returns
    sum_e |aligned e - goal e|^2 + E dy^2 (m^2), with dy the vertical translation.
    """
    count, effectors = posture.shape[1], held_joints.shape[0]
    dot, cross = 0.0, 0.0
    for j in range(count):
        dot += posture[0, j] * centred[0, j] + posture[2, j] * centred[2, j]
        cross += posture[2, j] * centred[0, j] - posture[0, j] * centred[2, j]
    dot *= heading_weight
    cross *= heading_weight
    x, y, z = 0.0, 0.0, 0.0
    if effectors > 0:
        for e in range(effectors):
            at = held_joints[e]
            x += posture[0, at]
            y += posture[1, at]
            z += posture[2, at]
            gx, gz = goals[e, 0] - goal_mean[0], goals[e, 2] - goal_mean[2]
            dot += posture[0, at] * gx + posture[2, at] * gz
            cross += posture[2, at] * gx - posture[0, at] * gz
        x, y, z = x / effectors, y / effectors, z / effectors
    else:
        for j in range(count):
            x += posture[0, j] / count
            y += posture[1, j] / count
            z += posture[2, j] / count
    length = sqrt(dot * dot + cross * cross)
    c, s = 1.0, 0.0
    if length > 1e-12:
        c, s = dot / length, cross / length
    shift_x, shift_y, shift_z = (
        goal_mean[0] - c * x - s * z,
        goal_mean[1] - y,
        goal_mean[2] + s * x - c * z,
    )
    alignment[0], alignment[1] = c, s
    alignment[2], alignment[3], alignment[4] = shift_x, shift_y, shift_z
    total = effectors * shift_y * shift_y
    for e in range(effectors):
        at = held_joints[e]
        x = c * posture[0, at] + s * posture[2, at] + shift_x - goals[e, 0]
        y = posture[1, at] + shift_y - goals[e, 1]
        z = c * posture[2, at] - s * posture[0, at] + shift_z - goals[e, 2]
        total += x * x + y * y + z * z
    return total


@kernel
def _apply_alignment(posture: Floats, alignment: Floats, out: Floats) -> None:
    """out (3 n): the joints of a posture (3, n), aligned; all x first, then y, then z."""
    count = posture.shape[1]
    c, s, x, y, z = alignment[0], alignment[1], alignment[2], alignment[3], alignment[4]
    for j in range(count):
        out[j] = c * posture[0, j] + s * posture[2, j] + x
        out[count + j] = posture[1, j] + y
        out[2 * count + j] = c * posture[2, j] - s * posture[0, j] + z


@kernel
def _weigh_candidates(
    positions: Floats,
    candidates: Ints,
    held_joints: Ints,
    goals: Floats,
    heading_weight: float,
    misfit_sigma_m: float,
    distance_sigma_m: float,
    workspace: CandidateWorkspace,
) -> tuple[int, float]:
    """Align and weigh the candidates; returns how many are kept and their sum of weights w.

        w = exp(-misfit / (2 misfit_sigma^2) - distance / (2 distance_sigma^2)),

    normalised afterwards, with `misfit` from `_align_to_goals` and `distance` the mean squared
    distance of the joints from workspace.current. A candidate whose misfit alone makes its weight
    negligible is dropped early.
    """
    current, centred = workspace.current, workspace.centred
    count, coordinate_count = centred.shape[1], current.shape[0]
    centre = np.zeros(3)
    for c in range(3):
        for j in range(count):
            centre[c] += current[c * count + j] / count
        for j in range(count):
            centred[c, j] = current[c * count + j] - centre[c]
    if held_joints.shape[0] > 0:
        centre[:] = 0.0
        for e in range(held_joints.shape[0]):
            for c in range(3):
                centre[c] += goals[e, c] / held_joints.shape[0]
    max_excess = -log(NEGLIGIBLE)
    best = np.inf
    kept = 0
    for i in range(candidates.shape[0]):
        posture, alignment = positions[candidates[i]], workspace.alignment
        misfit = _align_to_goals(
            posture, held_joints, goals, centre, centred, heading_weight, alignment
        )
        cost = 0.5 * misfit / misfit_sigma_m**2
        if cost >= best + max_excess:
            continue
        points = workspace.points[kept]
        _apply_alignment(posture, alignment, points)
        distance = 0.0
        for a in range(coordinate_count):
            distance += (points[a] - current[a]) ** 2
        cost += 0.5 * distance / (count * distance_sigma_m**2)
        if cost >= best + max_excess:
            continue
        workspace.weight[kept] = cost
        best = min(best, cost)
        kept += 1
    total = 0.0
    for k in range(kept):
        weight = exp(best - workspace.weight[k])
        workspace.weight[k] = weight if weight > NEGLIGIBLE else 0.0
        total += workspace.weight[k]
    for k in range(kept):
        workspace.weight[k] /= total
    return kept, total * exp(-best)


@kernel
def predict_from_neighbours(
    positions: Floats,
    candidates: Ints,
    held_joints: Ints,
    goals: Floats,
    current: Floats,
    heading_weight: float,
    misfit_sigma_m: float,
    distance_sigma_m: float,
    ridge_m: float,
    workspace: CandidateWorkspace,
    out: Floats,
) -> float:
    """out (n, 3): weighted ridge regression of all joints on the held ones, at their goals.

    positions (N, 3, n) of normalised postures, candidates (K) indices into them, held_joints (E)
    with goals (E, 3), current (n, 3) the current posture; metres. With p (all joints) and e (held
    joints) of the aligned candidates minus their weighted means, and G = sum w e e^T + ridge^2 I,

        out = mean p + (sum w p e^T) G^-1 (goals - mean e).

    Returns the sum of the weights before normalisation, which is small if all candidates are far.
    """
    count, held = current.shape[0], held_joints.shape[0]
    coordinate_count = 3 * count
    for j in range(count):
        for c in range(3):
            workspace.current[c * count + j] = current[j, c]
    for e in range(held):
        for c in range(3):
            workspace.columns[3 * e + c] = c * count + held_joints[e]
    kept, mass = _weigh_candidates(
        positions,
        candidates,
        held_joints,
        goals,
        heading_weight,
        misfit_sigma_m,
        distance_sigma_m,
        workspace,
    )
    mean, gram, coefficients, columns, effectors = (
        workspace.mean,
        workspace.gram,
        workspace.coefficients,
        workspace.columns,
        workspace.effectors,
    )
    mean[:] = 0.0
    for k in range(kept):
        weight, points = workspace.weight[k], workspace.points[k]
        if weight > 0.0:
            for a in range(coordinate_count):
                mean[a] += weight * points[a]
    gram[:] = 0.0
    for a in range(3 * held):
        gram[a, a] = ridge_m * ridge_m
        coefficients[a] = goals[a // 3, a % 3] - mean[columns[a]]
    for k in range(kept):
        weight, points = workspace.weight[k], workspace.points[k]
        if weight == 0.0:
            continue
        for a in range(3 * held):
            effectors[a] = points[columns[a]] - mean[columns[a]]
        for a in range(3 * held):
            scaled = weight * effectors[a]
            for b in range(a + 1):
                gram[a, b] += scaled * effectors[b]
    factorise(gram, len(gram), gram)
    solve_factored(gram, len(gram), coefficients, coefficients)
    workspace.current[:] = mean  # accumulates the prediction; the mean itself is still needed
    for k in range(kept):
        weight, points = workspace.weight[k], workspace.points[k]
        if weight == 0.0:
            continue
        scale = 0.0
        for a in range(3 * held):
            scale += (points[columns[a]] - mean[columns[a]]) * coefficients[a]
        scale *= weight
        for a in range(coordinate_count):
            workspace.current[a] += scale * (points[a] - mean[a])
    for j in range(count):
        for c in range(3):
            out[j, c] = workspace.current[c * count + j]
    return mass
