"""A hash of everything that a skeleton holds, to find what was computed for an equal one."""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np

from writhe.skeleton.skeleton import Skeleton


@lru_cache(maxsize=256)
def skeleton_digest(skeleton: Skeleton) -> str:
    """A hash of the joints and tips; equal skeletons, and only those, have equal hashes."""
    digest = hashlib.blake2b(digest_size=16)
    for joint in skeleton.joints:
        digest.update(repr((joint.name, joint.parent, int(joint.kind))).encode())
        arrays = [joint.offset_in_parent, joint.rest, joint.axis]
        arrays += [joint.centre_of_mass, joint.inertia]
        if joint.limits is not None:
            arrays += [joint.limits.lower, joint.limits.upper, joint.limits.frame]
        for array in arrays:
            digest.update(np.asarray(array, dtype=np.float64).tobytes())
        digest.update(repr((joint.limits is None, joint.mass_kg)).encode())
    for tip in skeleton.tips:
        digest.update(repr((tip.name, tip.joint)).encode())
        digest.update(np.asarray(tip.offset_in_joint, dtype=np.float64).tobytes())
    return digest.hexdigest()
