"""One step towards strand goals in topology space: the QP of Eq. 9, then the gate.

Ho and Komura (2009) give a target for the whole writhe matrix (section 3.2), which
`TangleOptions(tracking="matrix")` follows. Bodies of a few segments can rarely attain that
matrix, which leaves a residual. By default the topology coordinates themselves are the rows: four
for each tangle instead of one for every pair of segments. This also makes a step cheap.

The bound of Eq. 7, |T + dT| <= sigma, applies to every pair of bones; for strands subdivided
into pieces it bounds the sum over a bone's pieces.
Two bones of length l that cross in the middle at a distance h have
T = 1/pi atan(l^2 / (4 h sqrt(h^2 + l^2 / 2))), so sigma = 0.2 keeps them 0.42 l apart and
sigma = 0.4 keeps them 0.1 l apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable, Gate, NearPairs
from writhe.errors import WritheError
from writhe.kernels.qp.dual_active_set import (
    EQUAL,
    fill_rows,
    make_constraint_rows,
    make_dual_workspace,
    solve_qp,
)
from writhe.kernels.skeleton import kinematics
from writhe.kernels.terms.contact_rows import contact_rows
from writhe.solvers.tangling.goal_errors import HARD_COMPLIANCE, GoalErrors
from writhe.solvers.tangling.goals import StrandGoal, Tangle
from writhe.solvers.tangling.options import TangleOptions
from writhe.terms import Term

_UNBOUNDED = 1e30
_STUCK = 0.02  # a smaller certified fraction counts as no step


class TangleStepper(GoalErrors):
    """Steps a skeleton or scene towards strand goals; keeps its arrays between steps.

    `variables` (nv) marks what may move; `metric` (nv) is the diagonal cost of motion. `terms` are
    kinematic goals and constraints: positions, relations, joint limits.
    """

    def __init__(
        self,
        table: CollisionTable,
        goals: Sequence[StrandGoal],
        terms: Sequence[Term] = (),
        options: TangleOptions | None = None,
        *,
        variables: Bools | None = None,
        metric: Floats | None = None,
    ) -> None:
        super().__init__(table.skeleton, goals, terms, options or TangleOptions())
        self.table = table
        self.gate = Gate(table)
        nv = self.skeleton.dof_count
        free = np.ones(nv, dtype=np.bool_) if variables is None else variables
        cost = np.ones(nv) if metric is None else metric
        if free.shape != (nv,) or cost.shape != (nv,):
            raise WritheError(
                f"variables and metric need {nv} entries each for {self.skeleton},"
                f" not {free.shape} and {cost.shape}"
            )
        self.variables = free
        self.inverse_metric = np.where(free, 1.0 / cost, 0.0)
        self._near = NearPairs(table)
        contacts = min(len(table.pairs.deep), 500)
        workspace = self.terms.rows + contacts
        self._rows = make_constraint_rows(workspace, nv)
        self._work = make_dual_workspace(min(workspace, 400), nv)
        self._pair_state = np.zeros(max(1, len(table.pairs.deep)), dtype=np.int64)
        self._row_state = np.zeros(self.terms.rows, dtype=np.int64)
        self._columns = np.arange(self.skeleton.dof_count, dtype=np.int64)
        self._v, self._v0 = np.zeros(nv), np.zeros(nv)
        self._tried = np.empty(self.skeleton.configuration_size)
        self.contacts = self.used = 0
        self.stride_factor = 1.0
        self.reference: Floats | None = None
        self.fraction = 1.0

    @property
    def preferred(self) -> Floats:
        """(nv,) the preferred step v0 of the last QP."""
        return self._v0

    def merit(self, q: Floats) -> float:
        """Sum of squared weighted goal errors, plus the squared distance to the reference."""
        error = self.errors() * self._row_weight
        for at, goal in self._bundles:
            mean = float(self.terms.values[self._goal_rows[at]].mean())
            error[at] = self._row_weight[at] * (goal.writhe - mean)
        total = float(error @ error)
        if self.reference is not None and self.options.pull > 0.0:
            away = np.empty_like(self._v)
            kinematics.difference(self.skeleton.tree, q, self.reference, away)
            total += float((away[self.variables] ** 2).sum())
        return total

    def resting(self, still: float) -> bool:
        """Whether the last step moved nothing by more than `still`, where there is a reference."""
        if self.reference is None or self.options.pull == 0.0:
            return True
        return float(np.abs(self._v[self.variables]).max(initial=0.0)) * self.fraction < still

    def proposal(self, q: Floats, leave_out: int | None) -> tuple[Floats, Floats]:
        """For each row, the unmet part of the requested change, and that change; q is not modified.

        `leave_out` is the index of a goal whose rows do not count.
        """
        self.terms.update(q)
        self._aim()
        self._prefer(q, None, None)
        kept = self._compliance.copy()
        if leave_out is not None:
            rows = self._goal_rows[self.goal_of_row == leave_out]
            if not len(rows):
                name = f"goal {leave_out}: {self.goals[leave_out].label}"
                rows = np.arange(self.terms.rows)[self.terms.slice_of(name)]
            self._compliance[rows] = np.inf
        count = self._qp()
        solve_qp(self._rows, count, self.inverse_metric, self._v0, 1e-7, self._work, self._v)
        self._compliance = kept
        rows = self._goal_rows
        stride = self.terms.lower[rows] - self.terms.values[rows]
        return stride - self.terms.jacobian[rows] @ self._v, stride

    def step(
        self, q: Floats, driven: Floats | None = None, preferred: Floats | None = None
    ) -> Floats:
        """The next certified configuration from q.

        `driven` (nv) moves what is not free; the gate shortens it with the rest of the step, and
        `fraction` is the fraction taken. `preferred` (nv) is added to the preferred step.
        """
        self.terms.update(q)
        self._aim()
        self._prefer(q, driven, preferred)
        self._propose(q)
        if self.fraction < _STUCK:
            # restore clearance only: goals and driven parts wait for one step
            rows = self._goal_rows
            self.terms.lower[rows] = self.terms.upper[rows] = self.terms.values[rows]
            self._v0[:] = 0.0
            self._propose(q)
            moved, self.fraction = self.fraction, 0.0
        else:
            moved = self.fraction
        if moved >= 1.0:
            return self._tried.copy()
        out = np.empty_like(self._tried)
        kinematics.interpolate(self.skeleton.tree, q, self._tried, moved, out)
        return out

    def _propose(self, q: Floats) -> None:
        """Solve this step's QP into `_v` and `_tried`; `fraction` of it is certified."""
        options, v = self.options, self._v
        count = self._qp()
        free, largest = self.variables, 0.0
        for _ in range(2):
            solve_qp(self._rows, count, self.inverse_metric, self._v0, 1e-7, self._work, v)
            largest = float(np.abs(v[free]).max(initial=0.0))
            if largest <= 1.01 * options.max_step:
                break
            # scale down every goal, but not what contacts and driven parts require
            share = options.max_step / largest
            equal = self._rows.state[: self.used] == EQUAL
            self._rows.low[: self.used][equal] *= share
            self._rows.high[: self.used][equal] *= share
            self._v0[free] *= share
        self._remember(count)
        if largest > 1.5 * options.max_step:
            v[free] *= 1.5 * options.max_step / largest
        kinematics.integrate(self.skeleton.tree, q, v, self._tried)
        self.fraction = self.gate.fraction(q, self._tried) if options.gate else 1.0

    def _aim(self) -> None:
        """Set the bounds of this step for every row: the value moved towards its target."""
        terms, rows = self.terms, self._goal_rows
        if not len(rows):
            return
        stride = self.stride_factor * self._stride
        values = terms.values[rows]
        aim = np.minimum(np.maximum(self.errors(), -stride), stride)
        for at, goal in self._bundles:
            mean = values[at].mean()
            share = min(max(goal.writhe - mean, -stride[at][0]), stride[at][0])
            aim[at] = np.clip(mean + share - values[at], -stride[at], stride[at])
        terms.lower[rows] = terms.upper[rows] = values + aim
        if self._matrices is not None:
            tangles = [goal if isinstance(goal, Tangle) else None for goal in self.goals]
            self._matrices.aim(tangles, terms)
        if self._through.any():
            # a chain that is through its loop may go on, but not back
            passes_through = np.flatnonzero(self._through[self.goal_of_row])
            ahead = self.target[passes_through] > 0.0
            at = rows[passes_through]
            terms.lower[at] = np.where(ahead, values[passes_through], -_UNBOUNDED)
            terms.upper[at] = np.where(ahead, _UNBOUNDED, values[passes_through])
        if self._fades.any():
            writhe = np.abs(terms.values[self._writhe_row[self._fades]])
            fade = np.minimum(1.0, writhe / self._fade_writhe) ** 2
            weight = self._row_weight[self._fades] * np.maximum(fade, self.options.min_fade)
            self._compliance[rows[self._fades]] = 1.0 / weight**2

    def _prefer(self, q: Floats, driven: Floats | None, preferred: Floats | None) -> None:
        """Set the preferred step v0: towards the reference posture, or zero."""
        options, v0 = self.options, self._v0
        if self.reference is None or options.pull == 0.0:
            v0[:] = 0.0
        else:
            kinematics.difference(self.skeleton.tree, q, self.reference, v0)
            v0 *= options.pull
            np.clip(v0, -options.pull_limit, options.pull_limit, out=v0)
        if preferred is not None:
            v0 += preferred
        if driven is None:
            v0[~self.variables] = 0.0
        else:
            v0[~self.variables] = driven[~self.variables]

    def _qp(self) -> int:
        """Fill the rows of this step's QP; returns how many."""
        options, terms, rows = self.options, self.terms, self._rows
        used = fill_rows(
            terms.values,
            terms.jacobian,
            terms.lower,
            terms.upper,
            self._compliance,
            options.max_step,
            0.3,
            self._row_state,
            self._columns,
            rows,
        )
        if not options.contacts:
            self.used, self.contacts = used, 0
            return used
        near = self._near
        near.find(terms.positions, terms.rotations, options.near_m)
        contacts = contact_rows(
            self.skeleton.tree,
            terms.positions,
            terms.axes,
            near.rows,
            near.count,
            options.margin_m,
            options.approach,
            options.recovery_m,
            rows.matrix[used:],
            rows.low[used:],
        )
        at = slice(used, used + contacts)
        rows.high[at] = _UNBOUNDED
        rows.compliance[at] = HARD_COMPLIANCE
        pairs = near.rows.shape_pair[:contacts]
        rows.source[at] = pairs
        rows.state[at] = self._pair_state[pairs]
        self.used, self.contacts = used, contacts
        return used + contacts

    def _remember(self, count: int) -> None:
        """Keep the active set for the next step."""
        rows, used = self._rows, self.used
        self._row_state[:] = 0
        self._row_state[rows.source[:used]] = rows.state[:used]
        self._pair_state[:] = 0
        self._pair_state[rows.source[used:count]] = rows.state[used:count]

    def holding_back(self) -> list[tuple[float, str]]:
        """Rows active in the last step, strongest first: multiplier and name."""
        rows, out = self._rows, list[tuple[float, str]]()
        for i in np.flatnonzero(rows.multiplier[: self.used + self.contacts]):
            if i < self.used:
                name = self._term_of(int(rows.source[i]))
            else:
                a, b = self._near.rows.shapes[i - self.used]
                name = (
                    f"contact {self.table.part_of_shape(int(a))} {self.table.part_of_shape(int(b))}"
                )
            out.append((abs(float(rows.multiplier[i])), name))
        return sorted(out, reverse=True)

    def _term_of(self, row: int) -> str:
        start = self.terms.program.row_start
        return self.terms.terms[int(np.searchsorted(start, row, side="right")) - 1].name
