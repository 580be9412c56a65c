"""The interface of all quantities, their encoding, and their evaluation at a configuration."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import isabstract

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats
from writhe.kernels.skeleton import kinematics
from writhe.kernels.terms import quantity_rows
from writhe.kernels.terms.quantity_rows import Program
from writhe.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class QuantityCode:
    """A quantity as numbers for the kernel; see the table of `kernels.terms.quantity_rows`."""

    operation: int
    rows: int
    joint_a: int = -1
    joint_b: int = -1
    data: tuple[float, ...] = ()
    # polylines: (joint, position in its frame) of every vertex
    lines: tuple[tuple[tuple[int, tuple[float, ...]], ...], ...] = ()


class Quantity(ABC):
    """A function of the configuration of a skeleton: `rows` values and their derivatives.

    Joints are named; in a scene the names are "actor.joint". The derivative is by the tangent step
    of all degrees of freedom of the skeleton.
    """

    @abstractmethod
    def encode(self, skeleton: Skeleton) -> QuantityCode:
        """The quantity as numbers, with joint names resolved; raises UnknownNameError."""

    @classmethod
    @abstractmethod
    def samples(cls, skeleton: Skeleton, rng: np.random.Generator) -> list[Quantity]:
        """Random instances on `skeleton`, with which the tests check the derivative."""

    def value(self, skeleton: Skeleton, q: ArrayLike) -> Floats:
        """The value at configuration q."""
        return evaluate(skeleton, [self], q)[0]

    def jacobian(self, skeleton: Skeleton, q: ArrayLike) -> Floats:
        """(rows, nv): the derivative of the value by the tangent step at q."""
        return evaluate(skeleton, [self], q)[1]


def quantity_types() -> list[type[Quantity]]:
    """All concrete subclasses of Quantity, sorted by name."""
    direct = Quantity.__subclasses__()
    kinds = [*direct, *(kind for base in direct for kind in base.__subclasses__())]
    return sorted((k for k in kinds if not isabstract(k)), key=lambda kind: kind.__name__)


def compile_program(skeleton: Skeleton, quantities: Sequence[Quantity]) -> Program:
    """The quantities as one program for `kernels.terms.quantity_rows.evaluate_rows`."""
    codes = [quantity.encode(skeleton) for quantity in quantities]
    data = np.zeros((len(codes), quantity_rows.DATA_SIZE))
    pool: list[tuple[int, tuple[float, ...]]] = []
    for i, code in enumerate(codes):
        # with polylines, `data` begins with their ranges in the vertex array
        data[i, 2 * len(code.lines) : 2 * len(code.lines) + len(code.data)] = code.data
        for k, line in enumerate(code.lines):
            data[i, 2 * k : 2 * k + 2] = len(pool), len(line)
            pool += line
    row_start = np.zeros(len(codes) + 1, dtype=np.int64)
    row_start[1:] = np.cumsum([code.rows for code in codes])
    return Program(
        operation=np.array([code.operation for code in codes], dtype=np.int64),
        joint_a=np.array([code.joint_a for code in codes], dtype=np.int64),
        joint_b=np.array([code.joint_b for code in codes], dtype=np.int64),
        data=data,
        row_start=row_start,
        vertex_joint=np.array([joint for joint, _ in pool], dtype=np.int64),
        vertex_in_joint=np.array([position for _, position in pool], dtype=np.float64).reshape(
            -1, 3
        ),
    )


def evaluate(
    skeleton: Skeleton, quantities: Sequence[Quantity], q: ArrayLike
) -> tuple[Floats, Floats]:
    """All values (R) and derivatives (R, nv) at q, in the order given."""
    program = compile_program(skeleton, quantities)
    n, nv, count = len(skeleton), skeleton.dof_count, int(program.row_start[-1])
    state = np.ascontiguousarray(q, dtype=np.float64)
    positions, rotations, axes = np.empty((n, 3)), np.empty((n, 3, 3)), np.empty((nv, 3))
    kinematics.forward(skeleton.tree, state, positions, rotations)
    kinematics.motion_axes(skeleton.tree, positions, rotations, axes)
    values, jacobian = np.empty(count), np.empty((count, nv))
    quantity_rows.evaluate_rows(
        skeleton.tree,
        skeleton.mass,
        skeleton.centre_of_mass,
        program,
        state,
        positions,
        rotations,
        axes,
        values,
        jacobian,
    )
    return values, jacobian


def vector(values: ArrayLike) -> tuple[float, ...]:
    """A tuple of plain floats."""
    return tuple(float(x) for x in np.asarray(values, dtype=np.float64).ravel())
