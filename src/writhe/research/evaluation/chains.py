"""Pairs of free chains, and random collision-free configurations of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, NearPairs
from writhe.collision.shapes import from_capsule
from writhe.skeleton import Capsule, Joint, JointKind, Skeleton, Tip, forward
from writhe.skeleton.kinematics import integrate
from writhe.topology import Strand

SEGMENT_M, RADIUS_M = 0.1, 0.012


@dataclass(frozen=True)
class ChainPair:
    """Two chains of ball joints with free roots."""

    table: CollisionTable
    first: Strand
    second: Strand

    @classmethod
    def of(cls, first_segments: int, second_segments: int) -> ChainPair:
        """Chains with the given numbers of segments, side by side at rest."""
        along = np.array([SEGMENT_M, 0.0, 0.0])
        joints, tips, capsules = list[Joint](), list[Tip](), list[Capsule]()
        for name, count, offset_z in (("a", first_segments, 0.0), ("b", second_segments, 0.3)):
            for k in range(count):
                joint = f"{name}{k}"
                if k == 0:
                    joints.append(
                        Joint(joint, None, JointKind.FREE, np.array([0.0, 0.0, offset_z]))
                    )
                else:
                    joints.append(Joint(joint, f"{name}{k - 1}", JointKind.BALL, along))
                capsules.append(Capsule(joint, np.zeros(3), along, RADIUS_M))
            tips.append(Tip(f"{name}_tip", f"{name}{count - 1}", along))
        skeleton = Skeleton(joints, tips)
        table = CollisionTable(skeleton, [from_capsule(c) for c in capsules])
        return cls(
            table,
            Strand.between(skeleton, "a0", "a_tip", name="a"),
            Strand.between(skeleton, "b0", "b_tip", name="b"),
        )

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of both chains."""
        return self.table.skeleton

    def random(self, rng: np.random.Generator, spread_m: float = 0.1) -> Floats:
        """(nq,) a random configuration with positive clearance everywhere."""
        skeleton, near = self.skeleton, NearPairs(self.table)
        while True:
            q = integrate(
                skeleton, skeleton.rest_configuration, rng.normal(0, 0.5, skeleton.dof_count)
            )
            for root in ("a0", "b0"):
                at = skeleton.q_slice(root)
                turn = rng.normal(size=4)
                q[at.start + 3 : at.stop] = turn / np.linalg.norm(turn)
            positions = forward(skeleton, q).positions
            for name in ("a", "b"):
                own = [k for k, joint in enumerate(skeleton.names) if joint.startswith(name)]
                at = skeleton.q_slice(f"{name}0")
                centre = positions[own].mean(axis=0)
                q[at.start : at.start + 3] += rng.normal(0, spread_m, 3) - centre
            frames = forward(skeleton, q)
            near.find(frames.positions, frames.rotations, 0.02)
            clearance = near.clearance
            if clearance.min(initial=1.0) > 0.0:
                return q
