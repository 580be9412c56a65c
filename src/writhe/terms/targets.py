"""Equality terms: positions, orientations, relations between joints, a reference posture."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, floats, vector3
from writhe.quantities import Direction, FreeJointPose, JointPosture, Orientation, Point, Separation
from writhe.quantities.quantity import Quantity, vector
from writhe.skeleton import JointKind, Skeleton, forward
from writhe.skeleton.quaternions import quaternion_of
from writhe.terms.term import HARD, Term


def reach(
    joint: str,
    target_in_world: ArrayLike,
    *,
    point_in_joint: ArrayLike = (0.0, 0.0, 0.0),
    weight: float = 1.0,
) -> Term:
    """Move a point of `joint` to a target in the world; soft."""
    quantity = Point(joint, vector3(point_in_joint))
    return _equality(quantity, target_in_world, weight, f"reach {joint}")


def pin(
    skeleton: Skeleton,
    joint: str,
    q: Floats,
    *,
    orientation: bool = False,
    weight: float = HARD,
) -> list[Term]:
    """Keep `joint` at its position at q, and optionally at its orientation."""
    frames = forward(skeleton, q)
    place = frames.position(joint)
    terms = [_equality(Point(joint), place, weight, f"pin {joint}")]
    if orientation:
        terms.append(turn_to(joint, frames.rotation(joint), weight=weight))
    return terms


def turn_to(
    joint: str, rotation: ArrayLike, *, seen_from: str | None = None, weight: float = 1.0
) -> Term:
    """Orient `joint` like a quaternion (wxyz) or a rotation matrix.

    The orientation is in the world frame, or in the frame of the joint `seen_from`.
    """
    given = np.asarray(rotation, dtype=np.float64)
    w, x, y, z = vector(quaternion_of(given) if given.shape == (3, 3) else given)
    quantity = Orientation(joint, (w, x, y, z), seen_from)
    return _equality(quantity, 0.0, weight, f"turn {joint}")


def point_at(
    joint: str, direction_in_joint: ArrayLike, direction_in_world: ArrayLike, *, weight: float = 1.0
) -> Term:
    """Align a direction of `joint` with a direction in the world."""
    quantity = Direction(joint, vector3(direction_in_joint))
    return _equality(quantity, direction_in_world, weight, f"point {joint}")


def keep_relative(
    joint: str,
    seen_from: str,
    position_in_other: ArrayLike,
    *,
    point_in_joint: ArrayLike = (0.0, 0.0, 0.0),
    weight: float = HARD,
) -> Term:
    """Keep a point of `joint` at a position in another joint's frame (a hand on a thigh)."""
    quantity = Point(joint, vector3(point_in_joint), seen_from)
    return _equality(quantity, position_in_other, weight, f"hold {joint} {seen_from}")


def keep_direction(
    joint: str,
    direction_in_joint: ArrayLike,
    seen_from: str,
    direction_in_other: ArrayLike,
    *,
    weight: float = HARD,
) -> Term:
    """Keep a direction of `joint` along a direction in another joint's frame."""
    quantity = Direction(joint, vector3(direction_in_joint), seen_from)
    return _equality(quantity, direction_in_other, weight, f"align {joint} {seen_from}")


def keep_distance(
    joint: str,
    other: str,
    distance_m: float,
    *,
    point_in_joint: ArrayLike = (0.0, 0.0, 0.0),
    point_in_other: ArrayLike = (0.0, 0.0, 0.0),
    weight: float = HARD,
) -> Term:
    """Keep two points at a distance (two hands on a bar)."""
    quantity = Separation(joint, vector3(point_in_joint), other, vector3(point_in_other))
    return _equality(quantity, distance_m, weight, f"distance {joint} {other}")


def stay_near(
    skeleton: Skeleton,
    q: Floats,
    *,
    weight: float = 0.05,
    weight_of: Mapping[str, float] | None = None,
    root: bool = True,
) -> list[Term]:
    """Keep every joint near its configuration in q; `weight_of` overrides weights by joint name.

    Without `root`, free joints get no term.
    """
    reference = floats(q, (skeleton.configuration_size,), "the reference posture")
    special = weight_of or {}
    for name in special:
        skeleton.index(name)
    terms: list[Term] = []
    for joint in skeleton.joints:
        numbers = vector(reference[skeleton.q_slice(joint.name)])
        if joint.kind is JointKind.FIXED or (joint.kind is JointKind.FREE and not root):
            continue
        kind = FreeJointPose if joint.kind is JointKind.FREE else JointPosture
        own = special.get(joint.name, weight)
        terms.append(_equality(kind(joint.name, numbers), 0.0, own, f"near {joint.name}"))
    return terms


def _equality(quantity: Quantity, target: ArrayLike, weight: float, label: str) -> Term:
    value = np.asarray(target, dtype=np.float64)
    return Term(quantity, value, value, weight, label=label)
