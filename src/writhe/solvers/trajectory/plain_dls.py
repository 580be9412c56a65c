"""The baseline of the comparison: damped least squares with one damping and no limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.trajectory import ik_passes as kernels
from writhe.solvers.trajectory.chain import Chain
from writhe.solvers.trajectory.four_passes import PassOptions, bounds, targets_of

DAMPING_M2 = 0.01
ITERATIONS = 60


def plain_trajectory(
    chain: Chain,
    targets_in_root: Floats,
    start: Floats,
    *,
    from_previous: bool,
    starts: Sequence[int] = (0,),
    options: PassOptions | None = None,
) -> Floats:
    """(F, n): each frame solved from `start` (n), or from the frame before it."""
    targets = targets_of(chain, targets_in_root)
    out = np.empty((len(targets), len(chain)))
    kernels.plain_pass(
        chain.tree,
        np.ascontiguousarray(start),
        targets,
        np.full(len(chain), 1.0 / DAMPING_M2),
        bounds(len(targets), starts)[0],
        from_previous,
        (options or PassOptions()).tolerance_m,
        ITERATIONS,
        out,
    )
    return out
