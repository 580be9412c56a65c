"""The fast kernels of walks agree with the plain ones they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.collision import CollisionTable, violating_parts
from writhe.kernels.planning.walk_constraints import keeps, look
from writhe.kernels.planning.walk_model import certified, overlaps
from writhe.kernels.terms.limit_rows import limit_gradient
from writhe.planning import figure_problem
from writhe.planning.compiled_problem import Walker
from writhe.research.evaluation.tangled_pairs import TangledPair
from writhe.skeleton import Figure
from writhe.skeleton.limits import random_configurations


@pytest.fixture
def walker(human: Figure, table: CollisionTable) -> Walker:
    rest = human.skeleton.rest_configuration
    return Walker(figure_problem(human, rest, rest, table=table))


def test_limits_as_single_rows_are_the_terms(human: Figure, walker: Walker) -> None:
    world, room, terms = walker.world, walker.room, walker.terms
    for q in random_configurations(human.skeleton, 10, np.random.default_rng(2)):
        terms.update(q)
        look(world, q, room)
        assert room.limit_values == pytest.approx(terms.values)
        for i, row in enumerate(terms.jacobian):
            columns = limit_gradient(world.limits, i, room.coordinates, room.limit_gradient)
            full, at = np.zeros_like(row), int(world.limits.v_at[i])
            full[at : at + columns] = room.limit_gradient[:columns]
            assert full == pytest.approx(row, abs=1e-12)


def test_keeping_limits_is_what_the_terms_say(human: Figure, walker: Walker) -> None:
    rng, world = np.random.default_rng(5), walker.world
    seen = set()
    for q in random_configurations(human.skeleton, 40, rng):
        bent = q.copy()
        bent[human.skeleton.q_slice("left_elbow")] += rng.normal(0.0, 1.0)
        walker.terms.update(bent)
        outside = bool((np.abs(walker.terms.violation()) > 0.02).any())
        assert keeps(world, bent, 0.02, walker.room) is not outside
        seen.add(outside)
    assert seen == {True, False}


def test_overlaps_are_those_of_the_table(
    human: Figure, table: CollisionTable, walker: Walker
) -> None:
    seen = set()
    for q in random_configurations(human.skeleton, 60, np.random.default_rng(8)):
        bad = bool(violating_parts(table, q, walker.world.slack)[0])
        assert overlaps(walker.world, q, walker.room) is bad
        seen.add(bad)
    assert seen == {True, False}


def test_a_long_line_is_proven_in_pieces(
    table: CollisionTable, pairs: list[TangledPair], walker: Walker
) -> None:
    for pair in pairs:
        assert not certified(walker.world, pair.start, pair.goal, walker.room)
        for before, after in zip(pair.witness, pair.witness[1:], strict=False):
            assert certified(walker.world, before, after, walker.room)
