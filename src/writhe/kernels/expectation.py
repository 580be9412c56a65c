"""Where nearby postures expect the joints, once the end effectors are where they are wanted."""

from __future__ import annotations

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.linear import factor_positive, solve_factored

NEGLIGIBLE = 2e-3  # a candidate with less than this share of the best one's weight is left out


class CandidateRoom(NamedTuple):
    """Room for K candidates with n joints, E of them held."""

    placed: Floats  # (K, 5) cosine and sine of the turn about the vertical, and the shift after it
    cost: Floats  # (K,) -log of the weight
    kept: Ints  # (K,)
    points: Floats  # (K, 3 n)
    mean: Floats  # (3 n,)
    gram: Floats  # (3 E, 3 E)
    lack: Floats  # (3 E,)


def make_candidate_room(candidates: int, joints: int, held: int) -> CandidateRoom:
    """Empty room."""
    return CandidateRoom(
        placed=np.empty((candidates, 5)),
        cost=np.empty(candidates),
        kept=np.empty(candidates, dtype=np.int64),
        points=np.empty((candidates, 3 * joints)),
        mean=np.empty(3 * joints),
        gram=np.empty((3 * held, 3 * held)),
        lack=np.empty(3 * held),
    )


@kernel
def _place(
    own: Floats,
    joints: Ints,
    goals: Floats,
    goal: Floats,
    centred: Floats,
    heading_weight: float,
    placed: Floats,
) -> float:
    """Turn a posture (n, 3) about the vertical and shift it until its effectors fit the goals.

    goal (3) is the middle of the goals (E, 3), `centred` (n, 3) the current posture about its own,
    to whose heading all joints tie the turn by `heading_weight` (the goals alone may say little of
    it). The best turn is that of the two-dimensional orthogonal Procrustes problem. Fills placed
    (5); returns the squared distances of the effectors and of the height by which the posture was
    lifted, m^2.
    """
    count, effectors = own.shape[0], joints.shape[0]
    dot, cross = 0.0, 0.0
    for j in range(count):
        dot += own[j, 0] * centred[j, 0] + own[j, 2] * centred[j, 2]
        cross += own[j, 2] * centred[j, 0] - own[j, 0] * centred[j, 2]
    dot *= heading_weight
    cross *= heading_weight
    x, y, z = 0.0, 0.0, 0.0
    if effectors > 0:
        for e in range(effectors):
            at = joints[e]
            x += own[at, 0]
            y += own[at, 1]
            z += own[at, 2]
            gx, gz = goals[e, 0] - goal[0], goals[e, 2] - goal[2]
            dot += own[at, 0] * gx + own[at, 2] * gz
            cross += own[at, 2] * gx - own[at, 0] * gz
        x, y, z = x / effectors, y / effectors, z / effectors
    else:
        for j in range(count):
            x += own[j, 0] / count
            y += own[j, 1] / count
            z += own[j, 2] / count
    length = sqrt(dot * dot + cross * cross)
    c, s = 1.0, 0.0
    if length > 1e-12:
        c, s = dot / length, cross / length
    shift_x, shift_y, shift_z = goal[0] - c * x - s * z, goal[1] - y, goal[2] + s * x - c * z
    placed[0], placed[1] = c, s
    placed[2], placed[3], placed[4] = shift_x, shift_y, shift_z
    total = effectors * shift_y * shift_y
    for e in range(effectors):
        at = joints[e]
        x = c * own[at, 0] + s * own[at, 2] + shift_x - goals[e, 0]
        y = own[at, 1] + shift_y - goals[e, 1]
        z = c * own[at, 2] - s * own[at, 0] + shift_z - goals[e, 2]
        total += x * x + y * y + z * z
    return total


@kernel
def _apart(own: Floats, placed: Floats, here: Floats) -> float:
    """Mean squared distance of the joints of a placed posture (n, 3) from those here (n, 3)."""
    c, s, total = placed[0], placed[1], 0.0
    for j in range(own.shape[0]):
        x = c * own[j, 0] + s * own[j, 2] + placed[2] - here[j, 0]
        y = own[j, 1] + placed[3] - here[j, 1]
        z = c * own[j, 2] - s * own[j, 0] + placed[4] - here[j, 2]
        total += x * x + y * y + z * z
    return total / own.shape[0]


