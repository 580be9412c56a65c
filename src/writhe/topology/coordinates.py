"""Topology coordinates of two strands: writhe, centre and density.

Ho and Komura (2009), "Character Motion Synthesis by Topology Coordinates", section 2.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, floats
from writhe.errors import WritheError
from writhe.kernels.topology import topology_coordinates as kernels
from writhe.topology.polyline import writhe_matrix


@dataclass(frozen=True, slots=True)
class TopologyCoordinates:
    """Writhe, centre and density of two strands.

    `centre` is where along each strand the winding is concentrated, from -1 (its start) to 1 (its
    end). `density` is in radians, modulo pi: 0 if both strands wind equally, pi/4 if the first
    winds around a straight second, -pi/4 if the second winds around the first. `clearness` is the
    anisotropy of the writhe matrix: 0 if its principal axis, and so the density, is undefined;
    about 0.3 if the entries lie along a long line; 1 for coordinates that were not computed from a
    matrix.
    """

    writhe: float
    centre: tuple[float, float] = (0.0, 0.0)
    density: float = 0.0
    clearness: float = 1.0

    def __post_init__(self) -> None:
        numbers = (self.writhe, *self.centre, self.density)
        if not np.isfinite(numbers).all():
            raise WritheError(f"topology coordinates must be finite, not {numbers}")

    @property
    def vector(self) -> Floats:
        """(4,) writhe, centre along the first and the second strand, density."""
        return np.array([self.writhe, *self.centre, self.density])


def matrix_coordinates(matrix: ArrayLike) -> TopologyCoordinates:
    """The coordinates of a writhe matrix (m, n)."""
    out = np.empty(4)
    clear = kernels.matrix_coordinates(_matrix(matrix), out)
    return TopologyCoordinates(float(out[0]), (float(out[1]), float(out[2])), float(out[3]), clear)


def topology_coordinates(first: ArrayLike, second: ArrayLike) -> TopologyCoordinates:
    """The coordinates of two polylines (m + 1, 3) and (n + 1, 3)."""
    return matrix_coordinates(writhe_matrix(first, second))


def density_difference(a: float, b: float) -> float:
    """a - b for densities, which are periodic in pi: in (-pi/2, pi/2]."""
    return float(0.5 * pi - (0.5 * pi - (a - b)) % pi)


def _matrix(matrix: ArrayLike) -> Floats:
    array = floats(matrix, (None, None), "a writhe matrix").copy()
    if array.size == 0:
        raise WritheError("a writhe matrix needs at least one row and one column")
    return array
