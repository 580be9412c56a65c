"""One joint of a skeleton: its kind, its frame in the parent, its limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.skeleton import kinematics


class JointKind(IntEnum):
    """The kind of a joint, with the values of `kernels.skeleton.kinematics`."""

    FIXED = kinematics.FIXED
    HINGE = kinematics.HINGE
    PRISMATIC = kinematics.PRISMATIC
    BALL = kinematics.BALL
    FREE = kinematics.FREE

    @property
    def configuration_size(self) -> int:
        """The number of entries of q of the joint."""
        return kinematics.CONFIGURATION_SIZE[self]

    @property
    def tangent_size(self) -> int:
        """The number of degrees of freedom of the joint."""
        return kinematics.TANGENT_SIZE[self]


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


@dataclass(frozen=True, slots=True)
class Tip:
    """The end of a chain beyond its last joint (a BVH end site): a point fixed to a joint."""

    name: str
    joint: str
    offset_in_joint: Floats
