"""The difference of a joint from a reference configuration, in its tangent space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.errors import WritheError
from writhe.kernels.terms import quantity_rows
from writhe.quantities.quantity import Quantity, QuantityCode, vector
from writhe.skeleton import JointKind, Skeleton


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
