"""`default`: natural, collision-free posing in real time, every step certified.

A step solves one small quadratic programme per iteration,

    min   1/2 v^T M v + pull/2 (v - m)^T L (v - m) + 1/2 ||W (r + J v)||^2
    s.t.  near pairs keep their clearance:  dc >= -approach c
          joint limits,  |v| <= max_step,

with targets, pins and balance as the soft rows r, the neighbours' mean m and precision L (see
`prior`), and M = L plus the inertia that keeps the root and idle limbs in place. The proposed step
then passes the gate, which shortens it to the last certified moment.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import daqp
import numpy as np

from writhe.arrays import Floats, floats
from writhe.collision import Gate, NearPairs
from writhe.database import PostureDatabase
from writhe.kernels import kinematics
from writhe.kernels.contact_rows import contact_rows, limit_rows
from writhe.kernels.normal_equations import assemble, mirror_lower
from writhe.skeleton import Figure, JointKind, Skeleton
from writhe.solvers.posing.handles import Pin, Target
from writhe.solvers.posing.place import ActorPlace
from writhe.solvers.posing.poser import GateReport, PoseResult
from writhe.solvers.posing.prior import NeighbourPrior, PriorOptions
from writhe.solvers.result import Status
from writhe.terms import CompiledTerms, Term, joint_limits, reach, turn_to

_SOFT = 8  # DAQP: a constraint that may be violated if need be
_OPTIMAL = 1
_UNBOUNDED = 1e30
_MOST_CONTACTS = 400  # near pairs beyond these are left to the gate
_HALVINGS = 3  # a step that does not serve is tried at half and a quarter of its length


@dataclass(frozen=True, slots=True)
class DefaultOptions:
    """The weights of the default poser. Lengths in metres, angles in radians."""

    iterations: int = 3  # at most, a frame
    target_weight: float = 30.0
    pin_weight: float = 300.0
    turn_weight: float = 6.0
    hold_weight: float = 1000.0  # of hard relations between parts
    pull: float = 0.05  # towards the neighbours' mean
    root_weight: float = 3.0  # how firmly the body stays in place
    base_weight: float = 0.05  # of every joint, besides the prior
    max_step_rad: float = 0.25  # per joint coordinate and iteration
    reach_m: float = 0.12  # how far a target may be ahead in one iteration
    near_m: float = 0.06  # pairs nearer than this become inequalities
    margin_m: float = 0.002
    approach: float = 0.5  # share of the clearance that one iteration may use up
    recovery_m: float = 0.01  # how fast a penetrating start is pushed out, an iteration
    met_m: float = 0.005
    gate: bool = True
    prior: PriorOptions = field(default_factory=PriorOptions)


class DefaultPoser:
    """The best poser of writhe. Not to be shared between threads."""

    name = "default"

    def __init__(
        self,
        figure: Figure,
        database: PostureDatabase | None = None,
        options: DefaultOptions | None = None,
        *,
        place: ActorPlace | None = None,
    ) -> None:
        self.figure = figure
        self.options = options or DefaultOptions()
        self.place = place or ActorPlace.alone(figure)
        self.skeleton = self.place.skeleton
        self.table = self.place.table
        nv = self.skeleton.dof_count
        self.gate = Gate(self.table)
        self._near = NearPairs(self.table)
        self._prior = None if database is None else NeighbourPrior(database, self.options.prior)
        self._relations: tuple[Term, ...] = ()
        self._terms: CompiledTerms | None = None
        self._shape: tuple[object, ...] = ()
        self._first_limit = 0
        self._inertia = _inertia(self.skeleton, self.options)
        self._most = np.where(self.place.variables, self.options.max_step_rad, 0.0)
        room = _MOST_CONTACTS + 3 * len(
            self.skeleton
        )  # two rows for a ball's limits, one for relations
        self._hessian, self._gradient = np.empty((nv, nv)), np.empty(nv)
        self._columns = np.empty(nv, dtype=np.int64)
        self._matrix = np.empty((room, nv))
        self._low, self._high = np.empty(nv + room), np.empty(nv + room)
        self._sense = np.zeros(nv + room, dtype=np.int32)
        self._tried = np.empty(self.skeleton.configuration_size)

    def keep(self, relations: Sequence[Term]) -> None:
        """Terms that hold from now on: relations between parts, half-spaces.

        Joints are called as in the place's skeleton ("actor.joint" in a scene). Equalities are
        stiff springs like pins, intervals are constraints.
        """
        self._relations, self._terms = tuple(relations), None

    def step(self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin] = ()) -> PoseResult:
        """The next configuration from q: natural, within limits, certified."""
        start = time.perf_counter()
        options = self.options
        terms = self._prepare(targets, pins)
        own = floats(q, (self.figure.skeleton.configuration_size,), "the configuration")
        q = self.place.whole(own)
        if self._prior is not None:
            self._prior.update(own, (*targets, *pins), self.place.rotation)
        tree, start_q, kept = self.skeleton.tree, q.copy(), q.copy()
        softened, fraction = False, 1.0
        terms.update(q)
        first_error = self._error(terms, len(targets))
        before = self._misfit(terms)
        for _ in range(options.iterations):
            v, soft = self._solve(terms, targets)
            softened = softened or soft
            kept[:] = q
            for _ in range(_HALVINGS):
                kinematics.integrate(tree, kept, v, self._tried)
                # What counts is the way from frame to frame, so that is what the gate follows.
                safe = self.gate.fraction(start_q, self._tried) if options.gate else 1.0
                if safe >= 1.0:
                    q[:] = self._tried
                else:
                    kinematics.interpolate(tree, start_q, self._tried, safe, q)
                terms.update(q)
                misfit = self._misfit(terms)
                if misfit <= before * (1.0 + 1e-3) + 1e-6:
                    break
                v = 0.5 * v  # wishes that cannot all be met are approached without shaking
            else:
                q[:] = kept
                terms.update(q)
                break
            fraction = min(fraction, safe)
            error = self._error(terms, len(targets))
            if error < options.met_m or safe < 1.0 or misfit > 0.96 * before:
                break
            before = misfit
        return self._result(q, terms, targets, pins, first_error, softened, fraction, start)

    def _solve(self, terms: CompiledTerms, targets: Sequence[Target]) -> tuple[Floats, bool]:
        """The step of one programme, and whether constraints had to be softened."""
        options, tree = self.options, self.skeleton.tree
        nv = len(self._gradient)
        self._shorten_reach(terms, len(targets))
        hessian, gradient = self._hessian, self._gradient
        hessian[:] = 0.0
        gradient[:] = 0.0
        hessian.flat[:: nv + 1] = self._inertia
        own = self.place.v
        if self._prior is None:
            hessian.flat[own.start * (nv + 1) : own.stop * (nv + 1) : nv + 1] += 1.0
        else:
            precision = self._prior.precision
            hessian[own, own] += (1.0 + options.pull) * precision
            gradient[own] = -options.pull * (precision @ self._prior.mean)
        rows = slice(0, self._first_limit)
        assemble(
            terms.values[rows],
            terms.jacobian[rows],
            terms.lower[rows],
            terms.upper[rows],
            terms.weight[rows],
            terms.hard[rows],
            hessian,
            gradient,
            self._columns,
        )
        mirror_lower(hessian)
        self._near.find(terms.positions, terms.rotations, options.near_m)
        low, high = self._low, self._high
        low[:nv], high[:nv] = -self._most, self._most
        contacts = contact_rows(
            tree,
            terms.positions,
            terms.axes,
            self._near.rows,
            self._near.count,
            options.margin_m,
            options.approach,
            options.recovery_m,
            self._matrix[:_MOST_CONTACTS],
            low[nv:],
        )
        high[nv : nv + contacts] = _UNBOUNDED
        limits = limit_rows(
            terms.values,
            terms.jacobian,
            terms.lower,
            terms.upper,
            self._first_limit,
            options.max_step_rad,
            0.3,
            self._matrix[contacts:],
            low[nv + contacts :],
            high[nv + contacts :],
        )
        count = contacts + limits
        return self._programme(nv, count)

    def _programme(self, nv: int, count: int) -> tuple[Floats, bool]:
        sense = self._sense[: nv + count]
        matrix, high, low = self._matrix[:count], self._high[: nv + count], self._low[: nv + count]
        sense[:] = 0
        answer: Any = daqp.solve(self._hessian, self._gradient, matrix, high, low, sense)
        if answer[2] == _OPTIMAL:
            return np.asarray(answer[0]), False
        sense[:] = 0
        sense[nv:] = _SOFT
        answer = daqp.solve(self._hessian, self._gradient, matrix, high, low, sense)
        v = np.asarray(answer[0], dtype=np.float64)
        return (v if np.isfinite(v).all() else np.zeros(nv)), True

    def _shorten_reach(self, terms: CompiledTerms, targets: int) -> None:
        """Let no target be farther ahead than one iteration can follow."""
        for i in range(targets):
            at = slice(int(terms.program.row_start[i]), int(terms.program.row_start[i]) + 3)
            wanted = terms.wanted_lower[at]
            ahead = wanted - terms.values[at]
            distance = float(np.sqrt(ahead @ ahead))
            share = min(1.0, self.options.reach_m / max(distance, 1e-9))
            terms.lower[at] = terms.upper[at] = terms.values[at] + share * ahead

    def _error(self, terms: CompiledTerms, targets: int) -> float:
        """The largest distance of a target's point from its target."""
        worst = 0.0
        for i in range(targets):
            at = slice(int(terms.program.row_start[i]), int(terms.program.row_start[i]) + 3)
            worst = max(worst, float(np.linalg.norm(terms.values[at] - terms.wanted_lower[at])))
        return worst

    def _misfit(self, terms: CompiledTerms) -> float:
        """The weighted squares of all that is wanted: targets, pins, orientations."""
        rows = slice(0, self._first_limit)
        lack = terms.weight[rows] * (terms.values[rows] - terms.wanted_lower[rows])
        return float(lack @ lack)

    def _prepare(self, targets: Sequence[Target], pins: Sequence[Pin]) -> CompiledTerms:
        """Rows for these handles: targets first, pins, orientations, then limits.

        Compiled again only when the set of handles changes.
        """
        options, prefix = self.options, self.place.prefix
        handles = (*targets, *pins)
        shape = tuple(
            (type(h).__name__, h.joint, h.point_in_joint, h.orientation_in_world) for h in handles
        )
        if self._terms is None or shape != self._shape:
            wanted: list[Term] = []
            for handle in handles:
                weight = options.pin_weight
                if isinstance(handle, Target):
                    weight = options.target_weight * (1.0 - min(handle.softness, 0.99)) ** 2
                wanted.append(
                    reach(
                        prefix + handle.joint,
                        handle.position_in_world,
                        point_in_joint=handle.point_in_joint,
                        weight=weight,
                    )
                )
            for handle in handles:
                if handle.orientation_in_world is not None:
                    weight = options.turn_weight * (1.0 if isinstance(handle, Target) else 10.0)
                    wanted.append(
                        turn_to(prefix + handle.joint, handle.orientation_in_world, weight=weight)
                    )
            equal = [t for t in self._relations if np.array_equal(t.lower, t.upper)]
            wanted += [replace(t, weight=options.hold_weight) if t.hard else t for t in equal]
            springs = len(wanted)
            wanted += [t for t in self._relations if not np.array_equal(t.lower, t.upper)]
            wanted += joint_limits(self.skeleton, only_under=self.place.root)
            self._terms = CompiledTerms(self.skeleton, wanted)
            self._first_limit = int(self._terms.program.row_start[springs])
            self._shape = shape
        for i, handle in enumerate(handles):
            at = slice(
                int(self._terms.program.row_start[i]), int(self._terms.program.row_start[i]) + 3
            )
            for bounds in (
                self._terms.wanted_lower,
                self._terms.wanted_upper,
                self._terms.lower,
                self._terms.upper,
            ):
                bounds[at] = handle.position_in_world
        return self._terms

    def _result(
        self,
        q: Floats,
        terms: CompiledTerms,
        targets: Sequence[Target],
        pins: Sequence[Pin],
        first_error: float,
        softened: bool,
        fraction: float,
        start: float,
    ) -> PoseResult:
        options, near = self.options, self._near
        start_rows = terms.program.row_start
        errors: list[float] = []
        for i in range(len(targets) + len(pins)):
            at = slice(int(start_rows[i]), int(start_rows[i]) + 3)
            errors.append(float(np.linalg.norm(terms.values[at] - terms.wanted_lower[at])))
        near.find(terms.positions, terms.rotations, options.near_m)
        clearance = near.rows.gap[: near.count] + near.rows.allowance[: near.count]
        violating = np.flatnonzero(clearance < -0.001)
        parts = {
            self.table.part_of_shape(int(shape)) for i in violating for shape in near.rows.shapes[i]
        }
        worst = max(errors[: len(targets)], default=0.0)
        if worst <= options.met_m:
            status = Status.REACHED
        elif softened:
            status = Status.REGULARISED
        elif worst < 0.98 * first_error:
            status = Status.APPROACHING
        else:
            status = Status.SETTLED
        return PoseResult(
            q=q[self.place.q].copy(),
            status=status,
            target_error_m={t.joint: e for t, e in zip(targets, errors, strict=False)},
            pin_error_m={p.joint: e for p, e in zip(pins, errors[len(targets) :], strict=True)},
            milliseconds=1e3 * (time.perf_counter() - start),
            gate=GateReport(options.gate, fraction, 0.0 < fraction < 1.0, fraction <= 0.0),
            clearance_m=float(clearance.min()) if near.count else None,
            touching_parts=tuple(sorted(parts)),
            unfamiliar=None if self._prior is None else self._prior.unfamiliar,
        )


def _inertia(skeleton: Skeleton, options: DefaultOptions) -> Floats:
    """(nv,) squared weights that keep roots in place and every joint a little."""
    out = np.full(skeleton.dof_count, options.base_weight**2)
    for joint in skeleton.joints:
        if joint.kind is JointKind.FREE:
            at = skeleton.v_slice(joint.name)
            out[at.start : at.start + 3] = options.root_weight**2
    return out
