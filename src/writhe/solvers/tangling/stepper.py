"""One step towards wishes in topology space: the quadratic programme of Eq. 9, then the gate.

Ho and Komura (2009) ask for a whole writhe matrix, section 3.2. Bodies of a few segments hardly
ever have the matrix that a target's coordinates suggest, so that a compromise stays between the
two; here the coordinates themselves are the rows, four for each tangle instead of one for every
pair of segments, which also makes a step cheap. The bound of Eq. 7, |T + dT| <= sigma, is there
for every pair of bones, of strands cut into pieces too: it then bounds the sum of their pieces'
entries. Two bones of length l that cross in the middle at a distance h have T = 1/pi atan(l^2 / (4
h sqrt(h^2 + l^2 / 2))), so that sigma = 0.2 keeps them 0.42 l apart, sigma = 0.4 0.1 l.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Bools, Floats, Ints
from writhe.collision import CollisionTable, Gate, NearPairs
from writhe.errors import WritheError
from writhe.kernels.qp.dual_active_set import (
    EQUAL,
    fill_rows,
    make_rows,
    make_work,
    solve_programme,
)
from writhe.kernels.skeleton import kinematics
from writhe.kernels.terms.contact_rows import contact_rows
from writhe.skeleton import Skeleton
from writhe.solvers.tangling.goal_rows import compile_goals
from writhe.solvers.tangling.goals import Tangle, Through, Untangled, Wish
from writhe.solvers.tangling.options import TangleOptions
from writhe.terms import CompiledTerms, Term
from writhe.topology import Strand
from writhe.topology.loop_crossing import crossings

_HARD = 1e-9  # compliance of a hard term
_UNBOUNDED = 1e30
_STUCK = 0.02  # of a step: less than this is none


class TangleStepper:
    """Steps a skeleton or scene towards its wishes; keeps its arrays between steps.

    `variables` (nv) marks what may move; `metric` (nv) is what a coordinate's motion costs. Terms
    add kinematic wishes and constraints: positions, relations, joint limits.
    """

    def __init__(
        self,
        table: CollisionTable,
        wishes: Sequence[Wish],
        terms: Sequence[Term] = (),
        options: TangleOptions | None = None,
        *,
        variables: Bools | None = None,
        metric: Floats | None = None,
    ) -> None:
        self.table = table
        self.skeleton: Skeleton = table.skeleton
        self.options = options or TangleOptions()
        self.wishes = tuple(wishes)
        self.gate = Gate(table)
        nv = self.skeleton.dof_count
        free = np.ones(nv, dtype=np.bool_) if variables is None else variables
        cost = np.ones(nv) if metric is None else metric
        if free.shape != (nv,) or cost.shape != (nv,):
            raise WritheError(f"variables and metric of {self.skeleton} have {nv} entries each")
        self.variables = free
        self.inverse_metric = np.where(free, 1.0 / cost, 0.0)
        self._compile(terms)
        self._near = NearPairs(table)
        contacts = min(len(table.pairs.deep), 500)
        room = self.terms.rows + contacts
        self._rows = make_rows(room, nv)
        self._work = make_work(min(room, 400), nv)
        self._pair_state = np.zeros(max(1, len(table.pairs.deep)), dtype=np.int64)
        self._row_state = np.zeros(self.terms.rows, dtype=np.int64)
        self._v, self._v0 = np.zeros(nv), np.zeros(nv)
        self._tried = np.empty(self.skeleton.configuration_size)
        self.contacts = self.used = 0
        self.pace = 1.0
        self.reference: Floats | None = None
        self.fraction = 1.0

    def _compile(self, given: Sequence[Term]) -> None:
        """Terms of all wishes first, then those given; and the goals' rows."""
        options = self.options
        goals = compile_goals(self.wishes, options)
        self._bundles = goals.bundles
        self._through = np.zeros(len(self.wishes), dtype=np.bool_)
        self.terms = CompiledTerms(self.skeleton, [*goals.terms, *goals.bounds, *given])
        weight = np.maximum(self.terms.weight, 1e-12)
        self._compliance = np.where(self.terms.hard, _HARD, 1.0 / weight**2)
        # rows that no wish asks for are left alone
        self._compliance[: goals.height] = np.inf
        for k, wish in enumerate(self.wishes):
            if isinstance(wish, Untangled):
                at = self.terms.slice_of(f"wish {k}: {wish.label}")
                self._compliance[at] = 1.0 / options.writhe_weight**2 * 1e-3
        self._goal_rows = np.array(goals.rows, dtype=np.int64)
        self.target = np.array(goals.target)
        self._stride = np.array(goals.stride)
        self.tolerance = np.array(goals.tolerance)
        self._period = np.array(goals.period)
        self.goal_wish: Ints = np.array(goals.wish, dtype=np.int64)
        self._goal_weight = np.array(goals.weight)
        self._follows = np.array(goals.writhe_row, dtype=np.int64)
        self._compliance[self._goal_rows] = 1.0 / self._goal_weight**2
        self._follower = self._follows >= 0
        asked = dict(zip(goals.rows, goals.target, strict=True))
        wanted = [abs(asked[int(row)]) for row in self._follows[self._follower]]
        self._fade_writhe = np.clip(wanted, 0.01, options.fade_writhe)

    # --- what the wishes lack

    def update(self, q: Floats) -> None:
        """Measure everything at q."""
        self.terms.update(q)

    def set_target(self, wish: int, target: Tangle) -> None:
        """Move the target of a tangle; the coordinates that are None must stay so."""
        at = np.flatnonzero(self.goal_wish == wish)
        values = target.target
        values = values[~np.isnan(values)]
        if len(values) != len(at):
            raise WritheError(f"{target.label} asks for other coordinates than it did: compile it")
        self.target[at] = values

    def lacking(self) -> Floats:
        """(goals,) target less value at the last update; angles go the short way round."""
        lack = self.target - self.terms.values[self._goal_rows]
        turns = np.isfinite(self._period)
        lack[turns] -= self._period[turns] * np.round(lack[turns] / self._period[turns])
        return lack

    def reached(self) -> Bools:
        """(wishes,) whether each is met at the last update."""
        out = np.ones(len(self.wishes), dtype=np.bool_)
        missing = np.abs(self.lacking()) > self.tolerance
        np.logical_and.at(out, self.goal_wish[missing], False)
        for k, wish in enumerate(self.wishes):
            if isinstance(wish, Through):
                out[k] = self._through[k] = self.passed(wish)
            elif isinstance(wish, Untangled):
                at = self.terms.slice_of(f"wish {k}: {wish.label}")
                out[k] = abs(float(self.terms.values[at][0])) <= wish.most + 1e-3
        for at, wish in self._bundles:
            values = self.terms.values[self._goal_rows[at]]
            k = int(self.goal_wish[at.start])
            out[k] = abs(float(values.mean()) - wish.writhe) <= wish.tolerance
        return out

    def passed(self, wish: Through) -> bool:
        """Whether the chain goes through the loop with clearance, at the last update."""
        sign = 1 if wish.forwards else -1
        found = crossings(self.vertices(wish.chain), self.vertices(wish.loop))
        if sum(crossing.sign for crossing in found) != sign:
            return False
        last = [crossing for crossing in found if crossing.sign == sign][-1]
        return last.clearance_m >= wish.clearance_m and last.beyond_m >= wish.beyond_m

    def vertices(self, strand: Strand) -> Floats:
        """World places of a strand's vertices at the last update."""
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

    # --- stepping

    @property
    def preferred(self) -> Floats:
        """(nv,) the step that was liked best before any wish, at the last step."""
        return self._v0

    def merit(self, q: Floats) -> float:
        """What is lacking, weighted and squared: of the goals, and of the reference a little."""
        lack = self.lacking() * self._goal_weight
        for at, wish in self._bundles:
            mean = float(self.terms.values[self._goal_rows[at]].mean())
            lack[at] = self._goal_weight[at] * (wish.writhe - mean)
        total = float(lack @ lack)
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

    def unmet(self) -> dict[str, Floats]:
        """By wish not met, what its coordinates lack at the last update."""
        lack, met = self.lacking(), self.reached()
        return {
            wish.label: lack[self.goal_wish == k]
            for k, wish in enumerate(self.wishes)
            if not met[k]
        }

    def proposal(self, q: Floats, leave_out: int | None) -> tuple[Floats, Floats]:
        """What a step from q would leave of each goal's stride, and the stride; nothing moves.

        `leave_out`: a wish whose goals do not count.
        """
        self.terms.update(q)
        self._aim()
        self._prefer(q, None, None)
        kept = self._compliance.copy()
        if leave_out is not None:
            rows = self._goal_rows[self.goal_wish == leave_out]
            if not len(rows):
                name = f"wish {leave_out}: {self.wishes[leave_out].label}"
                rows = np.arange(self.terms.rows)[self.terms.slice_of(name)]
            self._compliance[rows] = np.inf
        count = self._programme()
        solve_programme(self._rows, count, self.inverse_metric, self._v0, 1e-7, self._work, self._v)
        self._compliance = kept
        rows = self._goal_rows
        wanted = self.terms.lower[rows] - self.terms.values[rows]
        return wanted - self.terms.jacobian[rows] @ self._v, wanted

    def step(
        self, q: Floats, driven: Floats | None = None, preferred: Floats | None = None
    ) -> Floats:
        """The next certified configuration from q.

        `driven` (nv) moves what is not free; where the gate stops the step, it stops that too, and
        `fraction` says how far it went. `preferred` (nv) is a step to like besides the wishes.
        """
        self.terms.update(q)
        self._aim()
        self._prefer(q, driven, preferred)
        self._propose(q)
        if self.fraction < _STUCK:
            # nothing but clearance: wishes and whatever is driven wait for one step
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
        """Solve this step's programme into `_v` and `_tried`; `fraction` of it is certified."""
        options, v = self.options, self._v
        count = self._programme()
        free, largest = self.variables, 0.0
        for _ in range(2):
            solve_programme(self._rows, count, self.inverse_metric, self._v0, 1e-7, self._work, v)
            largest = float(np.abs(v[free]).max(initial=0.0))
            if largest <= 1.01 * options.max_step:
                break
            # less of every wish, but all of what contacts and driven things require
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
        """Set this step's share of the way for every goal."""
        terms, rows = self.terms, self._goal_rows
        if not len(rows):
            return
        stride = self.pace * self._stride
        values = terms.values[rows]
        aim = np.minimum(np.maximum(self.lacking(), -stride), stride)
        for at, wish in self._bundles:
            mean = values[at].mean()
            share = min(max(wish.writhe - mean, -stride[at][0]), stride[at][0])
            aim[at] = np.clip(mean + share - values[at], -stride[at], stride[at])
        terms.lower[rows] = terms.upper[rows] = values + aim
        if self._through.any():
            # what is through may go on, but not back
            passed = np.flatnonzero(self._through[self.goal_wish])
            ahead = self.target[passed] > 0.0
            at = rows[passed]
            terms.lower[at] = np.where(ahead, values[passed], -_UNBOUNDED)
            terms.upper[at] = np.where(ahead, _UNBOUNDED, values[passed])
        if self._follower.any():
            writhe = np.abs(terms.values[self._follows[self._follower]])
            fade = np.minimum(1.0, writhe / self._fade_writhe) ** 2
            weight = self._goal_weight[self._follower] * np.maximum(fade, self.options.least_fade)
            self._compliance[rows[self._follower]] = 1.0 / weight**2

    def _prefer(self, q: Floats, driven: Floats | None, preferred: Floats | None) -> None:
        """The step that is liked best before any wish: towards the reference posture, or none."""
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

    def _programme(self) -> int:
        """Fill the rows of this step's programme; returns how many."""
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
            0,
            rows,
        )
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
        rows.compliance[at] = _HARD
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
        """What held the last step back, strongest first: multiplier and name of the row."""
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
