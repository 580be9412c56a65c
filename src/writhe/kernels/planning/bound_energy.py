"""The repulsive energy with its arrays bound once.

A call from Python checks and unpacks every array argument, some sixty here, which takes longer than
the energy itself. A bound field is one object that holds them all.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.experimental import structref

from writhe.arrays import Floats
from writhe.kernels.collision.shape_gaps import Bodies, Shapes
from writhe.kernels.jit import kernel
from writhe.kernels.planning.repulsive_energy import (
    EnergyWorkspace,
    RepulsiveField,
    energy_gradient,
)
from writhe.kernels.skeleton.kinematics import Tree


@structref.register
class _BoundType(types.StructRef):  # pyright: ignore[reportUntypedBaseClass]
    """Numba's type of a bound field."""


class BoundField(structref.StructRefProxy):  # pyright: ignore[reportUntypedBaseClass]
    """Tree, shapes, bodies, field and workspace of one energy."""

    def __new__(
        cls,
        tree: Tree,
        shapes: Shapes,
        bodies: Bodies,
        field: RepulsiveField,
        workspace: EnergyWorkspace,
    ) -> BoundField:
        """Bind the arrays."""
        made: Any = structref.StructRefProxy.__new__(cls, tree, shapes, bodies, field, workspace)
        return made


structref.define_proxy(BoundField, _BoundType, ["tree", "shapes", "bodies", "field", "workspace"])


@kernel
def bound_energy_gradient(bound: Any, q: Floats, gradient: Floats) -> float:
    """E at q and its gradient (nv); see `energy_gradient`."""
    return energy_gradient(
        bound.tree, bound.shapes, bound.bodies, bound.field, q, bound.workspace, gradient
    )


@kernel
def bound_energies(bound: Any, q: Floats, gradient: Floats, out: Floats) -> None:
    """out (frames,): E of each row of q (frames, nq); gradient (nv) is workspace."""
    for t in range(q.shape[0]):
        out[t] = energy_gradient(
            bound.tree, bound.shapes, bound.bodies, bound.field, q[t], bound.workspace, gradient
        )