@kernel
def _weigh(
    positions: Floats,
    numbers: Ints,
    joints: Ints,
    goals: Floats,
    here: Floats,
    centred: Floats,
    heading_weight: float,
    misfit_sigma_m: float,
    apart_sigma_m: float,
    room: CandidateRoom,
) -> int:
    """Place the candidates and keep those that count; returns how many.

    A candidate weighs exp(-misfit / 2 sigma^2 - apart / 2 sigma^2). One whose misfit alone costs
    too much beside the best so far is not looked at any further.
    """
    count = here.shape[0]
    middle = np.zeros(3)
    for j in range(count):
        for c in range(3):
            middle[c] += here[j, c] / count
    for j in range(count):
        for c in range(3):
            centred[j, c] = here[j, c] - middle[c]
    if joints.shape[0] > 0:
        middle[:] = 0.0
        for e in range(joints.shape[0]):
            for c in range(3):
                middle[c] += goals[e, c] / joints.shape[0]
    band = -log(NEGLIGIBLE)
    best = np.inf
    for i in range(numbers.shape[0]):
        own = positions[numbers[i]]
        misfit = _place(own, joints, goals, middle, centred, heading_weight, room.placed[i])
        room.cost[i] = 0.5 * misfit / misfit_sigma_m**2
        if room.cost[i] < best + band:
            apart = _apart(own, room.placed[i], here)
            room.cost[i] += 0.5 * apart / apart_sigma_m**2
            best = min(best, room.cost[i])
    kept = 0
    for i in range(numbers.shape[0]):
        if room.cost[i] < best + band:
            room.kept[kept] = i
            kept += 1
    total = 0.0
    for k in range(kept):
        weight = exp(best - room.cost[room.kept[k]])
        total += weight
        room.cost[room.kept[k]] = weight
    for k in range(kept):
        room.cost[room.kept[k]] /= total
    return kept


@kernel
def expected_joints(
    positions: Floats,
    numbers: Ints,
    joints: Ints,
    goals: Floats,
    here: Floats,
    heading_weight: float,
    misfit_sigma_m: float,
    apart_sigma_m: float,
    ridge_m: float,
    room: CandidateRoom,
    out: Floats,
) -> None:
    """out (n, 3): the candidates' weighted ridge regression on their effectors, at the goals.

    positions (N, n, 3) of normalised postures, numbers (K) of the candidates, joints (E) that are
    held and where, goals (E, 3); here (n, 3) is the current posture. With the candidates' joints p
    and effectors e about their means, G = sum w e e^T + ridge^2,

        out = mean p + (sum w p e^T) G^-1 (goals - mean e).
    """
    kept = _weigh(
        positions,
        numbers,
        joints,
        goals,
        here,
        out,
        heading_weight,
        misfit_sigma_m,
        apart_sigma_m,
        room,
    )
    mean, gram, lack = room.mean, room.gram, room.lack
    count, held = here.shape[0], joints.shape[0]
    mean[:] = 0.0
    for k in range(kept):
        i = room.kept[k]
        own, points, weight = positions[numbers[i]], room.points[k], room.cost[i]
        c, s = room.placed[i, 0], room.placed[i, 1]
        for j in range(count):
            points[3 * j] = c * own[j, 0] + s * own[j, 2] + room.placed[i, 2]
            points[3 * j + 1] = own[j, 1] + room.placed[i, 3]
            points[3 * j + 2] = c * own[j, 2] - s * own[j, 0] + room.placed[i, 4]
        for a in range(3 * count):
            mean[a] += weight * points[a]
    gram[:] = 0.0
    for a in range(3 * held):
        gram[a, a] = ridge_m * ridge_m
        lack[a] = goals[a // 3, a % 3] - mean[3 * joints[a // 3] + a % 3]
    for k in range(kept):
        points, weight = room.points[k], room.cost[room.kept[k]]
        for a in range(3 * count):
            points[a] -= mean[a]
        for a in range(3 * held):
            scaled = weight * points[3 * joints[a // 3] + a % 3]
            for b in range(a + 1):
                gram[a, b] += scaled * points[3 * joints[b // 3] + b % 3]
    factor_positive(gram, gram)
    solve_factored(gram, lack, lack)
    for k in range(kept):
        points = room.points[k]
        share = 0.0
        for a in range(3 * held):
            share += points[3 * joints[a // 3] + a % 3] * lack[a]
        share *= room.cost[room.kept[k]]
        for a in range(3 * count):
            mean[a] += share * points[a]
    for j in range(count):
        for c in range(3):
            out[j, c] = mean[3 * j + c]
