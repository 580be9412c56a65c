"""The fast kernels of planning walks agree with the plain implementations."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import CollisionTable, violating_parts
from writhe.kernels.planning.search_constraints import satisfies_constraints, update_constraints
from writhe.kernels.planning.search_model import is_certified, overlaps
from writhe.kernels.terms.limit_rows import limit_gradient
from writhe.planning import figure_problem
from writhe.planning.compiled_problem import CompiledProblem
from writhe.research.evaluation.tangled_pairs import TangledPair
from writhe.skeleton import Figure
from writhe.skeleton.limits import random_configurations


@pytest.fixture
def compiled(human: Figure, table: CollisionTable) -> CompiledProblem:
    rest = human.skeleton.rest_configuration
    return CompiledProblem(figure_problem(human, rest, rest, table=table))


def test_limit_rows_equal_the_limit_terms(human: Figure, compiled: CompiledProblem) -> None:
    model, workspace, terms = compiled.model, compiled.workspace, compiled.terms
    for q in random_configurations(human.skeleton, 10, np.random.default_rng(2)):
        terms.update(q)
        update_constraints(model, q, workspace)
        assert workspace.limit_values == pytest.approx(terms.values)
        for i, row in enumerate(terms.jacobian):
            columns = limit_gradient(
                model.limits, i, workspace.coordinates, workspace.limit_gradient
            )
            full, at = np.zeros_like(row), int(model.limits.v_at[i])
            full[at : at + columns] = workspace.limit_gradient[:columns]
            assert full == pytest.approx(row, abs=1e-12)


def test_satisfied_constraints_are_those_of_the_terms(
    human: Figure, compiled: CompiledProblem
) -> None:
    rng, model = np.random.default_rng(5), compiled.model
    seen = set()
    for q in random_configurations(human.skeleton, 40, rng):
        bent = q.copy()
        bent[human.skeleton.q_slice("left_elbow")] += rng.normal(0.0, 1.0)
        compiled.terms.update(bent)
        outside = bool((np.abs(compiled.terms.violation()) > 0.02).any())
        assert satisfies_constraints(model, bent, 0.02, compiled.workspace) is not outside
        seen.add(outside)
    assert seen == {True, False}


def test_overlaps_are_those_of_the_table(
    human: Figure, table: CollisionTable, compiled: CompiledProblem
) -> None:
    seen = set()
    for q in random_configurations(human.skeleton, 60, np.random.default_rng(8)):
        bad = bool(violating_parts(table, q, compiled.model.slack)[0])
        assert overlaps(compiled.model, q, compiled.workspace) is bad
        seen.add(bad)
    assert seen == {True, False}


def test_a_long_line_is_certified_in_pieces(
    table: CollisionTable, tangled: list[TangledPair], compiled: CompiledProblem
) -> None:
    for pair in tangled:
        assert not is_certified(compiled.model, pair.start, pair.goal, compiled.workspace)
        for before, after in zip(pair.witness, pair.witness[1:], strict=False):
            assert is_certified(compiled.model, before, after, compiled.workspace)
