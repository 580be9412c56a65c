"""What neighbouring postures say: by which they are found, how they are placed, what they weigh."""

from __future__ import annotations

from math import atan2, exp, sqrt

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.kinematics import BALL, FREE, Tree
from writhe.kernels.rotation import quaternion_log

LEAN_WEIGHT = 1.0  # metres that a posture differs by when the root leans over by a radian


@kernel
def posture_feature_row(tree: Tree, importance: Floats, q: Floats, out: Floats) -> None:
    """out (D): by which postures are compared, in metres of movement.

    A ball gives its rotation vector and a hinge or slide its value, each times the joint's
    importance (n); a free root gives the direction of up in its frame.
    """
    vector = np.empty(3)
    column = 0
    for j in range(tree.parent.shape[0]):
        kind, at = tree.kind[j], tree.q_start[j]
        if kind == FREE:
            w, x, y, z = q[at + 3], q[at + 4], q[at + 5], q[at + 6]
            out[column] = LEAN_WEIGHT * 2.0 * (x * y + w * z)
            out[column + 1] = LEAN_WEIGHT * (1.0 - 2.0 * (x * x + z * z))
            out[column + 2] = LEAN_WEIGHT * 2.0 * (y * z - w * x)
            column += 3
        elif kind == BALL:
            quaternion_log(q[at : at + 4], vector)
            for c in range(3):
                out[column + c] = importance[j] * vector[c]
            column += 3
        else:
            for c in range(tree.q_start[j + 1] - at):
                out[column + c] = importance[j] * q[at + c]
            column += tree.q_start[j + 1] - at


@kernel
def heading_of(q: Floats) -> float:
    """The turn about the vertical of a free root whose numbers stand first in q.

    It is that of the root's front (+Z); of its top where the front points nearly up or down.
    """
    w, x, y, z = q[3], q[4], q[5], q[6]
    front_x, front_z = 2.0 * (x * z + w * y), 1.0 - 2.0 * (x * x + y * y)
    if front_x * front_x + front_z * front_z < 0.04:
        return atan2(-2.0 * (x * y - w * z), -2.0 * (y * z + w * x))
    return atan2(front_x, front_z)


@kernel
def place_postures(
    positions: Floats,
    numbers: Ints,
    joints: Ints,
    goals: Floats,
    here: Floats,
    heading_weight: float,
    placed: Floats,
    misfit: Floats,
    apart: Floats,
) -> None:
    """Turn postures about the vertical and shift them so that their end effectors fit the goals.

    positions (N, n, 3) of normalised postures, numbers (K) of those to place, joints (E) and where
    they are wanted, goals (E, 3); here (n, 3) is the current posture, to whose heading all joints
    tie the turn by `heading_weight` (the goals alone may say little of it). The best turn is that
    of the two-dimensional orthogonal Procrustes problem. Fills placed (K, 5): cosine and sine of
    the turn and the shift after it; misfit (K): the squared distances of the effectors, and of the
    height by which the posture was lifted, m^2; apart (K): mean squared distance of joints, m^2.
    """
    effectors, count = joints.shape[0], positions.shape[1]
    middle_x, middle_y, middle_z = 0.0, 0.0, 0.0
    for j in range(count):
        middle_x += here[j, 0] / count
        middle_y += here[j, 1] / count
        middle_z += here[j, 2] / count
    goal_x, goal_y, goal_z = middle_x, middle_y, middle_z
    if effectors > 0:
        goal_x, goal_y, goal_z = 0.0, 0.0, 0.0
        for e in range(effectors):
            goal_x += goals[e, 0] / effectors
            goal_y += goals[e, 1] / effectors
            goal_z += goals[e, 2] / effectors
    for i in range(numbers.shape[0]):
        own = positions[numbers[i]]
        mean_x, mean_y, mean_z = 0.0, 0.0, 0.0
        dot, cross = 0.0, 0.0
        for j in range(count):
            mean_x += own[j, 0]
            mean_y += own[j, 1]
            mean_z += own[j, 2]
            x, z = here[j, 0] - middle_x, here[j, 2] - middle_z
            dot += own[j, 0] * x + own[j, 2] * z
            cross += own[j, 2] * x - own[j, 0] * z
        dot *= heading_weight
        cross *= heading_weight
        own_x, own_y, own_z = mean_x / count, mean_y / count, mean_z / count
        if effectors > 0:
            own_x, own_y, own_z = 0.0, 0.0, 0.0
            for e in range(effectors):
                own_x += own[joints[e], 0] / effectors
                own_y += own[joints[e], 1] / effectors
                own_z += own[joints[e], 2] / effectors
            for e in range(effectors):
                x, z = goals[e, 0] - goal_x, goals[e, 2] - goal_z
                dot += own[joints[e], 0] * x + own[joints[e], 2] * z
                cross += own[joints[e], 2] * x - own[joints[e], 0] * z
        length = sqrt(dot * dot + cross * cross)
        c, s = 1.0, 0.0
        if length > 1e-12:
            c, s = dot / length, cross / length
        placed[i, 0], placed[i, 1] = c, s
        shift_x = goal_x - c * own_x - s * own_z
        shift_y = goal_y - own_y
        shift_z = goal_z + s * own_x - c * own_z
        placed[i, 2], placed[i, 3], placed[i, 4] = shift_x, shift_y, shift_z
        total = effectors * shift_y * shift_y
        for e in range(effectors):
            at = own[joints[e]]
            x = c * at[0] + s * at[2] + shift_x - goals[e, 0]
            y = at[1] + shift_y - goals[e, 1]
            z = c * at[2] - s * at[0] + shift_z - goals[e, 2]
            total += x * x + y * y + z * z
        misfit[i] = total
        total = 0.0
        for j in range(count):
            x = c * own[j, 0] + s * own[j, 2] + shift_x - here[j, 0]
            y = own[j, 1] + shift_y - here[j, 1]
            z = c * own[j, 2] - s * own[j, 0] + shift_z - here[j, 2]
            total += x * x + y * y + z * z
        apart[i] = total / count


