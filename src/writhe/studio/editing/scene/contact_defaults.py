"""Default contact policy and clearance measurement of the studio."""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.collision import CollisionTable, ContactPolicy, NearPairs
from writhe.skeleton import Figure, forward
from writhe.studio.editing.figure_cache import per_figure

POLICY = ContactPolicy()  # that of the library, so that all interfaces give the same verdict
GROUND = "ground"  # part name of the floor
MAX_MEASURED_M = 0.2  # larger clearances are not measured


@per_figure
def collision_table(figure: Figure) -> CollisionTable | None:
    """The collision table of a figure; None for a figure without shapes."""
    return CollisionTable.of_figure(figure, POLICY) if figure.capsules else None


def clearance(figure: Figure, q: Floats) -> float:
    """The smallest gap between parts plus its allowance, at most `MAX_MEASURED_M`."""
    table = collision_table(figure)
    if table is None:
        return MAX_MEASURED_M
    near, frames = NearPairs(table), forward(figure.skeleton, q)
    near.find(frames.positions, frames.rotations, MAX_MEASURED_M)
    return float(near.clearance.min(initial=MAX_MEASURED_M))
