"""Where the joints are expected: what everybody does, what neighbours do, and one's own way.

A body sees its joints from its *standpoint*: the middle of the held ones, on the ground that they
stand on, with the way it faces to the front. `solvers.posing.prior` says what is done and why.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt
from typing import NamedTuple

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.kernels.jit import kernel
from writhe.kernels.posing.landmark_regression import read_landmarks


class Everybody(NamedTuple):
    """A regression of all joints on E held ones (`kernels.landmarks`), O = 3 n."""

    feet: Ints  # which of the held joints carry the ground with them
    landmarks: Floats  # (L, 3 E)
    weights: Floats  # (L, O)
    mean: Floats  # (O,)
    width: float
    unexplained: Floats  # (n,) of each joint's variation when the held ones are known


class OwnWay(NamedTuple):
    """How a drag began, seen from the standpoint that the body had then, and where it is now."""

    heading: Floats  # (1,) the way the body faces
    before: Floats  # (E, 3) where the held joints were a frame ago, in the world
    first: Floats  # (n, 3) the body when the drag began
    first_held: Floats  # (E, 3)
    own: Floats  # (2, n, 3) what it differed by from everybody and from its neighbours
    held: Floats  # (E, 3) room
    guesses: Floats  # (2, n, 3) room


class OwnWayPace(NamedTuple):
    """How the own way fades and the heading turns."""

    reach_m: float  # with the held joints so far from where they began, half of it is left
    turning: float  # share of what the heading is off the body's that a frame makes good
    steady_m: float  # held joints that are no farther apart say little of a turn


def make_own_way(joints: int, held: int) -> OwnWay:
    """Nothing has begun."""
    body, few = np.zeros((joints, 3)), np.zeros((held, 3))
    pair = np.zeros((2, joints, 3))
    return OwnWay(np.zeros(1), few, body, few.copy(), pair, few.copy(), pair.copy())


@kernel
def follow_wishes(goals: Floats, wanted: Floats, most_m: float) -> float:
    """Move goals (E, 3) to what is wanted (E, 3), each by most_m at most; the largest change."""
    moved = 0.0
    for e in range(goals.shape[0]):
        square = 0.0
        for c in range(3):
            square += (wanted[e, c] - goals[e, c]) ** 2
        share = min(1.0, most_m / max(sqrt(square), 1e-9))
        for c in range(3):
            step = share * (wanted[e, c] - goals[e, c])
            goals[e, c] += step
            moved = max(moved, abs(step))
    return moved


@kernel
def heading_of_joints(points: Floats, sideways: Floats) -> float:
    """The way postures (n, 3) face: across the line from right joints to left ones (n)."""
    x, z = 0.0, 0.0
    for j in range(points.shape[0]):
        x += points[j, 0] * sideways[j]
        z -= points[j, 2] * sideways[j]
    return atan2(z, x)


@kernel
def _seen(points: Floats, origin: Floats, heading: float, out: Floats) -> None:
    """Points (k, 3) as seen from a standpoint."""
    c, s = cos(heading), sin(heading)
    for j in range(points.shape[0]):
        x, z = points[j, 0] - origin[0], points[j, 2] - origin[2]
        out[j, 0], out[j, 1], out[j, 2] = c * x - s * z, points[j, 1] - origin[1], s * x + c * z


@kernel
def _placed(points: Floats, origin: Floats, heading: float, out: Floats) -> None:
    """Where points (k, 3) are that are seen so from a standpoint."""
    c, s = cos(heading), sin(heading)
    for j in range(points.shape[0]):
        x, z = points[j, 0], points[j, 2]
        out[j, 0], out[j, 2] = c * x + s * z + origin[0], c * z - s * x + origin[2]
        out[j, 1] = points[j, 1] + origin[1]


@kernel
def _stand(goals: Floats, feet: Ints, origin: Floats) -> None:
    """origin (3): the middle of held joints (E, 3), as high as the lowest of the feet."""
    origin[:] = 0.0
    for e in range(goals.shape[0]):
        origin[0] += goals[e, 0] / goals.shape[0]
        origin[2] += goals[e, 2] / goals.shape[0]
    for i in range(feet.shape[0]):
        y = goals[feet[i], 1]
        if i == 0 or y < origin[1]:
            origin[1] = y


@kernel
def everybody_expects(everybody: Everybody, goals: Floats, heading: float, out: Floats) -> None:
    """out (n, 3): the joints of a body facing `heading` whose held joints are at goals (E, 3)."""
    origin, held = np.empty(3), np.empty(goals.shape)
    _stand(goals, everybody.feet, origin)
    _seen(goals, origin, heading, held)
    read_landmarks(
        held.reshape(-1),
        everybody.landmarks,
        everybody.weights,
        everybody.mean,
        everybody.width,
        out.reshape(-1),
    )
    _placed(out, origin, heading, out)


@kernel
def _turn(goals: Floats, before: Floats, steady_m: float) -> float:
    """The turn about the vertical that takes held joints (E, 3) from `before` to goals best."""
    count = goals.shape[0]
    ax, az, bx, bz = 0.0, 0.0, 0.0, 0.0
    for e in range(count):
        ax += before[e, 0] / count
        az += before[e, 2] / count
        bx += goals[e, 0] / count
        bz += goals[e, 2] / count
    along, across = steady_m * steady_m, 0.0
    for e in range(count):
        x, z = before[e, 0] - ax, before[e, 2] - az
        along += x * (goals[e, 0] - bx) + z * (goals[e, 2] - bz)
        across += z * (goals[e, 0] - bx) - x * (goals[e, 2] - bz)
    return atan2(across, along)


@kernel
def expect(
    everybody: Everybody,
    pace: OwnWayPace,
    sideways: Floats,
    joints: Ints,
    goals: Floats,
    here: Floats,
    near: Floats,
    trust: float,
    share: float,
    begins: bool,
    way: OwnWay,
    out: Floats,
) -> None:
    """out (n, 3): where the joints of a body are expected whose held ones (E) go to goals (E, 3).

    here and near (n, 3) are the body's joints and the neighbours' guess, which counts `trust`;
    `begins` with the first frame of a drag. share: how much the expectation counts.
    """
    faces = heading_of_joints(here, sideways)
    if begins:
        way.heading[0] = faces
    else:
        way.heading[0] += _turn(goals, way.before, pace.steady_m)
    way.before[:] = goals
    heading, origin = way.heading[0], np.empty(3)
    _stand(goals, everybody.feet, origin)
    _seen(goals, origin, heading, way.held)
    read_landmarks(
        way.held.reshape(-1),
        everybody.landmarks,
        everybody.weights,
        everybody.mean,
        everybody.width,
        way.guesses[0].reshape(-1),
    )
    _seen(near, origin, heading, way.guesses[1])
    if begins:
        _seen(here, origin, heading, way.first)
        way.first_held[:] = way.held
        for k in range(2):
            for j in range(here.shape[0]):
                for c in range(3):
                    way.own[k, j, c] = way.first[j, c] - way.guesses[k, j, c]
    far = 0.0
    for e in range(goals.shape[0]):
        for c in range(3):
            far += ((way.held[e, c] - way.first_held[e, c]) / pace.reach_m) ** 2
    for j in range(here.shape[0]):
        for c in range(3):
            value = 0.0
            for k in range(2):
                guess, own = way.guesses[k, j, c], way.own[k, j, c]
                change = guess + own - way.first[j, c]
                kept = (own - everybody.unexplained[j] * change) / (1.0 + far)
                value += (trust if k == 1 else 1.0 - trust) * (guess + kept)
            out[j, c] = value
    _placed(out, origin, heading, out)
    for e in range(joints.shape[0]):
        out[joints[e]] = goals[e]
    off = faces - heading
    off -= 2.0 * pi * round(off / (2.0 * pi))
    way.heading[0] += share * pace.turning * off
