"""A body as plain arrays: joints, capsules and their pairs, strands and their pairs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from writhe.errors import WritheError


class BodyArrays(NamedTuple):
    """Inputs of the posture measures; joints are ordered parents first."""

    parent: Any  # (n,) -1 for the root
    kind: Any  # (n,) codes of `kernels.skeleton.kinematics`
    q_start: Any  # (n + 1,)
    offset: Any  # (n, 3) in the parent's frame, metres
    rest: Any  # (n, 3, 3)
    axis: Any  # (n, 3)
    capsule_joint: Any  # (c,)
    capsule_start: Any  # (c, 3) in the joint's frame
    capsule_end: Any  # (c, 3)
    capsule_radius: Any  # (c,)
    pair_a: Any  # (p,) capsules
    pair_b: Any  # (p,)
    pair_allowance: Any  # (p,)
    vertex_joint: Any  # (v,) of the strands' vertices
    vertex_in_joint: Any  # (v, 3)
    strand_start: Any  # (s + 1,)
    strand_pair: Any  # (k, 2)


def body_arrays(figure: Any, table: Any, bundle: Any) -> BodyArrays:
    """The arrays of a `Figure`, its `CollisionTable` and its `Bundle` of strands.

    Only capsules are supported: a table with other shapes, such as those of objects, raises.
    """
    tree, shapes = figure.skeleton.tree, table.source
    if any(len(s.points_in_joint) > 2 for s in shapes):
        raise WritheError("posture measures on the accelerator support capsules only")
    points = [np.asarray(s.points_in_joint, dtype=np.float64) for s in shapes]
    pairs = table.shape_pairs
    return BodyArrays(
        parent=tree.parent,
        kind=tree.kind,
        q_start=tree.q_start,
        offset=tree.offset,
        rest=tree.rest,
        axis=tree.axis,
        capsule_joint=np.array([figure.skeleton.index(s.joint) for s in shapes], dtype=np.int64),
        capsule_start=np.array([p[0] for p in points]),
        capsule_end=np.array([p[-1] for p in points]),
        capsule_radius=np.array([s.radius_m for s in shapes]),
        pair_a=pairs[:, 1],
        pair_b=pairs[:, 2],
        pair_allowance=table.pairs.allowance,
        vertex_joint=bundle.strands.vertex_joint,
        vertex_in_joint=bundle.strands.vertex_in_joint,
        strand_start=bundle.strands.start,
        strand_pair=bundle.strands.pair,
    )
