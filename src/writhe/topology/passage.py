"""Whether a chain passes through a loop: crossings of the disc spanned in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, floats
from writhe.errors import WritheError


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
    if np.allclose(rim[0], rim[-1]):
        rim = rim[:-1]
    if len(rim) < 3:
        raise WritheError(f"a loop has 3 points or more, not {len(rim)}")
    middle, after = rim.mean(axis=0), np.roll(rim, -1, axis=0)
    lengths = np.linalg.norm(np.diff(line, axis=0), axis=1)
    found: list[Crossing] = []
    for k in range(len(line) - 1):
        start, along = line[k], line[k + 1] - line[k]
        hits: list[tuple[float, Crossing]] = []
        # Moeller and Trumbore (1997), for all triangles of the fan at once
        u_edge, v_edge = rim - middle, after - middle
        normal = np.cross(u_edge, v_edge)
        slope = normal @ along
        valid = np.abs(slope) > 1e-15
        safe = np.where(valid, slope, 1.0)
        t = ((middle - start) * normal).sum(axis=1) / safe
        place = start + t[:, None] * along - middle
        square = np.maximum((normal**2).sum(axis=1), 1e-300)
        u = (np.cross(place, v_edge) * normal).sum(axis=1) / square
        v = (np.cross(u_edge, place) * normal).sum(axis=1) / square
        inside = valid & (t >= 0.0) & (t < 1.0) & (u >= 0.0) & (v > 0.0) & (u + v <= 1.0)
        for i in np.flatnonzero(inside):
            point = start + t[i] * along
            rest = float((1.0 - t[i]) * lengths[k] + lengths[k + 1 :].sum())
            sign = 1 if slope[i] > 0 else -1
            hits.append((float(t[i]), Crossing(sign, point, _to_rim(point, rim, after), rest)))
        found += [crossing for _, crossing in sorted(hits, key=lambda hit: hit[0])]
    return found


def net_crossings(chain: ArrayLike, loop: ArrayLike) -> int:
    """How often a chain passes through a loop, from its back to its front less the other way."""
    return sum(crossing.sign for crossing in crossings(chain, loop))


def _to_rim(point: Floats, rim: Floats, after: Floats) -> float:
    along = after - rim
    share = ((point - rim) * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-300)
    nearest = rim + np.clip(share, 0.0, 1.0)[:, None] * along
    return float(np.linalg.norm(point - nearest, axis=1).min())
