"""Mirror images of postures, where a skeleton has them."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import JointKind, Skeleton, forward
from writhe.skeleton.mirror import mirrored, partners

_SAME_M = 1e-6  # joints of a mirrored posture that agree to this are mirror images


def mirror_postures(skeleton: Skeleton, q: Floats) -> Floats | None:
    """Configurations (N, nq) mirrored in x; None for a skeleton without mirror symmetry."""
    others = partners(skeleton)
    if others is None or skeleton.joints[0].kind is not JointKind.FREE:
        return None
    out = mirrored(skeleton, q)
    sample = slice(0, len(q), max(1, len(q) // 8))
    found = forward(skeleton, out[sample]).positions
    wanted = forward(skeleton, q[sample]).positions[:, others] * np.array([-1.0, 1.0, 1.0])
    return out if float(np.abs(found - wanted).max(initial=0.0)) < _SAME_M else None
