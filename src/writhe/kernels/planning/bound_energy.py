"""The energy with its arrays bound once.

A call from Python checks and unpacks every array it hands over, some sixty here, which takes longer
than the energy itself. A bound field is one object that holds them all.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.experimental import structref

from writhe.arrays import Floats
from writhe.kernels.collision.shape_gaps import Bodies, Shapes
from writhe.kernels.jit import kernel
from writhe.kernels.planning.repulsive_energy import EnergyRoom, Field, energy_gradient
from writhe.kernels.skeleton.kinematics import Tree


@structref.register
class _BoundType(types.StructRef):  # pyright: ignore[reportUntypedBaseClass]
    """Numba's view of a bound field."""


class BoundField(structref.StructRefProxy):  # pyright: ignore[reportUntypedBaseClass]
    """Tree, shapes, bodies, field and working space of one energy."""

    def __new__(
        cls, tree: Tree, shapes: Shapes, bodies: Bodies, field: Field, room: EnergyRoom
    ) -> BoundField:
        """Bind them."""
        made: Any = structref.StructRefProxy.__new__(cls, tree, shapes, bodies, field, room)
        return made


structref.define_proxy(BoundField, _BoundType, ["tree", "shapes", "bodies", "field", "room"])


@kernel
def bound_energy_gradient(bound: Any, q: Floats, gradient: Floats) -> float:
    """E at q and its gradient (nv); see `energy_gradient`."""
    return energy_gradient(
        bound.tree, bound.shapes, bound.bodies, bound.field, q, bound.room, gradient
    )


@kernel
def bound_energies(bound: Any, q: Floats, gradient: Floats, out: Floats) -> None:
    """out (frames,): E of each row of q (frames, nq); gradient (nv) is room."""
    for t in range(q.shape[0]):
        out[t] = energy_gradient(
            bound.tree, bound.shapes, bound.bodies, bound.field, q[t], bound.room, gradient
        )
