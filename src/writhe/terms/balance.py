"""Balance: keep the centre of mass over the feet."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from writhe.quantities import CentreOfMass
from writhe.terms.term import Term


def keep_centre_over(
    root: str, place_in_world: ArrayLike, *, within_m: float = 0.05, weight: float = 1.0
) -> Term:
    """Keep the centre of mass of `root` within a square around a point of the ground.

    `within_m` is half the side of the square, metres.
    """
    x, _, z = np.asarray(place_in_world, dtype=np.float64)
    return Term(
        CentreOfMass(root),
        np.array([x - within_m, -np.inf, z - within_m]),
        np.array([x + within_m, np.inf, z + within_m]),
        weight,
        label=f"balance {root}",
    )
