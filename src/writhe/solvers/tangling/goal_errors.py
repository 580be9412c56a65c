"""The rows of strand goals, and how far each goal is from being met.

A tangle has up to four rows (its topology coordinates), other goals one (their writhe or linking);
`goal_rows` lists them. Rows are compiled together with the kinematic terms of a problem.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.errors import WritheError
from writhe.skeleton import Skeleton
from writhe.solvers.tangling.goal_rows import compile_goals
from writhe.solvers.tangling.goals import StrandGoal, Tangle, Through, Untangled
from writhe.solvers.tangling.matrix_tracking import MatrixTracking, matrix_terms
from writhe.solvers.tangling.options import TangleOptions
from writhe.terms import CompiledTerms, Term
from writhe.topology import Strand
from writhe.topology.loop_crossing import crossings

HARD_COMPLIANCE = 1e-9  # of a hard term
_UNTANGLED_COMPLIANCE = 1e-6
_BOUND_TOLERANCE = 1e-3  # by which a reached pose may exceed a bound on the writhe


class GoalErrors:
    """Strand goals compiled to rows, with their errors at the last update."""

    def __init__(
        self,
        skeleton: Skeleton,
        goals: Sequence[StrandGoal],
        terms: Sequence[Term],
        options: TangleOptions,
    ) -> None:
        self.skeleton, self.options, self.goals = skeleton, options, tuple(goals)
        self._compile(terms)

    def _compile(self, given: Sequence[Term]) -> None:
        """Compile the terms of all goals, then those given, and the arrays of the goals' rows."""
        options = self.options
        compiled = compile_goals(self.goals, options)
        self._bundles = compiled.bundles
        self._bounds = [
            (goal, term.name) for goal, term in zip(compiled.bounded, compiled.bounds, strict=True)
        ]
        self._through = np.zeros(len(self.goals), dtype=np.bool_)
        tracked = matrix_terms(self.goals) if options.tracking == "matrix" else []
        self.terms = CompiledTerms(
            self.skeleton, [*compiled.terms, *compiled.bounds, *tracked, *given]
        )
        weight = np.maximum(self.terms.weight, 1e-12)
        self._compliance = np.where(self.terms.hard, HARD_COMPLIANCE, 1.0 / weight**2)
        # rows without a target do not count
        self._compliance[: compiled.height] = np.inf
        for k, goal in enumerate(self.goals):
            if isinstance(goal, Untangled):
                at = self.terms.slice_of(f"goal {k}: {goal.label}")
                self._compliance[at] = _UNTANGLED_COMPLIANCE
        self._goal_rows = np.array(compiled.rows, dtype=np.int64)
        self.target = np.array(compiled.target)
        self._stride = np.array(compiled.stride)
        self.tolerance = np.array(compiled.tolerance)
        self._period = np.array(compiled.period)
        self.goal_of_row: Ints = np.array(compiled.goal, dtype=np.int64)
        self._row_weight = np.array(compiled.weight)
        self._writhe_row = np.array(compiled.writhe_row, dtype=np.int64)
        self._compliance[self._goal_rows] = 1.0 / self._row_weight**2
        self._fades = self._writhe_row >= 0
        self._matrices: MatrixTracking | None = None
        if tracked:
            self._matrices = MatrixTracking(self.goals, self.terms, options)
            for rows in self._matrices.rows:
                self._compliance[rows] = 1.0 / options.matrix_weight**2
            # the coordinates are measured only
            of_tangle = np.array([isinstance(goal, Tangle) for goal in self.goals])
            self._compliance[self._goal_rows[of_tangle[self.goal_of_row]]] = np.inf
            self._fades[:] = False
        targets = dict(zip(compiled.rows, compiled.target, strict=True))
        writhes = [abs(targets[int(row)]) for row in self._writhe_row[self._fades]]
        self._fade_writhe = np.clip(writhes, 0.01, options.fade_writhe)

    def update(self, q: Floats) -> None:
        """Evaluate all terms at q."""
        self.terms.update(q)

    def set_target(self, goal: int, target: Tangle) -> None:
        """Change the target of a tangle; the same coordinates must be None as before."""
        goals = list(self.goals)
        at = np.flatnonzero(self.goal_of_row == goal)
        values = target.target
        values = values[~np.isnan(values)]
        if len(values) != len(at):
            raise WritheError(
                f"the goal {target.label} must set the same {len(at)} coordinates as before,"
                f" not {len(values)}; make a new stepper to change them"
            )
        self.target[at] = values
        goals[goal] = target
        self.goals = tuple(goals)

    def errors(self) -> Floats:
        """(rows,) target minus value at the last update, wrapped where the row has a period."""
        error = self.target - self.terms.values[self._goal_rows]
        turns = np.isfinite(self._period)
        error[turns] -= self._period[turns] * np.round(error[turns] / self._period[turns])
        return error

    def reached(self) -> Bools:
        """(goals,) whether each is met at the last update."""
        out = np.ones(len(self.goals), dtype=np.bool_)
        missing = np.abs(self.errors()) > self.tolerance
        np.logical_and.at(out, self.goal_of_row[missing], False)
        for k, goal in enumerate(self.goals):
            if isinstance(goal, Through):
                out[k] = self._through[k] = self.passes_through(goal)
            elif isinstance(goal, Untangled):
                at = self.terms.slice_of(f"goal {k}: {goal.label}")
                out[k] = abs(float(self.terms.values[at][0])) <= goal.max_writhe + _BOUND_TOLERANCE
        for at, goal in self._bundles:
            values = self.terms.values[self._goal_rows[at]]
            k = int(self.goal_of_row[at.start])
            out[k] = abs(float(values.mean()) - goal.writhe) <= goal.tolerance
        sigma = self.options.sigma
        if sigma is not None:
            for k, name in self._bounds:
                largest = float(np.abs(self.terms.values[self.terms.slice_of(name)]).max())
                out[k] &= largest <= sigma + _BOUND_TOLERANCE
        return out

    def passes_through(self, goal: Through) -> bool:
        """Whether the chain passes through the loop with clearance, at the last update."""
        sign = 1 if goal.forwards else -1
        if self.options.through_writhe is not None:
            at = self.terms.slice_of(f"goal {self.goals.index(goal)}: {goal.label}")
            return sign * float(self.terms.values[at][0]) >= self.options.through_writhe
        found = crossings(self.vertices(goal.chain), self.vertices(goal.loop))
        if sum(crossing.sign for crossing in found) != sign:
            return False
        last = [crossing for crossing in found if crossing.sign == sign][-1]
        return last.clearance_m >= goal.clearance_m and last.beyond_m >= goal.beyond_m

    def vertices(self, strand: Strand) -> Floats:
        """(vertices, 3) world positions of a strand's vertices at the last update."""
        out = np.empty((len(strand.joints), 3))
        for k, (joint, offset) in enumerate(
            zip(strand.joints, strand.offsets_in_joint, strict=True)
        ):
            if joint is None:
                out[k] = offset
            else:
                j = self.skeleton.index(joint)
                out[k] = self.terms.positions[j] + self.terms.rotations[j] @ offset
        return out

    def unmet(self) -> dict[str, Floats]:
        """By label of each goal not met, the errors of its coordinates at the last update."""
        error, met = self.errors(), self.reached()
        return {
            goal.label: error[self.goal_of_row == k]
            for k, goal in enumerate(self.goals)
            if not met[k]
        }
