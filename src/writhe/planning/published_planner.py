"""The planner as published: Algorithms 1 and 2, and pure descent to canonical postures.

Wang, Ho and Komura, "An Energy-driven Motion Planning Method for Two Distant Postures", sections 5
and 6.1. Steps have one length, the projection only keeps the energy from rising, and two postures
count as joined by a straight line when the linking of all their strands differs by less than 0.3.
Nothing is checked on the way: the certificate judges the outcome.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from writhe.arrays import Floats
from writhe.planning.compiled_problem import Walker
from writhe.planning.energy import EnergyOptions
from writhe.planning.problem import PlanProblem
from writhe.planning.result import Plan, PlanStatus
from writhe.skeleton import Figure
from writhe.skeleton.kinematics import difference, integrate
from writhe.topology import Bundle, Strand
from writhe.topology.linking_vector import body_bundle


@dataclass(frozen=True)
class PaperOptions:
    """The constants of the paper; `step` is its alpha, which it does not give."""

    energy: EnergyOptions = field(default_factory=EnergyOptions)
    step: float = 0.03
    safe_zone: bool = True
    safe_linking: float = 0.3
    correction: float = 0.01  # gamma of Eq. 10
    decrease: float = -0.01  # omega of Eq. 11
    most: int = 3000
    patience: int = 50  # iterations within one energy window that count as a local minimum
    window: float = 1e-3  # relative height of that window
    seconds: float = 60.0


class PaperPlanner:
    """Algorithm 1, or Algorithm 2 where parts are planted or limits are reached."""

    name = "paper"

    def __init__(self, figure: Figure | None = None, options: PaperOptions | None = None) -> None:
        self.figure = figure
        self.options = options or PaperOptions()

    def plan(self, problem: PlanProblem) -> Plan:
        """The path as the paper finds it, certified afterwards."""
        begin = time.perf_counter()
        walker = Walker(problem, self.options.energy)
        rows, met = self._walk(problem, walker, begin)
        seconds = time.perf_counter() - begin
        found = Plan(problem, rows, PlanStatus.STUCK, self.name, seconds)
        if met:
            certified = found.certificate.certified
            status = PlanStatus.EXACT if certified else PlanStatus.APPROXIMATE
            note = () if certified else ("the path penetrates",)
            found = Plan(problem, rows, status, self.name, seconds, len(rows), notes=note)
        return found

    def _walk(self, problem: PlanProblem, walker: Walker, begin: float) -> tuple[Floats, bool]:
        options, skeleton = self.options, problem.skeleton
        q = [problem.start, problem.goal]
        sides: list[list[Floats]] = [[problem.start], [problem.goal]]
        known = [walker.energy.value_and_gradient(x) for x in q]
        top, since, met = np.inf, 0, False
        things = bool(np.isinf(walker.energy.field.radius).any()) or len(problem.bodies) > 0
        for _ in range(options.most):
            high = 0 if known[0][0] >= known[1][0] else 1
            towards = difference(skeleton, q[high], q[1 - high])
            apart = float(np.linalg.norm(towards))
            if apart < options.step:
                met = True
                break
            if time.perf_counter() - begin > options.seconds:
                break
            direction = towards / apart
            gradient = known[high][1]
            norm = float(np.linalg.norm(gradient))
            downhill = gradient / norm if norm > 0 else gradient
            safe = options.safe_zone and not things and self._safe(problem, q)
            step = self._step(walker, q[high], direction, downhill, safe)
            q[high] = integrate(skeleton, q[high], step)
            sides[high].append(q[high])
            known[high] = walker.energy.value_and_gradient(q[high])
            low = min(known[0][0], known[1][0])
            since = since + 1 if low > top * (1 - options.window) else 0
            top = min(top, low) if since else low
            if since > options.patience and not safe and float(np.linalg.norm(step)) < 1e-4:
                break
        return np.array([*sides[0], *sides[1][::-1]]), met

    def _step(
        self, walker: Walker, q: Floats, direction: Floats, downhill: Floats, safe: bool
    ) -> Floats:
        """Eq. 5, or Eqs. 10 and 11 where constraints are violated."""
        options, terms = self.options, walker.terms
        terms.update(q)
        outside = terms.violation()
        outside[: walker.planted] = (terms.values - terms.lower)[: walker.planted]
        broken = np.abs(outside) > 1e-4
        broken[: walker.planted] = True
        if not broken.any():
            if not safe and direction @ downhill > 0:
                direction = direction - (direction @ downhill) * downhill
            return options.step * direction
        wanted = options.step * direction
        rows = terms.jacobian[broken]
        step = self._onto(rows, wanted, outside[broken])
        if step @ downhill <= 0:
            return step
        both = np.concatenate([rows, downhill[None]])
        slack = options.decrease / options.correction * options.step
        return self._onto(both, wanted, np.append(outside[broken], -slack))

    def _onto(self, rows: Floats, wanted: Floats, deviation: Floats) -> Floats:
        """dq' = dq - K^T l,  l = (K K^T)^-1 (K dq + gamma sigma), in the least-squares sense."""
        gram = rows @ rows.T
        gram[np.diag_indices_from(gram)] += 1e-9
        right = rows @ wanted + self.options.correction * deviation
        return wanted - rows.T @ np.linalg.solve(gram, right)

    def _safe(self, problem: PlanProblem, q: list[Floats]) -> bool:
        """Whether the paper takes the two postures to be joined by a straight line (Eq. 8)."""
        bundle = self._bundle(problem)
        if bundle is None:
            return False
        apart = np.abs(bundle.linking(q[0]) - bundle.linking(q[1]))
        return float(apart.max()) < self.options.safe_linking

    def _bundle(self, problem: PlanProblem) -> Bundle | None:
        figure = self.figure
        if figure is None:
            return None
        if figure.skeleton.names == problem.skeleton.names:
            return body_bundle(figure)
        prefix = f"{problem.bodies[0]}." if problem.bodies else ""
        strands = [
            Strand.through(figure.skeleton, names, name=name) for name, names in figure.strands
        ]
        moved = [
            Strand(s.name, tuple(f"{prefix}{j}" for j in s.joints), s.offsets_in_joint)
            for s in strands
        ]
        return Bundle.compile(problem.skeleton.tree, problem.skeleton.index, moved)


def descend(problem: PlanProblem, q: Floats, *, step: float = 0.03, most: int = 400) -> Floats:
    """Section 5.1: the gradient flow from q down to a canonical posture, all of it (rows, nq)."""
    walker, skeleton = Walker(problem), problem.skeleton
    rows = [q]
    energy, gradient = walker.energy.value_and_gradient(q)
    for _ in range(most):
        norm = float(np.linalg.norm(gradient))
        if norm == 0 or step < 1e-3:
            break
        tried = integrate(skeleton, rows[-1], -step / norm * gradient)
        lower, slope = walker.energy.value_and_gradient(tried)
        if lower >= energy:
            step *= 0.5
            continue
        rows.append(tried)
        energy, gradient = lower, slope
    return np.array(rows)
