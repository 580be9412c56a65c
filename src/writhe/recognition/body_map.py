"""The correspondence of two bodies by anatomical roles.

Postures, limits and databases are described on a reference body (the built-in human). `BodyMap`
relates another person's skeleton to it: which joint plays which role, how the rest poses are
aligned (`rest_alignment`), and a copy of the reference with the other body's proportions (`proxy`),
on which reference postures keep their joint angles.

With the alignment A_j of a role and the rest rotation W_j of the body's joint, the joint's world
rotation T_j corresponds to the world rotation D_j = T_j (A_j W_j)^-1 of the reference from its rest
pose.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import WritheError
from writhe.recognition.rest_alignment import RestBody, align_role, body_alignment, rest_body
from writhe.skeleton import Figure, JointKind, Skeleton, forward, quaternions
from writhe.skeleton.quaternions import rotation_matrix

_SIDES = ("left", "right")
_NEEDED = tuple(
    f"{s}_{p}" for s in ("left", "right") for p in ("shoulder", "elbow", "hip", "knee", "ankle")
)


def has_same_coordinates(body: Figure, reference: Figure) -> bool:
    """Whether configurations of the reference are configurations of the body.

    A figure read from a file may have the reference's joint names, but ball joints in place of its
    hinges.
    """
    a, b = body.skeleton, reference.skeleton
    return a.names == b.names and [j.kind for j in a.joints] == [j.kind for j in b.joints]


def extends(body: Figure, reference: Figure) -> bool:
    """Whether the body is the reference with further joints below its own (fingers)."""
    own = {joint.name: joint for joint in body.skeleton.joints}
    return all(
        joint.name in own
        and own[joint.name].kind is joint.kind
        and own[joint.name].parent == joint.parent
        and np.allclose(own[joint.name].offset_in_parent, joint.offset_in_parent)
        for joint in reference.skeleton.joints
    )


def extended(body: Figure, reference: Figure, q: Floats, now: Floats) -> Floats:
    """A configuration of the reference on a body that extends it; other joints as in `now`."""
    out = np.array(now, dtype=np.float64)
    for name in reference.skeleton.names:
        out[body.skeleton.q_slice(name)] = q[reference.skeleton.q_slice(name)]
    return out


class BodyMap:
    """Relates a person's figure (`body`) to a reference figure, both with roles."""

    def __init__(self, body: Figure, reference: Figure) -> None:
        own, other = dict(body.roles), dict(reference.roles)
        common = set(own) & set(other)
        missing = [role for role in ("hips", *_NEEDED) if role not in common]
        if missing:
            raise WritheError(
                f"{body.name!r} cannot be compared with {reference.name!r}: no joint has the role"
                f" {', '.join(missing)}; give the roles with `roles=` or --roles"
            )
        self.body, self.reference = body, reference
        self._source = rest_body(reference.skeleton, other, common)
        self._target = rest_body(body.skeleton, own, common)
        self.alignment = _alignments(self._source, self._target)  # role to quaternion wxyz
        skeleton, rest = reference.skeleton, self._target
        role_of = {reference.skeleton.index(j): role for role, j in other.items()}
        # for each joint of the reference: the body's joint with its role, or -1
        self.joint: Ints = np.array(
            [rest.joint.get(role_of.get(j, ""), -1) for j in range(len(skeleton))], dtype=np.int64
        )
        self._undo_rest = np.tile(np.eye(3), (len(skeleton), 1, 1))
        for j, at in enumerate(self.joint):
            if at >= 0:
                aligned = quaternions.multiply(self.alignment[role_of[j]], rest.rotations[at])
                self._undo_rest[j] = rotation_matrix(aligned).T
        self._rest_reference = forward(skeleton, skeleton.rest_configuration).rotations
        self._parent = [int(p) for p in skeleton.tree.parent]

    def nearest_role(self, joint: int) -> int:
        """The joint of the reference that corresponds to a joint of the body or its nearest
        ancestor."""
        parent = self.body.skeleton.tree.parent
        while joint >= 0:
            found = np.flatnonzero(self.joint == joint)
            if len(found):
                return int(found[0])
            joint = int(parent[joint])
        return 0

    def reference_bone(self, role: str) -> Floats:
        """The direction of a role's bone of the reference at rest, in its joint's frame."""
        bone = self._source.bones.get(role)
        at = self._source.joint[role]
        if bone is None:  # the last role of a limb without a tip: extend the previous bone
            bone = self._source.positions[at] - self._source.positions[self._parent[at]]
        return quaternions.rotate(quaternions.conjugate(self._source.rotations[at]), bone)

    def point_on_body(self, role: str, point_in_joint: Floats) -> Floats:
        """A point in the reference's joint frame to the body's joint frame, scaled by bone
        length."""
        source, target = self._source, self._target
        scale = self.scale
        if role in ("hips", "spine", "chest", "neck"):
            scale = _trunk_length(target) / _trunk_length(source)
        elif role in source.bones and role in target.bones:
            along = float(np.linalg.norm(source.bones[role]))
            scale = float(np.linalg.norm(target.bones[role])) / along if along > 1e-6 else scale
        aligned, _ = self.rest_offset(role)
        return quaternions.rotate(quaternions.conjugate(aligned), scale * point_in_joint)

    def rest_offset(self, role: str) -> tuple[Floats, Floats]:
        """Quaternions A_j W_j, and the reference's joint rotation in the body's rest pose.

        The first takes directions in the body's joint frame to the reference's. In the body's rest
        pose the reference has the joint rotation A_p A_j^-1 (p: the role before), expressed in the
        reference's joint frame.
        """
        at = self._target.joint[role]
        aligned = quaternions.multiply(self.alignment[role], self._target.rotations[at])
        j = self._source.joint[role]
        parent = self._parent[j]
        while parent >= 0 and self.joint[parent] < 0:
            parent = self._parent[parent]
        before = next((r for r, k in self._source.joint.items() if k == parent), role)
        change = quaternions.multiply(
            self.alignment[before], quaternions.conjugate(self.alignment[role])
        )
        rest = self._source.rotations[j]
        undo = quaternions.conjugate(rest)
        offset = quaternions.multiply(undo, change, rest)
        return quaternions.multiply(undo, aligned), offset

    @property
    def scale(self) -> float:
        """Leg length of the body / leg length of the reference."""
        return self._target.leg_length() / self._source.leg_length()

    @cached_property
    def proxy(self) -> Figure:
        """The reference figure with the bone lengths of the body, averaged over both sides."""
        lengths = _bone_factors(self._source, self._target)
        names = self._source.joint
        factor = {names[role]: value for role, value in lengths.items()}
        joints = [
            replace(
                joint,
                offset_in_parent=factor.get(j, self.scale) * np.asarray(joint.offset_in_parent),
            )
            for j, joint in enumerate(self.reference.skeleton.joints)
        ]
        tips = [
            replace(tip, offset_in_joint=self.scale * np.asarray(tip.offset_in_joint))
            for tip in self.reference.skeleton.tips
        ]
        capsules = tuple(
            replace(
                c,
                start_in_joint=self.scale * c.start_in_joint,
                end_in_joint=self.scale * c.end_in_joint,
                radius_m=self.scale * c.radius_m,
            )
            for c in self.reference.capsules
        )
        return replace(
            self.reference,
            name=f"{self.reference.name} as {self.body.name}",
            skeleton=Skeleton(joints, tips),
            capsules=capsules,
            skin=None,
        )

    def positions(self, positions: Floats, out: Floats) -> None:
        """out (n, 3): the joints of the reference, from the body's joint positions (m, 3).

        A joint that the body lacks gets the position of its parent.
        """
        for j, at in enumerate(self.joint):
            if at >= 0:
                out[j] = positions[at]
            else:
                out[j] = out[self._parent[j]] if self._parent[j] >= 0 else positions[0]

    def to_reference(self, positions: Floats, rotations: Floats) -> Floats:
        """(nq,) configuration of the reference, from the body's joint frames (m, 3), (m, 3, 3).

        Hinges of the reference take the rotation about their axis.
        """
        skeleton = self.proxy.skeleton
        change = np.einsum("jab,jbc->jac", rotations[self.joint], self._undo_rest)
        for j, at in enumerate(self.joint):
            if at < 0 and self._parent[j] >= 0:
                change[j] = change[self._parent[j]]
        above = change[self._parent]
        above[0] = np.eye(3)
        rest = self._rest_reference
        local = np.einsum("jba,jcb,jcd,jde->jae", rest, above, change, rest)
        turns = quaternions.from_matrices(local)
        q = skeleton.rest_configuration
        start = skeleton.tree.q_start
        for j, joint in enumerate(skeleton.joints):
            if joint.kind is JointKind.HINGE:
                q[start[j]] = float(quaternions.twist_angles(turns[j], joint.axis))
            elif joint.kind in (JointKind.BALL, JointKind.FREE):
                q[start[j + 1] - 4 : start[j + 1]] = turns[j]
        root = self.joint[0]
        if skeleton.joints[0].kind is JointKind.FREE and root >= 0:
            q[:3] = positions[root] - skeleton.tree.offset[0]
        return q


