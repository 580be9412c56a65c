"""Tangles by tracking a desired writhe matrix entry by entry, as published.

Ho and Komura (2009), section 3: at every step the topology coordinates move along a straight line
towards their target, none by more than its stride, the desired writhe matrix T_d of the new
coordinates is computed (`published_target_matrix`, Eq. 4), and the QP of Eq. 9 gets one row
T + dT - T_d + delta = 0 for each pair of segments, where delta has a weight relative to the motion
(`TangleOptions.matrix_weight`).

The paper lets the user set all four coordinates. A coordinate that a goal leaves free is the
measured one here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.quantities import WritheMatrix
from writhe.solvers.tangling.goals import StrandGoal, Tangle
from writhe.solvers.tangling.options import TangleOptions
from writhe.terms import CompiledTerms, Term
from writhe.topology import TopologyCoordinates, published_target_matrix
from writhe.topology.coordinates import density_difference, matrix_coordinates


def matrix_terms(goals: Sequence[StrandGoal]) -> list[Term]:
    """One term with all entries of the writhe matrix for each tangle among the goals."""
    return [
        Term(WritheMatrix(goal.first, goal.second), 0.0, 0.0, label=_name(k))
        for k, goal in enumerate(goals)
        if isinstance(goal, Tangle)
    ]


def _name(goal: int) -> str:
    return f"matrix of goal {goal}"


class MatrixTracking:
    """The desired matrices of all tangles, and the coordinates that they were computed from."""

    def __init__(
        self, goals: Sequence[StrandGoal], terms: CompiledTerms, options: TangleOptions
    ) -> None:
        self._tangles: list[tuple[int, slice, tuple[int, int]]] = []
        for k, goal in enumerate(goals):
            if isinstance(goal, Tangle):
                shape = tuple(
                    len(strand.joints) - (0 if strand.closed else 1)
                    for strand in (goal.first, goal.second)
                )
                self._tangles.append((k, terms.slice_of(_name(k)), (shape[0], shape[1])))
        self._strides = np.array(
            [options.writhe_stride, *[options.centre_stride] * 2, options.density_stride]
        )
        self._coordinates: dict[int, Floats] = {}

    @property
    def rows(self) -> list[slice]:
        """The rows of each tangle's matrix."""
        return [at for _, at, _ in self._tangles]

    def aim(self, goals: Sequence[Tangle | None], terms: CompiledTerms) -> None:
        """Set the bounds of all entries to those of the desired matrices of this step."""
        for k, at, shape in self._tangles:
            measured = matrix_coordinates(terms.values[at].reshape(shape)).vector
            target = goals[k]
            if target is None:
                continue
            now = self._coordinates.get(k, measured)
            free = np.array([False, *(c is None for c in target.centre), target.density is None])
            wanted = np.array(
                [
                    target.writhe,
                    *(measured[1 + i] if c is None else c for i, c in enumerate(target.centre)),
                    measured[3] if target.density is None else target.density,
                ]
            )
            change = wanted - now
            change[3] = density_difference(float(wanted[3]), float(now[3]))
            change[free] = 0.0
            # one factor for all coordinates: they arrive together (linear interpolation)
            share = 1.0 / max(1.0, float((np.abs(change) / self._strides).max()))
            now = np.where(free, measured, now + share * change)
            self._coordinates[k] = now
            desired = published_target_matrix(
                TopologyCoordinates(float(now[0]), (float(now[1]), float(now[2])), float(now[3])),
                *shape,
            )
            terms.lower[at] = terms.upper[at] = desired.ravel()
