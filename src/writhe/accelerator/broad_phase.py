"""The broad phase of the certificate in JAX: proves intervals clear, on a GPU if there is one.

certify_file("walk.bvh", broad_phase=JaxBroadPhase())
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from writhe.accelerator.clear_bounds import Bounds, PairBody, clear_bounds
from writhe.accelerator.prove_clear import JointRotations, prove_clear
from writhe.collision import CollisionTable
from writhe.collision.interpolated_motion import InterpolatedMotion
from writhe.collision.swept_intervals import ClearIntervals
from writhe.kernels.skeleton.kinematics import BALL, FREE, HINGE, PRISMATIC
from writhe.skeleton import quaternions


class JaxBroadPhase:
    """A `BroadPhase` that keeps the arrays of the last table on the device."""

    def __init__(self) -> None:
        self._last: tuple[CollisionTable, Callable[..., Bounds] | None] | None = None

    def __call__(
        self, table: CollisionTable, interpolated: InterpolatedMotion, slack: float
    ) -> ClearIntervals:
        """The intervals that are proven to be clear; none if the table is not supported."""
        if self._last is None or self._last[0] is not table:
            body = pair_body(table)
            self._last = table, None if body is None else clear_bounds(body)
        bound = self._last[1]
        if bound is None or len(interpolated.q) < 2:
            return ClearIntervals.none(len(interpolated.q))
        return ClearIntervals(*prove_clear(bound, joint_rotations(table, interpolated), slack))


def pair_body(table: CollisionTable) -> PairBody | None:
    """The capsules and pairs of a table, or None if they are not supported.

    Supported are capsules on one tree that translates at its root only.
    """
    tree, pairs = table.skeleton.tree, table.pairs
    if any(len(s.points_in_joint) > 2 for s in table.source) or not len(pairs.a):
        return None
    if (tree.parent < 0).sum() != 1 or (pairs.ancestor < 0).any():
        return None
    if np.isin(tree.kind[tree.parent >= 0], (FREE, PRISMATIC)).any():
        return None
    length = np.linalg.norm(tree.offset, axis=1)
    reach = np.zeros((len(pairs.a), len(tree.parent)))
    for p, ancestor in enumerate(pairs.ancestor):
        for body in (pairs.a[p], pairs.b[p]):
            j, far = int(table.bodies.joint[body]), float(table.bodies.reach[body])
            while j != ancestor:
                reach[p, j] += far
                far += float(length[j])
                j = int(tree.parent[j])
    of_pair, a, b = table.shape_pairs.T
    points = [np.asarray(s.points_in_joint, dtype=np.float64) for s in table.source]
    return PairBody(
        parent=tree.parent,
        offset=tree.offset,
        rest=tree.rest,
        capsule_joint=table.shapes.joint,
        capsule_start=np.array([p[0] for p in points]),
        capsule_end=np.array([p[-1] for p in points]),
        pair_a=a,
        pair_b=b,
        pair_radius=table.shapes.radius[a] + table.shapes.radius[b],
        pair_allowance=pairs.allowance,
        pair_deep=pairs.deep,
        pair_reach=reach[of_pair],
    )


def joint_rotations(table: CollisionTable, interpolated: InterpolatedMotion) -> JointRotations:
    """The local rotations of a motion as arrays."""
    tree, q = table.skeleton.tree, interpolated.q
    n = len(tree.parent)
    turns = np.zeros((len(q), n, 4))
    turns[:, :, 0] = 1.0
    change = np.zeros((len(q) - 1, n, 3))
    for j in range(n):
        end = int(tree.q_start[j + 1])
        if tree.kind[j] == HINGE:
            vectors = q[:, end - 1 : end] * tree.axis[j]
            turns[:, j], change[:, j] = (
                quaternions.from_rotation_vectors(vectors),
                np.diff(vectors, axis=0),
            )
        elif tree.kind[j] in (BALL, FREE):
            turns[:, j] = q[:, end - 4 : end]
            change[:, j] = quaternions.shortest_arcs(q[:, end - 4 : end])
    if interpolated.euler is None:
        return JointRotations(turns, change, np.full((n, 3), -1), np.zeros((1, n, 3)))
    return JointRotations(turns, change, interpolated.euler.order, interpolated.euler.angles)
