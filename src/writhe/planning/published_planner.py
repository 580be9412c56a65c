"""The planner as published: Algorithms 1 and 2, and pure descent to canonical postures.

Wang, Ho and Komura, "An Energy-driven Motion Planning Method for Two Distant Postures", sections 5
and 6.1. Steps have a fixed length, the projection only prevents the energy from rising, and a
straight line between two postures is assumed safe if the linking of all their strands differs by
less than 0.3. Steps are not checked for penetration; the path is certified afterwards.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np

from writhe.arguments import check_fields
from writhe.arrays import Floats
from writhe.planning.compiled_problem import CompiledProblem
from writhe.planning.energy import EnergyOptions
from writhe.planning.problem import PlanProblem
from writhe.planning.result import Plan, PlanStatus
from writhe.skeleton import Figure, Skeleton
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
    max_steps: int = 3000
    patience: int = 50  # iterations within one energy window until it is a local minimum
    window: float = 1e-3  # relative height of that window
    seconds: float = 60.0  # of processor time

    def __post_init__(self) -> None:
        check_fields(self)


class PaperPlanner:
    """Algorithm 1, or Algorithm 2 if parts are planted or limits are reached."""

    name = "paper"

    def __init__(self, figure: Figure | None = None, options: PaperOptions | None = None) -> None:
        self.figure = figure
        self.options = options or PaperOptions()

    def plan(self, problem: PlanProblem) -> Plan:
        """The path as the paper finds it, certified afterwards."""
        begin, begin_s = time.perf_counter(), time.thread_time()
        compiled = CompiledProblem(problem, self.options.energy)
        rows, met = self._descend(problem, compiled, begin_s)
        seconds, processor_s = time.perf_counter() - begin, time.thread_time() - begin_s
        found = Plan(problem, rows, PlanStatus.STUCK, self.name, seconds, processor_s=processor_s)
        if met:
            certified = found.certificate.certified
            status = PlanStatus.EXACT if certified else PlanStatus.APPROXIMATE
            note = () if certified else ("the path penetrates",)
            found = replace(found, status=status, steps=len(rows), notes=note)
        return found

    def _descend(
        self, problem: PlanProblem, compiled: CompiledProblem, begin_s: float
    ) -> tuple[Floats, bool]:
        options, skeleton = self.options, problem.skeleton
        q = [problem.start, problem.goal]
        sides: list[list[Floats]] = [[problem.start], [problem.goal]]
        known = [compiled.energy.value_and_gradient(x) for x in q]
        top, since, met = np.inf, 0, False
        has_objects = bool(np.isinf(compiled.energy.field.radius).any()) or len(problem.bodies) > 0
        for _ in range(options.max_steps):
            high = 0 if known[0][0] >= known[1][0] else 1
            towards = difference(skeleton, q[high], q[1 - high])
            apart = float(np.linalg.norm(towards))
            if apart < options.step:
                met = True
                break
            if time.thread_time() - begin_s > options.seconds:
                break
            direction = towards / apart
            gradient = known[high][1]
            norm = float(np.linalg.norm(gradient))
            downhill = gradient / norm if norm > 0 else gradient
            safe = options.safe_zone and not has_objects and self._safe(problem, q)
            step = self._step(compiled, q[high], direction, downhill, safe)
            q[high] = integrate(skeleton, q[high], step)
            sides[high].append(q[high])
            known[high] = compiled.energy.value_and_gradient(q[high])
            low = min(known[0][0], known[1][0])
            since = since + 1 if low > top * (1 - options.window) else 0
            top = min(top, low) if since else low
            if since > options.patience and not safe and float(np.linalg.norm(step)) < 1e-4:
                break
        return np.array([*sides[0], *sides[1][::-1]]), met

    def _step(
        self, compiled: CompiledProblem, q: Floats, direction: Floats, downhill: Floats, safe: bool
    ) -> Floats:
        """Eq. 5, or Eqs. 10 and 11 where constraints are violated."""
        options, terms = self.options, compiled.terms
        terms.update(q)
        outside = terms.violation()
        outside[: compiled.planted] = (terms.values - terms.lower)[: compiled.planted]
        broken = np.abs(outside) > 1e-4
        broken[: compiled.planted] = True
        if not broken.any():
            if not safe and direction @ downhill > 0:
                direction = direction - (direction @ downhill) * downhill
            return options.step * direction
        free_step = options.step * direction
        rows = terms.jacobian[broken]
        step = self._project(rows, free_step, outside[broken])
        if step @ downhill <= 0:
            return step
        both = np.concatenate([rows, downhill[None]])
        slack = options.decrease / options.correction * options.step
        return self._project(both, free_step, np.append(outside[broken], -slack))

    def _project(self, rows: Floats, free_step: Floats, deviation: Floats) -> Floats:
        """dq' = dq - K^T l,  l = (K K^T)^-1 (K dq + gamma sigma), in the least-squares sense."""
        gram = rows @ rows.T
        gram[np.diag_indices_from(gram)] += 1e-9
        right = rows @ free_step + self.options.correction * deviation
        return free_step - rows.T @ np.linalg.solve(gram, right)

    def _safe(self, problem: PlanProblem, q: list[Floats]) -> bool:
        """Whether the paper assumes the straight line between the postures to be safe (Eq. 8)."""
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


def descend(
    problem: PlanProblem,
    q: Floats,
    *,
    step: float = 0.03,
    max_steps: int = 400,
    energy: EnergyOptions | None = None,
) -> Floats:
    """(rows, nq) the gradient descent from q to a canonical posture (section 5.1).

    Steps have the length `step` or less, so that the energy falls at every one of them. Where one
    would leave joint limits, it is corrected to their border.
    """
    compiled, skeleton = CompiledProblem(problem, energy), problem.skeleton
    rows, alpha = [q], step
    value, gradient = compiled.energy.value_and_gradient(q)
    for _ in range(max_steps):
        norm = float(np.linalg.norm(gradient))
        if norm == 0 or alpha < 1e-3 * step:
            break
        tried = _within_limits(
            compiled, integrate(skeleton, rows[-1], -alpha / norm * gradient), skeleton
        )
        lower, lower_gradient = compiled.energy.value_and_gradient(tried)
        if lower >= value:
            alpha *= 0.5
            continue
        alpha = min(1.3 * alpha, step)
        rows.append(tried)
        value, gradient = lower, lower_gradient
    return np.array(rows)


def _within_limits(compiled: CompiledProblem, q: Floats, skeleton: Skeleton) -> Floats:
    """q moved back into its joint limits, to first order."""
    terms = compiled.terms
    terms.update(q)
    outside = terms.violation()
    broken = np.abs(outside) > 1e-4
    if not broken.any():
        return q
    rows = terms.jacobian[broken]
    gram = rows @ rows.T
    gram[np.diag_indices_from(gram)] += 1e-9
    return integrate(skeleton, q, -rows.T @ np.linalg.solve(gram, outside[broken]))
