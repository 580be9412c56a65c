"""The body around the bones: collision capsules and a skin, as data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import WritheError
from writhe.skeleton.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class Capsule:
    """A segment fixed to a joint, inflated by a radius; equal ends make a ball.

    `part` is the body part that the capsule belongs to (the joint's name when not given):
    capsules of one part are never tested against each other.
    """

    joint: str
    start_in_joint: Floats
    end_in_joint: Floats
    radius_m: float
    part: str = ""

    @property
    def part_name(self) -> str:
        """The part, or the joint's name where none is given."""
        return self.part or self.joint


@dataclass(frozen=True)
class Skin:
    """A closed triangle mesh in the rest pose with up to four joints a vertex (linear blending)."""

    vertices: Floats  # (v, 3) rest pose, world
    triangles: Ints  # (t, 3) counter-clockwise from outside
    joints: Ints  # (v, 4)
    weights: Floats  # (v, 4), rows sum to one

    def deform(self, skeleton: Skeleton, positions: Floats, rotations: Floats) -> Floats:
        """Vertices (v, 3) with the joints at these world frames, by linear blend skinning.

        positions (n, 3) and rotations (n, 3, 3) are of the posed skeleton.
        """
        from writhe.skeleton.kinematics import forward

        rest = forward(skeleton, skeleton.rest_configuration)
        turn = np.einsum("jab,jcb->jac", rotations, rest.rotations)
        shift = positions - np.einsum("jab,jb->ja", turn, rest.positions)
        out = np.zeros_like(self.vertices)
        for slot in range(4):
            joint, weight = self.joints[:, slot], self.weights[:, slot, None]
            out += weight * (np.einsum("vab,vb->va", turn[joint], self.vertices) + shift[joint])
        return out


@dataclass(frozen=True)
class Figure:
    """A character: skeleton, collision capsules and, where there is one, a skin.

    `strands` names the polylines of the figure (joint or tip names in order) whose pairwise
    linking describes a posture; `roles` maps anatomical roles ("left_hand") to joint names.
    """

    name: str
    skeleton: Skeleton
    capsules: tuple[Capsule, ...] = ()
    skin: Skin | None = None
    strands: tuple[tuple[str, tuple[str, ...]], ...] = ()
    roles: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        for capsule in self.capsules:
            self.skeleton.index(capsule.joint)
            if capsule.radius_m <= 0:
                raise WritheError(f"a capsule on {capsule.joint!r} has no radius")

    def joint_of(self, role: str) -> str:
        """The joint that plays an anatomical role."""
        from writhe.errors import UnknownNameError

        table = dict(self.roles)
        if role not in table:
            raise UnknownNameError("role", role, sorted(table))
        return table[role]
