"""Relations between two joints: relative position, direction, distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import vector3
from writhe.quantities import Direction, Point, Separation
from writhe.terms.term import HARD, Term


def keep_relative(
    joint: str,
    seen_from: str,
    position_in_other: ArrayLike,
    *,
    point_in_joint: ArrayLike = (0.0, 0.0, 0.0),
    weight: float = HARD,
) -> Term:
    """Keep a point of `joint` at a position in another joint's frame (a hand on a thigh)."""
    target = np.asarray(position_in_other, dtype=np.float64)
    return Term(
        Point(joint, vector3(point_in_joint), seen_from),
        target,
        target,
        weight,
        label=f"hold {joint} {seen_from}",
    )


def keep_direction(
    joint: str,
    direction_in_joint: ArrayLike,
    seen_from: str,
    direction_in_other: ArrayLike,
    *,
    weight: float = HARD,
) -> Term:
    """Keep a direction of `joint` along a direction in another joint's frame."""
    target = np.asarray(direction_in_other, dtype=np.float64)
    return Term(
        Direction(joint, vector3(direction_in_joint), seen_from),
        target,
        target,
        weight,
        label=f"align {joint} {seen_from}",
    )


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
    return Term(
        Separation(joint, vector3(point_in_joint), other, vector3(point_in_other)),
        distance_m,
        distance_m,
        weight,
        label=f"distance {joint} {other}",
    )
