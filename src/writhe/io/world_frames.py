"""A skeleton and its motion from world positions and rotations of joints (FBX, USD)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.skeleton.euler_channels import align_hemispheres
from writhe.skeleton import Joint, JointKind, Skeleton, quaternions

# metres: an offset from the parent that varies by less is constant
STILL_M = 5e-5


def positions_and_rotations(matrices: Floats) -> tuple[Floats, Floats]:
    """Translations (..., 3) and rotations (..., 3, 3) of matrices (..., 4, 4), without scales."""
    left, _, right = np.linalg.svd(matrices[..., :3, :3])
    turn = left @ right
    mirrored = np.linalg.det(turn) < 0
    turn[mirrored] *= -1.0
    return matrices[..., :3, 3].copy(), turn


def skeleton_and_motion(
    names: Sequence[str],
    parent: Sequence[int],
    rest: Floats,
    frames: Floats,
    moving: Sequence[bool],
) -> tuple[Skeleton, Floats]:
    """The skeleton with the rest pose `rest` (n, 4, 4), and q (frames, nq) of (frames, n, 4, 4).

    Without frames the motion is the rest pose.

    Parents come before their children. Joints that keep their distance from the parent are balls;
    the first moving joint from a root, and those that are displaced, are free.
    """
    if not len(frames):
        frames = rest[None]
    at, turn = positions_and_rotations(rest)
    moved_at, moved_turn = positions_and_rotations(frames)
    joints: list[Joint] = []
    displaced: dict[str, Floats] = {}
    rotated: dict[str, Floats] = {}
    rooted: set[int] = set()
    for j, name in enumerate(names):
        p = parent[j]
        above = np.eye(3) if p < 0 else turn[p]
        origin = np.zeros(3) if p < 0 else at[p]
        moved_above = np.eye(3)[None] if p < 0 else moved_turn[:, p]
        moved_origin = np.zeros((1, 3)) if p < 0 else moved_at[:, p]
        offset = above.T @ (at[j] - origin)
        offsets = np.einsum("fba,fb->fa", moved_above + np.zeros((len(frames), 1, 1)),
                            moved_at[:, j] - moved_origin)  # fmt: skip
        local = above.T @ turn[j]
        turned = np.einsum("ba,fbc,fcd->fad", local, moved_above.transpose(0, 2, 1)
                           + np.zeros((len(frames), 1, 1)), moved_turn[:, j])  # fmt: skip
        first = moving[j] and p not in rooted
        kind = JointKind.BALL if moving[j] else JointKind.FIXED
        still = np.abs(offsets - offsets[0]).max(initial=0.0) < STILL_M
        if first or not still:
            kind = JointKind.FREE
        elif p >= 0:
            offset = np.median(offsets, axis=0)  # the animation changes the bone's length
        if not moving[j] and np.abs(turned - np.eye(3)).max(initial=0.0) > 1e-6:
            kind = JointKind.FREE if not still else JointKind.BALL
        if kind is JointKind.FREE or p in rooted:
            rooted.add(j)
        above_name = None if p < 0 else names[p]
        joints.append(Joint(name, above_name, kind, offset, quaternions.from_matrices(local)))
        displaced[name] = np.einsum("ba,fb->fa", local, offsets - offset)
        rotated[name] = quaternions.from_matrices(turned)
    skeleton = Skeleton(joints)
    q = np.tile(skeleton.rest_configuration, (len(frames), 1))
    for joint in skeleton.joints:
        part = q[:, skeleton.q_slice(joint.name)]
        if joint.kind is JointKind.FREE:
            part[:, :3] = displaced[joint.name]
        if joint.kind in (JointKind.FREE, JointKind.BALL):
            part[:, -4:] = rotated[joint.name]
    align_hemispheres(skeleton.tree.kind, skeleton.tree.q_start, q)
    return skeleton, q


def skin_in_rest_pose(
    skeleton: Skeleton,
    joints: Sequence[str],
    bind_inverse: Floats,
    vertices: Floats,
    influences: np.ndarray,
    weights: Floats,
) -> Floats:
    """(v, 3) vertices of a mesh in the rest pose of the skeleton: sum_j w_j W_j B_j v.

    bind_inverse: (m, 4, 4) from the mesh to the joints `joints`; influences index these.
    """
    from writhe.skeleton import forward

    rest = forward(skeleton, skeleton.rest_configuration)
    index = [skeleton.index(name) for name in joints]
    world = np.tile(np.eye(4), (len(joints), 1, 1))
    world[:, :3, :3], world[:, :3, 3] = rest.rotations[index], rest.positions[index]
    matrices = world @ bind_inverse
    posed = np.zeros_like(vertices)
    for slot in range(influences.shape[1]):
        m = matrices[influences[:, slot]]
        moved = np.einsum("vab,vb->va", m[:, :3, :3], vertices) + m[:, :3, 3]
        posed += weights[:, slot, None] * moved
    return posed
