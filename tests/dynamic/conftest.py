"""The human's right arm and the built-in movements, learnt once."""

from __future__ import annotations

import pytest

from writhe.motion.movements import builtin_movements
from writhe.motion.styles import learn_builtin
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure
from writhe.solvers.dynamic import Chain, Forest


@pytest.fixture(scope="session")
def arm() -> Chain:
    return Chain.named(figure("human"), "right_arm")


@pytest.fixture(scope="session")
def movements() -> dict[str, list[Motion]]:
    return builtin_movements()


@pytest.fixture(scope="session")
def forest(arm: Chain) -> Forest:
    return learn_builtin(arm)
