"""Fitted capsules changed so that a body at rest is within the allowances of the contact policy.

Distant parts (an arm beside the trunk) must not overlap at rest at all. Near neighbours may, by
less than half the smaller radius; wide trousers or a narrow pelvis lead to more. A capsule that
overlaps too much gives way on the side of the other one: its radius shrinks and its axis moves away
by the same length, so that the opposite side stays on the skin. One that meets the other with its
end (an upper arm and the chest) is shortened instead.

Further postures can be given, such as arms that hang down: without them a body at rest in a T-pose
would have its arms stopped by the chest capsules long before its skin does. In these, near
neighbours may overlap as far as the policy allows, which is a little more than they do at rest;
capsules give way if they overlap by 2 cm more, which no small change of the posture avoids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.skeleton.figure import Capsule
from writhe.skeleton.kinematics import forward
from writhe.skeleton.skeleton import Skeleton
from writhe.skeleton.skeleton_distance import body_steps

# near neighbours of the contact policy (`collision.contact_policy`), in joints with shapes
_NEAR_STEPS = 3
_SPARE_M = 0.002  # gap of distant parts
_BELOW_HALF_M = 0.0018  # overlap of near neighbours below half the smaller radius
_EXTRA_M = 0.004  # that near neighbours overlap more in another posture than at rest
_HINDERED_M = 0.02  # further overlap that a small change of the posture does not avoid
_MAX_CAPSULES = 400  # a skeleton with more is no single body
# of the fitted radius; thinner capsules only where thicker ones cannot be kept apart
_THINNEST = (0.6, 0.35)
_ROUNDS = 80
_SHARE = 0.5  # of an excess that is removed in a round
_TINY_M = 1e-4
_END_ON = 0.4  # cosine to the normal above which a capsule is shortened instead


def without_rest_overlaps(
    skeleton: Skeleton,
    capsules: list[Capsule],
    size: float,
    postures: Sequence[Floats] = (),
    kept: int = 0,
) -> tuple[Capsule, ...]:
    """The capsules, changed where they overlap at rest by more than the contact policy allows.

    What cannot be kept apart (shapes inside each other) loses the smaller capsule.
    size: stature relative to an adult's. postures: configurations (nq,) that must be possible too.
    kept: the first so many capsules do not overlap too much and are not changed.
    """
    if not 2 <= len(capsules) <= _MAX_CAPSULES:
        return tuple(capsules)
    joint = [skeleton.index(c.joint) for c in capsules]
    poses: list[_Pose] = []
    for q in (skeleton.rest_configuration, *postures):
        frames = forward(skeleton, q)
        poses.append(_Pose(frames.positions[joint], frames.rotations[joint]))
    local = np.array([[c.start_in_joint, c.end_in_joint] for c in capsules])
    radii = np.array([c.radius_m for c in capsules])
    pairs = _tested_pairs(skeleton, capsules)
    if len(pairs.a) == 0:
        return tuple(capsules)
    fitted, fixed = radii.copy(), np.arange(len(radii)) < kept
    for thinnest in _THINNEST:
        _give_way(local, radii, thinnest * fitted, fixed, pairs, size, poses[:1])
    allowed = _allowed_elsewhere(poses[0].world(local), radii, pairs, size)
    hindered = [
        pose
        for pose in poses[1:]
        if _excess(pose.world(local), radii, pairs, size, allowed)[0].max() > _HINDERED_M * size
    ]
    if hindered:
        _give_way(local, radii, _THINNEST[0] * fitted, fixed, pairs, size, [poses[0], *hindered])
        _give_way(local, radii, _THINNEST[-1] * fitted, fixed, pairs, size, poses[:1])
    apart = _largest_apart(poses[0].world(local), radii, fixed, pairs, size)
    return tuple(
        replace(c, start_in_joint=local[i, 0], end_in_joint=local[i, 1], radius_m=float(radii[i]))
        for i, c in enumerate(capsules)
        if apart[i]
    )


class _TestedPairs(NamedTuple):
    """Pairs of capsules that the contact policy tests, and which of them are near neighbours."""

    a: Ints
    b: Ints
    near: Bools
    parts: Ints  # the number of the pair of parts


class _Pose(NamedTuple):
    """World frames of the joints of capsules: positions (c, 3), rotations (c, 3, 3)."""

    positions: Floats
    rotations: Floats

    def world(self, local: Floats) -> Floats:
        """(c, 2, 3) ends of capsules in the world."""
        return np.einsum("cij,ckj->cki", self.rotations, local) + self.positions[:, None]


def _give_way(
    local: Floats,
    radii: Floats,
    thinnest: Floats,
    fixed: Bools,
    pairs: _TestedPairs,
    size: float,
    poses: Sequence[_Pose],
) -> None:
    """Shrink and move the capsules, in place, until no pair has an excess or none can shrink.

    local (c, 2, 3): their axes in their joints, radii (c,), thinnest (c,): the least radii;
    fixed (c,): those that are not changed.
    poses: the rest pose, and others in which near neighbours must not overlap much more.
    """
    a, b, near, _ = pairs
    for _ in range(_ROUNDS):
        shrink = np.zeros(len(radii))
        away = np.zeros((len(radii), 2, 3))
        longest, allowed = 0.0, None
        for pose in poses:
            ends = pose.world(local)
            excess, direction, s, t = _excess(ends, radii, pairs, size, allowed)
            if allowed is None and len(poses) > 1:
                allowed = _allowed_elsewhere(ends, radii, pairs, size)
            over = excess > _TINY_M * size
            if not over.any():
                continue
            # shrinking and moving both by x changes the gap by 4 x, shrinking alone by 2 x
            x = _SHARE * excess[over] / np.where(near[over], 4.0, 2.0)
            longest = max(longest, 2.0 * float(x.max()))
            moved = np.zeros((len(radii), 2, 3))
            for which, at, normal in ((a, s, direction), (b, t, -direction)):
                capsule, at_over = which[over], at[over]
                inwards = _inwards(ends[capsule], at_over)
                cosine = np.sum(inwards * normal[over], axis=1)
                shortened = near[over] & (cosine > _END_ON)
                np.maximum.at(shrink, capsule, np.where(shortened, 0.0, x))
                step = np.where(
                    shortened[:, None],
                    inwards * (2.0 * x / np.maximum(cosine, _END_ON))[:, None],
                    normal[over] * np.where(near[over], x, 0.0)[:, None],
                )
                np.add.at(moved, capsule, _of_ends(at_over) * step[:, None])
            away += np.einsum("cji,ckj->cki", pose.rotations, moved)
        if longest == 0.0:
            return
        shrink[fixed] = 0.0
        away[fixed] = 0.0
        room = np.maximum(radii - thinnest, 0.0)
        away[shrink > room] = 0.0  # as thin as it may be
        shrink = np.minimum(shrink, room)
        if max(shrink.max(), np.abs(away).max()) < 0.01 * _TINY_M * size:
            return
        length = np.linalg.norm(away, axis=2, keepdims=True)
        away *= np.minimum(length, longest) / np.maximum(length, 1e-12)
        radii -= shrink
        local += away


def _allowed_elsewhere(ends: Floats, radii: Floats, pairs: _TestedPairs, size: float) -> Floats:
    """(k,) how far pairs may overlap in other postures: near ones, as the contact policy says.

    ends (c, 2, 3): in the rest pose. Distant parts are not compared there.
    """
    overlap = radii[pairs.a] + radii[pairs.b] - _closest_points(ends, pairs.a, pairs.b)[0]
    maximum = np.full(int(pairs.parts.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(maximum, pairs.parts, overlap)
    half = 0.5 * np.minimum(radii[pairs.a], radii[pairs.b])
    cap = np.maximum(half - _BELOW_HALF_M * size, 0.5 * half)
    return np.where(pairs.near, np.clip(maximum[pairs.parts] + _EXTRA_M * size, 0.0, cap), np.inf)


def _inwards(ends: Floats, at: Floats) -> Floats:
    """(k, 3) unit vectors from an end of segments (k, 2, 3) along them; zero unless `at` an end."""
    along = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(along, axis=1)
    sign = np.where(at < 0.01, 1.0, np.where(at > 0.99, -1.0, 0.0)) * (length > 0.005)
    return along * (sign / np.maximum(length, 1e-12))[:, None]


def _largest_apart(
    ends: Floats, radii: Floats, fixed: Bools, pairs: _TestedPairs, size: float
) -> Bools:
    """(c,) which capsules stay so that no pair has an excess: of a pair, a fixed or the thicker."""
    excess = _excess(ends, radii, pairs, size, None)[0]
    kept = np.ones(len(radii), dtype=np.bool_)
    for k in np.argsort(-excess):
        a, b = int(pairs.a[k]), int(pairs.b[k])
        if excess[k] > 10 * _TINY_M * size and kept[a] and kept[b]:
            kept[a if (fixed[a], radii[a]) < (fixed[b], radii[b]) else b] = False
    return kept


def _of_ends(s: Floats) -> Floats:
    """(k, 2, 1) how far to move both ends of segments so that the points at s move by 1."""
    share = np.stack([1.0 - s, s], axis=1)
    return (share / np.sum(share * share, axis=1, keepdims=True))[..., None]


def _excess(
    ends: Floats, radii: Floats, pairs: _TestedPairs, size: float, allowed: Floats | None
) -> tuple[Floats, Floats, Floats, Floats]:
    """(k,) by how much pairs overlap too much, and what `_closest_points` gives.

    allowed (k,): overlaps, by default those of the rest pose.
    """
    a, b, near, _ = pairs
    distance, direction, s, t = _closest_points(ends, a, b)
    if allowed is None:
        half = 0.5 * np.minimum(radii[a], radii[b])
        maximum = np.maximum(half - _BELOW_HALF_M * size, 0.25 * half)
        allowed = np.where(near, maximum, -_SPARE_M * size)
    return radii[a] + radii[b] - distance - allowed, direction, s, t


def _tested_pairs(skeleton: Skeleton, capsules: list[Capsule]) -> _TestedPairs:
    joint = np.array([skeleton.index(c.joint) for c in capsules], dtype=np.int64)
    own, row = np.unique(joint, return_inverse=True)
    part = np.unique([c.part_name for c in capsules], return_inverse=True)[1]
    a, b = np.triu_indices(len(capsules), 1)
    steps = body_steps(skeleton.tree.parent, own)[row[a], row[b]]
    tested = (part[a] != part[b]) & (joint[a] != joint[b]) & (steps != 1)
    a, b, steps = a[tested], b[tested], steps[tested]
    low, high = np.minimum(part[a], part[b]), np.maximum(part[a], part[b])
    number = np.unique(low * len(capsules) + high, return_inverse=True)[1]
    return _TestedPairs(a, b, (steps >= 0) & (steps <= _NEAR_STEPS), number)


def _closest_points(ends: Floats, a: Ints, b: Ints) -> tuple[Floats, Floats, Floats, Floats]:
    """Of the axes of capsules a and b: distance (k,), direction (k, 3) from b to a, s (k,), t (k,).

    s and t in [0, 1] are the parameters of the closest points, by clamping: Ericson (2005),
    "Real-Time Collision Detection", section 5.1.9.
    """
    u, v = ends[a, 1] - ends[a, 0], ends[b, 1] - ends[b, 0]
    w = ends[a, 0] - ends[b, 0]
    uu, vv, uv, uw, vw = (
        np.sum(p * q, axis=1) for p, q in ((u, u), (v, v), (u, v), (u, w), (v, w))
    )
    uu, vv = np.maximum(uu, 1e-12), np.maximum(vv, 1e-12)
    determinant = uu * vv - uv * uv
    parallel = determinant < 1e-9 * uu * vv
    s = np.where(parallel, 0.5, (uv * vw - vv * uw) / np.where(parallel, 1.0, determinant))
    t = np.clip((uv * np.clip(s, 0.0, 1.0) + vw) / vv, 0.0, 1.0)
    s = np.clip((uv * t - uw) / uu, 0.0, 1.0)
    apart = w + s[:, None] * u - t[:, None] * v
    distance = np.linalg.norm(apart, axis=1)
    crossing = distance < 1e-6
    apart[crossing] = (ends[a] - ends[b]).mean(axis=1)[crossing]  # from middle to middle
    length = np.maximum(np.linalg.norm(apart, axis=1), 1e-12)
    return distance, apart / length[:, None], s, t
