"""Steps with prescribed degrees of freedom."""

from __future__ import annotations

import numpy as np

from writhe.collision import CollisionTable
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.skeleton.figures import figure
from writhe.solvers.contact_step import ContactOptions, ContactStep
from writhe.terms import CompiledTerms, joint_limits

HUMAN = figure("human")
SKELETON = HUMAN.skeleton


def test_prescribed_entries_are_taken_and_the_others_are_optimal(rng):
    nv = SKELETON.dof_count
    terms = CompiledTerms(SKELETON, joint_limits(SKELETON))
    terms.update(standing(HUMAN))
    factor = rng.normal(size=(nv, nv))
    hessian, gradient = factor @ factor.T + np.eye(nv), rng.normal(size=nv)
    prescribed = np.arange(0, nv, 3)
    given = 1e-3 * rng.normal(size=len(prescribed))
    options = ContactOptions(
        max_step=10.0, near_m=1e-3, margin_m=-1.0, recovery_m=0.03, approach=0.8
    )
    table = CollisionTable.of_figure(HUMAN)
    # without intervals nothing constrains the step: H_ff v_f = -g_f - H_fp v_p
    step = ContactStep(table, options, prescribed).solve(
        terms, hessian, gradient, prescribed_step=given
    )
    assert np.array_equal(step[prescribed], given)
    free = np.setdiff1d(np.arange(nv), prescribed)
    assert np.abs((hessian @ step + gradient)[free]).max() < 1e-6
    # with them, limits hold although they are moved by prescribed entries too
    step = ContactStep(table, options, prescribed).solve(
        terms, hessian, 1e3 * gradient, intervals_from=0, prescribed_step=given
    )
    assert np.array_equal(step[prescribed], given)
    after = terms.values + terms.jacobian @ step
    movable = np.any(terms.jacobian[:, free] != 0.0, axis=1)
    assert (after >= terms.lower - 1e-6)[movable].all()
    assert (after <= terms.upper + 1e-6)[movable].all()
