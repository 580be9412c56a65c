"""`plain`: damped least squares with pins and joint limits; no data, no collision, no gate.

What most tools do, and the yardstick for the smoothness of the others.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.skeleton import Figure, forward
from writhe.solvers.posing.handles import Pin, Target
from writhe.solvers.posing.poser import PoseResult
from writhe.solvers.result import Status
from writhe.solvers.step import StepOptions, StepSolver
from writhe.terms import CompiledTerms, Term, joint_limits, reach, turn_to

_TARGET_WEIGHT, _PIN_WEIGHT, _LIMIT_WEIGHT = 10.0, 100.0, 30.0


class PlainPoser:
    """Damped least squares."""

    name = "plain"

    def __init__(self, figure: Figure, options: StepOptions | None = None) -> None:
        self.figure = figure
        self.options = options or StepOptions(iterations=3, damping=0.3)
        self._solver: StepSolver | None = None
        self._shape: tuple[object, ...] = ()

    def step(self, q: Floats, targets: Sequence[Target], pins: Sequence[Pin] = ()) -> PoseResult:
        """Three damped least-squares iterations from q."""
        start = time.perf_counter()
        solver = self._prepare(targets, pins)
        result = solver.step(q)
        frames = forward(self.figure.skeleton, result.q)
        errors = {
            t.joint: float(
                np.linalg.norm(frames.point(t.joint, t.point_in_joint) - t.position_in_world)
            )
            for t in targets
        }
        held = {
            p.joint: float(
                np.linalg.norm(frames.point(p.joint, p.point_in_joint) - p.position_in_world)
            )
            for p in pins
        }
        met = all(error < 0.01 for error in errors.values())
        return PoseResult(
            result.q,
            Status.REACHED if met else result.status,
            errors,
            held,
            1e3 * (time.perf_counter() - start),
        )

    def _prepare(self, targets: Sequence[Target], pins: Sequence[Pin]) -> StepSolver:
        """The solver for these handles; compiled again only when the set of them changes."""
        skeleton = self.figure.skeleton
        wanted: list[Term] = []
        for weight, handles in ((_TARGET_WEIGHT, targets), (_PIN_WEIGHT, pins)):
            for handle in handles:
                own = weight
                if isinstance(handle, Target):
                    own *= (1.0 - min(handle.softness, 0.99)) ** 2
                wanted.append(
                    reach(
                        handle.joint,
                        handle.position_in_world,
                        point_in_joint=handle.point_in_joint,
                        weight=own,
                    )
                )
                if handle.orientation_in_world is not None:
                    wanted.append(
                        turn_to(handle.joint, handle.orientation_in_world, weight=0.2 * own)
                    )
        shape = tuple(
            (type(h).__name__, h.joint, h.point_in_joint, h.orientation_in_world)
            for h in (*targets, *pins)
        )
        if self._solver is None or shape != self._shape:
            limits = joint_limits(skeleton, weight=_LIMIT_WEIGHT)
            self._solver = StepSolver(CompiledTerms(skeleton, [*wanted, *limits]), self.options)
            self._shape = shape
        else:
            for term in wanted:
                if term.label.startswith("reach"):
                    self._solver.terms.set_target(term.label, term.lower)
        return self._solver
