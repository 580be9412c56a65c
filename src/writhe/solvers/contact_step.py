"""One step under contact constraints; used by tracking, settling and the planner's end postures.

    min   1/2 v^T H v + g^T v
    s.t.  near pairs keep or recover their clearance,   (kernels.terms.contact_rows.contact_rows)
          intervals are kept or recovered,              (kernels.terms.contact_rows.interval_rows)
          equalities hold,  |v| <= max_step.

Contradictory constraints are softened (`solvers.qp`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.collision import CollisionTable, NearPairs
from writhe.kernels.terms.contact_rows import contact_rows, interval_rows
from writhe.solvers.qp import UNBOUNDED, solve_qp
from writhe.terms import CompiledTerms

_MAX_CONTACTS = 400  # most near pairs in a QP


@dataclass(frozen=True, slots=True)
class ContactOptions:
    """Constraints of a step. Lengths in metres, angles in radians."""

    max_step: float  # per degree of freedom
    near_m: float  # shape pairs nearer than this get a contact row
    margin_m: float  # clearance that contact rows aim to keep
    recovery_m: float  # most by which one step reduces an overlap
    approach: float  # fraction of the clearance by which one step may approach
    interval_recovery: float = 0.5  # fraction of an interval's violation that one step must recover


class ContactStep:
    """Solves steps on one collision table; keeps its arrays between calls. Not thread-safe.

    `prescribed` lists the degrees of freedom whose step is given, not solved for.
    """

    def __init__(
        self, table: CollisionTable, options: ContactOptions, prescribed: Ints | None = None
    ) -> None:
        self.options = options
        self.near = NearPairs(table)
        self._tree, self._nv = table.skeleton.tree, table.skeleton.dof_count
        self._prescribed = np.zeros(0, dtype=np.int64) if prescribed is None else prescribed
        self._free = np.setdiff1d(np.arange(self._nv), self._prescribed)
        self._matrix = np.empty((0, self._nv))
        self._low = self._high = np.empty(self._nv)

    def clearance(self, positions: Floats, rotations: Floats, within_m: float) -> float:
        """The smallest gap plus allowance at these joint frames; inf if no gap is < within_m."""
        self.near.find(positions, rotations, within_m)
        return float(self.near.clearance.min(initial=np.inf))

    def solve(
        self,
        terms: CompiledTerms,
        hessian: Floats,
        gradient: Floats,
        *,
        equalities: int = 0,
        intervals_from: int | None = None,
        prescribed_step: Floats | float = 0.0,
    ) -> Floats:
        """(nv) the step at the configuration of the last `terms.update`.

        The first `equalities` rows of the terms must hold exactly after the step; rows from
        `intervals_from` on are intervals to keep. `prescribed_step` has one entry per prescribed
        degree of freedom.
        """
        options, nv = self.options, self._nv
        first = terms.rows if intervals_from is None else intervals_from
        self._resize(_MAX_CONTACTS + equalities + terms.rows - first)
        self._find_nearest(terms)
        matrix, low, high = self._matrix, self._low, self._high
        low[:nv], high[:nv] = -options.max_step, options.max_step
        count = contact_rows(
            self._tree,
            terms.positions,
            terms.axes,
            self.near.rows,
            self.near.count,
            options.margin_m,
            options.approach,
            options.recovery_m,
            matrix[:_MAX_CONTACTS],
            low[nv:],
        )
        high[nv : nv + count] = UNBOUNDED
        if first < terms.rows:
            count += interval_rows(
                terms.values,
                terms.jacobian,
                terms.lower,
                terms.upper,
                first,
                options.max_step,
                options.interval_recovery,
                matrix[count:],
                low[nv + count :],
                high[nv + count :],
            )
        if equalities:
            matrix[count : count + equalities] = terms.jacobian[:equalities]
            at = slice(nv + count, nv + count + equalities)
            low[at] = high[at] = (terms.lower - terms.values)[:equalities]
            count += equalities
        end = nv + count
        if len(self._prescribed) == 0:
            return solve_qp(hessian, gradient, matrix[:count], low[:end], high[:end]).v
        return self._solve_free(
            hessian, gradient, matrix[:count], low[:end], high[:end], prescribed_step
        )

    def _find_nearest(self, terms: CompiledTerms) -> None:
        """Find near pairs; of too many only the nearest, by a smaller radius.

        Two hands with all their fingers make hundreds of pairs. None that overlaps may be left out.
        """
        within_m = self.options.near_m
        self.near.find(terms.positions, terms.rotations, within_m)
        while self.near.count > _MAX_CONTACTS and within_m > self.options.margin_m:
            within_m *= 0.5
            self.near.find(terms.positions, terms.rotations, within_m)

    def _solve_free(
        self,
        hessian: Floats,
        gradient: Floats,
        matrix: Floats,
        low: Floats,
        high: Floats,
        prescribed_step: Floats | float,
    ) -> Floats:
        """(nv) the step with its prescribed entries; the QP has the free ones only.

        Rows that no free degree of freedom changes are left out.
        """
        free, nv = self._free, self._nv
        step = np.zeros(nv)
        step[self._prescribed] = prescribed_step
        rows = np.any(matrix[:, free] != 0.0, axis=1)
        given = matrix[rows] @ step
        step[free] = solve_qp(
            hessian[np.ix_(free, free)],
            gradient[free] + hessian[free] @ step,
            np.ascontiguousarray(matrix[np.ix_(rows, free)]),
            np.concatenate([low[free], low[nv:][rows] - given]),
            np.concatenate([high[free], high[nv:][rows] - given]),
        ).v
        return step

    def _resize(self, rows: int) -> None:
        """Make the arrays large enough for this many rows."""
        if len(self._matrix) >= rows:
            return
        self._matrix = np.empty((rows, self._nv))
        self._low, self._high = np.empty(self._nv + rows), np.empty(self._nv + rows)
