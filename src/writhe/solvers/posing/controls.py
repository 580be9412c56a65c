"""Controls of the default poser: root stay, balance, idle limbs, habits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from writhe.arguments import check_fields
from writhe.arrays import Bools
from writhe.errors import WritheError
from writhe.recognition.body_map import extends
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure as built_in
from writhe.solvers.posing.support_polygon import can_balance

_ARM = ("wrist", "elbow", "shoulder")
_IDLE_ARM = 0.85  # firmness of the other arm while one is dragged: it goes on hanging
_UPPER = (*_ARM, "clavicle", "head", "neck", "chest", "spine")


@dataclass(frozen=True, slots=True)
class Controls:
    """How firmly degrees of freedom without a handle are held, each from 0 (free) to 1 (firm).

    - `stay`: the root keeps the horizontal position that it had when the drag began;
    - `balance`: the centre of mass stays over the feet;
    - `idle`: limbs without a handle keep their posture instead of following the database;
    - `rhythm`: the shoulder girdle rises only with the raised arm (scapulo-humeral rhythm);
    - `gaze`: neck and head turn a little towards a dragged hand.
    """

    stay: float = 0.0
    balance: float = 0.0
    idle: float = 0.0
    rhythm: float = 0.0
    gaze: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("stay", "balance", "idle", "rhythm", "gaze"):
            value = float(getattr(self, name))
            if not 0.0 <= value <= 1.0:
                raise WritheError(f"{name} must be from 0 (free) to 1 (firm), not {value}")

    @classmethod
    def standing(cls) -> Controls:
        """For a figure standing on pinned feet: it keeps its position and its balance."""
        return cls(stay=0.2, balance=0.4, idle=0.1, rhythm=1.0, gaze=1.0)

    @classmethod
    def sitting(cls) -> Controls:
        """For a seated figure: the root keeps its position; balance does not count."""
        return cls(stay=0.2, idle=0.1, rhythm=1.0, gaze=1.0)

    @classmethod
    def for_drag(
        cls,
        figure: Figure,
        dragged: Iterable[str] | None = None,
        *,
        balance: bool = True,
        gaze: bool = True,
    ) -> Controls:
        """For a drag of some joints, as in the studio and in Blender.

        While arms, trunk or head are dragged, a person keeps its balance; a dragged pelvis or leg
        moves the weight on purpose: onto a chair, onto one foot. While one arm is dragged, the
        other goes on hanging. dragged: joints, None if they are not known yet.
        """
        roles = {joint: role for role, joint in figure.roles}
        moved = None if dragged is None else [roles.get(joint, "wrist") for joint in dragged]
        upper = moved is None or all(role.endswith(_UPPER) for role in moved)
        balanced = balance and upper and can_balance(figure)
        look = 1.0 if gaze else 0.0
        if extends(figure, built_in("human")):
            arms = bool(moved) and all(role.endswith(_ARM) for role in moved or ())
            idle = _IDLE_ARM if arms else 0.0
            return cls(balance=0.4 if balanced else 0.0, idle=idle, rhythm=1.0, gaze=look)
        standing = cls.standing() if can_balance(figure) else cls()
        return replace(standing, balance=standing.balance if balanced else 0.0, gaze=look)


def locked_dofs(figure: Figure, held: frozenset[str]) -> Bools:
    """(nv,) mask of the degrees of freedom that are locked: neither a handle nor a role needs them.

    On a person, these are the joints without a role, a held joint or a joint with a role at or
    below them: fingers, twist bones, hair and end markers of a rig. They cost nothing while they
    are not held.
    """
    skeleton = figure.skeleton
    tree = skeleton.tree
    out = np.zeros(skeleton.dof_count, dtype=np.bool_)
    if not figure.roles:
        return out
    needed = np.zeros(len(skeleton), dtype=np.bool_)
    for joint in [*(name for _, name in figure.roles), *held]:
        needed[list(skeleton.ancestors(joint))] = True
    for joint in held:  # descendants of a held joint are not locked
        needed[skeleton.index(joint) : int(tree.subtree_end[skeleton.index(joint)])] |= (
            joint not in dict(figure.roles).values()
        )
    for j in np.flatnonzero(~needed):
        out[int(tree.v_start[j]) : int(tree.v_start[j + 1])] = True
    return out


def idle_dofs(figure: Figure, held: frozenset[str]) -> Bools:
    """(nv,) mask of the degrees of freedom of limbs that have no held joint.

    A limb is a maximal subtree without branches, where the fingers of a hand do not count as
    branches.
    """
    skeleton = figure.skeleton
    tree = skeleton.tree
    busy = np.zeros(len(skeleton), dtype=np.bool_)
    for joint in held:
        busy[list(skeleton.ancestors(joint))] = True
        first = skeleton.index(joint)
        busy[first : int(tree.subtree_end[first])] = True
    children = np.bincount(tree.parent[tree.parent >= 0], minlength=len(skeleton))
    for role, name in figure.roles:
        if role.endswith(("_wrist", "_ankle", "_toe")):
            children[skeleton.index(name) : int(tree.subtree_end[skeleton.index(name)])] = 1
    out = np.zeros(skeleton.dof_count, dtype=np.bool_)
    for j in range(1, len(skeleton)):
        chain = slice(j, int(tree.subtree_end[j]))
        if not busy[chain].any() and (children[chain] <= 1).all():
            out[int(tree.v_start[j]) : int(tree.v_start[chain.stop])] = True
    return out
