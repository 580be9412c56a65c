"""What the windows are solved for: the degrees of freedom, without those of minor joints.

Minor joints move only small parts: fingers, eyes, the ends of toes. They are many, and the work of
a window grows with the cube of what is solved for. Where a finger touches something outside its
hand, the arm gives way and the hand stays as it is.
"""

from __future__ import annotations

from copy import copy

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.collision import CollisionTable
from writhe.kernels.cleaning.frame_rows import FreeColumns
from writhe.kernels.collision.shape_gaps import Pairs
from writhe.kernels.skeleton.kinematics import Tree
from writhe.skeleton import Figure, Skeleton
from writhe.skeleton.limbs import FOOT_ROLES

_REACH = 0.075  # of the size of the body: fingers reach less, a hand or a head more


def minor_joints(figure: Figure, table: CollisionTable) -> Bools:
    """(joints,) joints whose descendants and shapes all lie near them; never ankles or toes."""
    skeleton, bodies = figure.skeleton, table.bodies
    positions = skeleton.rest_positions
    extent = np.zeros(len(skeleton))  # of the joint's own shapes
    for b, joint in enumerate(bodies.joint):
        if np.isfinite(bodies.capsule_radius[b]):
            extent[joint] = max(extent[joint], bodies.reach[b] + bodies.capsule_radius[b])
    feet = {skeleton.index(joint) for role, joint in figure.roles if role in FOOT_ROLES}
    out = np.zeros(len(skeleton), dtype=np.bool_)
    root = 0
    for j, parent in enumerate(skeleton.tree.parent):
        if parent < 0:
            root = j
        tree = slice(root, int(skeleton.tree.subtree_end[root]))
        size = float(np.ptp(positions[tree], axis=0).max())
        below = slice(j, int(skeleton.tree.subtree_end[j]))
        reach = np.linalg.norm(positions[below] - positions[j], axis=1) + extent[below]
        out[j] = parent >= 0 and j not in feet and float(reach.max()) < _REACH * size
    return out


def position_weights(skeleton: Skeleton, minor: Bools, of_hand: float) -> Floats:
    """(joints,) weights of joint positions: 1 for each joint that is not minor.

    `of_hand` is divided among the first joints of the fingers of a hand, whose positions determine
    its orientation; the other minor joints have the weight 0.
    """
    parent = skeleton.tree.parent
    weights = np.where(minor, 0.0, 1.0)
    first = np.flatnonzero(minor & ~minor[parent])
    fingers = np.bincount(parent[first], minlength=len(skeleton))
    weights[first] = of_hand / np.sqrt(fingers[parent[first]])
    return weights


def independent_dofs(tree: Tree, minor: Bools, free: Ints) -> list[Ints]:
    """Degrees of freedom in groups that are solved one after the other.

    First those of the body; then those of the minor joints of each hand, which are free where its
    fingers touch each other. minor (joints,).
    """
    groups: dict[int, list[int]] = {}
    for dof in free:
        joint, hand = int(tree.dof_joint[dof]), -1
        while minor[joint]:
            hand = joint = int(tree.parent[joint])
        groups.setdefault(hand, []).append(int(dof))
    return [np.array(groups[hand]) for hand in sorted(groups)]


def free_columns(skeleton: Skeleton, free: Ints) -> tuple[FreeColumns, Ints]:
    """The free degrees of freedom by the joints they move, and the column (nv,) of each or -1."""
    tree, dof = skeleton.tree, np.sort(free)
    column_of = np.full(skeleton.dof_count, -1, dtype=np.int64)
    column_of[dof] = np.arange(len(dof))
    chains: list[list[int]] = []
    for j in range(len(skeleton)):
        parent = int(tree.parent[j])
        own = column_of[tree.v_start[j] : tree.v_start[j + 1]]
        above = chains[parent] if parent >= 0 else []
        chains.append([*above, *(int(c) for c in own if c >= 0)])
    # a turning joint does not move its own centre, but a translation does; keep both
    start = np.cumsum([0, *(len(chain) for chain in chains)])
    return FreeColumns(
        dof, start, np.array([c for chain in chains for c in chain], dtype=np.int64)
    ), column_of


def changing_pairs(table: CollisionTable, may_change: Bools) -> Pairs:
    """Body pairs whose relative pose depends on a free degree of freedom.

    Shape pairs keep their numbers: `first` holds the first shape pair of each body pair; the entry
    after the last body pair is not used.
    """
    tree, pairs, joint = table.skeleton.tree, table.pairs, table.bodies.joint
    # free joints from the root to each joint; the last entry is that of no joint (-1)
    above = np.zeros(len(table.skeleton) + 1, dtype=np.int64)
    for j, parent in enumerate(tree.parent):
        free = may_change[tree.v_start[j] : tree.v_start[j + 1]].any()
        above[j] = above[parent] + bool(free)
    between = above[joint[pairs.a]] + above[joint[pairs.b]] - 2 * above[pairs.ancestor]
    chosen = np.flatnonzero(between > 0)
    if len(chosen) == len(pairs.a):
        return pairs
    return pairs._replace(
        a=pairs.a[chosen],
        b=pairs.b[chosen],
        ancestor=pairs.ancestor[chosen],
        first=pairs.first[np.append(chosen, len(pairs.a))],
    )


def changing_table(table: CollisionTable, may_change: Bools) -> CollisionTable:
    """The table with only the pairs whose relative pose depends on a free degree of freedom.

    For near pairs and the gate; its shape pairs keep the numbers of the given table.
    """
    out = copy(table)
    out.pairs = changing_pairs(table, may_change)
    return out
