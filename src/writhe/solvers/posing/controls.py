"""How the body behaves beyond what is held: staying in place, balance, idle limbs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Bools
from writhe.errors import WritheError
from writhe.skeleton import Figure


@dataclass(frozen=True, slots=True)
class Controls:
    """Each from 0 (free) to 1 (firm).

    - `stay`: the root stays over its place on the ground, where it was when the drag began;
    - `balance`: the centre of mass stays over the feet;
    - `idle`: limbs that carry no handle keep their posture instead of following the data.
    """

    stay: float = 0.0
    balance: float = 0.0
    idle: float = 0.0

    def __post_init__(self) -> None:
        for name in ("stay", "balance", "idle"):
            value = float(getattr(self, name))
            if not 0.0 <= value <= 1.0:
                raise WritheError(f"{name} is 0 (free) to 1 (firm), not {value}")

    @classmethod
    def standing(cls) -> Controls:
        """For a figure that stands on pinned feet: it neither sidesteps nor topples."""
        return cls(stay=0.2, balance=0.4, idle=0.1)

    @classmethod
    def sitting(cls) -> Controls:
        """For a figure on a seat: it keeps the seat, whether its feet are pinned or not."""
        return cls(stay=0.2, idle=0.1)


def idle_dofs(figure: Figure, held: frozenset[str]) -> Bools:
    """(nv,) the degrees of freedom of limbs none of whose joints is held.

    A limb hangs on the trunk: it starts where a chain without branches begins.
    """
    skeleton = figure.skeleton
    tree = skeleton.tree
    busy = np.zeros(len(skeleton), dtype=np.bool_)
    for joint in held:
        busy[list(skeleton.ancestors(joint))] = True
        first = skeleton.index(joint)
        busy[first : int(tree.subtree_end[first])] = True
    children = np.bincount(tree.parent[tree.parent >= 0], minlength=len(skeleton))
    out = np.zeros(skeleton.dof_count, dtype=np.bool_)
    for j in range(1, len(skeleton)):
        chain = slice(j, int(tree.subtree_end[j]))
        if not busy[chain].any() and (children[chain] <= 1).all():
            out[int(tree.v_start[j]) : int(tree.v_start[chain.stop])] = True
    return out
