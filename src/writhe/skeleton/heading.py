"""Headings: rotations about the vertical, and the direction in which a body faces."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton.figure import Figure
from writhe.skeleton.kinematics import forward
from writhe.skeleton.limbs import SIDES
from writhe.skeleton.move_root import moving_root

_SQUARE_RAD = np.radians(15.0)  # hips that are turned by less at rest face along an axis


def yaw_matrix(angle: float) -> Floats:
    """(3, 3) the rotation about the vertical by an angle in radians; it takes +z towards +x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def heading_of_vector(ahead: Floats) -> float:
    """The direction of a vector (3,) seen from above, from +z towards +x, rad."""
    return float(np.arctan2(ahead[0], ahead[2]))


def heading_of(figure: Figure, q: Floats) -> float:
    """The direction that the body faces, about the vertical from +z towards +x, rad."""
    return turn_from_rest(figure, q) + facing_at_rest(figure)


def turn_from_rest(figure: Figure, q: Floats) -> float:
    """The angle about the vertical by which the body is turned from rest, rad."""
    skeleton = figure.skeleton
    root = skeleton.index(moving_root(figure))
    rest = forward(skeleton, skeleton.rest_configuration).rotations[root]
    return heading_of_vector(forward(skeleton, q).rotations[root] @ rest.T @ (0.0, 0.0, 1.0))


def facing_at_rest(figure: Figure) -> float:
    """The direction that a person faces at rest: +z in most files, -z in those of VRM 0.x, rad."""
    roles, skeleton = dict(figure.roles), figure.skeleton
    if not {f"{side}_hip" for side in SIDES} <= set(roles):
        return 0.0
    at = skeleton.rest_positions
    left, right = (at[skeleton.index(roles[f"{side}_hip"])] for side in SIDES)
    angle = heading_of_vector(np.cross(left - right, (0.0, 1.0, 0.0)))
    quarter = 0.5 * np.pi * round(angle / (0.5 * np.pi))
    return quarter if abs(angle - quarter) < _SQUARE_RAD else angle
