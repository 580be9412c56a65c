"""Half-spaces: keep a point of the body on one side of a plane.

Half-space inverse kinematics states them as a squared distance to the plane, which pulls the point
onto it from both sides; `half_space_as_published` keeps that, `half_space` is one-sided.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import vector3
from writhe.quantities import Height
from writhe.terms.term import HARD, Term


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
