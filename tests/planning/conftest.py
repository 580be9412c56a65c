"""A human with its shapes, and a few tangled pairs, made once."""

from __future__ import annotations

import pytest

from writhe.collision import CollisionTable
from writhe.evaluation.tangled import TangledPair, tangled_pairs
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure


@pytest.fixture(scope="session")
def human() -> Figure:
    return figure("human")


@pytest.fixture(scope="session")
def table(human: Figure) -> CollisionTable:
    return CollisionTable.of_figure(human)


@pytest.fixture(scope="session")
def pairs(human: Figure) -> list[TangledPair]:
    return tangled_pairs(human, count=8, seed=7, walks=40)
