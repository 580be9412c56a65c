"""How far each joint of a figure bends before its skin penetrates the parent's: fold limits."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.kernels.skeleton.kinematics import HINGE
from writhe.research.evaluation.skin.depth import SkinDepth
from writhe.skeleton import Figure, Skeleton, forward, quaternions
from writhe.skeleton.limits import limit_frame

DEPTH_M = 0.01
ANGLES_DEG = np.arange(5, 181, 5)


def bend_frame(skeleton: Skeleton, joint: str) -> Floats:
    """The frame of a joint's fold limit: that of its limits; of a hinge, y along its axis."""
    j = skeleton.index(joint)
    limits = skeleton.joints[j].limits
    if limits is not None and skeleton.tree.kind[j] != HINGE:
        return limits.frame
    ends = [c.offset_in_parent for c in skeleton.joints if c.parent == joint]
    ends += [tip.offset_in_joint for tip in skeleton.tips if tip.joint == joint]
    if not ends:
        raise WritheError(f"{joint!r} has no bone, so it cannot fold")
    axis = skeleton.tree.axis[j] if skeleton.tree.kind[j] == HINGE else np.array([0.0, 0.0, 1.0])
    return limit_frame(np.asarray(ends[0], dtype=np.float64), axis)


def skin_bends_deg(figure: Figure, joint: str, directions: int = 24) -> Floats:
    """(directions,) the bend at which the skin is DEPTH_M deep, in degrees; 180 if it never is.

    The other joints are at rest. Skin nearer to the joint than `depth.FOLD` is excluded, because it
    folds in every pose.
    """
    skeleton = figure.skeleton
    depth, frame = SkinDepth.of_figure(figure, joint=joint), bend_frame(skeleton, joint)
    j, out = skeleton.index(joint), np.full(directions, 180.0)
    rest = forward(skeleton, skeleton.rest_configuration)
    positions = np.tile(rest.positions, (len(ANGLES_DEG), 1, 1))
    below = slice(j, int(skeleton.tree.subtree_end[j]))
    half = np.radians(ANGLES_DEG)[:, None] / 2
    for k in range(directions):
        d = 2 * np.pi * k / directions
        axis = quaternions.rotate(frame, np.array([0.0, np.cos(d), np.sin(d)]))
        bends = np.hstack([np.cos(half), np.sin(half) * axis])
        # the rotation of the subtree about the joint's centre, in the world
        own = rest.rotations[j]
        turns = own @ np.array([quaternions.rotation_matrix(b) for b in bends]) @ own.T
        rotations = np.tile(rest.rotations, (len(ANGLES_DEG), 1, 1, 1))
        rotations[:, below] = turns[:, None] @ rest.rotations[below]
        away = rest.positions[below] - rest.positions[j]
        positions[:, below] = rest.positions[j] + np.einsum("fij,kj->fki", turns, away)
        deep = depth.depths_at(positions, rotations) > DEPTH_M
        if deep.any():
            out[k] = ANGLES_DEG[int(deep.argmax())]
    return out
