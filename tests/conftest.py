"""What all tests share: the mocap set where there is one, random configurations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from writhe.collision import CollisionTable
from writhe.postures.synthetic_clips import builtin_movements
from writhe.research.evaluation.tangled_pairs import TangledPair, tangled_pairs
from writhe.skeleton import Figure, Motion
from writhe.skeleton.figures import figure
from writhe.solvers.trajectory import Chain, Forest
from writhe.styles.learn_styles import learn_builtin

# The first call of a kernel compiles it, which no deadline should punish.
settings.register_profile("writhe", deadline=None, derandomize=True)
settings.load_profile("writhe")

MOCAP = Path(__file__).resolve().parents[2] / "shared" / "mocap"


@pytest.fixture(scope="session")
def mocap() -> Path:
    """The motion-capture development set; the test is skipped where it is absent."""
    if not (MOCAP / "manifest.csv").exists():
        pytest.skip("the motion-capture development set is not beside this checkout")
    return MOCAP


@pytest.fixture
def rng() -> np.random.Generator:
    """Seeded random numbers."""
    return np.random.default_rng(20261115)


@pytest.fixture(scope="session")
def human() -> Figure:
    """The built-in human."""
    return figure("human")


@pytest.fixture(scope="session")
def table(human: Figure) -> CollisionTable:
    """The human's collision shapes."""
    return CollisionTable.of_figure(human)


@pytest.fixture(scope="session")
def tangled(human: Figure) -> list[TangledPair]:
    """A few pairs of tangled postures."""
    return tangled_pairs(human, count=8, seed=7, walks=40)


@pytest.fixture(scope="session")
def arm(human: Figure) -> Chain:
    """The human's right arm."""
    return Chain.named(human, "right_arm")


@pytest.fixture(scope="session")
def movements() -> dict[str, list[Motion]]:
    """The built-in movements."""
    return builtin_movements()


@pytest.fixture(scope="session")
def forest(arm: Chain) -> Forest:
    """What is learnt from the built-in movements."""
    return learn_builtin(arm)
