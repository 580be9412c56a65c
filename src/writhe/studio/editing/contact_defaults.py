"""The collision shapes of a figure as all parts of the studio see them."""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.collision import CollisionTable, ContactPolicy, NearPairs
from writhe.skeleton import Figure, forward
from writhe.studio.editing.figure_cache import per_figure

# Shapes fitted to a foreign skeleton overlap at its joints in every pose: those pairs are left out.
POLICY = ContactPolicy(skip_joint_zones=True)
GROUND = "ground"  # the part that the floor is
LOOK_M = 0.2  # clearances above this are not worth measuring


@per_figure
def collision_table(figure: Figure) -> CollisionTable | None:
    """The figure's shapes and pairs; None for a figure without shapes."""
    return CollisionTable.of_figure(figure, POLICY) if figure.capsules else None


def clearance(figure: Figure, q: Floats) -> float:
    """The smallest gap beyond its allowance, at most `LOOK_M`."""
    table = collision_table(figure)
    if table is None:
        return LOOK_M
    near, frames = NearPairs(table), forward(figure.skeleton, q)
    near.find(frames.positions, frames.rotations, LOOK_M)
    return float(near.clearance.min(initial=LOOK_M))
