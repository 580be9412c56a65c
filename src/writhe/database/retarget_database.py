"""A posture database used on another body."""

from __future__ import annotations

from dataclasses import replace

from writhe.database.database import PostureDatabase
from writhe.recognition.body_map import BodyMap
from writhe.topology import linking_vector


def database_on(mapping: BodyMap, database: PostureDatabase) -> PostureDatabase:
    """The postures on `mapping.proxy`: the database's figure with the proportions of the body.

    Joint angles are kept, the height of the root is scaled by leg length, and the linking vectors
    are computed again.
    """
    figure = mapping.proxy
    q = database.q.copy()
    rest = float(database.figure.skeleton.tree.offset[0, 1])
    height = mapping.scale * (q[:, 1] + rest)
    q[:, 1] = height - float(figure.skeleton.tree.offset[0, 1])
    return replace(database, figure=figure, q=q, linking=linking_vector(figure, q))
