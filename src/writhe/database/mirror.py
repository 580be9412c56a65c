"""Mirror images of postures: what a body can do with its left hand it can do with its right."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.skeleton import JointKind, Skeleton, forward

_SAME_M = 1e-6  # joints of a mirrored posture that agree to this are mirror images


def mirror_postures(skeleton: Skeleton, q: Floats) -> Floats | None:
    """Configurations (N, nq) mirrored in x; None for a skeleton without mirror symmetry.

    Joints whose names differ by left and right change places. Mirroring with M = diag(-1, 1, 1)
    takes a rotation R to M R M, whose quaternion is (w, x, -y, -z), and leaves hinges as they are.
    """
    partners = _partners(skeleton)
    if partners is None or skeleton.joints[0].kind is not JointKind.FREE:
        return None
    out = np.empty_like(q)
    for joint, partner in zip(skeleton.joints, partners, strict=True):
        values = q[:, skeleton.q_slice(skeleton.names[int(partner)])].copy()
        if joint.kind in (JointKind.FREE, JointKind.BALL):
            values[:, -2:] *= -1.0
        if joint.kind is JointKind.FREE:
            values[:, 0] *= -1.0
        out[:, skeleton.q_slice(joint.name)] = values
    sample = slice(0, len(q), max(1, len(q) // 8))
    found = forward(skeleton, out[sample]).positions
    wanted = forward(skeleton, q[sample]).positions[:, partners] * np.array([-1.0, 1.0, 1.0])
    return out if float(np.abs(found - wanted).max(initial=0.0)) < _SAME_M else None


def _partners(skeleton: Skeleton) -> Ints | None:
    """(n,) the joint on the other side, or the joint itself; None where one has no equal."""
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
