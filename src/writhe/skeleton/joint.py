"""One joint of a skeleton: its kind, its frame in the parent, its limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from writhe.arguments import check_fields
from writhe.arrays import Floats, array_of_numbers, floats, lengths, number
from writhe.errors import WritheError


class JointKind(IntEnum):
    """The kind of a joint; the kernels (`kernels.skeleton.kinematics`) have the same values.

    The values are repeated here so that a skeleton can be described without loading the kernels.
    """

    FIXED = 0
    HINGE = 1
    PRISMATIC = 2
    BALL = 3
    FREE = 4

    @property
    def configuration_size(self) -> int:
        """The number of entries of q of the joint."""
        return (0, 1, 1, 4, 7)[self]

    @property
    def tangent_size(self) -> int:
        """The number of degrees of freedom of the joint."""
        return (0, 1, 1, 3, 6)[self]


def _rotation(values: Floats, what: str) -> Floats:
    """A quaternion (4,) that is not zero, as given."""
    rotation = floats(values, (4,), what)
    if float(np.linalg.norm(rotation)) < 1e-6:
        raise WritheError(f"{what} is a quaternion of length zero; the identity is (1, 0, 0, 0)")
    return rotation


def _zero() -> Floats:
    return np.zeros(3)


def _identity() -> Floats:
    return np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True, slots=True)
class Limits:
    """Joint limits in radians (metres for a prismatic joint).

    A hinge or prismatic joint has one lower and one upper bound. A ball joint has three of each,
    for (twist, swing_y, swing_z) in the limit frame, whose x axis is the bone; the swing bounds are
    the half-axes of an ellipse and must enclose zero.
    """

    lower: Floats
    upper: Floats
    frame: Floats = field(default_factory=_identity)

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            rows = array_of_numbers(getattr(self, name), f"the {name} limits")
            if rows.ndim != 1 or np.isnan(rows).any():
                raise WritheError(f"the {name} limits must be a list of numbers (or infinite)")
            object.__setattr__(self, name, rows)
        if len(self.lower) != len(self.upper) or len(self.lower) not in (1, 3):
            raise WritheError(
                "a joint has one or three lower limits and as many upper ones, not"
                f" {len(self.lower)} and {len(self.upper)}"
            )
        object.__setattr__(self, "frame", _rotation(self.frame, "the limit frame"))


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint as data. `parent` is the parent's name, None for a root.

    `offset_in_parent` and `rest` (quaternion wxyz) give the joint's frame in the parent's at rest;
    `axis` (hinge, prismatic) is in the joint's own frame.
    """

    name: str
    parent: str | None
    kind: JointKind
    offset_in_parent: Floats = field(default_factory=_zero)
    rest: Floats = field(default_factory=_identity)
    axis: Floats = field(default_factory=_zero)
    limits: Limits | None = None
    mass_kg: float = 0.0
    centre_of_mass: Floats = field(default_factory=_zero)
    inertia: Floats = field(default_factory=_zero)

    def __post_init__(self) -> None:
        check_fields(self)
        what = f"of the joint {self.name!r}"
        offset = lengths(self.offset_in_parent, (3,), f"the offset {what}")
        object.__setattr__(self, "offset_in_parent", offset)
        object.__setattr__(self, "rest", _rotation(self.rest, f"the rest rotation {what}"))
        for name in ("axis", "centre_of_mass", "inertia"):
            object.__setattr__(self, name, floats(getattr(self, name), (3,), f"{name} {what}"))
        if self.kind in (JointKind.HINGE, JointKind.PRISMATIC):
            length = float(np.linalg.norm(self.axis))
            if abs(length - 1.0) > 1e-6:
                raise WritheError(f"the axis {what} must have length 1, not {length:g}")
        number(self.mass_kg, f"the mass {what}", minimum=0.0)
        limits = self.limits
        if limits is not None and len(limits.lower) != (3 if self.kind >= JointKind.BALL else 1):
            raise WritheError(
                f"the limits {what}: a hinge or prismatic joint has one interval, a ball three"
            )


@dataclass(frozen=True, slots=True)
class Tip:
    """The end of a chain beyond its last joint (a BVH end site): a point fixed to a joint."""

    name: str
    joint: str
    offset_in_joint: Floats

    def __post_init__(self) -> None:
        check_fields(self)
        offset = lengths(self.offset_in_joint, (3,), f"the offset of the tip {self.name!r}")
        object.__setattr__(self, "offset_in_joint", offset)
