"""The posture prior: joint positions predicted by a global regression and by neighbours.

The held joints are those with a target or a pin. Joints are expressed in a *local frame*: its
origin is the mean of the held joints at the height of the lowest foot, its rotation about y is the
heading of the body. `solvers.posing.posture_prior` explains the method.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.posing.landmark_regression import evaluate_regression


class GlobalRegression(NamedTuple):
    """A regression of all n joints on E held ones (`landmark_regression`), O = 3 n."""

    feet: Ints  # indices of the held joints that define the ground height
    landmarks: Floats  # (L, 3 E)
    weights: Floats  # (L, O)
    mean: Floats  # (O,)
    width: float  # of the kernel, metres
    unexplained: Floats  # (n,) residual over total standard deviation of each joint, in [0, 1]


class PersistentOffset(NamedTuple):
    """State kept during a drag, in the local frame unless noted; updated by `predict_joints`."""

    heading: Floats  # (1,) angle about y, radians
    previous_goals: Floats  # (E, 3) goals of the previous frame, world frame
    initial: Floats  # (n, 3) joints when the drag began
    initial_held: Floats  # (E, 3) goals when the drag began
    offset: Floats  # (2, n, 3) initial joints minus each prediction (global, neighbours)
    held: Floats  # (E, 3) workspace
    predictions: Floats  # (2, n, 3) workspace


class PersistentOffsetRate(NamedTuple):
    """Parameters of `predict_joints`: how the offset fades and the heading follows the body."""

    half_distance_m: float  # distance of the goals from their start that halves the offset
    heading_gain: float  # fraction of the heading error that is corrected per frame
    steady_m: float  # goals closer together than this hardly change the heading


def make_persistent_offset(joints: int, held: int) -> PersistentOffset:
    """Allocate the state; the first frame of a drag fills it."""
    body, goals = np.zeros((joints, 3)), np.zeros((held, 3))
    pair = np.zeros((2, joints, 3))
    return PersistentOffset(np.zeros(1), goals, body, goals.copy(), pair, goals.copy(), pair.copy())


@kernel
def move_goals(goals: Floats, targets: Floats, max_step_m: float) -> float:
    """Move goals (E, 3) towards targets (E, 3), each by at most max_step_m.

    Returns the largest change of a coordinate, metres.
    """
    moved = 0.0
    for e in range(goals.shape[0]):
        square = 0.0
        for c in range(3):
            square += (targets[e, c] - goals[e, c]) ** 2
        fraction = min(1.0, max_step_m / max(sqrt(square), 1e-9))
        for c in range(3):
            step = fraction * (targets[e, c] - goals[e, c])
            goals[e, c] += step
            moved = max(moved, abs(step))
    return moved


@kernel
def heading_of_joints(points: Floats, lateral: Floats) -> float:
    """The heading of joints (n, 3): the angle about y of the axis from right to left.

    lateral (n) weighs each joint by its mean x in postures that face +Z.
    """
    x, z = 0.0, 0.0
    for j in range(points.shape[0]):
        x += points[j, 0] * lateral[j]
        z -= points[j, 2] * lateral[j]
    return atan2(z, x)


@kernel
def _to_local(points: Floats, origin: Floats, heading: float, out: Floats) -> None:
    """out (k, 3): world points (k, 3) in the local frame."""
    c, s = cos(heading), sin(heading)
    for j in range(points.shape[0]):
        x, z = points[j, 0] - origin[0], points[j, 2] - origin[2]
        out[j, 0], out[j, 1], out[j, 2] = c * x - s * z, points[j, 1] - origin[1], s * x + c * z


@kernel
def _to_world(points: Floats, origin: Floats, heading: float, out: Floats) -> None:
    """out (k, 3): points (k, 3) of the local frame in the world."""
    c, s = cos(heading), sin(heading)
    for j in range(points.shape[0]):
        x, z = points[j, 0], points[j, 2]
        out[j, 0], out[j, 2] = c * x + s * z + origin[0], c * z - s * x + origin[2]
        out[j, 1] = points[j, 1] + origin[1]


@kernel
def _local_origin(goals: Floats, feet: Ints, origin: Floats) -> None:
    """origin (3): the mean of goals (E, 3) in x and z, the height of the lowest foot in y."""
    origin[:] = 0.0
    for e in range(goals.shape[0]):
        origin[0] += goals[e, 0] / goals.shape[0]
        origin[2] += goals[e, 2] / goals.shape[0]
    for i in range(feet.shape[0]):
        y = goals[feet[i], 1]
        if i == 0 or y < origin[1]:
            origin[1] = y


@kernel
def predict_from_regression(
    regression: GlobalRegression, goals: Floats, heading: float, out: Floats
) -> None:
    """out (n, 3): the joints of a body with this heading whose held joints are at goals (E, 3).

    World frame, metres; heading in radians about y.
    """
    origin, held = np.empty(3), np.empty(goals.shape)
    _local_origin(goals, regression.feet, origin)
    _to_local(goals, origin, heading, held)
    evaluate_regression(
        held.reshape(-1),
        regression.landmarks,
        regression.weights,
        regression.mean,
        regression.width,
        out.reshape(-1),
    )
    _to_world(out, origin, heading, out)


@kernel
def _rotation_about_y(goals: Floats, previous_goals: Floats, steady_m: float) -> float:
    """The angle about y that best rotates the previous goals (E, 3) into the goals, radians.

    Procrustes in the plane (x, z) about the means; steady_m^2 is added to the cosine
    term, which draws the angle towards 0 if the goals are close together.
    """
    count = goals.shape[0]
    ax, az, bx, bz = 0.0, 0.0, 0.0, 0.0
    for e in range(count):
        ax += previous_goals[e, 0] / count
        az += previous_goals[e, 2] / count
        bx += goals[e, 0] / count
        bz += goals[e, 2] / count
    along, across = steady_m * steady_m, 0.0
    for e in range(count):
        x, z = previous_goals[e, 0] - ax, previous_goals[e, 2] - az
        along += x * (goals[e, 0] - bx) + z * (goals[e, 2] - bz)
        across += z * (goals[e, 0] - bx) - x * (goals[e, 2] - bz)
    return atan2(across, along)


@kernel
def predict_joints(
    regression: GlobalRegression,
    rate: PersistentOffsetRate,
    lateral: Floats,
    joints: Ints,
    goals: Floats,
    current: Floats,
    neighbours: Floats,
    trust: float,
    fraction: float,
    is_first_frame: bool,
    offset: PersistentOffset,
    out: Floats,
) -> None:
    """out (n, 3): predicted joints when the held ones (E) go to goals (E, 3). Metres, world frame.

    Each prediction is shifted by an offset such that it equals the body when the drag begins. The
    offset fades with the distance of the goals from where they were then; as long as it has not
    faded, a joint follows only the part 1 - u of a change of its prediction.

        out = sum_k t_k (g_k + (o_k - u (g_k + o_k - x_0)) / (1 + d^2 / half_distance^2))

        g_k  prediction in the local frame, k = 0 global regression, k = 1 neighbours
        x_0  joints when the drag began, in the local frame
        o_k  offset x_0 - g_k of the first frame
        u    regression.unexplained of the joint
        d    distance of the goals from those of the first frame, root of the sum of squares
        t_k  1 - trust and trust

    current and neighbours (n, 3) are the body's joints and the neighbours' prediction; `fraction`
    in [0, 1], the prior's `share`, scales the correction of the heading. Held joints are set to
    their goals.
    """
    body_heading = heading_of_joints(current, lateral)
    if is_first_frame:
        offset.heading[0] = body_heading
    else:
        offset.heading[0] += _rotation_about_y(goals, offset.previous_goals, rate.steady_m)
    offset.previous_goals[:] = goals
    heading, origin = offset.heading[0], np.empty(3)
    _local_origin(goals, regression.feet, origin)
    _to_local(goals, origin, heading, offset.held)
    evaluate_regression(
        offset.held.reshape(-1),
        regression.landmarks,
        regression.weights,
        regression.mean,
        regression.width,
        offset.predictions[0].reshape(-1),
    )
    _to_local(neighbours, origin, heading, offset.predictions[1])
    if is_first_frame:
        _to_local(current, origin, heading, offset.initial)
        offset.initial_held[:] = offset.held
        for k in range(2):
            for j in range(current.shape[0]):
                for c in range(3):
                    offset.offset[k, j, c] = offset.initial[j, c] - offset.predictions[k, j, c]
    squared_distance = 0.0
    for e in range(goals.shape[0]):
        for c in range(3):
            squared_distance += (
                (offset.held[e, c] - offset.initial_held[e, c]) / rate.half_distance_m
            ) ** 2
    for j in range(current.shape[0]):
        for c in range(3):
            value = 0.0
            for k in range(2):
                prediction, offset_value = offset.predictions[k, j, c], offset.offset[k, j, c]
                change = prediction + offset_value - offset.initial[j, c]
                faded = (offset_value - regression.unexplained[j] * change) / (
                    1.0 + squared_distance
                )
                value += (trust if k == 1 else 1.0 - trust) * (prediction + faded)
            out[j, c] = value
    _to_world(out, origin, heading, out)
    for e in range(joints.shape[0]):
        out[joints[e]] = goals[e]
    heading_error = body_heading - heading
    heading_error -= 2.0 * pi * round(heading_error / (2.0 * pi))
    offset.heading[0] += fraction * rate.heading_gain * heading_error
