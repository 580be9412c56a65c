"""Multi-start search for a collision-free pose, regardless of a path to it.

From the given pose and from random ones around it, overlaps are turned into half-spaces and the
objective is solved repeatedly. The search may jump and pass through objects: run to completion, its
success rate is an upper bound for any continuous response; run a few rounds per step it finds the
pose to which `escape` steers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable, NearPairs
from writhe.kernels.skeleton import kinematics
from writhe.kernels.terms.half_space_rows import PlaneSettings, accumulate
from writhe.solvers.half_space.objective import Objective
from writhe.solvers.half_space.options import ResponseOptions
from writhe.terms import Term

CLEAR_M = 0.0005  # overlap beyond the allowance that still counts as clear
LIMIT_SLACK = 0.02  # violation of terms that is tolerated
_ROUNDS = 15  # of one start
_NEAR_M = 0.01
_SPREADS_RAD = (0.15, 0.3, 0.6, 1.0)


class ClearPoseSearch:
    """A resumable search: `advance` takes some rounds and returns a clear pose once found.

    The poses found satisfy `terms` (relations, limits).
    """

    def __init__(
        self,
        table: CollisionTable,
        free: Bools,
        terms: Sequence[Term],
        options: ResponseOptions,
        seed: int = 0,
    ) -> None:
        self.table, self.skeleton = table, table.skeleton
        self.options = options
        self.near = NearPairs(table)
        self.objective = Objective(table.skeleton, free, options)
        self.objective.use_terms(list(terms))
        self._rng = np.random.default_rng(seed)
        self._full_approach = np.ones(len(self.skeleton))
        self._positions = np.empty((len(self.skeleton), 3))
        self._rotations = np.empty((len(self.skeleton), 3, 3))
        self.begin(self.skeleton.rest_configuration)

    def begin(self, q: Floats) -> None:
        """Start a search around q, with the objects at their poses in q."""
        self._origin = q.copy()
        self.starts = 0
        self._next_start()

    def run(self, q: Floats, starts: int) -> Floats | None:
        """A clear pose from up to `starts` starts around q, None when none is found."""
        self.begin(q)
        while self.starts <= starts:
            found = self.advance(1)
            if found is not None:
                return found
        return None

    def advance(self, rounds: int) -> Floats | None:
        """Continue for some rounds; returns a clear pose, or None so far."""
        for _ in range(rounds):
            if self._clear():
                return self._pose.copy()
            self._round += 1
            if self._round > _ROUNDS:
                self._next_start()
                continue
            self._push_out()
        return None

    def _next_start(self) -> None:
        self._pose, self._round = self._origin.copy(), 0
        if self.starts:
            spread = _SPREADS_RAD[self.starts % len(_SPREADS_RAD)]
            step = self._rng.normal(0.0, spread, self.skeleton.dof_count)
            step *= self.objective.free / (1.0 + self.objective.inertia)
            kinematics.integrate(self.skeleton.tree, self._origin, step, self._pose)
        self.starts += 1

    def _clear(self) -> bool:
        near = self.near
        kinematics.forward(self.skeleton.tree, self._pose, self._positions, self._rotations)
        near.find(self._positions, self._rotations, _NEAR_M)
        clearance = near.clearance
        if near.count and float(clearance.min()) < -CLEAR_M:
            return False
        self.objective.terms.update(self._pose)
        return bool(np.abs(self.objective.terms.violation()).max(initial=0.0) < LIMIT_SLACK)

    def _push_out(self) -> None:
        # only the newest half-spaces: normals of deep overlaps often point the wrong way
        spaces = self.objective.spaces
        spaces.used[0] = 0
        accumulate(
            self.near.rows,
            self.near.count,
            self.table.shapes.radius,
            self._positions,
            self._rotations,
            self._full_approach,
            PlaneSettings(self.options.margin_m, recovery_m=1.0, same_cosine=1.0, same_m=0.0),
            spaces,
        )
        self._pose, _ = self.objective.solve(self._pose)
