"""What the user holds: targets that are dragged and pins that stay."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from writhe.arrays import Floats
from writhe.quantities.quantity import vector
from writhe.skeleton import Skeleton, forward

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


def _three(values: ArrayLike) -> Vector3:
    x, y, z = vector(values)
    return x, y, z


@dataclass(frozen=True, slots=True)
class Target:
    """A point of a joint that is to go somewhere, and perhaps an orientation for the joint.

    `softness` from 0 (firm) to 1 (barely pulled) says how readily the target gives way.
    """

    joint: str
    position_in_world: Vector3
    point_in_joint: Vector3 = (0.0, 0.0, 0.0)
    orientation_in_world: Quaternion | None = None
    softness: float = 0.0


@dataclass(frozen=True, slots=True)
class Pin:
    """A point of a joint that stays where it was pinned, with its orientation if given."""

    joint: str
    position_in_world: Vector3
    point_in_joint: Vector3 = (0.0, 0.0, 0.0)
    orientation_in_world: Quaternion | None = None


def pin_here(
    skeleton: Skeleton,
    q: Floats,
    joint: str,
    *,
    orientation: bool = False,
    point_in_joint: ArrayLike = (0.0, 0.0, 0.0),
) -> Pin:
    """A pin that holds `joint` where it is at q."""
    import numpy as np

    from writhe.kernels.rotation import matrix_to_quaternion

    frames = forward(skeleton, q)
    turn: Quaternion | None = None
    if orientation:
        quaternion = np.empty(4)
        matrix_to_quaternion(np.ascontiguousarray(frames.rotation(joint)), quaternion)
        w, x, y, z = vector(quaternion)
        turn = (w, x, y, z)
    place = frames.point(joint, point_in_joint)
    return Pin(joint, _three(place), _three(point_in_joint), turn)
