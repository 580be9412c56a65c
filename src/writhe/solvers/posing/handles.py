"""Handles: targets to reach, pins fixed in the world, and holds fixed relative to another joint."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from writhe.arrays import Floats, Quaternion, Vector3, vector3
from writhe.errors import WritheError
from writhe.skeleton import Skeleton, forward
from writhe.skeleton.quaternions import quaternion_of


@dataclass(frozen=True, slots=True)
class Target:
    """A goal position for a point of a joint, and optionally a goal orientation of the joint.

    `softness` from 0 (firm) to 1 (barely pulled) lowers the weight: w = w_target (1 - softness)^2.
    """

    joint: str
    position_in_world: Vector3
    point_in_joint: Vector3 = (0.0, 0.0, 0.0)
    orientation_in_world: Quaternion | None = None
    softness: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.softness <= 1.0:
            raise WritheError(
                f"the softness of a target is 0 (firm) to 1 (barely pulled), not {self.softness}"
            )


@dataclass(frozen=True, slots=True)
class Pin:
    """A point of a joint fixed in the world, and optionally the joint's orientation."""

    joint: str
    position_in_world: Vector3
    point_in_joint: Vector3 = (0.0, 0.0, 0.0)
    orientation_in_world: Quaternion | None = None


@dataclass(frozen=True, slots=True)
class Hold:
    """A point of a joint fixed in the frame of another joint: a hand resting on a thigh.

    Pass it among the pins. Contact of the two parts is allowed separately, by
    `make_poser(contacts=...)`.
    """

    joint: str
    on: str
    position_in_other: Vector3
    point_in_joint: Vector3 = (0.0, 0.0, 0.0)
    orientation_in_other: Quaternion | None = None


Handle = Target | Pin | Hold


def pin_here(
    skeleton: Skeleton,
    q: Floats,
    joint: str,
    *,
    orientation: bool = False,
    point_in_joint: ArrayLike = (0.0, 0.0, 0.0),
) -> Pin:
    """A pin that holds `joint` where it is at q."""
    frames = forward(skeleton, q)
    turn = quaternion_of(frames.rotation(joint)) if orientation else None
    position = frames.point(joint, point_in_joint)
    return Pin(joint, vector3(position), vector3(point_in_joint), turn)


def hold_here(
    skeleton: Skeleton,
    q: Floats,
    joint: str,
    on: str,
    *,
    orientation: bool = False,
    point_in_joint: ArrayLike = (0.0, 0.0, 0.0),
) -> Hold:
    """A hold that keeps `joint` where it is at q in the frame of the joint `on`."""
    frames = forward(skeleton, q)
    other = frames.rotation(on)
    position = other.T @ (frames.point(joint, point_in_joint) - frames.position(on))
    turn = quaternion_of(other.T @ frames.rotation(joint)) if orientation else None
    return Hold(joint, on, vector3(position), vector3(point_in_joint), turn)
