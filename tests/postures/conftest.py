"""The libraries are generated once for all tests, without the cache."""

from __future__ import annotations

import pytest

from writhe.postures.builtin.build import make
from writhe.skeleton.figures import figure


@pytest.fixture(scope="session")
def libraries():
    """kind -> (database, tally), newly generated rather than read from a cache."""
    made = {}

    def get(kind: str):
        if kind not in made:
            made[kind] = make(kind, figure("human"))
        return made[kind]

    return get
