"""Blends of ball joints that keep their limits.

The shortest rotation between two postures of a ball joint may leave its limits: that of an arm, for
example, may pass where the arm cannot reach. In twist and swing, the coordinates of
the limits, the allowed postures are a convex set, so a straight line between two of them stays
inside.
"""

from __future__ import annotations

import numpy as np

from writhe.animation.body.body_model import BodyModel
from writhe.animation.key_interpolation import KeyBlend, ease_progress
from writhe.arrays import Floats
from writhe.kernels.skeleton.joint_limits import swing_twist
from writhe.skeleton import JointKind
from writhe.skeleton.joint import Limits
from writhe.skeleton.limits import from_swing_twist

_BEYOND = 0.1  # the shortest rotation is not used if it exceeds a limit by more, rad


def limited_blend(body: BodyModel, blend: KeyBlend, times_s: Floats) -> Floats:
    """(times, nq) the blend of the actor's keys in its world, with ball joints inside their limits.

    A limit that a key exceeds is widened to the key in the spans on both sides of it.
    """
    rows = body.world.rows(times_s, blend.sample(times_s))
    span, u = blend.spans(times_s)
    lower, upper = body.widened_limits(body.world.rows(blend.times_s, blend.q))
    tree, skeleton = body.world.skeleton.tree, body.world.skeleton
    for i in np.unique(span[span < len(blend.q) - 1]):
        here = np.flatnonzero(span == i)
        # three inner frames suffice: a rotation leaves the limits far from its two ends
        inner = here[len(here) // 4 :: max(1, len(here) // 4)][:3]
        values = np.array([body.limit_values(q) for q in rows[inner]])
        low, high = np.minimum(*lower[i : i + 2]), np.maximum(*upper[i : i + 2])
        beyond = np.maximum(low - values, values - high).max(axis=0) > _BEYOND
        for j in np.unique(tree.dof_joint[body.limits.v_at[beyond]]):
            joint = skeleton.joints[int(j)]
            if joint.kind is JointKind.BALL and joint.limits is not None:
                at, progress = (
                    skeleton.q_slice(joint.name),
                    ease_progress(blend.ease[int(i)], u[here]),
                )
                ends = body.world.rows(blend.times_s[i : i + 2], blend.q[i : i + 2])[:, at]
                rows[here, at] = _straight(joint.limits, ends, progress)
    return rows


def _straight(limits: Limits, ends: Floats, progress: Floats) -> Floats:
    """(n, 4) rotations on the straight line in twist and swing between two of them (2, 4)."""
    first, last = np.empty((2, 3))
    swing_twist(np.ascontiguousarray(ends[0]), limits.frame, first)
    swing_twist(np.ascontiguousarray(ends[1]), limits.frame, last)
    rows = first + progress[:, None] * (last - first)
    return np.array([from_swing_twist(row, limits.frame) for row in rows])
