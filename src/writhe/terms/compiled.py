"""Terms packed into arrays once, so that one kernel call evaluates all rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats
from writhe.errors import UnknownNameError, WritheError
from writhe.kernels.skeleton import kinematics
from writhe.kernels.terms import quantity_rows
from writhe.quantities.quantity import compile_program
from writhe.skeleton import Skeleton
from writhe.terms.term import Term


class CompiledTerms:
    """A list of terms on one skeleton, compiled for a solver.

    `update(q)` fills `values`, `jacobian` and the joint frames; `lower`, `upper`, `weight` and
    `hard` hold one entry per row. `target_lower` and `target_upper` are the bounds of the terms;
    `lower` and `upper` are the bounds on the value at the newest frame, after the contribution of
    past frames of stencils is subtracted. `set_bounds` moves the targets of a drag without
    compiling again.
    """

    def __init__(self, skeleton: Skeleton, terms: Sequence[Term]) -> None:
        self.skeleton = skeleton
        self.terms = tuple(terms)
        self.program = compile_program(skeleton, [term.quantity for term in self.terms])
        start = self.program.row_start
        n, nv, count = len(skeleton), skeleton.dof_count, int(start[-1])
        self.rows = count
        self.target_lower, self.target_upper = np.empty(count), np.empty(count)
        self.weight, self.hard = np.zeros(count), np.zeros(count, dtype=np.bool_)
        self._stencil = np.zeros((3, count))
        self._slices: dict[str, slice] = {}
        for i, term in enumerate(self.terms):
            at = slice(int(start[i]), int(start[i + 1]))
            height = at.stop - at.start
            self.target_lower[at], self.target_upper[at] = term.bounds(height)
            self.hard[at] = term.hard
            newest = term.stencil[-1]
            self.weight[at] = 0.0 if term.hard else np.asarray(term.weight, float) * newest
            for back, coefficient in enumerate(reversed(term.stencil)):
                self._stencil[back, at] = coefficient
            self._slices.setdefault(term.name, at)
        self.lower, self.upper = self.target_lower.copy(), self.target_upper.copy()
        self.values, self.jacobian = np.empty(count), np.empty((count, nv))
        self.positions, self.rotations = np.empty((n, 3)), np.empty((n, 3, 3))
        self.axes = np.empty((nv, 3))
        self._history: list[Floats] = []
        self._spans = bool(self._stencil[1:].any())

    def slice_of(self, name: str) -> slice:
        """The rows of the term with this label."""
        if name not in self._slices:
            raise UnknownNameError("term", name, list(self._slices))
        return self._slices[name]

    def set_bounds(self, name: str, lower: ArrayLike, upper: ArrayLike) -> None:
        """Set the interval of a term."""
        at = self.slice_of(name)
        self.target_lower[at], self.target_upper[at] = lower, upper
        self._apply_history()

    def set_target(self, name: str, target: ArrayLike) -> None:
        """Set the target of an equality term."""
        self.set_bounds(name, target, target)

    def remember(self, q: Floats) -> None:
        """Store a past frame for the terms that span frames; call it oldest first."""
        self.update(q)
        self._history = [self.values.copy(), *self._history[:1]]
        self._apply_history()

    def _apply_history(self) -> None:
        self.lower[:], self.upper[:] = self.target_lower, self.target_upper
        if not self._spans:
            return
        needed = 2 if self._stencil[2].any() else 1
        if len(self._history) < needed:
            # without enough past frames, terms that span frames are unbounded
            waiting = self._stencil[1:].any(axis=0)
            self.lower[waiting], self.upper[waiting] = -np.inf, np.inf
            return
        past = sum(self._stencil[k + 1] * v for k, v in enumerate(self._history))
        newest = self._stencil[0]
        self.lower[:] = (self.lower - past) / newest
        self.upper[:] = (self.upper - past) / newest

    def update(self, q: Floats) -> None:
        """Compute joint frames, values and derivatives at q (nq)."""
        skeleton = self.skeleton
        if q.shape != (skeleton.configuration_size,):
            raise WritheError(
                f"a configuration of {skeleton} has {skeleton.configuration_size} numbers, "
                f"not {q.shape}"
            )
        kinematics.forward(skeleton.tree, q, self.positions, self.rotations)
        kinematics.motion_axes(skeleton.tree, self.positions, self.rotations, self.axes)
        quantity_rows.evaluate_rows(
            skeleton.tree,
            skeleton.mass,
            skeleton.centre_of_mass,
            self.program,
            q,
            self.positions,
            self.rotations,
            self.axes,
            self.values,
            self.jacobian,
        )

    def violation(self) -> Floats:
        """(rows,) signed distance of each value outside its interval."""
        above = np.maximum(self.values - self.upper, 0.0)
        below = np.maximum(self.lower - self.values, 0.0)
        return above - below

    def residuals(self) -> dict[str, Floats]:
        """The violation of each term, by label, at the last update."""
        outside = self.violation()
        return {name: outside[at] for name, at in self._slices.items()}
