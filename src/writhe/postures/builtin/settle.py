"""Settling: bring a posture to its goals, within limits, without penetration.

Each iteration solves the quadratic programme

    min  1/2 ||W (r + J v)||^2 + 1/2 d^2 ||v||^2
    s.t. near pairs keep or win back their clearance,  joint limits,  |v| <= max_step,

whose rows r are the goals and a weak pull to the authored posture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import daqp
import numpy as np

from writhe.arrays import Floats
from writhe.collision import NearPairs
from writhe.kernels.qp.normal_equations import assemble, mirror_lower
from writhe.kernels.skeleton import kinematics
from writhe.kernels.terms.contact_rows import contact_rows, limit_rows
from writhe.postures.builtin.pose_setting import Place
from writhe.terms import CompiledTerms, Term, joint_limits

_SOFT = 8  # DAQP: a constraint that may be violated if need be
_OPTIMAL = 1
_UNBOUNDED = 1e30
LIMIT_RAD = 2e-3  # how far beyond its limits a joint may stay


@dataclass(frozen=True, slots=True)
class SettleOptions:
    """Lengths in metres, angles in radians."""

    iterations: int = 60
    damping: float = 0.05
    max_step: float = 0.20
    near_m: float = 0.05
    margin_m: float = 0.003  # more than what a contact rocks by from step to step
    recovery_m: float = 0.02
    rest: float = 2e-4  # an iteration that moves nothing further than this is the last
    yielding: float = 0.1  # weight of the goals in the second half, so that constraints win


class Settler:
    """Settles postures in one place; keeps its arrays between calls."""

    def __init__(self, place: Place, options: SettleOptions | None = None) -> None:
        self.place = place
        self.options = options or SettleOptions()
        self.limits = joint_limits(place.skeleton)
        nv, room = place.skeleton.dof_count, 240
        self._near = NearPairs(place.table)
        self._hessian, self._gradient = np.empty((nv, nv)), np.empty(nv)
        self._columns = np.empty(nv, dtype=np.int64)
        self._matrix = np.empty((room, nv))
        self._low, self._high = np.empty(nv + room), np.empty(nv + room)

    def settle(self, q: Floats, goals: Sequence[Term], iterations: int | None = None) -> Floats:
        """The posture after settling from q."""
        options, tree = self.options, self.place.skeleton.tree
        terms = CompiledTerms(self.place.skeleton, [*goals, *self.limits])
        first_limit = int(terms.program.row_start[len(goals)])
        q = np.array(q, dtype=np.float64)
        after = np.empty_like(q)
        most = iterations or options.iterations
        for i in range(most):
            if i == most // 2:
                if self.place.clear(q)[0] and self._within(terms, first_limit):
                    break
                terms.weight[:first_limit] *= options.yielding
            terms.update(q)
            step = self._step(terms, first_limit)
            kinematics.integrate(tree, q, step, after)
            q, after = after, q
            if i > most // 2 and float(np.abs(step).max()) < options.rest:
                break
        return q

    def _within(self, terms: CompiledTerms, first_limit: int) -> bool:
        return float(np.abs(terms.violation()[first_limit:]).max()) < LIMIT_RAD

    def _step(self, terms: CompiledTerms, first_limit: int) -> Floats:
        options, tree = self.options, self.place.skeleton.tree
        nv = len(self._gradient)
        hessian, gradient = self._hessian, self._gradient
        hessian[:], gradient[:] = 0.0, 0.0
        rows = slice(0, first_limit)
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
        hessian.flat[:: nv + 1] += options.damping**2
        self._near.find(terms.positions, terms.rotations, options.near_m)
        low, high = self._low, self._high
        low[:nv], high[:nv] = -options.max_step, options.max_step
        contacts = contact_rows(
            tree,
            terms.positions,
            terms.axes,
            self._near.rows,
            self._near.count,
            options.margin_m,
            0.6,
            options.recovery_m,
            self._matrix,
            low[nv:],
        )
        high[nv : nv + contacts] = _UNBOUNDED
        limits = limit_rows(
            terms.values,
            terms.jacobian,
            terms.lower,
            terms.upper,
            first_limit,
            options.max_step,
            0.5,
            self._matrix[contacts:],
            low[nv + contacts :],
            high[nv + contacts :],
        )
        return self._programme(nv, contacts + limits)

    def _programme(self, nv: int, count: int) -> Floats:
        matrix, high, low = self._matrix[:count], self._high[: nv + count], self._low[: nv + count]
        sense = np.zeros(nv + count, dtype=np.int32)
        answer: Any = daqp.solve(self._hessian, self._gradient, matrix, high, low, sense)
        if answer[2] == _OPTIMAL:
            return np.asarray(answer[0], dtype=np.float64)
        sense[:] = 0
        sense[nv:] = _SOFT
        answer = daqp.solve(self._hessian, self._gradient, matrix, high, low, sense)
        v = np.asarray(answer[0], dtype=np.float64)
        return v if np.isfinite(v).all() else np.zeros(nv)
