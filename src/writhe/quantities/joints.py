"""Joint coordinates, in which limits are stated, and differences from a reference posture."""

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


@dataclass(frozen=True, slots=True)
class JointPosture(Quantity):
    """The tangent step from `reference` (the joint's entries of q) to its configuration.

    One row for a hinge or slide, three for a ball joint.
    """

    joint: str
    reference: tuple[float, ...]

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        index = skeleton.index(self.joint)
        kind = skeleton.joints[index].kind
        if kind not in (JointKind.HINGE, JointKind.PRISMATIC, JointKind.BALL):
            raise WritheError(
                f"{self.joint!r} is {kind.name.lower()}: use FreeJointPose for a free joint"
            )
        return QuantityCode(
            quantity_rows.POSTURE, kind.tangent_size, index, -1, vector(self.reference)
        )

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        picked: list[Quantity] = []
        for joint in skeleton.joints:
            if joint.kind in (JointKind.HINGE, JointKind.PRISMATIC):
                picked.append(cls(joint.name, (float(rng.normal()),)))
            elif joint.kind is JointKind.BALL:
                q = rng.normal(0, 1, 4) + np.array([2.0, 0, 0, 0])
                picked.append(cls(joint.name, vector(q / np.linalg.norm(q))))
        return picked


@dataclass(frozen=True, slots=True)
class FreeJointPose(Quantity):
    """The tangent step of a free joint from `reference` (position and quaternion); six rows."""

    joint: str
    reference: tuple[float, ...]

    def encode(self, skeleton: Skeleton) -> QuantityCode:
        index = skeleton.index(self.joint)
        if skeleton.joints[index].kind is not JointKind.FREE:
            raise WritheError(f"{self.joint!r} is not a free joint: use JointPosture")
        return QuantityCode(quantity_rows.FREE_POSE, 6, index, -1, vector(self.reference))

    @classmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        q = rng.normal(0, 1, 4) + np.array([2.0, 0, 0, 0])
        reference = (*vector(rng.normal(0, 1, 3)), *vector(q / np.linalg.norm(q)))
        return [cls(j.name, reference) for j in skeleton.joints if j.kind is JointKind.FREE]
