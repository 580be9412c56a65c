"""Interval terms: joint limits, clearances, half-spaces, linking, balance, change over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import vector3
from writhe.quantities import (
    CentreOfMass,
    Gap,
    Height,
    JointCoordinate,
    Linking,
    Quantity,
    SwingExtent,
)
from writhe.skeleton import Capsule, JointKind, Skeleton
from writhe.terms.term import HARD, Term
from writhe.topology import Strand


def joint_limits(
    skeleton: Skeleton, *, weight: float = HARD, only_under: str | None = None
) -> list[Term]:
    """Terms for all joint limits of the skeleton, or for those in the subtree of `only_under`."""
    joints = skeleton.joints
    if only_under is not None:
        first = skeleton.index(only_under)
        joints = joints[first : int(skeleton.tree.subtree_end[first])]
    terms: list[Term] = []
    for joint in joints:
        if joint.limits is None:
            continue
        low, high = float(joint.limits.lower[0]), float(joint.limits.upper[0])
        terms.append(
            Term(JointCoordinate(joint.name), low, high, weight, label=f"limit {joint.name}")
        )
        if joint.kind is JointKind.BALL:
            terms.append(
                Term(SwingExtent(joint.name), 0.0, 1.0, weight, label=f"swing {joint.name}")
            )
    return terms


def keep_apart(
    first: Capsule, second: Capsule, *, clearance_m: float = 0.0, weight: float = HARD
) -> Term:
    """Keep the surfaces of two capsules at least `clearance_m` apart."""
    label = f"apart {first.part_name} {second.part_name}"
    return Term(Gap(first, second), clearance_m, np.inf, weight, label=label)


def keep_linking(
    first: Strand, second: Strand, lower: float, upper: float, *, weight: float = 1.0
) -> Term:
    """Keep the linking of two strands within [lower, upper]."""
    label = f"linking {first.name} {second.name}"
    return Term(Linking(first, second), lower, upper, weight, label=label)


def _height(
    joint: str,
    point_in_joint: ArrayLike,
    plane_point: ArrayLike,
    normal: ArrayLike,
    plane_of: str | None,
) -> Height:
    direction = np.asarray(normal, dtype=np.float64)
    direction = direction / np.linalg.norm(direction)
    offset = float(direction @ np.asarray(plane_point, dtype=np.float64))
    return Height(joint, vector3(point_in_joint), vector3(direction), offset, plane_of)


def half_space(
    joint: str,
    point_in_joint: ArrayLike,
    plane_point: ArrayLike,
    normal: ArrayLike,
    *,
    clearance_m: float = 0.0,
    plane_of: str | None = None,
    weight: float = HARD,
) -> Term:
    """Keep the point at least `clearance_m` beyond the plane, along its normal.

    The plane is given in the world frame, or in the frame of the joint `plane_of`.
    """
    quantity = _height(joint, point_in_joint, plane_point, normal, plane_of)
    return Term(quantity, clearance_m, np.inf, weight, label=f"half-space {joint}")


def half_space_as_published(
    joint: str,
    point_in_joint: ArrayLike,
    plane_point: ArrayLike,
    normal: ArrayLike,
    *,
    weight: float = 1.0,
) -> Term:
    """The half-space term as printed in the paper: the squared distance to the plane."""
    quantity = _height(joint, point_in_joint, plane_point, normal, None)
    return Term(quantity, 0.0, 0.0, weight, label=f"plane {joint}")


def keep_centre_over(
    root: str, place_in_world: ArrayLike, *, within_m: float = 0.05, weight: float = 1.0
) -> Term:
    """Keep the centre of mass of `root` within a square around a point of the ground.

    `within_m` is half the side of the square, metres.
    """
    x, _, z = np.asarray(place_in_world, dtype=np.float64)
    return Term(
        CentreOfMass(root),
        np.array([x - within_m, -np.inf, z - within_m]),
        np.array([x + within_m, np.inf, z + within_m]),
        weight,
        label=f"balance {root}",
    )


def velocity(quantity: Quantity, *, limit: float = 0.0, weight: float = 1.0) -> Term:
    """Keep the change of a quantity since the previous frame within +-limit."""
    return Term(quantity, -limit, limit, weight, stencil=(-1.0, 1.0), label=f"velocity {quantity}")


def acceleration(quantity: Quantity, *, limit: float = 0.0, weight: float = 1.0) -> Term:
    """Keep the second difference of a quantity over three frames within +-limit."""
    return Term(
        quantity, -limit, limit, weight, stencil=(1.0, -2.0, 1.0), label=f"acceleration {quantity}"
    )
