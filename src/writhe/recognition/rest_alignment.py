"""Align the rest pose of one body with another's, role by role (`body_map`, `retargeting`).

For each role, the alignment A is a world rotation that takes the direction of the target's bone at
rest to that of the source's. If D is the world rotation of the source's joint from its rest pose
and W the target's rest rotation, the target's joint gets the world rotation D A W.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Skeleton, forward, quaternions, transforms
from writhe.skeleton.limbs import SIDES

_SIDES = ("left", "right")
CHAINS = (
    ("hips", "spine", "chest", "neck", "head"),
    *(tuple(f"{s}_{p}" for p in ("clavicle", "shoulder", "elbow", "wrist")) for s in _SIDES),
    *(tuple(f"{s}_{p}" for p in ("hip", "knee", "ankle", "toe")) for s in _SIDES),
)
# role whose alignment initialises another's; without an entry, that of the whole body
_INITIAL_FROM = {"head": "neck"} | {
    f"{s}_{role}": (start if start == "chest" else f"{s}_{start}")
    for s in _SIDES
    for role, start in (
        ("clavicle", "chest"),
        ("shoulder", "chest"),
        ("elbow", "shoulder"),
        ("wrist", "elbow"),
        ("knee", "hip"),
        ("ankle", "knee"),
        ("toe", "ankle"),
    )
}
_SIMILAR_SLOPE_RAD = np.radians(25.0)  # foot bones whose slopes differ by less count as equal
_FLAT = 0.3  # least horizontal component of the bone of a flat foot
# rotations this near to an axis permutation are snapped to it
_SNAP_COSINE = np.cos(np.radians(25.0))


def shortest_rotation(a: Floats, b: Floats) -> Floats:
    """The smallest rotation (wxyz) that takes direction a to b; broadcasts."""
    a = a / np.maximum(np.linalg.norm(a, axis=-1, keepdims=True), 1e-12)
    b = b / np.maximum(np.linalg.norm(b, axis=-1, keepdims=True), 1e-12)
    a, b = np.broadcast_arrays(a, b)
    w = 1.0 + (a * b).sum(axis=-1, keepdims=True)
    side = np.cross(a, b)
    opposite = w < 1e-9
    if opposite.any():
        axis = np.eye(3)[np.argmin(np.abs(a), axis=-1)]
        side = np.where(opposite, np.cross(a, axis), side)
        w = np.where(opposite, 0.0, w)
    return quaternions.normalised(np.concatenate([w, side], axis=-1))


@dataclass(frozen=True)
class RestBody:
    """The rest pose of a skeleton, indexed by anatomical roles."""

    skeleton: Skeleton
    joint: dict[str, int]  # role to joint number
    positions: Floats  # (n, 3) world
    rotations: Floats  # (n, 4) world quaternions
    next_role: dict[str, str]  # role to the next role along its limb
    bones: dict[str, Floats]  # role to the direction of its bone, in the world
    on_soles: bool = False  # known to stand on flat feet, whatever the slope of their bones

    def length(self, role: str) -> float:
        """Distance from the role's joint to the next role's, m."""
        end = self.positions[self.joint[self.next_role[role]]]
        return float(np.linalg.norm(end - self.positions[self.joint[role]]))

    def leg_length(self) -> float:
        """The length of both legs from the hips to the ankles, m."""
        return sum(self.length(f"{side}_{part}") for side in SIDES for part in ("hip", "knee"))


def rest_body(skeleton: Skeleton, joints: Mapping[str, str], common: set[str]) -> RestBody:
    """The rest pose of a skeleton, with the roles that both bodies have."""
    rest = forward(skeleton, skeleton.rest_configuration)
    joint = {role: skeleton.index(name) for role, name in joints.items() if role in common}
    next_role: dict[str, str] = {}
    bones: dict[str, Floats] = {}
    for chain in CHAINS:
        present = [role for role in chain if role in joint]
        for role, after in pairwise(present):
            bone = rest.positions[joint[after]] - rest.positions[joint[role]]
            if np.linalg.norm(bone) > 1e-4:
                next_role[role], bones[role] = after, bone
        if present and present[-1] == chain[-1]:
            end = _end_bone(skeleton, joint[present[-1]], rest.positions, rest.rotations)
            if end is not None:
                bones[present[-1]] = end
    rotations = transforms.rest_world_quaternions(skeleton)
    return RestBody(skeleton, joint, rest.positions, rotations, next_role, bones)


def _end_bone(
    skeleton: Skeleton, joint: int, positions: Floats, rotations: Floats
) -> Floats | None:
    """The vector from a joint to its farthest descendant point; None if there is none."""
    inside = range(joint, int(skeleton.tree.subtree_end[joint]))
    ends = [positions[j] for j in inside]
    for tip in skeleton.tips:
        owner = skeleton.index(tip.joint)
        if owner in inside:
            ends.append(positions[owner] + rotations[owner] @ tip.offset_in_joint)
    bone = max((end - positions[joint] for end in ends), key=lambda v: float(v @ v))
    return bone if np.linalg.norm(bone) > 1e-4 else None


def body_axes(body: RestBody) -> Floats:
    """Columns: left, up and forward of the body at rest."""
    at = {role: body.positions[j] for role, j in body.joint.items()}
    left = at["left_hip"] - at["right_hip"]
    top = next((r for r in ("chest", "neck", "spine", "head") if r in at), "left_shoulder")
    up = at[top] - at["hips"]
    forward_axis = np.cross(left, up)
    up = np.cross(forward_axis, left)
    axes = np.stack([left, up, forward_axis], axis=1)
    lengths = np.linalg.norm(axes, axis=0)
    return axes / lengths if lengths.min() > 1e-9 else np.eye(3)


def body_alignment(source: RestBody, target: RestBody) -> Floats:
    """The rotation (wxyz) that takes the target's facing and up directions at rest to the source's.

    Rotations near one of the 24 axis permutations are snapped to it: a slightly tilted spine is
    anatomy, not another axis convention.
    """
    matrix = body_axes(source) @ body_axes(target).T
    snapped = np.zeros((3, 3))
    for row in range(3):
        column = int(np.argmax(np.abs(matrix[row])))
        snapped[row, column] = np.sign(matrix[row, column])
    proper = abs(float(np.linalg.det(snapped)) - 1.0) < 1e-9
    near = all(
        matrix[r, c] * snapped[r, c] >= _SNAP_COSINE * abs(snapped[r, c])
        for r, c in product(range(3), range(3))
    )
    return quaternions.from_matrices(snapped if proper and near else matrix)


def flat_foot_alignment(
    role: str, initial: Floats, source: RestBody, target: RestBody
) -> Floats | None:
    """The alignment of an ankle or toe if the bones have different slopes but both feet are flat.

    The slope of a foot's bone depends on the height of the ankle joint above the sole. If the
    slopes differ much, only the horizontal directions are aligned. None if the slopes are similar
    or a foot is not flat.
    """
    if role not in source.bones or role not in target.bones:
        return None
    up = body_axes(source)[:, 1]
    flat: list[Floats] = []
    slope: list[float] = []
    for bone in (quaternions.rotate(initial, target.bones[role]), source.bones[role]):
        level = bone - up * float(up @ bone)
        if np.linalg.norm(level) < _FLAT * np.linalg.norm(bone):
            return None
        slope.append(float(np.arctan2(-float(up @ bone), np.linalg.norm(level))))
        flat.append(level / np.linalg.norm(level))
    similar = abs(slope[0] - slope[1]) < _SIMILAR_SLOPE_RAD and not source.on_soles
    if float(flat[0] @ flat[1]) < 0.5 or similar:
        return None
    return quaternions.multiply(shortest_rotation(flat[0], flat[1]), initial)


def align_role(
    role: str, initial: Floats, done: Mapping[str, Floats], source: RestBody, target: RestBody
) -> Floats:
    """The alignment (wxyz) of one role, given that of the whole body and of earlier roles."""
    if role.endswith(("_ankle", "_toe")):
        flat = flat_foot_alignment(role, initial, source, target)
        if flat is not None:
            return flat
    start = done.get(_INITIAL_FROM.get(role, ""), initial)
    if role == "hips" or role not in source.bones or role not in target.bones:
        return start
    turned = quaternions.rotate(start, target.bones[role])
    return quaternions.multiply(shortest_rotation(turned, source.bones[role]), start)