@kernel
def posture_weights(
    misfit: Floats, apart: Floats, misfit_sigma_m: float, apart_sigma_m: float, out: Floats
) -> None:
    """out (K): exp(-misfit / 2 sigma^2 - apart / 2 sigma^2), summing to one."""
    best = np.inf
    for i in range(out.shape[0]):
        out[i] = 0.5 * misfit[i] / misfit_sigma_m**2 + 0.5 * apart[i] / apart_sigma_m**2
        best = min(best, out[i])
    total = 0.0
    for i in range(out.shape[0]):
        out[i] = exp(best - out[i])
        total += out[i]
    for i in range(out.shape[0]):
        out[i] /= total


@kernel
def placed_points(positions: Floats, numbers: Ints, placed: Floats, out: Floats) -> None:
    """out (K, 3 n): joints of placed postures, see `place_postures`."""
    for i in range(numbers.shape[0]):
        own = positions[numbers[i]]
        c, s = placed[i, 0], placed[i, 1]
        for j in range(own.shape[0]):
            out[i, 3 * j] = c * own[j, 0] + s * own[j, 2] + placed[i, 2]
            out[i, 3 * j + 1] = own[j, 1] + placed[i, 3]
            out[i, 3 * j + 2] = c * own[j, 2] - s * own[j, 0] + placed[i, 4]


@kernel
def turn_between(before: Floats, after: Floats, vectors: Floats) -> None:
    """Turn vectors (n, 3) about the vertical as points moved from before (n, 3) to after."""
    count = before.shape[0]
    before_x, before_z, after_x, after_z = 0.0, 0.0, 0.0, 0.0
    for j in range(count):
        before_x += before[j, 0] / count
        before_z += before[j, 2] / count
        after_x += after[j, 0] / count
        after_z += after[j, 2] / count
    dot, cross = 0.0, 0.0
    for j in range(count):
        x, z = after[j, 0] - after_x, after[j, 2] - after_z
        dot += (before[j, 0] - before_x) * x + (before[j, 2] - before_z) * z
        cross += (before[j, 2] - before_z) * x - (before[j, 0] - before_x) * z
    length = sqrt(dot * dot + cross * cross)
    if length < 1e-12:
        return
    c, s = dot / length, cross / length
    for j in range(count):
        x, z = vectors[j, 0], vectors[j, 2]
        vectors[j, 0], vectors[j, 2] = c * x + s * z, c * z - s * x
