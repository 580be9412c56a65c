"""Spacetime refinement of a motion (section 6.2 of the paper).

Minimises over the tangent steps of all frames, by Gauss-Newton on banded normal equations,

    w_lap ||L p - L p0||^2 + w_am ||A_t+1 - A_t||^2 + w_lm ||P_t+1 - P_t||^2
    + w_pos ||planted positions||^2 + w_lim ||beyond limits||^2 + w_col ||missing clearance||^2
    + w_smooth ||second differences||^2 + w_near ||change||^2

with fixed ends. The paper warns that this can introduce penetrations; here the clearance of near
pairs is a term, and the result is certified again. Timing and waypoints are chosen before, by
`animation.refine_motion`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from threadpoolctl import threadpool_limits

from writhe.arguments import check_fields
from writhe.arrays import Bools, Floats
from writhe.collision import Certificate, CollisionTable, NearPairs, certify
from writhe.kernels.terms.contact_rows import contact_rows
from writhe.planning.spacetime.banded_equations import Banded
from writhe.planning.spacetime.frame_pins import Held, held_points
from writhe.planning.spacetime.laplacian import laplacians
from writhe.planning.spacetime.momentum import MotionState, momentum, point_columns
from writhe.quantities import Point
from writhe.skeleton import Motion
from writhe.skeleton.kinematics import difference, integrate
from writhe.terms import CompiledTerms, Term, joint_limits, reach

_FIXED_WEIGHT = 1e4  # weight of frames that do not move
_MAX_NEAR = 60  # near pairs per frame at most


@dataclass(frozen=True)
class RefineOptions:
    """Weights of the terms (metres, radians, kg m^2/s) and stopping criteria."""

    iterations: int = 16
    laplacian: float = 1.0
    angular: float = 15.0
    linear: float = 0.0
    position: float = 3000.0
    limits: float = 20.0
    collision: float = 5000.0
    smooth: float = 1.0
    near: float = 0.05
    margin_m: float = 0.006
    damping: float = 1000.0  # initial Levenberg-Marquardt damping
    settled: float = 1e-3  # relative decrease of the cost below which the iteration ends
    retries: int = 2  # with more weight on clearance, if the result is not certified

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class Refined:
    """The refined motion, its certificate, and measures of the refinement.

    The paper's measure of the variation of angular momentum is `angular_energy` (its Eq. 17);
    `angular_variation` is the sum of the changes, which is harder to reduce.
    """

    motion: Motion
    certificate: Certificate
    seconds: float
    iterations: int
    angular_variation: tuple[float, float]  # before and after: sum |A_t+1 - A_t|
    angular_energy: tuple[float, float]  # before and after: sum 1/2 |A_t+1 - A_t|^2 (Eq. 17)
    slip_m: float  # largest distance of a planted point from its pin
    timing_s: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def angular_drop(self) -> float:
        """Relative decrease of `angular_variation`."""
        before, after = self.angular_variation
        return 1.0 - after / before if before > 0 else 0.0

    @property
    def angular_energy_drop(self) -> float:
        """Relative decrease of the paper's momentum deviation energy (Eq. 17)."""
        before, after = self.angular_energy
        return 1.0 - after / before if before > 0 else 0.0


def angular_changes(motion: Motion) -> Floats:
    """(F - 2,) |A_t+1 - A_t| of a motion's angular momentum about its centre of mass."""
    state = MotionState.of(motion.skeleton, motion.q)
    angular = momentum(state, 1.0 / motion.fps).angular
    return np.linalg.norm(np.diff(angular, axis=0), axis=1)


def refine(
    motion: Motion,
    table: CollisionTable,
    holds: Sequence[Held] = (),
    *,
    fixed: Sequence[int] = (0, -1),
    variable: Bools | None = None,
    options: RefineOptions | None = None,
) -> Refined:
    """Refine a motion of the table's skeleton; frames in `fixed` do not move.

    `variable` (nv) marks the degrees of freedom that may change; all by default.
    """
    begin = time.perf_counter()
    # the matrices are too small to gain from threads
    with threadpool_limits(1, "blas"):
        problem = _Problem(motion, table, holds, fixed, options or RefineOptions(), variable)
        q, done = problem.solve(motion.q)
        certificate = certify(table, q, motion.fps)
        for _ in range(problem.options.retries):
            if certificate.certified:
                break
            problem.options = replace(problem.options, collision=3.0 * problem.options.collision)
            q, more = problem.solve(q)
            done, certificate = done + more, certify(table, q, motion.fps)
    refined = replace(motion, q=q)
    seconds = time.perf_counter() - begin
    before, after = angular_changes(motion), angular_changes(refined)
    return Refined(
        refined,
        certificate,
        seconds,
        done,
        (float(before.sum()), float(after.sum())),
        (0.5 * float(before @ before), 0.5 * float(after @ after)),
        problem.slip(q),
        problem.timing,
    )


