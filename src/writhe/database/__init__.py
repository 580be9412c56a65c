"""Postures with their linking values: storage, filtering, neighbour search.

Names are loaded when first used, so that a process loads only what it needs.
"""

from typing import TYPE_CHECKING

from writhe.lazy import lazy_names

if TYPE_CHECKING:
    from writhe.database.database import PostureDatabase, database_on
    from writhe.database.pairs import PairDatabase
    from writhe.database.posture import normalise, posture_features
    from writhe.database.search import NeighbourSearch
else:
    __getattr__ = lazy_names(
        __name__,
        {
            **dict.fromkeys(("PostureDatabase", "database_on"), "writhe.database.database"),
            "PairDatabase": "writhe.database.pairs",
            **dict.fromkeys(("normalise", "posture_features"), "writhe.database.posture"),
            "NeighbourSearch": "writhe.database.search",
        },
    )

__all__ = [
    "NeighbourSearch",
    "PairDatabase",
    "PostureDatabase",
    "database_on",
    "normalise",
    "posture_features",
]
