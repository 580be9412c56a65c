"""Joint coordinates: those in which joint limits are stated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.errors import WritheError
from writhe.kernels.terms import quantity_rows
from writhe.quantities.quantity import Quantity, QuantityCode, vector
from writhe.skeleton import JointKind, Limits, Skeleton

_NO_LIMITS = Limits(np.full(3, -np.inf), np.full(3, np.inf))


@dataclass(frozen=True, slots=True)
class JointCoordinate(Quantity):
    """A hinge's angle, a slide's displacement, or a ball joint's twist (0) or swing (1, 2)."""

    joint: str
    which: int = 0

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        index = skeleton.index(self.joint)
        joint = skeleton.joints[index]
        if joint.kind is JointKind.FIXED or self.which >= min(3, joint.kind.tangent_size):
            raise WritheError(f"{self.joint!r} has no coordinate {self.which}")
        frame = (joint.limits or _NO_LIMITS).frame
        return QuantityCode(
            quantity_rows.COORDINATE, 1, index, -1, (float(self.which), *vector(frame))
        )

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        return [
            cls(joint.name, int(rng.integers(min(3, joint.kind.tangent_size))))
            for joint in skeleton.joints
            if joint.kind is not JointKind.FIXED
        ]


@dataclass(frozen=True, slots=True)
class SwingExtent(Quantity):
    """The swing of a ball joint relative to its limit ellipse; 1 is on the ellipse."""

    joint: str

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        index = skeleton.index(self.joint)
        joint = skeleton.joints[index]
        if joint.kind is not JointKind.BALL or joint.limits is None:
            raise WritheError(f"{self.joint!r} is not a ball joint with limits")
        limits = joint.limits
        data = (*vector(limits.frame), *vector(limits.lower[1:]), *vector(limits.upper[1:]))
        return QuantityCode(quantity_rows.SWING, 1, index, -1, data)

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        return [
            cls(joint.name)
            for joint in skeleton.joints
            if joint.kind is JointKind.BALL and joint.limits is not None
        ]
