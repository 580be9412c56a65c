"""The libraries are made once for all tests, in a cache of their own."""

from __future__ import annotations

import pytest

from writhe.postures.builtin.build import make
from writhe.skeleton.figures import figure


@pytest.fixture(scope="session")
def libraries():
    """kind -> (database, tally), made afresh rather than read from anybody's cache."""
    made = {}

    def get(kind: str):
        if kind not in made:
            made[kind] = make(kind, figure("human"))
        return made[kind]

    return get
