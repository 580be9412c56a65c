"""Mirror images of postures of a symmetric skeleton."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import JointKind, Skeleton, forward
from writhe.skeleton.mirror import mirrored, opposite_joints

_TOLERANCE_M = 1e-6  # largest distance of a joint from its mirror image


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
