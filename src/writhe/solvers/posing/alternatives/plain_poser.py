"""`plain`: damped least squares with pins and joint limits; no data, no collision, no gate.

Standard damped least squares, used as a baseline.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from writhe.arrays import Floats
from writhe.skeleton import Figure
from writhe.solvers.levenberg_marquardt import StepOptions, StepSolver
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.posing.handle_rows import HandleRows, HandleWeights
from writhe.solvers.posing.handles import Hold, Pin, Target
from writhe.solvers.posing.poser import PoseResult
from writhe.solvers.result import Status
from writhe.terms import joint_limits

_WEIGHTS = HandleWeights(target=10.0, pin=100.0, target_orientation=2.0, pin_orientation=20.0)
_LIMIT_WEIGHT, _MET_M = 30.0, 0.01


class PlainPoser:
    """Damped least squares."""

    name = "plain"

    def __init__(
        self,
        figure: Figure,
        options: StepOptions | None = None,
        *,
        actor: ActorInScene | None = None,
    ) -> None:
        self.figure = figure
        self.options = options or StepOptions(iterations=3, damping=0.3)
        self.actor = actor or ActorInScene.alone(figure)
        self.table = self.actor.table
        skeleton = figure.skeleton
        limits = joint_limits(skeleton, weight=_LIMIT_WEIGHT)
        self._rows = HandleRows(skeleton, _WEIGHTS, hard=limits)
        self._solver: StepSolver | None = None

    def step(
        self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin | Hold] = ()
    ) -> PoseResult:
        """Three damped least-squares iterations from q."""
        start = time.perf_counter()
        rows = self._rows
        local = self.actor.in_actor_frame((*targets, *pins))
        changed = rows.set_handles(
            [h for h in local if isinstance(h, Target)], local[len(targets) :]
        )
        if changed or self._solver is None:
            self._solver = StepSolver(rows.terms, self.options)
        result = self._solver.step(q)
        errors = rows.point_errors()
        reached = all(error < _MET_M for error in errors[: len(targets)])
        return PoseResult(
            result.q,
            Status.REACHED if reached else result.status,
            {t.joint: e for t, e in zip(targets, errors, strict=False)},
            {p.joint: e for p, e in zip(pins, errors[len(targets) :], strict=True)},
            1e3 * (time.perf_counter() - start),
            turn_error_rad=rows.turn_errors(),
        )
