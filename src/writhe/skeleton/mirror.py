"""Mirror images of configurations."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import WritheError
from writhe.skeleton.joint import JointKind
from writhe.skeleton.kinematics import forward
from writhe.skeleton.skeleton import Skeleton

_TOLERANCE_M = 1e-6  # largest distance of a joint from its mirror image


def opposite_joints(skeleton: Skeleton) -> Ints | None:
    """(n,) the mirrored joint of each joint, or itself; None if one has no counterpart."""
    found: list[int] = []
    for joint in skeleton.joints:
        name = joint.name
        other = name.replace("left", "\0").replace("right", "left").replace("\0", "right")
        if other not in skeleton.names:
            return None
        at = skeleton.index(other)
        if skeleton.joints[at].kind is not joint.kind:
            return None
        found.append(at)
    return np.array(found, dtype=np.int64)


def mirrored(skeleton: Skeleton, q: Floats) -> Floats:
    """The mirror image in x of configurations (..., nq) of a skeleton with left and right joints.

    Joints whose names differ by left and right are swapped. Mirroring with M = diag(-1, 1, 1) takes
    a rotation R to M R M, whose quaternion is (w, x, -y, -z), and keeps hinge angles. This needs
    joint frames that mirror each other at rest, as those of the built-in human do.
    """
    others = opposite_joints(skeleton)
    if others is None:
        raise WritheError(
            "the skeleton has no mirror image: its left and right joints do not match"
        )
    out = np.empty_like(q)
    for joint, other in zip(skeleton.joints, others, strict=True):
        values = q[..., skeleton.q_slice(skeleton.names[int(other)])].copy()
        if joint.kind in (JointKind.FREE, JointKind.BALL):
            values[..., -2:] *= -1.0
        if joint.kind is JointKind.FREE:
            values[..., 0] *= -1.0
        out[..., skeleton.q_slice(joint.name)] = values
    return out


def mirror_postures(skeleton: Skeleton, q: Floats) -> Floats | None:
    """Configurations (N, nq) mirrored in x; None for a skeleton without mirror symmetry."""
    others = opposite_joints(skeleton)
    if others is None or skeleton.joints[0].kind is not JointKind.FREE:
        return None
    out = mirrored(skeleton, q)
    sample = slice(0, len(q), max(1, len(q) // 8))
    found = forward(skeleton, out[sample]).positions
    expected = forward(skeleton, q[sample]).positions[:, others] * np.array([-1.0, 1.0, 1.0])
    return out if float(np.abs(found - expected).max(initial=0.0)) < _TOLERANCE_M else None
