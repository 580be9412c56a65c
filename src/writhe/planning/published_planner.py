"""The planner as published: Algorithms 1 and 2, and pure descent to canonical postures.

Wang, Ho and Komura, "An Energy-driven Motion Planning Method for Two Distant Postures", sections 5
and 6.1. Free steps have the length alpha, the projection only prevents the energy from rising, and
a straight line between two postures is assumed safe if the linking of all their strands differs by
less than 0.3. Steps are not checked for penetration; the path is certified afterwards.

Where the print contradicts itself, the text around it is followed:

- Algorithm 1 multiplies by alpha twice, or steps twice, in some branches, and Algorithm 2 leaves
  alpha out where it projects: here every free step is alpha long.
- Eq. 11 subtracts K^T l, which has the wrong size: J^T l here. It starts at dq but has J dq' in l,
  which would cancel the correction of the constraints: J dq here (J dq' with dq' instead of dq
  gives the same step).
- With omega = -0.01 as printed the energy would rise: the step descends by 0.01.
- Algorithm 2 runs where there are constraints, planted parts or joint limits; its last branch
  projects always, as printed, Algorithm 1 only where the energy would rise.
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
    correction: float = 0.01  # gamma of Eqs. 10 and 11
    decrease: float = 0.01  # -omega of Eq. 11: how far a corrected step descends, radians
    limits: bool = True  # joint limits are constraints of Algorithm 2; without them Algorithm 1
    stop_at_minimum: bool = False  # stop where the heuristic of section 8 reports one
    max_steps: int = 3000
    patience: int = 50  # iterations within one energy window until it is a local minimum
    window: float = 1e-3  # relative height of that window
    seconds: float = 60.0  # of CPU time

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass
class StepCounts:
    """What decided the steps of one plan."""

    steps: int = 0
    corrected: int = 0  # by violated constraints (Eqs. 10 and 11)
    in_safe_zone: int = 0  # straight on, because the safe zone said so
    zone_line: Floats | None = None  # (2, nq) the postures for which the zone held first
    minimum_at: int | None = None  # first step at which section 8 would report a local minimum


class PaperPlanner:
    """Algorithm 2, or Algorithm 1 if nothing is planted and `limits` is off."""

    name = "paper"

    def __init__(self, figure: Figure | None = None, options: PaperOptions | None = None) -> None:
        self.figure = figure
        self.options = options or PaperOptions()

    def plan(self, problem: PlanProblem) -> Plan:
        """The path as the paper finds it, certified afterwards."""
        return self.plan_counted(problem)[0]

    def plan_counted(self, problem: PlanProblem) -> tuple[Plan, StepCounts]:
        """The path as the paper finds it, and what decided its steps."""
        begin, begin_s = time.perf_counter(), time.thread_time()
        compiled, counts = CompiledProblem(problem, self.options.energy), StepCounts()
        rows, met = self._descend(problem, compiled, begin_s, counts)
        seconds, processor_s = time.perf_counter() - begin, time.thread_time() - begin_s
        found = Plan(problem, rows, PlanStatus.STUCK, self.name, seconds, processor_s=processor_s)
        if met:
            certified = found.certificate.certified
            status = PlanStatus.EXACT if certified else PlanStatus.APPROXIMATE
            note = () if certified else ("the path penetrates",)
            found = replace(found, status=status, steps=counts.steps, notes=note)
        return found, counts

    def _descend(
        self, problem: PlanProblem, compiled: CompiledProblem, begin_s: float, counts: StepCounts
    ) -> tuple[Floats, bool]:
        options, skeleton = self.options, problem.skeleton
        q = [problem.start, problem.goal]
        sides: list[list[Floats]] = [[problem.start], [problem.goal]]
        known = [compiled.energy.value_and_gradient(x) for x in q]
        top, since, met = max(known[0][0], known[1][0]), 0, False
        has_objects = bool(np.isinf(compiled.energy.field.radius).any()) or len(problem.bodies) > 0
        zone = options.safe_zone and not has_objects
        while counts.steps < options.max_steps:
            high = 0 if known[0][0] >= known[1][0] else 1
            towards = difference(skeleton, q[high], q[1 - high])
            apart = float(np.linalg.norm(towards))
            if apart < options.step:
                met = True
                break
            if time.thread_time() - begin_s > options.seconds:
                break
            gradient = known[high][1]
            norm = float(np.linalg.norm(gradient))
            uphill = gradient / norm if norm > 0 else gradient
            step = self._corrected_step(compiled, q[high], towards / apart, uphill)
            if step is not None:
                counts.corrected += 1
            elif zone and self._safe(problem, q):
                counts.in_safe_zone += 1
                if counts.zone_line is None:
                    counts.zone_line = np.array(q)
                step = options.step / apart * towards
            else:
                step = options.step * self._level(compiled, towards / apart, uphill)
            counts.steps += 1
            q[high] = integrate(skeleton, q[high], step)
            sides[high].append(q[high])
            known[high] = compiled.energy.value_and_gradient(q[high])
            low = min(known[0][0], known[1][0])
            since = since + 1 if top * (1 - options.window) < low <= top else 0
            top = top if since else low
            if since > options.patience and counts.minimum_at is None:
                counts.minimum_at = counts.steps
                if options.stop_at_minimum:
                    break
        return np.array([*sides[0], *sides[1][::-1]]), met

    def _level(self, compiled: CompiledProblem, direction: Floats, uphill: Floats) -> Floats:
        """The direction without its component along the energy's gradient (Eq. 5)."""
        constrained = self.options.limits or compiled.planted > 0
        along = float(direction @ uphill)
        return direction - along * uphill if constrained or along > 0 else direction

    def _corrected_step(
        self, compiled: CompiledProblem, q: Floats, direction: Floats, uphill: Floats
    ) -> Floats | None:
        """The step of Eq. 10, or of Eq. 11 if that climbs; None where no constraint is violated."""
        options, terms = self.options, compiled.terms
        terms.update(q)
        outside = terms.violation()
        outside[: compiled.planted] = (terms.values - terms.lower)[: compiled.planted]
        broken = np.abs(outside) > 1e-4
        broken[: compiled.planted] = True
        if not options.limits:
            broken[compiled.planted :] = False
        if not broken.any():
            return None
        free_step = options.step * direction
        rows, missing = terms.jacobian[broken], -outside[broken]
        sigma = rows @ free_step - missing
        step = self._project(rows, free_step, options.correction * sigma)
        if step @ uphill <= 0:
            return step
        both = np.concatenate([rows, uphill[None]])
        epsilon = np.append(options.correction * sigma, options.decrease)
        return self._project(both, free_step, epsilon)

    def _project(self, rows: Floats, free_step: Floats, wanted: Floats) -> Floats:
        """dq - J^T l with l = (J J^T)^-1 (J dq + wanted), in the least-squares sense."""
        gram = rows @ rows.T
        gram[np.diag_indices_from(gram)] += 1e-9
        return free_step - rows.T @ np.linalg.solve(gram, rows @ free_step + wanted)

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
