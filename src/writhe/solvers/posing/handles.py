"""What the user holds: targets that are dragged, pins that stay, and parts that rest on others."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from writhe.arrays import Floats, Quaternion, Vector3, vector3
from writhe.errors import WritheError
from writhe.skeleton import Skeleton, forward
from writhe.skeleton.quaternions import quaternion_of


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

    def __post_init__(self) -> None:
        if not 0.0 <= self.softness <= 1.0:
            raise WritheError(
                f"the softness of a target is 0 (firm) to 1 (barely pulled), not {self.softness}"
            )


@dataclass(frozen=True, slots=True)
class Pin:
    """A point of a joint that stays where it was pinned, with its orientation if given."""

    joint: str
    position_in_world: Vector3
    point_in_joint: Vector3 = (0.0, 0.0, 0.0)
    orientation_in_world: Quaternion | None = None


@dataclass(frozen=True, slots=True)
class Hold:
    """A point of a joint that stays at a place of another joint: a hand resting on a thigh.

    Give it among the pins. That the two may touch is declared apart: `make_poser(contacts=...)`.
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
    place = frames.point(joint, point_in_joint)
    return Pin(joint, vector3(place), vector3(point_in_joint), turn)


def hold_here(
    skeleton: Skeleton,
    q: Floats,
    joint: str,
    on: str,
    *,
    orientation: bool = False,
    point_in_joint: ArrayLike = (0.0, 0.0, 0.0),
) -> Hold:
    """A hold that keeps `joint` where it is at q as seen from the joint `on`."""
    frames = forward(skeleton, q)
    other = frames.rotation(on)
    place = other.T @ (frames.point(joint, point_in_joint) - frames.position(on))
    turn = quaternion_of(other.T @ frames.rotation(joint)) if orientation else None
    return Hold(joint, on, vector3(place), vector3(point_in_joint), turn)