class _Problem:
    def __init__(
        self,
        motion: Motion,
        table: CollisionTable,
        holds: Sequence[Held],
        fixed: Sequence[int],
        options: RefineOptions,
        variable: Bools | None = None,
    ) -> None:
        self.variable = variable
        self.skeleton, self.start, self.dt = motion.skeleton, motion.q, 1.0 / motion.fps
        self.options, self.holds = options, holds
        self.fixed: Bools = np.zeros(len(motion), dtype=np.bool_)
        self.fixed[list(fixed)] = True
        self.timing: dict[str, float] = dict.fromkeys(
            ("laplacian", "limits", "position", "momentum", "solving"), 0.0
        )
        self.table, self.near = table, NearPairs(table)
        self.limits = CompiledTerms(self.skeleton, joint_limits(self.skeleton))
        self._rows = np.empty((_MAX_NEAR, self.skeleton.dof_count))
        self._low = np.empty(_MAX_NEAR)
        state = MotionState.of(self.skeleton, self.start)
        self.operators = laplacians(state.frames.positions)
        self.target_laplacian = self.operators @ state.frames.positions

    def solve(self, start: Floats) -> tuple[Floats, int]:
        """The configurations after Gauss-Newton, and how many iterations they took."""
        options = self.options
        q = best = self._restore_planted(start)
        # Levenberg-Marquardt: the damping adapts to the nonlinearity of the terms
        damping, best_cost, done = options.damping, np.inf, 0
        band = Banded(len(q), self.skeleton.dof_count, self.variable)
        for _ in range(options.iterations):
            tried = Banded(len(q), self.skeleton.dof_count, self.variable)
            cost = self._assemble(tried, q)
            if cost >= best_cost:
                damping *= 8.0
            else:
                settled = cost > best_cost * (1 - options.settled)
                best, best_cost, band, done = q, cost, tried, done + 1
                if settled:
                    break
                damping *= 0.3
            begin = time.perf_counter()
            step = band.solve(damping)
            self.timing["solving"] += time.perf_counter() - begin
            q = np.array([integrate(self.skeleton, best[t], step[t]) for t in range(len(best))])
        return self._restore_planted(best), done

    def _restore_planted(self, q: Floats) -> Floats:
        """q with planted points exactly at their pins, by the smallest step of each frame."""
        out = q.copy()
        for t in np.flatnonzero(~self.fixed):
            active = [hold for hold in self.holds if hold.first <= t <= hold.last]
            if not active:
                continue
            terms = CompiledTerms(
                self.skeleton, [_held(hold, int(t), f"held {i}") for i, hold in enumerate(active)]
            )
            for _ in range(4):
                terms.update(out[t])
                missing, rows = terms.lower - terms.values, terms.jacobian.copy()
                if self.variable is not None:
                    rows[:, ~self.variable] = 0.0
                if float(np.abs(missing).max()) < 1e-5:
                    break
                gram = rows @ rows.T + 1e-9 * np.eye(len(rows))
                out[t] = integrate(self.skeleton, out[t], rows.T @ np.linalg.solve(gram, missing))
        return out

    def _assemble(self, band: Banded, q: Floats) -> float:
        options, count = self.options, len(q)
        state = MotionState.of(self.skeleton, q)
        change = np.array([difference(self.skeleton, self.start[t], q[t]) for t in range(count)])
        held = np.where(self.fixed, _FIXED_WEIGHT, options.near)
        cost = band.add_stencil((1.0,), change, held)
        steps = np.array([difference(self.skeleton, q[t], q[t + 1]) for t in range(count - 1)])
        even = np.full(count - 2, options.smooth)
        cost += band.add_stencil((1.0, -2.0, 1.0), np.diff(steps, axis=0), even)
        for name, part in (
            ("laplacian", self._laplacian),
            ("momentum", self._momentum),
            ("position", self._position),
            ("limits", self._limits),
        ):
            begin = time.perf_counter()
            cost += part(band, state, q)
            self.timing[name] += time.perf_counter() - begin
        return cost + self._collision(band, state)

    def _laplacian(self, band: Banded, state: MotionState, q: Floats) -> float:
        if self.options.laplacian == 0.0:
            return 0.0
        positions = state.frames.positions
        frames, n = positions.shape[:2]
        carries = state.carries().T  # (n, nv)
        # d p_j = s x (p_j - o) for the joints that a coordinate carries
        arms = positions[:, :, None] - state.origins[:, None]
        turning = np.cross(state.axes[:, None], arms)
        turns = state.turns[:, None]
        columns = (turns * turning + (1 - turns) * state.axes[:, None]) * carries[..., None]
        moved = np.einsum("fij,fjkr->firk", self.operators, columns, optimize=True)
        residual = self.operators @ positions - self.target_laplacian
        return band.add(
            0,
            [moved.reshape(frames, 3 * n, -1)],
            residual.reshape(frames, 3 * n),
            self.options.laplacian,
        )

    def _momentum(self, band: Banded, state: MotionState, q: Floats) -> float:
        options, found = self.options, momentum(state, self.dt)
        cost = 0.0
        for weight, value, before, after in (
            (options.angular, found.angular, found.angular_before, found.angular_after),
            (options.linear, found.linear, found.linear_before, found.linear_after),
        ):
            if weight > 0.0:
                columns = [-before[:-1], before[1:] - after[:-1], after[1:]]
                cost += band.add(0, columns, np.diff(value, axis=0), weight)
        return cost

    def _position(self, band: Banded, state: MotionState, q: Floats) -> float:
        cost, carries = 0.0, state.carries()
        for hold in self.holds:
            at = slice(hold.first, hold.last + 1)
            points, places = held_points(hold, state.frames)
            columns = self._columns(state, hold.joint, points, at, carries)
            if hold.on is not None:
                columns = columns - self._columns(state, hold.on, places, at, carries)
            cost += band.add(hold.first, [columns], points - places, self.options.position)
        return cost

    def _columns(
        self, state: MotionState, joint: str, points: Floats, at: slice, carries: Floats
    ) -> Floats:
        """(T, 3, nv) derivative of world points (T, 3) of a joint in the frames `at`."""
        whole = np.zeros((len(state.axes), 3))
        whole[at] = points
        return point_columns(state, whole, carries[:, self.skeleton.index(joint)])[at]

    def _limits(self, band: Banded, state: MotionState, q: Floats) -> float:
        terms, count = self.limits, len(q)
        rows = np.zeros((count, terms.rows, self.skeleton.dof_count))
        outside = np.zeros((count, terms.rows))
        for t in range(count):
            terms.update(q[t])
            outside[t] = terms.violation()
            rows[t] = terms.jacobian * (outside[t] != 0.0)[:, None]
        used = np.flatnonzero((outside != 0.0).any(axis=0))
        if len(used) == 0:
            return 0.0
        return band.add(0, [rows[:, used]], outside[:, used], self.options.limits)

    def _collision(self, band: Banded, state: MotionState) -> float:
        options, cost = self.options, 0.0
        frames = state.frames
        for t in range(len(frames.positions)):
            if self.fixed[t]:
                continue
            self.near.find(frames.positions[t], frames.rotations[t], options.margin_m)
            count = contact_rows(
                self.skeleton.tree,
                frames.positions[t],
                state.axes[t],
                self.near.rows,
                min(self.near.count, _MAX_NEAR),
                options.margin_m,
                1.0,
                1e9,
                self._rows,
                self._low,
            )
            missing = -self._low[:count]
            short = missing < 0.0
            if short.any():
                rows = self._rows[:count][short]
                cost += band.add(t, [rows[None]], missing[short][None], options.collision)
        return cost

    def slip(self, q: Floats) -> float:
        """The largest distance of a planted point from its pin, in metres."""
        state = MotionState.of(self.skeleton, q)
        worst = 0.0
        for hold in self.holds:
            points, places = held_points(hold, state.frames)
            worst = max(worst, float(np.linalg.norm(points - places, axis=1).max()))
        return worst


def _held(hold: Held, frame: int, label: str) -> Term:
    """The equality that holds the point in one frame."""
    place = hold.places()[frame - hold.first]
    if hold.on is None:
        term = reach(hold.joint, place, point_in_joint=hold.point_in_joint)
        return replace(term, label=label)
    quantity = Point(hold.joint, hold.point_in_joint, seen_from=hold.on)
    return Term(quantity, place, place, label=label)
