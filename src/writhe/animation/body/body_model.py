"""Data shared by all animations of one body in one world: limits, metric, masses, workspace."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.animation.collision_world import World
from writhe.animation.pins import TimedPin
from writhe.arrays import Bools, Floats, Ints
from writhe.collision import NearPairs
from writhe.database.posture import metres_per_radian
from writhe.kernels.animation.balance_rows import BodyMass, MassWorkspace
from writhe.kernels.animation.frame_solve import FrameModel, InBetweenWorkspace
from writhe.kernels.qp.dual_active_set import make_constraint_rows, make_dual_workspace
from writhe.kernels.terms.limit_rows import limit_values
from writhe.planning.compiled_problem import compile_limits
from writhe.solvers.posing import Hold
from writhe.terms import CompiledTerms, joint_limits

LIMIT_INSET = 0.002  # rad that solved poses stay inside their limits
SUPPORT_DIRECTIONS = 16  # number of directions in which the centre of mass is bounded
_MAX_CONTACTS = 64  # largest number of contact rows in a frame
_ROOT_METRES = 2.0  # cost of moving the root by a metre
_BALANCE_WEIGHT = 30.0  # weight of a metre out of balance, relative to a metre from the blend


class BodyModel:
    """A body in a world. Not thread-safe: its animations share workspaces."""

    def __init__(self, world: World) -> None:
        self.world = world
        skeleton = world.skeleton
        terms = CompiledTerms(skeleton, joint_limits(skeleton, only_under=world.limited_under))
        self.limits = compile_limits(skeleton.tree, terms.program)
        self.lower, self.upper = terms.lower + LIMIT_INSET, terms.upper - LIMIT_INSET
        self.inverse_metric = _inverse_metric(world)
        self.near = NearPairs(world.table)
        self.own: Bools = still_joints(world) == 0
        self.mass = _body_mass(world, self.own)
        self._workspaces: dict[int, InBetweenWorkspace] = {}

    def workspace(self, pins: int) -> InBetweenWorkspace:
        """The arrays of the solver for a number of pins."""
        if pins not in self._workspaces:
            self._workspaces[pins] = _workspace(self.world, pins, len(self.limits.kind))
        return self._workspaces[pins]

    def widened_limits(self, rows: Floats) -> tuple[Floats, Floats]:
        """(k, m) lower and upper joint limits, widened where rows (k, nq) exceed them."""
        values = np.array([self.limit_values(q) for q in rows]).reshape(len(rows), -1)
        return np.minimum(self.lower, values), np.maximum(self.upper, values)

    def subtree_q(self, joint: str) -> slice:
        """The coordinates in q of a joint and all joints below it."""
        skeleton = self.world.skeleton
        first, start = skeleton.index(joint), skeleton.tree.q_start
        return slice(int(start[first]), int(start[int(skeleton.tree.subtree_end[first])]))

    def limit_values(self, q: Floats) -> Floats:
        """(m,) values of the joint limits at a configuration (nq)."""
        m = len(self.limits.kind)
        values = np.zeros(m)
        limit_values(self.limits, q, np.zeros((m, 3)), np.zeros(3), values)
        return values


def _body_mass(world: World, own: Bools) -> BodyMass:
    """The masses of the actor, and the directions in which its centre of mass is bounded."""
    skeleton = world.skeleton
    angles = np.arange(SUPPORT_DIRECTIONS) * (2.0 * np.pi / SUPPORT_DIRECTIONS)
    return BodyMass(
        np.where(own, skeleton.mass, 0.0),
        skeleton.centre_of_mass,
        np.stack([np.cos(angles), np.sin(angles)], axis=1),
        1.0 / _BALANCE_WEIGHT**2,
    )


def frame_model(body: BodyModel, pins: Sequence[TimedPin]) -> FrameModel:
    table = body.world.table
    skeleton = table.skeleton
    fixed = [timed.pin for timed in pins if not isinstance(timed.pin, str)]
    turns = [
        (pin.orientation_in_other if isinstance(pin, Hold) else pin.orientation_in_world)
        is not None
        for pin in fixed
    ]
    return FrameModel(
        skeleton.tree,
        table.shapes,
        table.bodies,
        table.pairs,
        body.limits,
        body.inverse_metric,
        np.array([skeleton.index(pin.joint) for pin in fixed], dtype=np.int64),
        np.array([pin.point_in_joint for pin in fixed]).reshape(-1, 3),
        np.array(
            [skeleton.index(pin.on) if isinstance(pin, Hold) else -1 for pin in fixed],
            dtype=np.int64,
        ),
        np.array(turns, dtype=np.int64),
        still_joints(body.world),
        body.mass,
    )


def still_joints(world: World) -> Ints:
    """(n,) 1 for joints that no coordinate of the actor moves."""
    tree = world.skeleton.tree
    moves = np.zeros(len(world.skeleton), dtype=np.bool_)
    moves[tree.dof_joint[world.variables]] = True
    for j, parent in enumerate(tree.parent):
        moves[j] |= parent >= 0 and moves[parent]
    return (~moves).astype(np.int64)


def _inverse_metric(world: World) -> Floats:
    """(nv,) 1 / M^2, with M the weights of the distance from the blend."""
    metres = metres_per_radian(world.skeleton, _ROOT_METRES)
    return np.where(world.variables, 1.0 / metres**2, 0.0)


def _workspace(world: World, pins: int, limits: int) -> InBetweenWorkspace:
    skeleton = world.skeleton
    n, nv = len(skeleton), skeleton.dof_count
    near, capacity = NearPairs(world.table), 6 * pins + limits + _MAX_CONTACTS + SUPPORT_DIRECTIONS
    return InBetweenWorkspace(
        near.placed,
        near.out,
        near.last_normals,
        near.rows,
        np.zeros((n, 3)),
        np.zeros((n, 3, 3)),
        np.zeros((nv, 3)),
        np.zeros((2, 3, nv)),
        np.zeros(3),
        np.zeros(3),
        np.zeros((3, 3)),
        np.zeros((limits, 3)),
        np.zeros(limits),
        np.zeros(3),
        make_constraint_rows(capacity, nv),
        make_dual_workspace(min(capacity, 6 * pins + 64), nv),
        np.zeros(nv),
        np.zeros(nv),
        MassWorkspace(np.zeros(3), np.zeros((3, nv)), np.zeros(n), np.zeros((n, 3))),
    )
