"""Crossings of a chain with the disc that a loop bounds: whether it passes through the loop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, floats
from writhe.errors import WritheError
from writhe.kernels.topology.loop_crossing import disc_crossings

_MAX_CROSSINGS = 64  # maximum number of crossings stored


@dataclass(frozen=True, slots=True)
class LoopCrossing:
    """A point where a chain crosses the disc of a loop.

    `sign` is 1 if the chain crosses in the direction of the loop's normal (right-hand rule), else
    -1; `clearance_m` is the distance from the loop, `beyond_m` the length of the chain after the
    crossing.
    """

    sign: int
    point: Floats
    clearance_m: float
    beyond_m: float


def crossings(chain: ArrayLike, loop: ArrayLike) -> list[LoopCrossing]:
    """The crossings of an open chain (m, 3) with the disc of a loop (n, 3), along the chain.

    The disc is the fan of triangles from the loop's mean point to its edges, so the whole loop
    should be visible from there. The first vertex of the loop may be repeated at its end.
    """
    line = floats(chain, (None, 3), "a chain")
    rim = floats(loop, (None, 3), "a loop")
    count = len(rim) - 1 if np.array_equal(rim[0], rim[-1]) else len(rim)
    if count < 3:
        raise WritheError(f"a loop needs 3 points or more, not {count}")
    rows = np.empty((_MAX_CROSSINGS, 6))
    found = rows[: disc_crossings(line, rim, count, rows)]
    lengths = np.linalg.norm(np.diff(line, axis=0), axis=1)
    out: list[LoopCrossing] = []
    for row in found[np.argsort(found[:, 0])]:
        k = int(row[0])
        beyond = (k + 1 - row[0]) * lengths[k] + lengths[k + 1 :].sum()
        out.append(LoopCrossing(int(row[1]), row[2:5].copy(), float(row[5]), float(beyond)))
    return out


def net_crossings(chain: ArrayLike, loop: ArrayLike) -> int:
    """How often a chain passes through a loop along its normal, minus how often against it."""
    return sum(crossing.sign for crossing in crossings(chain, loop))
