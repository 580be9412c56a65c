"""Terms that move or pin points of a body, and orient its joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, vector3
from writhe.quantities import Direction, Orientation, Point
from writhe.quantities.quantity import vector
from writhe.skeleton import Skeleton, forward
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
    target = np.asarray(target_in_world, dtype=np.float64)
    return Term(
        Point(joint, vector3(point_in_joint)), target, target, weight, label=f"reach {joint}"
    )


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
    terms = [Term(Point(joint), place, place, weight, label=f"pin {joint}")]
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
    return Term(quantity, 0.0, 0.0, weight, label=f"turn {joint}")


def point_at(
    joint: str, direction_in_joint: ArrayLike, direction_in_world: ArrayLike, *, weight: float = 1.0
) -> Term:
    """Align a direction of `joint` with a direction in the world."""
    target = np.asarray(direction_in_world, dtype=np.float64)
    return Term(
        Direction(joint, vector3(direction_in_joint)),
        target,
        target,
        weight,
        label=f"point {joint}",
    )
