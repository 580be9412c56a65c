"""Where nearby postures expect the joints, once the end effectors are where they are wanted."""

from __future__ import annotations

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.linear import factorise, solve_factored

NEGLIGIBLE = 2e-3  # a candidate with less than this share of the best one's weight is left out


class CandidateRoom(NamedTuple):
    """Room for K candidates with n joints, E of them held; coordinates stand all x first."""

    placed: Floats  # (5,) cosine and sine of the turn about the vertical, and the shift after it
    weight: Floats  # (K,)
    points: Floats  # (K, 3 n)
    here: Floats  # (3 n,)
    centred: Floats  # (3, n)
    mean: Floats  # (3 n,)
    columns: Ints  # (3 E,) of the held joints
    own: Floats  # (3 E,)
    gram: Floats  # (3 E, 3 E)
    lack: Floats  # (3 E,)


def make_candidate_room(candidates: int, joints: int, held: int) -> CandidateRoom:
    """Empty room."""
    return CandidateRoom(
        placed=np.empty(5),
        weight=np.empty(candidates),
        points=np.empty((candidates, 3 * joints)),
        here=np.empty(3 * joints),
        centred=np.empty((3, joints)),
        mean=np.empty(3 * joints),
        columns=np.empty(3 * held, dtype=np.int64),
        own=np.empty(3 * held),
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
    """Turn a posture (3, n) about the vertical and shift it until its effectors fit the goals.

    goal (3) is the middle of the goals (E, 3), `centred` (3, n) the current posture about its own,
    to whose heading all joints tie the turn by `heading_weight` (the goals alone may say little of
    it). The best turn is that of the two-dimensional orthogonal Procrustes problem. Fills placed
    (5); returns the squared distances of the effectors and of the height by which the posture was
    lifted, m^2.
    """
    count, effectors = own.shape[1], joints.shape[0]
    dot, cross = 0.0, 0.0
    for j in range(count):
        dot += own[0, j] * centred[0, j] + own[2, j] * centred[2, j]
        cross += own[2, j] * centred[0, j] - own[0, j] * centred[2, j]
    dot *= heading_weight
    cross *= heading_weight
    x, y, z = 0.0, 0.0, 0.0
    if effectors > 0:
        for e in range(effectors):
            at = joints[e]
            x += own[0, at]
            y += own[1, at]
            z += own[2, at]
            gx, gz = goals[e, 0] - goal[0], goals[e, 2] - goal[2]
            dot += own[0, at] * gx + own[2, at] * gz
            cross += own[2, at] * gx - own[0, at] * gz
        x, y, z = x / effectors, y / effectors, z / effectors
    else:
        for j in range(count):
            x += own[0, j] / count
            y += own[1, j] / count
            z += own[2, j] / count
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
        x = c * own[0, at] + s * own[2, at] + shift_x - goals[e, 0]
        y = own[1, at] + shift_y - goals[e, 1]
        z = c * own[2, at] - s * own[0, at] + shift_z - goals[e, 2]
        total += x * x + y * y + z * z
    return total


@kernel
def _turn(own: Floats, placed: Floats, out: Floats) -> None:
    """out (3 n), all x first, then y, then z: the joints of a posture (3, n) at its place."""
    count = own.shape[1]
    c, s, x, y, z = placed[0], placed[1], placed[2], placed[3], placed[4]
    for j in range(count):
        out[j] = c * own[0, j] + s * own[2, j] + x
        out[count + j] = own[1, j] + y
        out[2 * count + j] = c * own[2, j] - s * own[0, j] + z


@kernel
def _weigh(
    positions: Floats,
    numbers: Ints,
    joints: Ints,
    goals: Floats,
    heading_weight: float,
    misfit_sigma_m: float,
    apart_sigma_m: float,
    room: CandidateRoom,
) -> tuple[int, float]:
    """Place the candidates and keep those that count; returns how many, and their weights' sum.

    A candidate weighs exp(-misfit / 2 sigma^2 - apart / 2 sigma^2), with `apart` the mean squared
    distance of its joints from room.here. One whose misfit alone costs too much beside the best so
    far is not looked at any further.
    """
    here, centred = room.here, room.centred
    count, size = centred.shape[1], here.shape[0]
    middle = np.zeros(3)
    for c in range(3):
        for j in range(count):
            middle[c] += here[c * count + j] / count
        for j in range(count):
            centred[c, j] = here[c * count + j] - middle[c]
    if joints.shape[0] > 0:
        middle[:] = 0.0
        for e in range(joints.shape[0]):
            for c in range(3):
                middle[c] += goals[e, c] / joints.shape[0]
    band = -log(NEGLIGIBLE)
    best = np.inf
    kept = 0
    for i in range(numbers.shape[0]):
        own, placed = positions[numbers[i]], room.placed
        misfit = _place(own, joints, goals, middle, centred, heading_weight, placed)
        cost = 0.5 * misfit / misfit_sigma_m**2
        if cost >= best + band:
            continue
        points = room.points[kept]
        _turn(own, placed, points)
        apart = 0.0
        for a in range(size):
            apart += (points[a] - here[a]) ** 2
        cost += 0.5 * apart / (count * apart_sigma_m**2)
        if cost >= best + band:
            continue
        room.weight[kept] = cost
        best = min(best, cost)
        kept += 1
    total = 0.0
    for k in range(kept):
        weight = exp(best - room.weight[k])
        room.weight[k] = weight if weight > NEGLIGIBLE else 0.0
        total += room.weight[k]
    for k in range(kept):
        room.weight[k] /= total
    return kept, total * exp(-best)


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
) -> float:
    """out (n, 3): the candidates' weighted ridge regression on their effectors, at the goals.

    positions (N, 3, n) of normalised postures, numbers (K) of the candidates, joints (E) that are
    held and where, goals (E, 3); here (n, 3) is the current posture. With the candidates' joints p
    and effectors e about their means, G = sum w e e^T + ridge^2,

        out = mean p + (sum w p e^T) G^-1 (goals - mean e).

    Returns the sum of the weights before they were made to sum up to one: little where all
    candidates are far.
    """
    count, held = here.shape[0], joints.shape[0]
    size = 3 * count
    for j in range(count):
        for c in range(3):
            room.here[c * count + j] = here[j, c]
    for e in range(held):
        for c in range(3):
            room.columns[3 * e + c] = c * count + joints[e]
    kept, mass = _weigh(
        positions, numbers, joints, goals, heading_weight, misfit_sigma_m, apart_sigma_m, room
    )
    mean, gram, lack, columns, own = room.mean, room.gram, room.lack, room.columns, room.own
    mean[:] = 0.0
    for k in range(kept):
        weight, points = room.weight[k], room.points[k]
        if weight > 0.0:
            for a in range(size):
                mean[a] += weight * points[a]
    gram[:] = 0.0
    for a in range(3 * held):
        gram[a, a] = ridge_m * ridge_m
        lack[a] = goals[a // 3, a % 3] - mean[columns[a]]
    for k in range(kept):
        weight, points = room.weight[k], room.points[k]
        if weight == 0.0:
            continue
        for a in range(3 * held):
            own[a] = points[columns[a]] - mean[columns[a]]
        for a in range(3 * held):
            scaled = weight * own[a]
            for b in range(a + 1):
                gram[a, b] += scaled * own[b]
    factorise(gram, len(gram), gram)
    solve_factored(gram, len(gram), lack, lack)
    room.here[:] = mean  # what is expected; the mean itself is still needed
    for k in range(kept):
        weight, points = room.weight[k], room.points[k]
        if weight == 0.0:
            continue
        share = 0.0
        for a in range(3 * held):
            share += (points[columns[a]] - mean[columns[a]]) * lack[a]
        share *= weight
        for a in range(size):
            room.here[a] += share * (points[a] - mean[a])
    for j in range(count):
        for c in range(3):
            out[j, c] = room.here[c * count + j]
    return mass
