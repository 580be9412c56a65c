"""Joint coordinates in which limits are stated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.errors import WritheError
from writhe.kernels.terms import quantity_rows
from writhe.quantities.quantity import Code, Quantity, vector
from writhe.skeleton import JointKind, Limits, Skeleton

_NO_LIMITS = Limits(np.full(3, -np.inf), np.full(3, np.inf))


@dataclass(frozen=True, slots=True)
class JointCoordinate(Quantity):
    """A hinge's angle, a slide's displacement, or a ball's twist (0) or swing (1, 2)."""

    joint: str
    which: int = 0

    def encode(self, skeleton: Skeleton) -> Code:
        index = skeleton.index(self.joint)
        joint = skeleton.joints[index]
        if joint.kind is JointKind.FIXED or self.which >= min(3, joint.kind.tangent_size):
            raise WritheError(f"{self.joint!r} has no coordinate {self.which}")
        frame = (joint.limits or _NO_LIMITS).frame
        return Code(quantity_rows.COORDINATE, 1, index, -1, (float(self.which), *vector(frame)))

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        return [
            cls(joint.name, int(rng.integers(min(3, joint.kind.tangent_size))))
            for joint in skeleton.joints
            if joint.kind is not JointKind.FIXED
        ]


@dataclass(frozen=True, slots=True)
class SwingExtent(Quantity):
    """How far a ball joint's swing reaches towards its limit ellipse; 1 is on it."""

    joint: str

    def encode(self, skeleton: Skeleton) -> Code:
        index = skeleton.index(self.joint)
        joint = skeleton.joints[index]
        if joint.kind is not JointKind.BALL or joint.limits is None:
            raise WritheError(f"{self.joint!r} is not a ball joint with limits")
        limits = joint.limits
        data = (*vector(limits.frame), *vector(limits.lower[1:]), *vector(limits.upper[1:]))
        return Code(quantity_rows.SWING, 1, index, -1, data)

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        return [
            cls(joint.name)
            for joint in skeleton.joints
            if joint.kind is JointKind.BALL and joint.limits is not None
        ]
