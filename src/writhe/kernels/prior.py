"""A soft prior from neighbouring postures: their mean and spread around the current posture."""

from __future__ import annotations

from math import atan2, exp, sqrt

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.kinematics import BALL, FREE, Tree, difference
from writhe.kernels.linear import invert_positive
from writhe.kernels.rotation import quaternion_log, quaternion_multiply

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
def neighbour_weights(
    distances: Floats,
    bandwidth: float,
    positions: Floats,
    numbers: Ints,
    joints: Ints,
    goals: Floats,
    sigma_m: float,
    out: Floats,
) -> None:
    """out (K): weights of the neighbours, summing to one.

    A weight falls with the posture's distance (in `bandwidth`s) and with how badly its end
    effectors agree with where they are wanted: positions (N, n, 3) of the database and goals (E, 3)
    are compared up to a common shift, both seen from the same heading.
    """
    count, effectors = numbers.shape[0], joints.shape[0]
    best = np.inf
    for i in range(count):
        exponent = 0.5 * (distances[i] / bandwidth) ** 2
        if effectors > 1:
            own = positions[numbers[i]]
            sx, sy, sz = 0.0, 0.0, 0.0
            for e in range(effectors):
                sx += own[joints[e], 0] - goals[e, 0]
                sy += own[joints[e], 1] - goals[e, 1]
                sz += own[joints[e], 2] - goals[e, 2]
            sx, sy, sz = sx / effectors, sy / effectors, sz / effectors
            for e in range(effectors):
                dx = own[joints[e], 0] - goals[e, 0] - sx
                dy = own[joints[e], 1] - goals[e, 1] - sy
                dz = own[joints[e], 2] - goals[e, 2] - sz
                exponent += 0.5 * (dx * dx + dy * dy + dz * dz) / (sigma_m * sigma_m)
        out[i] = exponent
        best = min(best, exponent)
    total = 0.0
    for i in range(count):
        out[i] = exp(best - out[i])
        total += out[i]
    for i in range(count):
        out[i] /= total


@kernel
def neighbour_prior(
    tree: Tree,
    q: Floats,
    heading: Floats,
    postures: Floats,
    numbers: Ints,
    weights: Floats,
    spread_rad: float,
    steps: Floats,
    covariance: Floats,
    room: Floats,
    mean: Floats,
    precision: Floats,
) -> bool:
    """mean (nv) and precision (nv, nv) of the neighbours around q; False if not positive.

    With x_k the tangent steps from q to the neighbours (joint 0 is the free root: its translation
    is left out, its orientation is the neighbour's under the turn `heading` (4)), mean m and
    covariance S of the x_k under `weights`: precision = (I + S / spread^2)^-1.
    steps (K, nv), covariance and room (nv, nv) are room.
    """
    count, nv = steps.shape
    other = np.empty(q.shape[0])
    mean[:] = 0.0
    for i in range(count):
        other[:] = postures[numbers[i]]
        quaternion_multiply(heading, other[3:7], other[3:7])
        difference(tree, q, other, steps[i])
        for c in range(3):
            steps[i, c] = 0.0
        for k in range(nv):
            mean[k] += weights[i] * steps[i, k]
    for i in range(count):
        scale = sqrt(weights[i]) / spread_rad
        for k in range(nv):
            steps[i, k] = scale * (steps[i, k] - mean[k])
    for k in range(nv):
        for m in range(k + 1):
            covariance[k, m] = 0.0
        covariance[k, k] = 1.0
    for i in range(count):
        if weights[i] < 1e-6:
            continue
        for k in range(nv):
            x = steps[i, k]
            for m in range(k + 1):
                covariance[k, m] += x * steps[i, m]
    return invert_positive(covariance, room, precision)
