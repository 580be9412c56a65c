"""Mirror images of poses and clips: left and right swapped, for every body with two sides."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats
from writhe.kernels.skeleton.euler_channels import align_hemispheres
from writhe.skeleton import Figure, JointKind, Motion, forward
from writhe.skeleton.heading import heading_of, turn_from_rest, yaw_matrix
from writhe.skeleton.move_root import free_root, moved_roots
from writhe.skeleton.quaternions import quaternion_of

_SIDES = (("left", "right"), ("Left", "Right"), ("_l", "_r"), ("_L", "_R"), (".L", ".R"))


def counterpart(figure: Figure, name: str) -> str:
    """The joint on the other side, by roles or names; the joint itself on the mid-line."""
    skeleton, roles = figure.skeleton, dict(figure.roles)
    for role, joint in figure.roles:
        if joint == name:
            swapped = role.replace("left", "\0").replace("right", "left").replace("\0", "right")
            return roles.get(swapped, name)
    for left, right in _SIDES:
        for mine, other in ((left, right), (right, left)):
            at_end = mine.startswith(("_", "."))
            pattern = re.escape(mine) + ("$" if at_end else "")
            swapped = re.sub(pattern, other, name)
            if swapped != name and swapped in skeleton:
                return swapped
    return name


def mirrored_pose(figure: Figure, q: Floats) -> Floats:
    """The pose (nq) mirrored at the body's sagittal plane, at the same place and heading.

    Each joint takes its counterpart's rotation D from rest, reflected: D' = M D M with
    M = diag(-1, 1, 1), after the root's heading is removed. Hinges, whose axes are mirrored, swap
    their angles.
    """
    skeleton = figure.skeleton
    tree = skeleton.tree
    rest = forward(skeleton, skeleton.rest_configuration).rotations
    posed = forward(skeleton, q).rotations
    from_rest = np.einsum("jab,jcb->jac", posed, rest)
    yaw = yaw_matrix(turn_from_rest(figure, q))
    mirror = np.diag([-1.0, 1.0, 1.0])
    out = q.copy()
    rotations = np.empty_like(posed)
    for j, joint in enumerate(skeleton.joints):
        other = skeleton.index(counterpart(figure, joint.name))
        at, end = int(tree.q_start[j]), int(tree.q_start[j + 1])
        target = yaw @ mirror @ (yaw.T @ from_rest[other]) @ mirror @ rest[j]
        parent = int(tree.parent[j])
        frame = tree.rest[j] if parent < 0 else rotations[parent] @ tree.rest[j]
        if joint.kind in (JointKind.BALL, JointKind.FREE):
            out[end - 4 : end] = quaternion_of(frame.T @ target)
            rotations[j] = target
            continue
        if end > at:
            out[at:end] = q[tree.q_start[other] : tree.q_start[other + 1]]
        # a hinge can only turn about its axis: its children need its actual rotation
        rotations[j] = forward(skeleton, out).rotations[j]
    return out


@checked
def mirrored_clip(figure: Figure, motion: Motion) -> Motion:
    """The motion mirrored at the sagittal plane of its first frame: left and right swapped."""
    skeleton = figure.skeleton
    root = free_root(skeleton)
    q = np.stack([mirrored_pose(figure, row) for row in motion.q])
    headings = [heading_of(figure, row) for row in motion.q]
    path = forward(skeleton, motion.q).positions[:, root]
    now = forward(skeleton, q).positions[:, root]
    across = yaw_matrix(headings[0])[:, 0]
    goal = path - 2.0 * ((path - path[0]) @ across)[:, None] * across
    for f, heading in enumerate(headings):
        turn = yaw_matrix(2.0 * (headings[0] - heading))
        q[f] = moved_roots(skeleton, q[f][None], turn, goal[f] - turn @ now[f])[0]
    align_hemispheres(skeleton.tree.kind, skeleton.tree.q_start, q)
    return replace(motion, skeleton=skeleton, q=q)
