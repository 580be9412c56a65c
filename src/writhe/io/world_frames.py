"""A skeleton and its motion from world positions and rotations of joints (FBX, USD)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.skeleton.euler_channels import align_hemispheres
from writhe.skeleton import Joint, JointKind, Skeleton, quaternions

# metres: an offset from the parent that varies by less is constant
STILL_M = 5e-5
_ORTHOGONAL = 1e-9  # of unit columns and of their relative lengths: below it, a rotation


def positions_and_rotations(matrices: Floats) -> tuple[Floats, Floats]:
    """Translations (..., 3) and rotations (..., 3, 3) of matrices (..., 4, 4), without scales."""
    linear = matrices[..., :3, :3]
    length = np.linalg.norm(linear, axis=-2, keepdims=True)
    turn = linear / np.maximum(length, 1e-12)
    # columns that are not orthogonal, or a mirror: the nearest rotation
    gram = np.swapaxes(turn, -1, -2) @ turn
    skewed = (
        (np.abs(gram - np.eye(3)).max(axis=(-1, -2)) > _ORTHOGONAL)
        | (np.ptp(length, axis=(-1, -2)) > _ORTHOGONAL * length.max(axis=(-1, -2)))
        | (np.linalg.det(turn) < 0)
    )
    if skewed.any():
        left, _, right = np.linalg.svd(linear[skewed])
        nearest = left @ right
        nearest[np.linalg.det(nearest) < 0] *= -1.0
        turn[skewed] = nearest
    return matrices[..., :3, 3].copy(), turn


def skeleton_and_motion(
    names: Sequence[str],
    parent: Sequence[int],
    rest: Floats,
    frames: Floats,
    moving: Sequence[bool],
    free: Collection[str] = (),
) -> tuple[Skeleton, Floats]:
    """The skeleton with the rest pose `rest` (n, 4, 4), and q (frames, nq) of (frames, n, 4, 4).

    Without frames the motion is the rest pose.

    Parents come before their children. Joints that keep their distance from the parent are balls;
    the first moving joint from a root, those that are displaced, and those named in `free` are
    free.
    """
    if not len(frames):
        frames = rest[None]
    at, turn = positions_and_rotations(rest)
    moved_at, moved_turn = positions_and_rotations(frames)
    joints: list[Joint] = []
    rooted: set[int] = set()
    for j, name in enumerate(names):
        p = parent[j]
        above = np.eye(3) if p < 0 else turn[p]
        origin = np.zeros(3) if p < 0 else at[p]
        offset = above.T @ (at[j] - origin)
        local = above.T @ turn[j]
        offsets, turned = in_parent(moved_at, moved_turn, p, j, local)
        first = moving[j] and p not in rooted
        kind = JointKind.BALL if moving[j] else JointKind.FIXED
        still = np.abs(offsets - offsets[0]).max(initial=0.0) < STILL_M
        if first or not still or name in free:
            kind = JointKind.FREE
        elif p >= 0:
            offset = np.median(offsets, axis=0)  # the animation changes the bone's length
        if not moving[j] and np.abs(turned - np.eye(3)).max(initial=0.0) > 1e-6:
            kind = JointKind.FREE if not still else JointKind.BALL
        if kind is JointKind.FREE or p in rooted:
            rooted.add(j)
        above_name = None if p < 0 else names[p]
        joints.append(Joint(name, above_name, kind, offset, quaternions.from_matrices(local)))
    skeleton = Skeleton(joints)
    return skeleton, configurations_of(skeleton, names, frames)


def configurations_of(skeleton: Skeleton, names: Sequence[str], frames: Floats) -> Floats:
    """(frames, nq) the configurations of a skeleton whose joints `names` have world `frames`.

    frames: (frames, n, 4, 4) in the order of the names. What a joint cannot do is left out:
    displacements unless it is free, rotations of a hinge about other axes than its own.
    """
    moved_at, moved_turn = positions_and_rotations(frames)
    index = {name: j for j, name in enumerate(names)}
    q = np.tile(skeleton.rest_configuration, (len(frames), 1))
    for joint in skeleton.joints:
        if joint.kind not in (JointKind.FREE, JointKind.BALL, JointKind.HINGE):
            continue
        local = quaternions.rotation_matrix(joint.rest)
        p = -1 if joint.parent is None else index[joint.parent]
        offsets, turned = in_parent(moved_at, moved_turn, p, index[joint.name], local)
        part = q[:, skeleton.q_slice(joint.name)]
        if joint.kind is JointKind.HINGE:
            part[:, 0] = _angles_about(joint.axis, quaternions.from_matrices(turned))
            continue
        part[:, -4:] = quaternions.from_matrices(turned)
        if joint.kind is JointKind.FREE:
            part[:, :3] = np.einsum("ba,fb->fa", local, offsets - joint.offset_in_parent)
    align_hemispheres(skeleton.tree.kind, skeleton.tree.q_start, q)
    return q


def _angles_about(axis: Floats, turned: Floats) -> Floats:
    """(frames,) angles in (-pi, pi] of the rotations about an axis nearest to (frames, 4)."""
    along = axis / np.linalg.norm(axis)
    half = np.arctan2(turned[:, 1:] @ along, turned[:, 0])
    return np.pi - (np.pi - 2.0 * half) % (2.0 * np.pi)


def in_parent(
    at: Floats, turn: Floats, parent: int, joint: int, local: Floats
) -> tuple[Floats, Floats]:
    """(frames, 3) offsets of a joint from its parent, (frames, 3, 3) rotations from `local`."""
    if parent < 0:
        return at[:, joint], np.einsum("ba,fbc->fac", local, turn[:, joint])
    above = turn[:, parent]
    offsets = np.einsum("fba,fb->fa", above, at[:, joint] - at[:, parent])
    return offsets, np.einsum("ba,fcb,fcd->fad", local, above, turn[:, joint])


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
