"""Handles: targets to reach, pins fixed in the world, and holds fixed relative to another joint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from writhe.arguments import checked
from writhe.arrays import MAX_COORDINATE_M, Floats, Quaternion, Vector3, floats, lengths, vector3
from writhe.errors import WritheError
from writhe.skeleton import Skeleton, forward
from writhe.skeleton.quaternions import quaternion_of

_SOFT_PIN = 0.5  # softness from which a target is not reached firmly


@dataclass(frozen=True, slots=True)
class Target:
    """A goal position for a point of a joint, and optionally a goal orientation of the joint.

    `softness` from 0 (full weight) to 1 lowers the weight: w = w_target (1 - softness)^2.
    """

    joint: str
    position_in_world: Vector3
    point_in_joint: Vector3 = (0.0, 0.0, 0.0)
    orientation_in_world: Quaternion | None = None
    softness: float = 0.0

    def __post_init__(self) -> None:
        _check_handle(self, "position_in_world", "orientation_in_world")
        softness: Any = self.softness
        if not (isinstance(softness, int | float) and 0.0 <= softness <= 1.0):
            raise WritheError(
                "the softness of a target must be 0 (full weight) to 1 (no weight), not"
                f" {self.softness}"
            )

    @property
    def is_soft_pin(self) -> bool:
        """Whether it only keeps a part where it is: it is too soft to be reached firmly."""
        return self.softness >= _SOFT_PIN


@dataclass(frozen=True, slots=True)
class Pin:
    """A point of a joint fixed in the world, and optionally the joint's orientation."""

    joint: str
    position_in_world: Vector3
    point_in_joint: Vector3 = (0.0, 0.0, 0.0)
    orientation_in_world: Quaternion | None = None

    def __post_init__(self) -> None:
        _check_handle(self, "position_in_world", "orientation_in_world")


@dataclass(frozen=True, slots=True)
class Hold:
    """A point of a joint fixed in the frame of another joint: a hand resting on a thigh.

    Pass it among the pins. In a scene, `on` may also be an object ("bar") or a joint of another
    actor ("ben.right_wrist"). Contact of the two parts is allowed separately, by
    `make_poser(contacts=...)`.
    """

    joint: str
    on: str
    position_in_other: Vector3
    point_in_joint: Vector3 = (0.0, 0.0, 0.0)
    orientation_in_other: Quaternion | None = None

    def __post_init__(self) -> None:
        _check_handle(self, "position_in_other", "orientation_in_other")
        other: Any = self.on
        if not isinstance(other, str):
            raise WritheError(f"the other joint of a hold must be a name, not {self.on!r}")


Handle = Target | Pin | Hold


def _check_handle(handle: Target | Pin | Hold, position: str, orientation: str) -> None:
    """Raise unless names are names, points finite and near, and orientations rotations.

    Handles are made in every frame of a drag: tuples of floats are checked without NumPy.
    """
    joint: Any = handle.joint
    if not isinstance(joint, str):
        raise WritheError(f"the joint of a handle must be a name, not {handle.joint!r}")
    for name in (position, "point_in_joint"):
        point: Vector3 = getattr(handle, name)
        if type(point) is not tuple or len(point) != 3 or not _all_near(point):
            what = f"{name} of the handle of {handle.joint!r}"
            object.__setattr__(handle, name, tuple(lengths(point, (3,), what).tolist()))
    turn = getattr(handle, orientation)
    if turn is not None:
        what = f"{orientation} of the handle of {handle.joint!r}"
        numbers = floats(turn, (4,), what)
        if not abs(float(numbers @ numbers) - 1.0) < 0.02:
            raise WritheError(f"{what} must be a unit quaternion (w, x, y, z), not {turn}")
        object.__setattr__(handle, orientation, tuple(numbers.tolist()))


def _all_near(point: Vector3) -> bool:
    x, y, z = point
    if not (type(x) is float and type(y) is float and type(z) is float):
        return False
    return (
        -MAX_COORDINATE_M <= x <= MAX_COORDINATE_M
        and -MAX_COORDINATE_M <= y <= MAX_COORDINATE_M
        and -MAX_COORDINATE_M <= z <= MAX_COORDINATE_M
    )


def check_handles(targets: Sequence[Target], held: Sequence[Pin | Hold]) -> None:
    """Raise unless these are sequences of targets, and of pins and holds."""
    _check_kinds(targets, (Target,), "targets")
    _check_kinds(held, (Pin, Hold), "pins")


def _check_kinds(given: Iterable[object], kinds: tuple[type, ...], what: str) -> None:
    if not isinstance(given, Sequence) or not all(type(h) in kinds for h in given):
        words = " or ".join(kind.__name__ for kind in kinds)
        raise WritheError(f"{what} must be a sequence of {words}, not {given!r:.80}")


@checked
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


@checked
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