def _alignments(source: RestBody, target: RestBody) -> dict[str, Floats]:
    whole = body_alignment(source, target)
    done: dict[str, Floats] = {}
    for role in source.joint:
        done[role] = align_role(role, whole, done, source, target)
    return done


def _trunk_length(body: RestBody) -> float:
    """From the middle of the hips to the middle of the shoulders, m."""
    at = [body.positions[body.joint[f"{s}_{p}"]] for p in ("hip", "shoulder") for s in _SIDES]
    return float(np.linalg.norm(at[2] + at[3] - at[0] - at[1])) / 2.0


def _bone_factors(source: RestBody, target: RestBody) -> dict[str, float]:
    """By role at the end of a bone: its length in the target / in the source."""
    factors: dict[str, float] = {}
    for role, after in source.next_role.items():
        length = float(np.linalg.norm(source.bones[role]))
        if target.next_role.get(role) == after and length > 1e-3:
            factors[after] = float(np.linalg.norm(target.bones[role])) / length
    for side in ("left", "right"):  # bones that start at the trunk
        for role, base in ((f"{side}_hip", "hips"), (f"{side}_clavicle", "chest")):
            if role in source.joint and base in source.joint:
                factors.setdefault(role, _apart(target, role, base) / _apart(source, role, base))
    out = dict(factors)
    for role, value in factors.items():
        if role.startswith("left_"):
            other = "right_" + role.removeprefix("left_")
            out[role] = out[other] = 0.5 * (value + factors.get(other, value))
    return out


def _apart(body: RestBody, a: str, b: str) -> float:
    return float(np.linalg.norm(body.positions[body.joint[a]] - body.positions[body.joint[b]]))
