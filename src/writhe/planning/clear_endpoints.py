"""Moves a slightly penetrating start or goal to a nearby posture with clearance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from writhe.arrays import Floats
from writhe.collision import violating_parts
from writhe.collision.certificate_slack import SLACK_M
from writhe.planning.problem import PlanProblem
from writhe.skeleton.kinematics import difference, integrate
from writhe.solvers.contact_step import ContactOptions, ContactStep
from writhe.terms import CompiledTerms

MARGIN_M = 0.002
ITERATIONS, PULL = 40, 0.02


def push_clear(problem: PlanProblem, q: Floats, margin_m: float = MARGIN_M) -> Floats:
    """A posture near q with `margin_m` of clearance and planted parts in place.

    Each iteration takes the smallest step, with a weak pull back to q, that restores the clearance
    of near pairs. This may fail: check the result for penetration.
    """
    skeleton, nv = problem.skeleton, problem.skeleton.dof_count
    terms = CompiledTerms(skeleton, [*problem.planted_terms, *problem.limit_terms])
    planted = int(terms.program.row_start[len(problem.planted_terms)])
    variable = np.ones(nv, dtype=np.bool_) if problem.variable is None else problem.variable
    contact = ContactOptions(
        max_step=0.2, near_m=0.05, margin_m=margin_m, recovery_m=0.03, approach=0.8
    )
    contact_step = ContactStep(problem.table, contact, np.flatnonzero(~variable))
    out, hessian = q.copy(), np.eye(nv)
    for _ in range(ITERATIONS):
        terms.update(out)
        clearance_m = contact_step.clearance(terms.positions, terms.rotations, margin_m)
        if clearance_m > 0.5 * margin_m:
            break
        gradient = PULL * difference(skeleton, q, out) * variable
        step = contact_step.solve(
            terms, hessian, gradient, equalities=planted, intervals_from=planted
        )
        out = integrate(skeleton, out, step)
    return out


def with_clear_ends(problem: PlanProblem) -> tuple[PlanProblem, tuple[str, ...]]:
    """The problem with penetrating ends moved to the nearest clear postures; a note for each."""
    notes: list[str] = []
    ends: dict[str, Floats] = {}
    for name in ("start", "goal"):
        q: Floats = getattr(problem, name)
        parts = violating_parts(problem.table, q, SLACK_M)[0]
        if parts:
            ends[name] = push_clear(problem, q)
            notes.append(
                f"the {name} penetrates ({', '.join(parts)}): moved to the nearest clear posture"
            )
    return replace(problem, **ends), tuple(notes)
