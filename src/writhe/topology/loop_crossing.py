"""Whether a chain passes through a loop: crossings of the disc spanned in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, floats
from writhe.errors import WritheError
from writhe.kernels.topology.loop_crossing import disc_crossings

_MOST = 64  # crossings that are told apart


@dataclass(frozen=True, slots=True)
class Crossing:
    """A place where a chain crosses a loop's disc.

    `sign` is 1 where the chain comes out of the front, from which the loop runs anticlockwise;
    `clearance_m` is how far it keeps from the rim, `beyond_m` the length of chain after it.
    """

    sign: int
    point: Floats
    clearance_m: float
    beyond_m: float


def crossings(chain: ArrayLike, loop: ArrayLike) -> list[Crossing]:
    """The crossings of an open chain (m, 3) with the disc of a loop (n, 3), along the chain.

    The disc is the fan of triangles from the loop's mean point to its edges, so any loop that is
    seen whole from there will do. The first vertex of the loop may be repeated at its end.
    """
    line = floats(chain, (None, 3), "a chain")
    rim = floats(loop, (None, 3), "a loop")
    count = len(rim) - 1 if np.array_equal(rim[0], rim[-1]) else len(rim)
    if count < 3:
        raise WritheError(f"a loop has 3 points or more, not {count}")
    rows = np.empty((_MOST, 6))
    found = rows[: disc_crossings(line, rim, count, rows)]
    lengths = np.linalg.norm(np.diff(line, axis=0), axis=1)
    out: list[Crossing] = []
    for row in found[np.argsort(found[:, 0])]:
        k = int(row[0])
        beyond = (k + 1 - row[0]) * lengths[k] + lengths[k + 1 :].sum()
        out.append(Crossing(int(row[1]), row[2:5].copy(), float(row[5]), float(beyond)))
    return out


def net_crossings(chain: ArrayLike, loop: ArrayLike) -> int:
    """How often a chain passes through a loop, from its back to its front less the other way."""
    return sum(crossing.sign for crossing in crossings(chain, loop))
