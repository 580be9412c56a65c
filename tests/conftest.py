"""What all tests share: the mocap set where there is one, random configurations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

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
